package io.perceptronstreams.drift;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.drift.Trial.Growth;
import io.perceptronstreams.drift.Trial.Rules;
import io.perceptronstreams.drift.Trial.Verdict;
import io.perceptronstreams.example.SeededTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Promises of the trial between two models, on simulated errors; with more seeds, rather than more trials, in the full
 * run.
 */
class TrialSimulationTest {
    private static final int NONE = Integer.MAX_VALUE;

    /**
     * Adds examples until there is a verdict; returns their number, or {@link #NONE} if the maximum is reached before.
     */
    private static int run(IntSupplier errors, Trial trial, int examples) {
        for (int k = 0; k < examples; k++) {
            int next = errors.getAsInt();
            if (trial.add(next > 0, next < 0) != Verdict.OPEN) {
                return k + 1;
            }
        }
        return NONE;
    }

    /** Streams of the errors of two models: on which examples they disagree, and which of both is right then. */
    private static final class Disagreements implements IntSupplier {
        private final SplittableRandom random;
        private final double rate;
        private final double championWrong;
        private final IntSupplier runLength;

        private int left;
        private boolean isChampionWrong;

        /**
         * @param rate share of the examples that only one of both gets wrong
         * @param lead difference of the error rates: the champion's minus the challenger's
         * @param runLength number of disagreements in a row to one side
         */
        Disagreements(SplittableRandom random, double rate, double lead, int runLength) {
            this(random, rate, lead, () -> runLength);
        }

        Disagreements(SplittableRandom random, double rate, double lead, IntSupplier runLength) {
            this.random = random;
            this.rate = rate;
            this.championWrong = (rate + lead) / (2 * rate);
            this.runLength = runLength;
        }

        /** The next example: 1 if only the champion is wrong, -1 if only the challenger is, or 0. */
        @Override
        public int getAsInt() {
            if (random.nextDouble() >= rate) {
                return 0;
            }
            if (left == 0) {
                left = runLength.getAsInt();
                isChampionWrong = random.nextDouble() < championWrong;
            }
            left--;
            return isChampionWrong ? 1 : -1;
        }
    }

    /** Errors in bunches: from the first to the last disagreement of a bunch every second example is one. */
    private static final class Bunched implements IntSupplier {
        private final SplittableRandom random;
        private final double start;
        private final int size;
        private final double championWrong;

        private int left;
        private boolean isChampionWrong;

        /**
         * @param rate share of the examples that begin a bunch, of those that are in none
         * @param size number of disagreements in a bunch, all to one side
         * @param championWrong share of the bunches in which the champion is wrong
         */
        Bunched(SplittableRandom random, double rate, int size, double championWrong) {
            this.random = random;
            this.start = rate;
            this.size = size;
            this.championWrong = championWrong;
        }

        @Override
        public int getAsInt() {
            if (left == 0) {
                if (random.nextDouble() >= start) {
                    return 0;
                }
                left = size;
                isChampionWrong = random.nextDouble() < championWrong;
            } else if (random.nextBoolean()) {
                return 0;
            }
            left--;
            return isChampionWrong ? 1 : -1;
        }
    }

    /** The rounds alone, with all of alpha: the trial before it counted bunches, by its definition. */
    private static int runRounds(IntSupplier errors, int step, double alpha, int examples) {
        long sum = 0;
        long squares = 0;
        long difference = 0;
        long round = 1;
        for (int k = 1; k <= examples; k++) {
            difference += errors.getAsInt();
            if (k == Growth.LINEAR.end(round, step)) {
                sum += difference;
                squares += difference * difference;
                difference = 0;
                round++;
                if (sum != 0 && Trial.logEvidence((double) sum, (double) squares, step) >= Math.log(1 / alpha)) {
                    return sum > 0 ? k : NONE;
                }
            }
        }
        return NONE;
    }

    /** Returns true if the bunches alone, with half of alpha, find the challenger better. */
    private static boolean isBetterByBunches(IntSupplier errors, int step, double alpha) {
        Bunches bunches = new Bunches(Growth.LINEAR, step);
        for (int k = 1; k <= 20_000; k++) {
            int side = errors.getAsInt();
            if (side != 0 && bunches.add(k, side) && bunches.logEvidence() >= Math.log(2 / alpha)) {
                return bunches.side() > 0;
            }
        }
        return false;
    }

    private static double median(int... needed) {
        Arrays.sort(needed);
        return needed[needed.length / 2];
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
            Trial trial = new Trial(new Rules(0, step, Growth.LINEAR, 0.01, 0, true));
            run(new Disagreements(random, rate, 0, runLength), trial, 20_000);
            promotions += trial.verdict() == Verdict.BETTER ? 1 : 0;
        }
        assertThat(promotions / (double) trials)
                .as("rounds of %d·k examples, disagreements %s, in runs of %d", step, rate, runLength)
                .isLessThanOrEqualTo(0.01);
    }

    /**
     * Error rates differ by points, a share of the examples are disagreements; median of the examples until a verdict.
     */
    @SeededTest
    void shouldNeedTheExamplesOfTheTable(long seed) {
        String table = """
                1  5   7400 10400 16000
                1 10  12700 18500 27000
                2  5   2800  4300  6700
                2 10   4400  6400 10000
                5  8   1600  2500  4300
                5 12   1600  2600  4400
                """;
        double[] alphas = {0.05, 0.01, 0.001};
        SplittableRandom random = new SplittableRandom(seed);
        int trials = 1_600;
        for (String row : table.lines().toList()) {
            double[] cells = Arrays.stream(row.trim().split(" +"))
                    .mapToDouble(Double::parseDouble)
                    .toArray();
            for (int a = 0; a < alphas.length; a++) {
                int worse = 0;
                int[] needed = new int[trials];
                for (int k = 0; k < trials; k++) {
                    Trial trial = new Trial(new Rules(0, 10, Growth.LINEAR, alphas[a], 0, true));
                    needed[k] = run(new Disagreements(random, cells[1] / 100, cells[0] / 100, 1), trial, 100_000);
                    worse += trial.verdict() == Verdict.WORSE ? 1 : 0;
                }
                assertThat(worse / (double) trials)
                        .as("worse in row '%s', alpha %s", row, alphas[a])
                        .isLessThanOrEqualTo(alphas[a] / 10);
                System.out.printf("row '%s', alpha %s: %,.0f%n", row, alphas[a], median(needed));
                assertThat(median(needed))
                        .as("row '%s', alpha %s", row, alphas[a])
                        .isCloseTo(cells[2 + a], Percentage.withPercentage(10));
            }
        }
    }

    /** As the last rows of src/bench/streams.md: a tenth of the examples are disagreements, alpha 0.01. */
    @ParameterizedTest
    @CsvSource({"0.01, 21600", "0.02, 8600", "0.05, 4400"})
    void shouldNeedMoreExamplesWithLongerRounds(double lead, double median) {
        SplittableRandom random = new SplittableRandom(7);
        int[] needed = new int[800];
        for (int k = 0; k < needed.length; k++) {
            Trial trial = new Trial(new Rules(0, 20, Growth.LINEAR, 0.01, 0, true));
            needed[k] = run(new Disagreements(random, 0.1, lead, 1), trial, 200_000);
        }
        System.out.printf("lead %s: %,.0f%n", lead, median(needed));
        assertThat(median(needed)).isCloseTo(median, Percentage.withPercentage(10));
    }

    /**
     * As the table of src/bench/streams.md about runs: equal models, a tenth of the examples are disagreements, 20,000
     * examples.
     */
    @ParameterizedTest
    @CsvSource({
        "10, LINEAR, 10, 0.001", "10, LINEAR, 50, 0.045", "10, LINEAR, 200, 0.36",
        "20, LINEAR, 10, 0", "20, LINEAR, 50, 0.002", "20, LINEAR, 200, 0.18",
        "20, SQUARE, 10, 0", "20, SQUARE, 50, 0", "20, SQUARE, 200, 0"
    })
    void shouldPromoteMoreOftenWhereRunsLastLongerThanRounds(int step, Growth growth, int runLength, double share) {
        SplittableRandom random = new SplittableRandom(7);
        int promotions = 0;
        int trials = 1_000;
        for (int k = 0; k < trials; k++) {
            Trial trial = new Trial(new Rules(0, step, growth, 0.01, 0, true));
            run(new Disagreements(random, 0.1, 0, runLength), trial, 20_000);
            promotions += trial.verdict() == Verdict.BETTER ? 1 : 0;
        }
        System.out.printf("runs of %d, rounds of %d %s: %.3f%n", runLength, step, growth, promotions / (double) trials);
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
            Trial trial = new Trial(new Rules(0, 20, Growth.LINEAR, 1e-300, 0, true));
            run(new Disagreements(random, 0.1, lead, runLength), trial, 20_000);
            count += trial.sides().isInRuns() ? 1 : 0;
        }
        return count / (double) trials;
    }

    /**
     * Equal models, as the table of src/bench/streams.md about runs: the bunches alone promote few, with runs of any
     * length.
     */
    @SeededTest
    void shouldPromoteFewEqualModelsByBunches(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int step : new int[] {1, 10, 20}) {
            for (double alpha : new double[] {0.01, 0.05}) {
                for (double rate : new double[] {0.02, 0.1, 0.4}) {
                    for (int length : new int[] {1, 10, 50, 200}) {
                        requireFewByBunches(
                                () -> new Disagreements(random, rate, 0, length),
                                step,
                                alpha,
                                rate + ", runs of " + length);
                    }
                    requireFewByBunches(
                            () -> new Disagreements(
                                    random, rate, 0, () -> 1 + (int) (Math.log(random.nextDouble()) / Math.log(0.98))),
                            step,
                            alpha,
                            rate + ", runs of 50 on average");
                    requireFewByBunches(
                            () -> new Disagreements(random, rate, 0, () -> random.nextInt(10) == 0 ? 100 : 1),
                            step,
                            alpha,
                            rate + ", runs of 1 and 100");
                }
                for (int size : new int[] {1, 10, 30, 100}) {
                    requireFewByBunches(
                            () -> new Bunched(random, 0.02 / size, size, 0.5), step, alpha, "bunches of " + size);
                }
            }
        }
    }

    private static void requireFewByBunches(Supplier<IntSupplier> errors, int step, double alpha, String as) {
        int trials = 300;
        long promotions = IntStream.range(0, trials)
                .filter(k -> isBetterByBunches(errors.get(), step, alpha))
                .count();
        // half of alpha, and three standard deviations of the number of promotions
        double most = trials * alpha / 2;
        assertThat((double) promotions)
                .as("rounds of %d·k examples, alpha %s, disagreements %s", step, alpha, as)
                .isLessThanOrEqualTo(most + 3 * Math.sqrt(most));
    }

    /**
     * As in src/bench/streams.md: equal models, and runs in which most disagreements are to one side, a tenth of the
     * examples; alpha 0.01.
     */
    @ParameterizedTest
    @CsvSource({"10, 0.7, 30", "10, 0.8, 50", "10, 0.9, 50", "20, 0.7, 30", "20, 0.8, 50", "20, 0.9, 50"})
    void shouldPromoteAsFewEqualModelsAsRoundsWhereRunsAreMixed(int step, double toOneSide, int runLength) {
        SplittableRandom random = new SplittableRandom(7);
        int trials = 2_000;
        int byRounds = 0;
        int byBoth = 0;
        for (int k = 0; k < trials; k++) {
            byRounds += runRounds(mixed(random, toOneSide, runLength), step, 0.01, 20_000) < NONE ? 1 : 0;
            Trial trial = new Trial(new Rules(0, step, Growth.LINEAR, 0.01, 0, true));
            run(mixed(random, toOneSide, runLength), trial, 20_000);
            byBoth += trial.verdict() == Verdict.BETTER ? 1 : 0;
        }
        System.out.printf(
                "%s of runs of %d to one side, rounds of %d: %.2f %% by rounds alone, %.2f %% by both%n",
                toOneSide, runLength, step, 100.0 * byRounds / trials, 100.0 * byBoth / trials);
        assertThat(byBoth / (double) trials).isLessThanOrEqualTo(Math.max(0.012, 1.0 * byRounds / trials));
    }

    private static IntSupplier mixed(SplittableRandom random, double toOneSide, int runLength) {
        IntSupplier pure = new Disagreements(random, 0.1, 0, runLength);
        return () -> random.nextDouble() < toOneSide ? pure.getAsInt() : -pure.getAsInt();
    }

    /** As the table of src/bench/streams.md: one example in fifty is a disagreement, in bunches, alpha 0.01. */
    @ParameterizedTest
    @CsvSource({
        "0.9, 1, 6000, 6500", "0.9, 10, 16400, 9900", "0.9, 30, 42900, 28300", "0.9, 100, 145200, 95200",
        "0.8, 1, 7600, 8000", "0.8, 10, 25500, 18900", "0.8, 30, 76600, 53200", "0.8, 100, 257600, 172100"
    })
    void shouldDecideByBunches(double championWrong, int size, double byRounds, double byBoth) {
        SplittableRandom random = new SplittableRandom(7);
        int[] rounds = new int[400];
        int[] both = new int[400];
        for (int k = 0; k < both.length; k++) {
            rounds[k] = runRounds(new Bunched(random, 0.02 / size, size, championWrong), 20, 0.01, 300_000);
            both[k] = run(
                    new Bunched(random, 0.02 / size, size, championWrong),
                    new Trial(new Rules(0, 20, Growth.LINEAR, 0.01, 0, true)),
                    300_000);
        }
        System.out.printf(
                "bunches of %d, %s won: %,.0f by rounds alone, %,.0f by both%n",
                size, championWrong, median(rounds), median(both));
        assertThat(median(rounds)).isCloseTo(byRounds, Percentage.withPercentage(10));
        assertThat(median(both)).isCloseTo(byBoth, Percentage.withPercentage(10));
    }

    /**
     * As the table of src/bench/streams.md: 20,560 examples, only the champion is wrong on 91, only the challenger on
     * 22, in bunches of one size at random places, in random order; share of the trials that find the challenger better
     * before the end.
     */
    @ParameterizedTest
    @CsvSource({
        "1, 1, 1, 0.668, 0.374",
        "2, 1, 1, 0.045, 0.573",
        "3, 0.992, 0.963, 0.002, 0.405",
        "4, 0.767, 0.609, 0, 0.133",
        "5, 0.233, 0.275, 0, 0.053",
        "7, 0.045, 0.092, 0, 0.005",
        "10, 0.002, 0.035, 0, 0"
    })
    void shouldDecideAHundredDisagreementsInBunches(
            int size, double roundsOf1, double bothOf1, double roundsOf20, double bothOf20) {
        SplittableRandom random = new SplittableRandom(7);
        int trials = 1_000;
        double[] shares = new double[4];
        for (int k = 0; k < trials; k++) {
            int[] errors = inBunches(random, size);
            shares[0] += isBetterByRounds(errors, 1, 0.05) ? 1.0 / trials : 0;
            shares[1] += isBetter(errors, 1, 0.05) ? 1.0 / trials : 0;
            shares[2] += isBetterByRounds(errors, 20, 0.01) ? 1.0 / trials : 0;
            shares[3] += isBetter(errors, 20, 0.01) ? 1.0 / trials : 0;
        }
        System.out.println("91 and 22 in bunches of " + size + ", found better: " + Arrays.toString(shares));
        assertThat(shares)
                .usingComparatorWithPrecision(0.001)
                .containsExactly(roundsOf1, bothOf1, roundsOf20, bothOf20);
    }

    private static boolean isBetterByRounds(int[] errors, int step, double alpha) {
        int[] at = {0};
        return runRounds(() -> errors[at[0]++], step, alpha, errors.length) < NONE;
    }

    private static boolean isBetter(int[] errors, int step, double alpha) {
        Trial trial = new Trial(new Rules(0, step, Growth.LINEAR, alpha, 0, true));
        int[] at = {0};
        run(() -> errors[at[0]++], trial, errors.length);
        return trial.verdict() == Verdict.BETTER;
    }

    /** Sizes of the bunches differ by one at most; each second example of a bunch is a disagreement. */
    private static int[] inBunches(SplittableRandom random, int size) {
        List<Integer> bunches = new ArrayList<>();
        for (int errors : new int[] {91, -22}) {
            int count = Math.max(1, Math.round(Math.abs(errors) / (float) size));
            for (int k = 0; k < count; k++) {
                bunches.add((errors * (k + 1)) / count - (errors * k) / count);
            }
        }
        Collections.shuffle(bunches, new Random(random.nextLong()));
        int[] stream = new int[20_560];
        int[] places =
                random.ints(bunches.size(), 0, stream.length - 300).sorted().toArray();
        int place = 0;
        for (int k = 0; k < places.length; k++) {
            place = Math.max(place, places[k]);
            for (int left = Math.abs(bunches.get(k)); left > 0; left--) {
                stream[place] = Integer.signum(bunches.get(k));
                place += 2;
            }
        }
        return stream;
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
                    run(errors, trial, 1);
                }
                promotions += trial.verdict() == Verdict.BETTER ? 1 : 0;
            }
            assertThat(promotions / (double) trials)
                    .as("disagreements %s", rate)
                    .isLessThanOrEqualTo(0.04);
        }
    }

    /** As in docs/metrics.md: error rates of both models, which err independently, median number of examples. */
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
