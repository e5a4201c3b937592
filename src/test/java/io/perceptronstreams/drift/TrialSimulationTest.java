package io.perceptronstreams.drift;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.drift.Trial.Growth;
import io.perceptronstreams.drift.Trial.Rules;
import io.perceptronstreams.drift.Trial.Verdict;
import io.perceptronstreams.example.SeededTest;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Promises of the trial between two models, on simulated errors; with more seeds, rather than more trials, in the full run. */
class TrialSimulationTest {
    /** Streams of the errors of two models: on which examples they disagree, and which of both is right then. */
    private static final class Disagreements {
        private final SplittableRandom random;
        private final double rate;
        private final double championWrong;
        private final int runLength;

        private int left;
        private boolean isChampionWrong;

        /**
         * @param rate share of the examples that only one of both gets wrong
         * @param lead difference of the error rates: the champion's minus the challenger's
         * @param runLength number of disagreements in a row to one side
         */
        Disagreements(SplittableRandom random, double rate, double lead, int runLength) {
            this.random = random;
            this.rate = rate;
            this.championWrong = (rate + lead) / (2 * rate);
            this.runLength = runLength;
        }

        /** The next example: 1 if only the champion is wrong, -1 if only the challenger is, or 0. */
        int next() {
            if (random.nextDouble() >= rate) {
                return 0;
            }
            if (left == 0) {
                left = runLength;
                isChampionWrong = random.nextDouble() < championWrong;
            }
            left--;
            return isChampionWrong ? 1 : -1;
        }

        /** Adds examples until there is a verdict; returns their number, or the maximum if there is none. */
        int run(Trial trial, int examples) {
            for (int k = 0; k < examples; k++) {
                int next = next();
                if (trial.add(next > 0, next < 0) != Verdict.OPEN) {
                    return k + 1;
                }
            }
            return Integer.MAX_VALUE;
        }
    }

    @SeededTest
    void shouldPromoteOneInAHundredEqualModelsAtMost(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (double rate : new double[] {0.02, 0.1, 0.4}) {
            requireFewPromotions(random, 1_000, 10, rate, 1);
        }
        requireFewPromotions(random, 1_000, 10, 0.1, 10);
        requireFewPromotions(random, 1_000, 10, 0.4, 10);
        // runs of 500 examples: 2 % of the trials with a step of 10 promote one, because their rounds are too short
        requireFewPromotions(random, 4_000, 20, 0.02, 10);
    }

    private static void requireFewPromotions(
            SplittableRandom random, int trials, int step, double rate, int runLength) {
        int promotions = 0;
        for (int k = 0; k < trials; k++) {
            Trial trial = new Trial(new Rules(0, step, Growth.LINEAR, 0.01, 0));
            new Disagreements(random, rate, 0, runLength).run(trial, 20_000);
            promotions += trial.verdict() == Verdict.BETTER ? 1 : 0;
        }
        assertThat(promotions / (double) trials)
                .as("rounds of %d·k examples, disagreements %s, in runs of %d", step, rate, runLength)
                .isLessThanOrEqualTo(0.01);
    }

    /** Error rates differ by points, a share of the examples are disagreements; median of the examples until a verdict. */
    @SeededTest
    void shouldNeedTheExamplesOfTheTable(long seed) {
        String table = """
                1  5   6300  9900 14900
                1 10  11300 17100 24900
                2  5   2800  4100  6300
                2 10   4100  6000  9500
                5  8   1400  2300  3800
                5 12   1500  2500  4400
                """;
        double[] alphas = {0.05, 0.01, 0.001};
        SplittableRandom random = new SplittableRandom(seed);
        int trials = 1_600;
        for (String row : table.lines().toList()) {
            double[] cells = Arrays.stream(row.trim().split(" +"))
                    .mapToDouble(Double::parseDouble)
                    .toArray();
            for (int a = 0; a < alphas.length; a++) {
                int[] needed = new int[trials];
                for (int k = 0; k < trials; k++) {
                    Trial trial = new Trial(new Rules(0, 10, Growth.LINEAR, alphas[a], 0));
                    needed[k] = new Disagreements(random, cells[1] / 100, cells[0] / 100, 1).run(trial, 100_000);
                    assertThat(trial.verdict()).isNotEqualTo(Verdict.WORSE);
                }
                Arrays.sort(needed);
                assertThat((double) needed[trials / 2])
                        .as("row '%s', alpha %s", row, alphas[a])
                        .isCloseTo(cells[2 + a], Percentage.withPercentage(10));
            }
        }
    }

    /** As the last rows of docs/challengers.md: a tenth of the examples are disagreements, alpha 0.01. */
    @ParameterizedTest
    @CsvSource({"0.01, 20300", "0.02, 8100", "0.05, 3800"})
    void shouldNeedMoreExamplesWithLongerRounds(double lead, int median) {
        SplittableRandom random = new SplittableRandom(7);
        int[] needed = new int[800];
        for (int k = 0; k < needed.length; k++) {
            Trial trial = new Trial(new Rules(0, 20, Growth.LINEAR, 0.01, 0));
            needed[k] = new Disagreements(random, 0.1, lead, 1).run(trial, 200_000);
        }
        Arrays.sort(needed);
        assertThat(needed[needed.length / 2]).isCloseTo(median, Percentage.withPercentage(10));
    }

    /** As the table of docs/challengers.md about runs: equal models, a tenth of the examples are disagreements, 20,000 examples. */
    @ParameterizedTest
    @CsvSource({
        "10, LINEAR, 10, 0.003", "10, LINEAR, 50, 0.092", "10, LINEAR, 200, 0.48",
        "20, LINEAR, 10, 0", "20, LINEAR, 50, 0.005", "20, LINEAR, 200, 0.22",
        "20, SQUARE, 10, 0", "20, SQUARE, 50, 0", "20, SQUARE, 200, 0.002"
    })
    void shouldPromoteMoreOftenWhereRunsLastLongerThanRounds(int step, Growth growth, int runLength, double share) {
        SplittableRandom random = new SplittableRandom(7);
        int promotions = 0;
        int trials = 1_000;
        for (int k = 0; k < trials; k++) {
            Trial trial = new Trial(new Rules(0, step, growth, 0.01, 0));
            new Disagreements(random, 0.1, 0, runLength).run(trial, 20_000);
            promotions += trial.verdict() == Verdict.BETTER ? 1 : 0;
        }
        assertThat(promotions / (double) trials).isCloseTo(share, Offset.offset(0.005 + 0.08 * share));
    }

    /** With and without runs, after 20,000 examples. */
    @SeededTest
    void shouldNameRunsThatLastLongerThanTheRounds(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        assertThat(inRuns(random, 0, 1)).isLessThan(0.01);
        assertThat(inRuns(random, 0, 10)).isLessThan(0.05);
        assertThat(inRuns(random, 0, 200)).isGreaterThan(0.95);
        // not a better challenger, which is ahead in most rounds, and in longer ones more likely
        for (double lead : new double[] {0.01, 0.02, 0.05}) {
            assertThat(inRuns(random, lead, 1)).isLessThan(0.04);
        }
    }

    private static double inRuns(SplittableRandom random, double lead, int runLength) {
        int count = 0;
        int trials = 500;
        for (int k = 0; k < trials; k++) {
            // without a verdict, after which nothing counts
            Trial trial = new Trial(new Rules(0, 20, Growth.LINEAR, 1e-300, 0));
            new Disagreements(random, 0.1, lead, runLength).run(trial, 20_000);
            count += trial.sides().isInRuns() ? 1 : 0;
        }
        return count / (double) trials;
    }

    @SeededTest
    void shouldLetFewEqualShadowsTakeOver(long seed) {
        int trials = 2_000;
        SplittableRandom random = new SplittableRandom(seed);
        for (double rate : new double[] {0.02, 0.1, 0.4}) {
            int promotions = 0;
            for (int k = 0; k < trials; k++) {
                Trial trial = new Trial(DriftSettings.NONE.trial());
                Disagreements errors = new Disagreements(random, rate, 0, 1);
                for (boolean isOpen = true; isOpen; isOpen = trial.verdict() == Verdict.OPEN && !trial.isExpired()) {
                    errors.run(trial, 1);
                }
                promotions += trial.verdict() == Verdict.BETTER ? 1 : 0;
            }
            assertThat(promotions / (double) trials)
                    .as("disagreements %s", rate)
                    .isLessThanOrEqualTo(0.04);
        }
    }

    /** As in docs/drift.md: error rates of both models, which err independently, and the median number of examples. */
    @ParameterizedTest
    @CsvSource({"0.45, 0.1, 116", "0.3, 0.1, 141", "0.2, 0.1, 260"})
    void shouldLetBetterShadowsTakeOverSoon(double champion, double challenger, int median) {
        SplittableRandom random = new SplittableRandom(7);
        int[] needed = new int[2_000];
        int takeovers = 0;
        for (int k = 0; k < needed.length; k++) {
            Trial trial = new Trial(DriftSettings.NONE.trial());
            while (trial.verdict() == Verdict.OPEN && !trial.isExpired()) {
                trial.add(random.nextDouble() < champion, random.nextDouble() < challenger);
            }
            boolean isBetter = trial.verdict() == Verdict.BETTER;
            takeovers += isBetter ? 1 : 0;
            needed[k] = isBetter ? (int) trial.examples() : Integer.MAX_VALUE;
        }
        Arrays.sort(needed);
        assertThat(needed[needed.length / 2]).isCloseTo(median, Percentage.withPercentage(3));
        // 100 % in the table
        assertThat(takeovers / (double) needed.length).isGreaterThanOrEqualTo(0.995);
    }
}
