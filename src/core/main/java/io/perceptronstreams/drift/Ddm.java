package io.perceptronstreams.drift;

import io.perceptronstreams.state.StoredFields;

/**
 * The drift detection method (Gama, Medas, Castillo and Rodrigues 2004): compares the running error rate with its
 * minimum.
 *
 * <p>p is the error rate since the start, s = sqrt(p(1 - p)/n) its standard deviation; p_min and s_min are stored where
 * p + s is smallest. Warning if p + s > p_min + w·s_min, drift if p + s > p_min + t·s_min. The paper has t = 3 and
 * w = 2; here w = 2t/3. No alarm before 30 examples. The paper has >= instead of >, which would raise an alarm at every
 * example of an error-free stream. In both forms the first error after an error-free start is an alarm.
 *
 * <p>Cost: O(1) in time and memory. Detects sudden changes quickly, and late ones slowly, because p averages over all
 * examples.
 */
final class Ddm extends DriftDetector {
    static final double DEFAULT_THRESHOLD = 3;
    private static final int MIN_EXAMPLES = 30;

    private final double threshold;

    private long count;
    private long errors;
    private double bestRate = Double.POSITIVE_INFINITY;
    private double bestDeviation = Double.POSITIVE_INFINITY;

    // Since the level left STABLE; 0 while it is STABLE.
    private long countSinceWarning;
    private long errorsSinceWarning;

    /** @param threshold t, in standard deviations above the minimum */
    Ddm(double threshold) {
        this.threshold = threshold;
    }

    @Override
    public Level add(boolean isError) {
        count++;
        errors += isError ? 1 : 0;
        if (count < MIN_EXAMPLES) {
            return Level.STABLE;
        }
        double rate = (double) errors / count;
        double deviation = Math.sqrt(rate * (1 - rate) / count);
        if (rate + deviation <= bestRate + bestDeviation) {
            bestRate = rate;
            bestDeviation = deviation;
        }
        if (!(rate + deviation > bestRate + 2 * threshold / 3 * bestDeviation)) {
            countSinceWarning = 0;
            errorsSinceWarning = 0;
            return Level.STABLE;
        }
        countSinceWarning++;
        errorsSinceWarning += isError ? 1 : 0;
        if (!(rate + deviation > bestRate + threshold * bestDeviation)) {
            return Level.WARNING;
        }
        rateBefore = (double) (errors - errorsSinceWarning) / (count - countSinceWarning);
        rateAfter = (double) errorsSinceWarning / countSinceWarning;
        restart();
        return Level.DRIFT;
    }

    private void restart() {
        count = 0;
        errors = 0;
        bestRate = Double.POSITIVE_INFINITY;
        bestDeviation = Double.POSITIVE_INFINITY;
        countSinceWarning = 0;
        errorsSinceWarning = 0;
    }

    @Override
    public void exchange(StoredFields fields) {
        count = fields.unsigned(count);
        errors = fields.unsigned(errors);
        bestRate = fields.number(bestRate);
        bestDeviation = fields.number(bestDeviation);
        countSinceWarning = fields.unsigned(countSinceWarning);
        errorsSinceWarning = fields.unsigned(errorsSinceWarning);
    }
}
