package io.perceptronstreams.probability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.example.SeededTest;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The share of sets with the true label stays within its bound, and the set is full and empty at the bounds. */
final class LabelSetsTest {
    private static final double B = StrictMath.log(0.9999 / 0.0001);

    private final LabelSets sets = new LabelSets();

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 0.8, 0.95, 0.99})
    void shouldBeginWithLabelsThatAreAtLeastAsProbableAsAMiss(double coverage) {
        assertThat(sets.least(coverage)).isCloseTo(1 - coverage, within(1e-12));
    }

    @Test
    void shouldHaveAllLabelsAfterMissesAndNoneAfterHits() {
        // ln 19 = 2.9444; a miss adds 0.25·0.95 = 0.2375: 26 of them give 9.1194, one more 9.3569 >= B = 9.2102
        for (int n = 0; n < 26; n++) {
            sets.move(LabelSets.step(false, 0.95));
        }
        assertThat(sets.least(0.95)).isCloseTo(1 / (1 + StrictMath.exp(9.1194)), within(1e-7));
        sets.move(LabelSets.step(false, 0.95));
        assertThat(sets.least(0.95)).isZero();

        // back from 9.3569 by 0.0125 each: 1,485 of them give -9.2056, and one more or two -9.2306 < -B
        for (int n = 0; n < 1_485; n++) {
            sets.move(LabelSets.step(true, 0.95));
        }
        assertThat(sets.least(0.95)).isLessThanOrEqualTo(0.9999);
        sets.move(LabelSets.step(true, 0.95));
        sets.move(LabelSets.step(true, 0.95));
        assertThat(sets.least(0.95)).isGreaterThan(1);
    }

    /** Probability of the true label: what a stream could do that wants misses, hits, or most of both. */
    private double ofTruth(int kind, int n, double coverage, Random random) {
        return switch (kind) {
            case 0 -> 0; // always wrong, and sure
            case 1 -> 1;
            case 2 -> n / 700 % 2; // long runs of both
            case 3 -> random.nextDouble();
            case 4 -> n < 5_000 ? 0.999 : random.nextInt(20) == 0 ? 0.9 : 1e-3; // abrupt drift
            case 5 -> Math.max(0, sets.least(coverage) - 1e-9); // just below what would do, while that can be
            default -> Math.max(0, Math.min(1, sets.least(coverage) + (random.nextInt(3) == 0 ? -1e-6 : 1e-6)));
        };
    }

    /*
     * a moves by 0.25·(miss - alpha) per label and stays in a range of 2B + 0.25, so in any T labels in a row the
     * misses are off by at most (2B + 0.25)/0.25. Rounding moves a by at most 2^-18 in each step.
     */
    @SeededTest
    void shouldKeepItsPromiseInAnyLabelsInARow(long seed) {
        Random random = new Random(seed);
        for (double coverage : new double[] {0.5, 0.8, 0.95, 0.99}) {
            for (int kind = 0; kind < 7; kind++) {
                sets.restore(0);
                double excess = 0;
                double least = 0;
                double most = 0;
                for (int n = 0; n < 10_000; n++) {
                    boolean isCovered = ofTruth(kind, n, coverage, random) >= sets.least(coverage);
                    sets.move(LabelSets.step(isCovered, coverage));
                    excess += (isCovered ? 0 : 1) - (1 - coverage);
                    least = Math.min(least, excess);
                    most = Math.max(most, excess);
                }
                // largest deviation over all stretches of labels
                assertThat(most - least)
                        .as("seed %d, coverage %s, kind %d", seed, coverage, kind)
                        .isLessThanOrEqualTo((2 * B + 0.25) / 0.25 + 10_000 * 0x1p-18 / 0.25);
            }
        }
    }
}
