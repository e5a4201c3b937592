package io.perceptronstreams.client;

import java.util.Locale;

/**
 * Words for the examples that only one of two models got wrong, beside the verdict of a trial that is still open.
 *
 * <p>Its scale is that of the sign test: if examples did not depend on each other and both models were equally good,
 * the difference of the two counts would have the standard deviation of the square root of their sum (McNemar 1947).
 * Errors of a stream come in runs, so this is a description, not a test.
 */
public final class PlainComparison {
    /**
     * Standard deviations from which a difference is called clear: one in 1,000 of equally good models, if errors did
     * not come in runs.
     */
    private static final double CLEAR = 3.3;

    private PlainComparison() {}

    /** Returns true if the counts differ by more than equally good models would, if errors did not come in runs. */
    public static boolean isClear(long won, long lost) {
        return Math.abs(won - lost) >= CLEAR * Math.sqrt((double) Math.max(1, won + lost));
    }

    /**
     * Describes the counts.
     *
     * @param name of the model that is compared with another one
     * @param won examples that only the other model got wrong
     * @param lost examples that only this model got wrong
     */
    public static String of(String name, long won, long lost) {
        String result = isClear(won, lost)
                ? "clearly " + (won > lost ? "better" : "worse") + ", if errors did not come in runs"
                : "no clear difference";
        return String.format(
                Locale.ROOT,
                "%s: open; example by example it won %,d and lost %,d: %s. The verdict compares rounds of growing length"
                        + " and bunches of disagreements, so that it holds where errors come in runs and where the concept"
                        + " changes; it needs more examples for that",
                name,
                won,
                lost,
                result);
    }
}
