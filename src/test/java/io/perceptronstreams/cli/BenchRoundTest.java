package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BenchRoundTest {
    private static final int CONTESTANTS = Contestant.values().length;

    @Test
    void shouldGiveEachContestantEachPlaceAndEachPredecessorOnce() {
        Set<String> places = new HashSet<>();
        Set<String> pairs = new HashSet<>();
        for (int round = 0; round < CONTESTANTS; round++) {
            List<Contestant> order = BenchRound.order(round);
            assertThat(order).containsExactlyInAnyOrder(Contestant.values());
            for (int place = 0; place < CONTESTANTS; place++) {
                places.add(place + " " + order.get(place));
                if (place > 0) {
                    pairs.add(order.get(place - 1) + " " + order.get(place));
                }
            }
        }

        assertThat(places).hasSize(CONTESTANTS * CONTESTANTS);
        assertThat(pairs).hasSize(CONTESTANTS * (CONTESTANTS - 1));
    }

    @Test
    void shouldBeginAgainWhenAllOrdersWereThere() {
        assertThat(BenchRound.order(CONTESTANTS + 1)).isEqualTo(BenchRound.order(1));
    }
}
