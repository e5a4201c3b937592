package io.perceptronstreams.drift;

import io.perceptronstreams.state.StoredFields;

/**
 * The Page-Hinkley test for a rising mean (Page 1954; Hinkley 1971), on errors as 0 and 1.
 *
 * <p>With x̄_i the mean of the first i errors, m_t is the sum of (x_i - x̄_i - delta) over i <= t; alarm if m_t - min m
 * > lambda. No alarm before 30 examples, and no warnings. The rate before an alarm is the mean since the start, the
 * rate after it an exponentially weighted recent mean: the minimum of m is a poor estimate of the time of the change
 * while the mean is still moving.
 *
 * <p>Cost: O(1) in time and memory. After a jump of the error rate by d the delay is about lambda/(d - delta) examples;
 * a larger lambda means fewer false alarms and a longer delay.
 */
final class PageHinkley extends DriftDetector {
    static final double DEFAULT_DELTA = 0.005;
    static final double DEFAULT_THRESHOLD = 50;
    private static final int MIN_EXAMPLES = 30;

    // Number of examples after which the weight of an error in the recent rate falls to 1/e; less than the usual delay
    // of an alarm.
    private static final int RECENT = 50;

    private final double delta;
    private final double lambda;

    private long count;
    private long errors;
    private double excess;

    // Exponentially weighted mean; the plain mean of the first RECENT examples.
    private double recentRate;

    /**
     * @param delta tolerated rise of the error rate
     * @param lambda excess errors that raise an alarm
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
        excess = Math.max(0, excess + (x - (double) errors / count - delta));
        recentRate += (x - recentRate) / Math.min(count, RECENT);
        if (count < MIN_EXAMPLES || !(excess > lambda)) {
            return Level.STABLE;
        }
        rateBefore = (double) errors / count;
        rateAfter = recentRate;
        count = 0;
        errors = 0;
        excess = 0;
        recentRate = 0;
        return Level.DRIFT;
    }

    /** m_t - min m, stored as one number that never falls below 0. */
    double excess() {
        return excess;
    }

    @Override
    public void exchange(StoredFields fields) {
        count = fields.unsigned(count);
        errors = fields.unsigned(errors);
        excess = fields.number(excess);
        recentRate = fields.number(recentRate);
    }
}
