package io.perceptronstreams.drift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.perceptronstreams.drift.Trial.Growth;
import io.perceptronstreams.drift.Trial.Rules;
import io.perceptronstreams.drift.Trial.Verdict;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.state.StoredFields;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rounds, verdicts and stored numbers of a trial; {@link TrialSimulationTest} has its promises. */
class TrialTest {
    private static final Rules LINEAR = new Rules(0, 1, Growth.LINEAR, 0.05, 0);

    private static Verdict add(Trial trial, int examples, int difference) {
        for (int k = 0; k < examples; k++) {
            trial.add(difference > 0, difference < 0);
        }
        return trial.verdict();
    }

    // computed by an independent implementation, in Python
    @ParameterizedTest
    @CsvSource({
        "40, 300, 10, 0.567558968143",
        "75, 420, 10, 1.990946848092",
        "30, 60, 1, 2.369344077942",
        "1200, 90000, 10, 1.993137348909"
    })
    void shouldMixOverAllEffects(double sum, double squares, long step, double evidence) {
        assertThat(Trial.logEvidence(sum, squares, step) / Math.log(10)).isEqualTo(evidence, within(5e-13));
        assertThat(Trial.logEvidence(-sum, squares, step)).isEqualTo(Trial.logEvidence(sum, squares, step));
    }

    /**
     * Only the champion is wrong, always: S = 10 and Q = 30 after 10 examples, with rho = 10 and the threshold ln(20) =
     * 2.9957.
     *
     * <p>L at f times as many: 100f²/(60f + 20) - ln(3f + 1)/2, which is 2.9755 at f = 2.75 and 2.9904 at 2.76: it is
     * 2.9957 at 2.7636, after 17.636 further examples.
     */
    @Test
    void shouldEstimateTheExamplesUntilAVerdict() {
        Trial trial = new Trial(LINEAR);
        assertThat(trial.remaining()).isEqualTo(-1);
        add(trial, 10, 1);
        assertThat(trial.remaining()).isEqualTo(18);
        assertThat(trial.rounds()).isEqualTo(4);
        assertThat(trial.neededEvidence()).isEqualTo(Math.log10(20), within(1e-12));

        assertThat(add(trial, 1_000, 1)).isEqualTo(Verdict.BETTER);
        assertThat(trial.remaining()).isZero();

        Trial equal = new Trial(LINEAR);
        add(equal, 1, 1);
        add(equal, 2, 0);
        add(equal, 1, -1);
        add(equal, 2, 0);
        assertThat(equal.remaining()).as("S is 0").isEqualTo(-1);
    }

    /**
     * Only the champion is wrong, always: y = 1, 2, 3, 4 in rounds of 1, 2, 3, 4 examples, rho = 10.
     *
     * <p>S = 1, 3, 6, 10 and Q = 1, 5, 14, 30. L after round 3 = 36/48 - ln(2.4)/2 = 0.75 - 0.4377 = 0.3123, after
     * round 4 = 100/80 - ln(4)/2 = 1.25 - 0.6931 = 0.5569; the threshold is ln(20) = 2.9957. After round 8 S = 36 and Q
     * = 204: L = 1296/428 - ln(21.4)/2 = 3.0280 - 1.5317 = 1.4963; round 12: S = 78, Q = 650: 6084/1320 - ln(66)/2 =
     * 4.6091 - 2.0948 = 2.5143; round 13: S = 91, Q = 819: 8281/1658 - ln(82.9)/2 = 4.9946 - 2.2088 = 2.7858; round 14:
     * S = 105, Q = 1015: 11025/2050 - ln(102.5)/2 = 5.3780 - 2.3149 = 3.0631.
     */
    @Test
    void shouldGrowItsRoundsByTheStep() {
        Trial trial = new Trial(LINEAR);
        add(trial, 6, 1);
        assertThat(trial.evidence() * Math.log(10)).isEqualTo(0.3123, within(5e-5));
        add(trial, 3, 1);
        // in the middle of round 4
        assertThat(trial.evidence() * Math.log(10)).isEqualTo(0.3123, within(5e-5));
        add(trial, 1, 1);
        assertThat(trial.evidence() * Math.log(10)).isEqualTo(0.5569, within(5e-5));

        assertThat(add(trial, 104 - 10, 1)).isEqualTo(Verdict.OPEN);
        assertThat(trial.evidence() * Math.log(10)).isEqualTo(2.7858, within(5e-5));
        assertThat(add(trial, 1, 1)).isEqualTo(Verdict.BETTER);
        assertThat(trial.evidence() * Math.log(10)).isEqualTo(3.0631, within(5e-5));
    }

    /**
     * Rounds of 2, 8, 18 examples; only the challenger is wrong. S = -2, -10, -28, Q = 4, 68, 392, rho = 200.
     *
     * <p>L after round 2 = 100/536 - ln(1.34)/2 = 0.1866 - 0.1463 = 0.0402, after round 3 = 784/1184 - ln(2.96)/2 =
     * 0.6622 - 0.5426 = 0.1196.
     */
    @Test
    void shouldGrowItsRoundsBySquares() {
        Trial trial = new Trial(new Rules(0, 20, Growth.SQUARE, 0.9, 0));
        add(trial, 27, -1);
        assertThat(trial.evidence() * Math.log(10)).isEqualTo(0.0402, within(5e-5));
        assertThat(trial.verdict()).isEqualTo(Verdict.OPEN);

        // ln(1/0.9) = 0.1054
        assertThat(add(trial, 1, -1)).isEqualTo(Verdict.WORSE);
        assertThat(trial.evidence() * Math.log(10)).isEqualTo(0.1196, within(5e-5));
    }

    @Test
    void shouldNotEndARoundTwiceWhereSquaresAreRoundedDown() {
        // 11·k²/10 in sum: 1.1, 5.5, 15.4, 33
        long[] ends = {1, 5, 15, 33};
        for (int k = 0; k < ends.length; k++) {
            assertThat(Growth.SQUARE.end(k + 1, 11)).isEqualTo(ends[k]);
        }
    }

    @Test
    void shouldSayTheSameOfEqualErrorsAsOfNone() {
        Trial trial = new Trial(LINEAR);
        for (int k = 0; k < 100_000; k++) {
            trial.add(k % 3 == 0, k % 3 == 0);
        }
        // S = Q = 0
        assertThat(trial.evidence()).isZero();
        assertThat(trial.verdict()).isEqualTo(Verdict.OPEN);
    }

    @Test
    void shouldCallNeitherBetterAtASumOfZero() {
        Trial trial = new Trial(new Rules(0, 1, Growth.LINEAR, 0.999, 0));
        add(trial, 100, 0);
        assertThat(trial.verdict()).isEqualTo(Verdict.OPEN);
    }

    @Test
    void shouldKeepItsVerdict() {
        Trial trial = new Trial(LINEAR);
        add(trial, 105, 1);
        double evidence = trial.evidence();

        assertThat(add(trial, 100_000, -1)).isEqualTo(Verdict.BETTER);
        assertThat(trial.evidence()).isEqualTo(evidence);
    }

    @Test
    void shouldNotCountTheWarmUp() {
        Trial trial = new Trial(new Rules(50, 1, Growth.LINEAR, 0.05, 0));
        add(trial, 50, -1);
        assertThat(trial.evidence()).isZero();

        assertThat(add(trial, 104, 1)).isEqualTo(Verdict.OPEN);
        assertThat(add(trial, 1, 1)).isEqualTo(Verdict.BETTER);
    }

    @Test
    void shouldExpireAtItsLimitUnlessThereIsAVerdict() {
        Trial open = new Trial(new Rules(10, 1, Growth.LINEAR, 0.05, 115));
        add(open, 114, 0);
        assertThat(open.isExpired()).isFalse();
        add(open, 1, 0);
        assertThat(open.isExpired()).isTrue();

        Trial decided = new Trial(new Rules(10, 1, Growth.LINEAR, 0.05, 115));
        assertThat(add(decided, 115, 1)).isEqualTo(Verdict.BETTER);
        assertThat(decided.isExpired()).isFalse();

        Trial endless = new Trial(LINEAR);
        add(endless, 100_000, 0);
        assertThat(endless.isExpired()).isFalse();
    }

    @SeededTest
    void shouldGoOnWithTheSameBitsAfterItWasStored(long seed) {
        for (Growth growth : Growth.values()) {
            requireSameBits(new Rules(30, 12, growth, 1e-9, 0, false), seed);
            requireSameBits(new Rules(30, 12, growth, 1e-9, 0, true), seed);
        }
    }

    private static void requireSameBits(Rules rules, long seed) {
        Trial trial = new Trial(rules);
        Trial stored = new Trial(rules);
        Random random = new Random(seed);
        for (int k = 0; k < 20_000; k++) {
            boolean isChampionWrong = random.nextInt(10) == 0;
            boolean isChallengerWrong = random.nextInt(12) == 0;
            trial.add(isChampionWrong, isChallengerWrong);
            stored.add(isChampionWrong, isChallengerWrong);
            if (random.nextInt(7) == 0) {
                stored = restored(rules, stored);
            }
            assertThat(stored.verdict()).isEqualTo(trial.verdict());
            assertThat(Double.doubleToRawLongBits(stored.evidence()))
                    .isEqualTo(Double.doubleToRawLongBits(trial.evidence()));
        }
        assertThat(trial.evidence()).isNotZero();
    }

    @Test
    void shouldHaveItsVerdictAfterItWasStored() {
        for (int difference : new int[] {1, -1}) {
            Trial trial = new Trial(LINEAR);
            add(trial, 200, difference);
            assertThat(restored(LINEAR, trial).verdict())
                    .isEqualTo(trial.verdict())
                    .isNotEqualTo(Verdict.OPEN);
        }
    }

    private static Trial restored(Rules rules, Trial trial) {
        StoredFields out = new StoredFields();
        trial.exchange(out);
        trial.exchangeBunches(out);
        StoredFields in = new StoredFields(out.toBytes());
        Trial restored = new Trial(rules);
        restored.exchange(in);
        restored.exchangeBunches(in);
        in.requireEnd();
        return restored;
    }

    /** Always the champion's error: no run ends, and no bunch; the rounds have half of alpha. */
    @Test
    void shouldShareAlphaWithTheBunches() {
        Trial alone = new Trial(LINEAR);
        Trial both = new Trial(new Rules(0, 1, Growth.LINEAR, 0.05, 0, true));
        assertThat(both.evidence()).isEqualTo(-Math.log10(2), within(1e-15));
        add(alone, 104, 1);
        add(both, 104, 1);
        assertThat(both.evidence()).isEqualTo(alone.evidence() - Math.log10(2), within(1e-12));
        assertThat(both.neededEvidence()).isEqualTo(alone.neededEvidence());

        add(alone, 1, 1);
        // after round 17 S = 153, Q = 1785: 23409/3590 - ln(179.5)/2 = 3.9255 >= ln(40) = 3.6889; 3.6335 after round 16
        add(both, 152 - 104, 1);
        assertThat(alone.verdict()).isEqualTo(Verdict.BETTER);
        assertThat(both.verdict()).isEqualTo(Verdict.OPEN);
        assertThat(add(both, 1, 1)).isEqualTo(Verdict.BETTER);
        assertThat(both.evidence() * Math.log(10)).isEqualTo(3.9255 - Math.log(2), within(5e-5));
    }

    /**
     * Bunches of four errors of the champion each, a thousand examples apart. The first three are one, as there is no
     * pause before eight gaps: y = 12, 4, 4, … and with the means 12, 8, 6.67, 6 … t = 0.9640, 0.7616, 0.8337, 0.8701,
     * ….
     */
    @Test
    void shouldDecideByAFewBunches() {
        Trial trial = new Trial(new Rules(0, 20, Growth.LINEAR, 0.01, 0, true));
        for (int bunch = 0; bunch < 30 && trial.verdict() == Verdict.OPEN; bunch++) {
            add(trial, 4, 1);
            add(trial, 1_000, 0);
        }
        assertThat(trial.verdict()).isEqualTo(Verdict.BETTER);
        assertThat(trial.examples()).isEqualTo(14_057);
        assertThat(trial.evidence()).isBetween(2.0, 2.4);
    }

    @Test
    void shouldEstimateTheExamplesUntilTheBunchesDecide() {
        Trial trial = new Trial(new Rules(0, 20, Growth.LINEAR, 0.01, 0, true));
        for (int bunch = 0; bunch < 12; bunch++) {
            add(trial, 4, 1);
            add(trial, 1_000, 0);
        }
        assertThat(trial.remaining()).as("2,009 more, see above").isBetween(2_009L, 5_000L);
    }

    @Test
    void shouldRefuseRulesWithoutMeaning() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Rules(0, 0, Growth.LINEAR, 0.05, 0))
                .withMessage("step of a trial must be >= 1, got 0 (growth LINEAR)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Rules(0, 9, Growth.SQUARE, 0.05, 0))
                .withMessage("step of a trial must be >= 10, got 9 (growth SQUARE)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Rules(-1, 1, Growth.LINEAR, 0.05, 0))
                .withMessage("warmup and limit of a trial must be >= 0, got -1 and 0");
        for (double alpha : new double[] {0, 1, Double.NaN}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new Rules(0, 1, Growth.LINEAR, alpha, 0))
                    .withMessage("alpha of a trial must be between 0 and 1, got " + alpha);
        }
    }
}
