package io.perceptronstreams.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.state.StoredFields;
import org.junit.jupiter.api.Test;

/** Sides of the rounds of a trial, and the probability of their changes. */
class RoundSidesTest {
    private static RoundSides sides(int... differences) {
        RoundSides sides = RoundSides.NONE;
        for (int each : differences) {
            sides = sides.with(each);
        }
        return sides;
    }

    @Test
    void shouldCountSidesAndTheirChanges() {
        assertThat(sides(3, 1, 0, -2, 0, -1, 5, 0)).isEqualTo(new RoundSides(3, 2, 2, 1));
        assertThat(sides(0, 0)).isEqualTo(RoundSides.NONE);
    }

    /** All orders of the sides, one by one. */
    @Test
    void shouldHaveTheShareOfTheOrdersWithAtMostAsManyChanges() {
        for (int ahead = 0; ahead <= 7; ahead++) {
            for (int behind = 0; behind <= 7; behind++) {
                int n = ahead + behind;
                int[] withChanges = new int[n + 1];
                int orders = 0;
                long changes = 0;
                for (int order = 0; order < 1 << n; order++) {
                    if (Integer.bitCount(order) == ahead) {
                        int between = Math.max(0, n - 1);
                        int itsChanges = Integer.bitCount((order ^ order >> 1) & (1 << between) - 1);
                        withChanges[itsChanges]++;
                        changes += itsChanges;
                        orders++;
                    }
                }
                double atMost = 0;
                for (int k = 0; k <= n; k++) {
                    atMost += withChanges[k];
                    if (withChanges[k] > 0) {
                        RoundSides sides = RoundSides.of(ahead, behind, k);
                        assertThat(sides.probability()).as("%s", sides).isEqualTo(atMost / orders, within(1e-9));
                        assertThat(sides.expectedChanges()).isEqualTo((double) changes / orders, within(1e-9));
                    }
                }
            }
        }
    }

    @Test
    void shouldBeInRunsOnlyWithBothSides() {
        assertThat(RoundSides.of(5_000, 0, 0).isInRuns()).isFalse();
        assertThat(RoundSides.of(20, 20, 2).isInRuns()).isTrue();
        assertThat(RoundSides.of(20, 20, 19).isInRuns()).isFalse();
        assertThat(RoundSides.of(20, 20, 39).isInRuns()).isFalse();
        // 2*20*20/40 = 20 are expected of 40 rounds; of 4,000 rounds 2,000, with a deviation of 32
        assertThat(RoundSides.of(2_000, 2_000, 1_950).isInRuns()).isFalse();
        assertThat(RoundSides.of(2_000, 2_000, 1_850).isInRuns()).isTrue();
    }

    @Test
    void shouldBeStoredAlsoWhereTheyAreUnknown() {
        for (RoundSides each : new RoundSides[] {RoundSides.NONE, sides(1, -1, -1), sides(-3, 2), null}) {
            StoredFields out = new StoredFields();
            RoundSides.exchange(out, each);
            assertThat(RoundSides.exchange(new StoredFields(out.toBytes()), RoundSides.NONE))
                    .isEqualTo(each);
        }
    }
}
