package io.perceptronstreams.drift;

import java.util.List;

/**
 * The drift detection method (Gama, Medas, Castillo and Rodrigues 2004): how far the running error rate is above its best.
 *
 * <p>p is the error rate of all examples since the start, s = sqrt(p(1 - p)/n) its deviation. Where p + s was smallest, it is kept as p_min
 * and s_min. Warning where p + s > p_min + w·s_min, drift where p + s > p_min + t·s_min; the paper's t is 3 and its w is 2, here always 2t/3.
 * Nothing is said before 30 examples. The paper has >= for >, which would be an alarm for ever where there is no error at all;
 * as there, the first error after nothing but right answers is one.
 *
 * <p>Cost: O(1) in time and memory. It is quick where a good model turns bad at once, and slow after a long good time, since p is
 * a mean over all of it.
 */
final class Ddm implements DriftDetector {
    static final double DEFAULT_THRESHOLD = 3;
    private static final int MINIMUM = 30;

    private final double threshold;

    private long count;
    private long errors;
    private double bestRate = Double.POSITIVE_INFINITY;
    private double bestDeviation = Double.POSITIVE_INFINITY;

    // Since the level left STABLE; 0 while it is there.
    private long countSinceWarning;
    private long errorsSinceWarning;

    private double rateBefore;
    private double rateAfter;

    /**
     * A detector that has seen nothing.
     *
     * @param threshold t: how many deviations above its best the rate must be for an alarm
     */
    Ddm(double threshold) {
        this.threshold = threshold;
    }

    @Override
    public Level add(boolean isError) {
        count++;
        errors += isError ? 1 : 0;
        if (count < MINIMUM) {
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
    public double rateBefore() {
        return rateBefore;
    }

    @Override
    public double rateAfter() {
        return rateAfter;
    }

    /** The numbers are n, errors, p_min, s_min, and examples and errors since the warning. */
    @Override
    public List<Double> state() {
        return List.of((double) count, (double) errors, bestRate, bestDeviation, (double) countSinceWarning, (double)
                errorsSinceWarning);
    }

    @Override
    public void restore(List<Double> state) {
        count = state.get(0).longValue();
        errors = state.get(1).longValue();
        bestRate = state.get(2);
        bestDeviation = state.get(3);
        countSinceWarning = state.get(4).longValue();
        errorsSinceWarning = state.get(5).longValue();
    }
}
