package io.perceptronstreams.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.bench.BenchExamples.Streams;
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
    void shouldGiveEachContestantEachPlaceAndEachPredecessorEquallyOften(int contestants) {
        List<Integer> all = IntStream.range(0, contestants).boxed().toList();
        int rounds = contestants % 2 == 0 ? contestants : 2 * contestants;
        Map<String, Integer> places = new HashMap<>();
        Map<String, Integer> pairs = new HashMap<>();
        for (int round = 0; round < rounds; round++) {
            List<Integer> order = BenchRound.order(all, round);
            assertThat(order).containsExactlyInAnyOrderElementsOf(all);
            for (int place = 0; place < contestants; place++) {
                places.merge(place + " " + order.get(place), 1, Integer::sum);
                if (place > 0) {
                    pairs.merge(order.get(place - 1) + " " + order.get(place), 1, Integer::sum);
                }
            }
        }

        int times = rounds / contestants;
        assertThat(places)
                .hasSize(contestants * contestants)
                .allSatisfy((place, count) -> assertThat(count).isEqualTo(times));
        assertThat(pairs)
                .hasSize(contestants * (contestants - 1))
                .allSatisfy((pair, count) -> assertThat(count).isEqualTo(times));
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 7})
    void shouldBeginAgainWhenAllOrdersWereThere(int contestants) {
        List<Integer> all = IntStream.range(0, contestants).boxed().toList();

        assertThat(BenchRound.order(all, 2 * contestants + 1)).isEqualTo(BenchRound.order(all, 1));
    }

    @Test
    void shouldMeasureTheStreamsAskedForAndManyModelsOnlyIfAskedFor() {
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
        assertThat(compared(Streams.EASY, null)).containsExactly(Variant.EASY_COPY, Variant.EASY_ENGINE);
    }

    private static List<Variant> compared(Streams streams, Integer models) {
        return Variant.compared(new BenchExamples(streams, 0.1, 1 << 14, models, BenchModels.Distribution.ZIPF, 1));
    }
}
