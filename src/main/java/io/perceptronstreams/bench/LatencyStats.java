package io.perceptronstreams.bench;

import java.util.Arrays;

/**
 * Times from send to receive.
 *
 * @param p50 half of them are not longer, in ms
 * @param p99 99 of 100 are not longer, in ms
 */
record LatencyStats(double p50, double p99) {
    /** @param nanos at least one; will be sorted */
    static LatencyStats of(long[] nanos) {
        Arrays.sort(nanos);
        return new LatencyStats(quantile(nanos, 0.5), quantile(nanos, 0.99));
    }

    private static double quantile(long[] sorted, double fraction) {
        return sorted[(int) Math.ceil(fraction * sorted.length) - 1] / 1e6;
    }
}
