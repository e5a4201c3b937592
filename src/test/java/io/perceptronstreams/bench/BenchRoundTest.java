package io.perceptronstreams.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.bench.BenchExamples.Streams;
import io.perceptronstreams.client.LabelDelay;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BenchRoundTest {
    @ParameterizedTest
    @ValueSource(ints = {2, 4, 5, 6, 7})
    void shouldGiveEachVariantEachPositionAndEachPredecessorEquallyOften(int variants) {
        List<Integer> all = IntStream.range(0, variants).boxed().toList();
        int rounds = variants % 2 == 0 ? variants : 2 * variants;
        Map<String, Integer> places = new HashMap<>();
        Map<String, Integer> pairs = new HashMap<>();
        for (int round = 0; round < rounds; round++) {
            List<Integer> order = BenchRound.order(all, round);
            assertThat(order).containsExactlyInAnyOrderElementsOf(all);
            for (int position = 0; position < variants; position++) {
                places.merge(position + " " + order.get(position), 1, Integer::sum);
                if (position > 0) {
                    pairs.merge(order.get(position - 1) + " " + order.get(position), 1, Integer::sum);
                }
            }
        }

        int times = rounds / variants;
        assertThat(places)
                .hasSize(variants * variants)
                .allSatisfy((position, count) -> assertThat(count).isEqualTo(times));
        assertThat(pairs)
                .hasSize(variants * (variants - 1))
                .allSatisfy((pair, count) -> assertThat(count).isEqualTo(times));
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 7})
    void shouldRepeatTheOrdersAfterAllOfThem(int variants) {
        List<Integer> all = IntStream.range(0, variants).boxed().toList();

        assertThat(BenchRound.order(all, 2 * variants + 1)).isEqualTo(BenchRound.order(all, 1));
    }

    @Test
    void shouldMeasureTheStreamsAskedForAndTheOtherVariantsOnlyIfAskedFor() {
        assertThat(compared(Streams.BOTH, 10))
                .containsExactly(
                        Variant.COPY,
                        Variant.ENGINE,
                        Variant.MONITORED,
                        Variant.WIDE,
                        Variant.MANY_MODELS,
                        Variant.EASY_COPY,
                        Variant.EASY_ENGINE);
        assertThat(compared(Streams.HARD, null))
                .containsExactly(Variant.COPY, Variant.ENGINE, Variant.MONITORED, Variant.WIDE);
        assertThat(compared(Streams.HARD, null, LabelDelay.parse("1000ms")))
                .containsExactly(Variant.COPY, Variant.ENGINE, Variant.MONITORED, Variant.WIDE, Variant.LATE_LABELS);
        assertThat(Variant.compared(new BenchExamples(
                        Streams.HARD, 0.1, 1 << 14, null, BenchModels.Distribution.ZIPF, null, Map.of("h", "1"), 1)))
                .containsExactly(Variant.COPY, Variant.ENGINE, Variant.MONITORED, Variant.WIDE, Variant.SETTINGS);
        assertThat(compared(Streams.EASY, null)).containsExactly(Variant.EASY_COPY, Variant.EASY_ENGINE);
    }

    private static List<Variant> compared(Streams streams, Integer models) {
        return compared(streams, models, null);
    }

    private static List<Variant> compared(Streams streams, Integer models, LabelDelay labelsAfter) {
        return Variant.compared(new BenchExamples(
                streams, 0.1, 1 << 14, models, BenchModels.Distribution.ZIPF, labelsAfter, Map.of(), 1));
    }
}
