package io.perceptronstreams.drift;

import io.perceptronstreams.state.StoredFields;
import java.util.Arrays;

/**
 * ADWIN2 (Bifet and Gavaldà 2007): keeps a window of the latest errors and shortens it when the error rate changes.
 *
 * <p>An alarm is raised if the window was cut and the newer part has the higher rate. There are no warnings. On a
 * stationary stream the probability of a cut is at most delta at each check.
 *
 * <p>Cost: memory O(log n); time O(1) per example, O(log n) every 32 examples, and amortized O(1) for dropped buckets.
 */
final class Adwin extends DriftDetector {
    /*
     * The window is an exponential histogram. Row r holds up to 5 buckets of 2^r examples and stores the errors of
     * each; of 6 the two oldest merge into one of row r + 1. Every 32 examples each boundary between buckets is tested
     * as a cut into an older part of n0 and a newer part of n1 examples, at least 5 each. The oldest bucket is dropped
     * while |rate0 - rate1| > eps for some cut, where p is the error rate of all n examples of the window:
     *
     *   eps = sqrt(2/m · p(1 - p) · l) + 2/(3m) · l,  1/m = 1/n0 + 1/n1,  l = ln(2 ln(n) / delta).
     *
     * An alarm has the rates of the sharpest cut, which exceeds eps most. StrictMath gives the same logarithm
     * on every machine.
     */
    static final double DEFAULT_DELTA = 0.002;
    static final int CHECK_EVERY = 32;
    static final int MIN_PART = 5;
    private static final int BUCKETS = 5;

    private final double delta;

    // Errors per bucket, oldest first; row r starts at r · (BUCKETS + 1).
    private long[] bucketErrors = new long[BUCKETS + 1];
    // Number of buckets per row.
    private int[] bucketCounts = new int[1];
    private int rows = 1;
    private long width;
    private long errors;
    private int sinceCheck;

    private double sharpestBefore;
    private double sharpestAfter;

    /** @param delta probability of a false cut, between 0 and 1 */
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

    /** Drops the oldest buckets while a cut exists; returns true if the rate rose at the first sharpest cut. */
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

    /** Finds the sharpest cut and stores the rates on both sides; returns false if no cut exceeds eps. */
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
                if (count1 < MIN_PART) {
                    return sharpest > 0;
                }
                double inverse = 1.0 / count0 + 1.0 / count1;
                double epsilon = Math.sqrt(2 * inverse * variance * l) + 2.0 / 3 * inverse * l;
                double before = (double) errors0 / count0;
                double after = (double) (errors - errors0) / count1;
                double beyond = Math.abs(before - after) - epsilon;
                if (count0 >= MIN_PART && beyond > sharpest) {
                    sharpest = beyond;
                    sharpestBefore = before;
                    sharpestAfter = after;
                }
            }
        }
        return sharpest > 0;
    }

    /** Number of examples in the window. */
    long width() {
        return width;
    }

    @Override
    public void exchange(StoredFields fields) {
        sinceCheck = fields.upTo(CHECK_EVERY, sinceCheck);
        int storedRows = fields.count(1, rows);
        for (int row = 0; row < storedRows; row++) {
            int buckets = fields.upTo(BUCKETS, fields.isReading() ? 0 : bucketCounts[row]);
            for (int k = 0; k < buckets; k++) {
                long bucket = fields.unsigned(fields.isReading() ? 0 : bucketErrors[row * (BUCKETS + 1) + k]);
                if (fields.isReading()) {
                    append(row, bucket);
                    width += 1L << row;
                    errors += bucket;
                }
            }
        }
    }
}
