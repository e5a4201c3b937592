package io.perceptronstreams.drift;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * ADWIN2 (Bifet and Gavaldà 2007): a window over the latest errors that is as long as they look like one rate.
 *
 * <p>The window is kept as an exponential histogram: row r holds up to 5 buckets of 2^r examples each, of which only the number of
 * errors is known; of 6 the two oldest become one of the next row. Every 32 examples each boundary between buckets is tried as a
 * cut into an older part of n0 and a newer part of n1 examples, at least 5 each. While some cut has |rate0 - rate1| > eps, the oldest
 * bucket is dropped, with
 *
 * <pre>
 *   eps = sqrt(2/m · p(1 - p) · l) + 2/(3m) · l,  1/m = 1/n0 + 1/n1,  l = ln(2 ln(n) / delta),
 * </pre>
 *
 * p the rate of the whole window of n examples. It is an alarm if at the sharpest cut, where the difference is farthest beyond eps,
 * the newer rate is the higher one; there are no warnings. In a stationary stream the probability of a cut is meant to be at most delta at each check.
 *
 * <p>Cost: memory O(log n); time O(1) per example and O(log n) every 32, dropping aside, which each bucket is but once. The
 * logarithm is StrictMath's, which is the same everywhere.
 */
final class Adwin implements DriftDetector {
    static final double DEFAULT_DELTA = 0.002;
    static final int CHECK_EVERY = 32;
    static final int MINIMUM_PART = 5;
    private static final int BUCKETS = 5;

    private final double delta;

    // Errors of the buckets, oldest first, of row r from r · (BUCKETS + 1) on; and how many buckets each row has.
    private long[] bucketErrors = new long[BUCKETS + 1];
    private int[] bucketCounts = new int[1];
    private int rows = 1;
    private long width;
    private long errors;
    private int sinceCheck;

    private double sharpestBefore;
    private double sharpestAfter;

    private double rateBefore;
    private double rateAfter;

    /**
     * A detector that has seen nothing.
     *
     * @param delta how probable a false cut may be, between 0 and 1
     */
    Adwin(double delta) {
        this.delta = delta;
    }

    @Override
    public Level add(boolean isError) {
        int x = isError ? 1 : 0;
        width++;
        errors += x;
        append(0, x);
        for (int row = 0; bucketCounts[row] > BUCKETS; row++) {
            int oldest = row * (BUCKETS + 1);
            append(row + 1, bucketErrors[oldest] + bucketErrors[oldest + 1]);
            removeOldest(row, 2);
        }
        if (++sinceCheck < CHECK_EVERY) {
            return Level.STABLE;
        }
        sinceCheck = 0;
        return shrink() ? Level.DRIFT : Level.STABLE;
    }

    private void append(int row, long bucket) {
        if (row == rows) {
            rows++;
            bucketErrors = Arrays.copyOf(bucketErrors, rows * (BUCKETS + 1));
            bucketCounts = Arrays.copyOf(bucketCounts, rows);
        }
        bucketErrors[row * (BUCKETS + 1) + bucketCounts[row]++] = bucket;
    }

    private void removeOldest(int row, int buckets) {
        int oldest = row * (BUCKETS + 1);
        System.arraycopy(bucketErrors, oldest + buckets, bucketErrors, oldest, bucketCounts[row] - buckets);
        bucketCounts[row] -= buckets;
    }

    /** Drops the oldest buckets while there is a cut, and says whether the rate has risen at the sharpest. */
    private boolean shrink() {
        if (!findCut()) {
            return false;
        }
        rateBefore = sharpestBefore;
        rateAfter = sharpestAfter;
        do {
            width -= 1L << (rows - 1);
            errors -= bucketErrors[(rows - 1) * (BUCKETS + 1)];
            removeOldest(rows - 1, 1);
            while (bucketCounts[rows - 1] == 0) {
                rows--;
            }
        } while (findCut());
        return rateAfter > rateBefore;
    }

    /** Whether there is a cut; the rates on both sides of that with the largest difference beyond eps are kept. */
    private boolean findCut() {
        double rate = (double) errors / width;
        double variance = rate * (1 - rate);
        double l = StrictMath.log(2 * StrictMath.log((double) width) / delta);
        double sharpest = 0;
        long count0 = 0;
        long errors0 = 0;
        for (int row = rows - 1; row >= 0; row--) {
            for (int k = 0; k < bucketCounts[row]; k++) {
                count0 += 1L << row;
                errors0 += bucketErrors[row * (BUCKETS + 1) + k];
                long count1 = width - count0;
                if (count1 < MINIMUM_PART) {
                    return sharpest > 0;
                }
                double inverse = 1.0 / count0 + 1.0 / count1;
                double epsilon = Math.sqrt(2 * inverse * variance * l) + 2.0 / 3 * inverse * l;
                double before = (double) errors0 / count0;
                double after = (double) (errors - errors0) / count1;
                double beyond = Math.abs(before - after) - epsilon;
                if (count0 >= MINIMUM_PART && beyond > sharpest) {
                    sharpest = beyond;
                    sharpestBefore = before;
                    sharpestAfter = after;
                }
            }
        }
        return sharpest > 0;
    }

    /** How many examples are in the window. */
    long width() {
        return width;
    }

    @Override
    public double rateBefore() {
        return rateBefore;
    }

    @Override
    public double rateAfter() {
        return rateAfter;
    }

    /** The numbers are the examples since the last check, and of each row, largest buckets last, how many and their errors. */
    @Override
    public List<Double> state() {
        List<Double> state = new ArrayList<>();
        state.add((double) sinceCheck);
        for (int row = 0; row < rows; row++) {
            state.add((double) bucketCounts[row]);
            for (int k = 0; k < bucketCounts[row]; k++) {
                state.add((double) bucketErrors[row * (BUCKETS + 1) + k]);
            }
        }
        return state;
    }

    @Override
    public void restore(List<Double> state) {
        sinceCheck = state.get(0).intValue();
        for (int at = 1, row = 0; at < state.size(); row++) {
            for (int left = state.get(at++).intValue(); left > 0; left--) {
                long bucket = state.get(at++).longValue();
                append(row, bucket);
                width += 1L << row;
                errors += bucket;
            }
        }
    }
}
