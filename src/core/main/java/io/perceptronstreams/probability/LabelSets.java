package io.perceptronstreams.probability;

import io.perceptronstreams.state.StoredBits;

/**
 * Sets of labels that have the true one in a given share of all predictions in the long run, on any stream
 * (adaptive conformal inference, Gibbs and Candès 2021; as a threshold that is tracked, Angelopoulos, Candès and
 * Tibshirani 2023).
 *
 * <p>A set has the labels whose probability is at least 1/(1 + exp(a)); at the start that is 1 minus the coverage. With
 * each label a grows by 0.25·coverage if the set did not have it, and shrinks by 0.25·(1 - coverage) if it did. From
 * the log-odds B of 0.9999 on a set has all known labels, below -B none, so a stays between -B - 0.25 and B + 0.25, and
 * in T labels that come at once the share of sets with the true one is off by at most (2B + 0.25)/(0.25·T) from the
 * coverage: 0.0075 in 10,000. Of log-odds, because equal steps of a probability would pass over all that are near 1 at
 * once.
 */
final class LabelSets {
    private static final double LEAST = 1e-4;
    private static final double BOUND = Logistic.odds(1 - LEAST);
    private static final double STEP = 0.25;

    /** What was learned is rounded to such parts. */
    private static final int PARTS = 1 << 20;

    /** Farther nothing can have led. */
    private static final double MAX_MOVED = 1e9;

    // a minus the log-odds of the coverage
    private double moved;

    // of the last coverage, and of what was learned: kept, because their logarithms and powers take long
    private double lastCoverage;
    private double oddsOfCoverage;
    private double least;
    private boolean isCurrent;

    /** Least probability of a label in a set; above 1 if it has none. */
    double least(double coverage) {
        if (!isCurrent || coverage != lastCoverage) {
            if (coverage != lastCoverage) {
                lastCoverage = coverage;
                oddsOfCoverage = Logistic.odds(coverage);
            }
            double a = oddsOfCoverage + moved;
            least = a >= BOUND ? 0 : a < -BOUND ? 2 : Math.min(1 - LEAST, Logistic.probability(-a));
            isCurrent = true;
        }
        return least;
    }

    /** The step after a label that the model knew. */
    static double step(boolean isCovered, double coverage) {
        return STEP * (isCovered ? coverage - 1 : coverage);
    }

    /** Makes a step, or several at once. */
    void move(double step) {
        moved = Logistic.rounded(moved + step, PARTS);
        isCurrent = false;
    }

    /** What was learned; 0 at the start. */
    double state() {
        return moved;
    }

    /** Restores what was learned, which may have been rounded in another way. */
    void restore(double stored) {
        moved = Logistic.rounded(stored, PARTS);
        isCurrent = false;
    }

    /** Returns true if what was restored is such that something can have led to it. */
    boolean isValid() {
        return Math.abs(moved) <= MAX_MOVED;
    }

    /** Writes or restores what was learned. */
    void exchange(StoredBits bits) {
        moved = Logistic.exchange(bits, new StoredBits.Kind(22), moved, PARTS);
        isCurrent = false;
    }
}
