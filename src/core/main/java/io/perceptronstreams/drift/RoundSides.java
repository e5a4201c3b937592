package io.perceptronstreams.drift;

import io.perceptronstreams.state.StoredFields;

/**
 * The sides of the rounds of a {@link Trial}: how often the challenger was ahead, how often the champion, and how often
 * the side has changed from one round to the next. Rounds without a difference are passed over.
 *
 * <p>If rounds do not depend on each other and the models are equally good, the numbers of both sides leave all orders
 * of them equally likely: of a and b rounds the side changes 2ab/(a + b) times on average. Fewer changes show
 * disagreements in runs that last longer than the rounds. A better model wins longer rounds more often, so that its
 * changes are slightly fewer.
 *
 * @param ahead rounds in which only the champion was wrong more often than only the challenger
 * @param behind rounds in which it was the other way round
 * @param changes neighbours among these rounds with different sides
 * @param last sign of the last of them; 0 before the first
 */
public record RoundSides(long ahead, long behind, long changes, int last) {
    /** Before the first round. */
    public static final RoundSides NONE = new RoundSides(0, 0, 0, 0);

    /** Probability of so few changes of independent rounds below which they are said to be in runs. */
    public static final double LEAST_PROBABILITY = 0.001;

    /** Sides as events have them. */
    public static RoundSides of(long ahead, long behind, long changes) {
        return new RoundSides(ahead, behind, changes, 0);
    }

    /** Returns these sides and a further round, whose difference counts by its sign. */
    RoundSides with(long difference) {
        int side = Long.signum(difference);
        return side == 0
                ? this
                : new RoundSides(
                        ahead + (side > 0 ? 1 : 0),
                        behind + (side < 0 ? 1 : 0),
                        changes + (last == -side ? 1 : 0),
                        side);
    }

    /** Expected number of changes of rounds that do not depend on each other. */
    public double expectedChanges() {
        return ahead == 0 || behind == 0 ? 0 : 2.0 * ahead * behind / (ahead + behind);
    }

    /**
     * Returns true if so few changes are less likely than {@link #LEAST_PROBABILITY} where rounds do not depend on each
     * other.
     */
    public boolean isInRuns() {
        return changes < expectedChanges() && probability() < LEAST_PROBABILITY;
    }

    /**
     * Probability of at most as many changes, if all orders of the sides are equally likely (Wald and Wolfowitz 1940).
     *
     * <p>Cost: O(rounds).
     */
    double probability() {
        if (ahead == 0 || behind == 0) {
            return 1;
        }
        double all = logChoose(ahead + behind, ahead);
        double sum = 0;
        // r runs of rounds of one side
        for (long r = 2; r <= changes + 1; r++) {
            long k = r / 2;
            sum += r % 2 == 0 ? 2 * ways(k, k, all) : ways(k + 1, k, all) + ways(k, k + 1, all);
        }
        return Math.min(1, sum);
    }

    /** Share of the orders in which one side has some runs and the other one some others, and begins. */
    private double ways(long runsAhead, long runsBehind, double all) {
        return runsAhead > ahead || runsBehind > behind
                ? 0
                : Math.exp(logChoose(ahead - 1, runsAhead - 1) + logChoose(behind - 1, runsBehind - 1) - all);
    }

    private static double logChoose(long n, long k) {
        return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
    }

    /** By Stirling's series, to 1e-10 for n >= 10. */
    private static double logFactorial(long n) {
        if (n < 10) {
            double product = 1;
            for (long k = 2; k <= n; k++) {
                product *= k;
            }
            return Math.log(product);
        }
        double x = n + 1.0;
        return (x - 0.5) * Math.log(x)
                - x
                + 0.5 * Math.log(2 * Math.PI)
                + 1 / (12 * x)
                - 1 / (360 * x * x * x)
                + 1 / (1260 * x * x * x * x * x);
    }

    /** Writes these sides, or returns those that are read; null if they are unknown. */
    static RoundSides exchange(StoredFields fields, RoundSides sides) {
        if (!fields.flag(sides != null)) {
            return null;
        }
        RoundSides known = sides == null ? NONE : sides;
        return new RoundSides(
                fields.unsigned(known.ahead), fields.unsigned(known.behind), fields.unsigned(known.changes), (int)
                        fields.signed(known.last));
    }
}
