package io.perceptronstreams.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.bench.BenchModels.Distribution;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

class BenchModelsTest {
    private static final int MODELS = 100;
    private static final int DRAWS = 200_000;

    @Test
    void shouldGiveRankRAShareProportionalToRToTheMinus11() {
        long[] counts = counts(BenchModels.drawn(MODELS, Distribution.ZIPF, 1, 1));

        double sum = IntStream.rangeClosed(1, MODELS)
                .mapToDouble(rank -> Math.pow(rank, -1.1))
                .sum();
        for (int rank = 1; rank <= MODELS; rank++) {
            double expected = DRAWS * Math.pow(rank, -1.1) / sum;
            assertThat((double) counts[rank - 1])
                    .as("rank %d", rank)
                    .isCloseTo(expected, within(5 * Math.sqrt(expected)));
        }
    }

    @Test
    void shouldGiveAllTheSameShareWhereTheDistributionIsUniform() {
        long[] counts = counts(BenchModels.drawn(MODELS, Distribution.UNIFORM, 1, 1));

        double expected = (double) DRAWS / MODELS;
        for (long count : counts) {
            assertThat((double) count).isCloseTo(expected, within(5 * Math.sqrt(expected)));
        }
    }

    @Test
    void shouldDrawTheSameModelsForTheSameSeed() {
        int[] drawn = next(BenchModels.drawn(MODELS, Distribution.ZIPF, 1, 7));

        assertThat(next(BenchModels.drawn(MODELS, Distribution.ZIPF, 1, 7))).containsExactly(drawn);
        assertThat(next(BenchModels.drawn(MODELS, Distribution.ZIPF, 1, 8))).isNotEqualTo(drawn);
    }

    @Test
    void shouldPutTheSameShareOfExamplesOnEachPartition() {
        BenchModels models = BenchModels.drawn(MODELS, Distribution.ZIPF, 3, 1);
        long[] counts = counts(models);

        long[] loads = new long[3];
        for (int model = 0; model < MODELS; model++) {
            loads[partition(models.keys().get(model), 3)] += counts[model];
        }
        for (long load : loads) {
            assertThat((double) load).isCloseTo(DRAWS / 3.0, within(0.02 * DRAWS));
        }
    }

    @Test
    void shouldNameModelsByNumberAndGiveEachItsOwnName() {
        assertThat(names(BenchModels.drawn(3, Distribution.ZIPF, 1, 1)))
                .containsExactly("model-0", "model-1", "model-2");
        assertThat(names(BenchModels.drawn(100_000, Distribution.ZIPF, 2, 1))).doesNotHaveDuplicates();
    }

    @Test
    void shouldGoRoundThePartitionsWithOneModelForEach() {
        BenchModels models = BenchModels.onePerPartition(4);

        assertThat(models.keys().stream().map(key -> partition(key, 4))).containsExactlyInAnyOrder(0, 1, 2, 3);
        assertThat(IntStream.range(0, 8).map(k -> models.next()).boxed()).containsExactly(1, 2, 3, 0, 1, 2, 3, 0);
    }

    private static long[] counts(BenchModels models) {
        long[] counts = new long[models.keys().size()];
        for (int k = 0; k < DRAWS; k++) {
            counts[models.next()]++;
        }
        return counts;
    }

    private static int[] next(BenchModels models) {
        return IntStream.range(0, 20).map(k -> models.next()).toArray();
    }

    private static List<String> names(BenchModels models) {
        return models.keys().stream()
                .map(key -> new String(key, StandardCharsets.UTF_8))
                .toList();
    }

    private static int partition(byte[] key, int partitions) {
        return Utils.toPositive(Utils.murmur2(key)) % partitions;
    }
}
