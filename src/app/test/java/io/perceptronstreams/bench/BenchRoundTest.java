package io.perceptronstreams.bench;

import static io.perceptronstreams.bench.Variant.CHALLENGER;
import static io.perceptronstreams.bench.Variant.CHALLENGERS;
import static io.perceptronstreams.bench.Variant.COPY;
import static io.perceptronstreams.bench.Variant.EASY_COPY;
import static io.perceptronstreams.bench.Variant.EASY_ENGINE;
import static io.perceptronstreams.bench.Variant.ENGINE;
import static io.perceptronstreams.bench.Variant.LATE_LABELS;
import static io.perceptronstreams.bench.Variant.MANY_MODELS;
import static io.perceptronstreams.bench.Variant.MONITORED;
import static io.perceptronstreams.bench.Variant.RESTARTED;
import static io.perceptronstreams.bench.Variant.SETTINGS;
import static io.perceptronstreams.bench.Variant.WIDE;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.bench.BenchExamples.Streams;
import io.perceptronstreams.example.FeatureVector;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
        assertThat(compared(Streams.BOTH, 10, null, Map.of()))
                .containsExactly(COPY, ENGINE, MONITORED, WIDE, MANY_MODELS, EASY_COPY, EASY_ENGINE);
        assertThat(compared(Streams.HARD, null, null, Map.of())).containsExactly(COPY, ENGINE, MONITORED, WIDE);
        assertThat(compared(Streams.HARD, null, "1000ms", Map.of()))
                .containsExactly(COPY, ENGINE, MONITORED, WIDE, LATE_LABELS);
        assertThat(compared(Streams.HARD, null, null, Map.of("h", "1")))
                .containsExactly(COPY, ENGINE, MONITORED, WIDE, SETTINGS);
        assertThat(Variant.compared(
                        BenchReportTest.examples(Streams.BOTH, 10, null, Map.of(), Set.of(MANY_MODELS, ENGINE, COPY))))
                .containsExactly(COPY, ENGINE, MANY_MODELS);
        assertThat(Variant.compared(
                        BenchReportTest.challenged(BenchReportTest.examples(Streams.HARD, null, null, Map.of()))))
                .containsExactly(COPY, ENGINE, MONITORED, WIDE, CHALLENGER, CHALLENGERS);
        assertThat(compared(Streams.EASY, null, null, Map.of())).containsExactly(EASY_COPY, EASY_ENGINE);
    }

    @Test
    void shouldSpreadNoDenseFeaturesOverOtherIndices() {
        BenchExamples dense = BenchReportTest.dense(BenchReportTest.examples(Streams.HARD, null, null, Map.of()), 3);

        assertThat(Variant.compared(dense)).containsExactly(COPY, ENGINE, MONITORED);
        FeatureVector vector = new FeatureVector();
        SyntheticStream stream = dense.newStream();
        stream.next();
        stream.fill(vector);
        assertThat(vector.isDense()).isTrue();
        assertThat(vector.size()).isEqualTo(3);
    }

    @Test
    void shouldFillTheTopicOfTheRestartAlsoIfNoOtherVariantReadsIt() {
        assertThat(inputs(Streams.BOTH, Set.of(RESTARTED))).containsExactly(BenchInput.HARD);
        assertThat(inputs(Streams.BOTH, Set.of(RESTARTED, WIDE))).containsExactly(BenchInput.HARD, BenchInput.WIDE);
        assertThat(inputs(Streams.BOTH, Set.of(EASY_COPY))).containsExactly(BenchInput.EASY);
        assertThat(inputs(Streams.EASY, Set.of())).containsExactly(BenchInput.EASY);
    }

    private static Set<BenchInput> inputs(Streams streams, Set<Variant> variants) {
        return Variant.inputs(BenchReportTest.examples(streams, null, null, Map.of(), variants));
    }

    private static List<Variant> compared(
            Streams streams, Integer models, String labelsAfter, Map<String, String> settings) {
        return Variant.compared(BenchReportTest.examples(streams, models, labelsAfter, settings));
    }
}
