package io.perceptronstreams.drift;

import java.util.List;

/**
 * The Page-Hinkley test for a rising mean (Page 1954; Hinkley 1971), on errors as 0 and 1.
 *
 * <p>With x̄_i the mean of the first i errors, m_t is the sum of (x_i - x̄_i - delta) over i <= t, and the alarm is m_t - min m > lambda. The
 * difference is kept as one number that never falls below 0. Nothing is said before 30 examples. There are no warnings.
 *
 * <p>Cost: O(1) in time and memory. After a jump of the error rate by d the delay is about lambda/(d - delta) examples, whatever came
 * before; a larger lambda means fewer false alarms and a longer delay.
 */
final class PageHinkley implements DriftDetector {
    static final double DEFAULT_DELTA = 0.005;
    static final double DEFAULT_THRESHOLD = 50;
    private static final int MINIMUM = 30;

    private final double delta;
    private final double lambda;

    private long count;
    private long errors;
    private double excess;

    // Since the excess was last 0: there the change is thought to be.
    private long countSinceZero;
    private long errorsSinceZero;

    private double rateBefore;
    private double rateAfter;

    /**
     * A detector that has seen nothing.
     *
     * @param delta a rise of the error rate that is put up with
     * @param lambda how many errors above that make an alarm
     */
    PageHinkley(double delta, double lambda) {
        this.delta = delta;
        this.lambda = lambda;
    }

    @Override
    public Level add(boolean isError) {
        int x = isError ? 1 : 0;
        count++;
        errors += x;
        countSinceZero++;
        errorsSinceZero += x;
        excess += x - (double) errors / count - delta;
        if (!(excess > 0)) {
            excess = 0;
            countSinceZero = 0;
            errorsSinceZero = 0;
        }
        if (count < MINIMUM || !(excess > lambda)) {
            return Level.STABLE;
        }
        long countBefore = count - countSinceZero;
        rateBefore = countBefore == 0 ? 0 : (double) (errors - errorsSinceZero) / countBefore;
        rateAfter = (double) errorsSinceZero / countSinceZero;
        count = 0;
        errors = 0;
        excess = 0;
        countSinceZero = 0;
        errorsSinceZero = 0;
        return Level.DRIFT;
    }

    /** m_t - min m. */
    double excess() {
        return excess;
    }

    @Override
    public double rateBefore() {
        return rateBefore;
    }

    @Override
    public double rateAfter() {
        return rateAfter;
    }

    /** The numbers are n, errors, m_t - min m, and examples and errors since that was 0. */
    @Override
    public List<Double> state() {
        return List.of((double) count, (double) errors, excess, (double) countSinceZero, (double) errorsSinceZero);
    }

    @Override
    public void restore(List<Double> state) {
        count = state.get(0).longValue();
        errors = state.get(1).longValue();
        excess = state.get(2);
        countSinceZero = state.get(3).longValue();
        errorsSinceZero = state.get(4).longValue();
    }
}
