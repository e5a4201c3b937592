package io.perceptronstreams.bench;

import java.util.Arrays;

/**
 * Quantiles of the time from send to receive.
 *
 * @param p50 median in ms
 * @param p99 99th percentile in ms
 */
record LatencyStats(double p50, double p99) {
    /** @param nanos at least one time; sorted in place */
    static LatencyStats of(long[] nanos) {
        Arrays.sort(nanos);
        return new LatencyStats(quantile(nanos, 0.5), quantile(nanos, 0.99));
    }

    private static double quantile(long[] sorted, double fraction) {
        return sorted[(int) Math.ceil(fraction * sorted.length) - 1] / 1e6;
    }
}
