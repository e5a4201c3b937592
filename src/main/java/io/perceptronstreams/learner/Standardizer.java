package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Reason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.weights.BlockVector;

/**
 * Standardizes features online: x becomes (x - mean) / deviation, both over all examples so far, the present one included.
 *
 * <p>Mean and squared deviations are kept per feature by Welford's recurrence (1962), over the examples in which the feature
 * <em>stands</em>: a feature that an example leaves out does not count as 0 and stays out, so that the cost is O(non-zeros). A
 * feature whose deviation is still 0 becomes 0. The label is not used: an example may be standardized with statistics that have
 * seen it.
 *
 * <p>Two steps, so that an example that turns out to be unusable leaves no trace: {@link #scale} computes, {@link #keep} stores.
 */
final class Standardizer {
    private static final int COUNT = 0;
    private static final int MEAN = BlockVector.BLOCK;
    private static final int SQUARES = 2 * BlockVector.BLOCK;

    private final BlockVector statistics = new BlockVector(3);
    private double[] raw = new double[64];

    /** The statistics: lanes are the number of values, their mean and the sum of their squared deviations from it. */
    BlockVector statistics() {
        return statistics;
    }

    /**
     * Replaces the values of {@code x} by standardized ones and remembers the old ones for {@link #keep}.
     *
     * @throws RejectedException if a statistic would exceed the range of a double; then {@code x} is undefined
     */
    void scale(FeatureVector x) {
        if (raw.length < x.size()) {
            raw = new double[x.values().length];
        }
        double[] values = x.values();
        System.arraycopy(values, 0, raw, 0, x.size());
        for (int k = 0; k < x.size(); k++) {
            int index = x.index(k);
            double[] block = statistics.find(index >>> BlockVector.SHIFT);
            int i = index & BlockVector.MASK;
            double count = block == null ? 1 : block[COUNT + i] + 1;
            double oldMean = block == null ? 0 : block[MEAN + i];
            double mean = oldMean + (values[k] - oldMean) / count;
            double squares = (block == null ? 0 : block[SQUARES + i]) + (values[k] - oldMean) * (values[k] - mean);
            if (!Double.isFinite(squares)) {
                throw new RejectedException(
                        Reason.SCORE_OVERFLOW,
                        "the variance of feature " + index + " must be finite, got an overflow at value " + values[k]);
            }
            // the deviation, and not only the squares: a quotient of the smallest doubles is 0
            double deviation = Math.sqrt(squares / count);
            values[k] = deviation == 0 ? 0 : (values[k] - mean) / deviation;
        }
    }

    /** How many blocks of statistics {@link #keep} would allocate. */
    int newBlocks(FeatureVector x) {
        int count = 0;
        int number = -1;
        for (int k = 0; k < x.size(); k++) {
            int next = x.index(k) >>> BlockVector.SHIFT;
            if (next != number) {
                number = next;
                count += statistics.find(number) == null ? 1 : 0;
            }
        }
        return count;
    }

    /** Adds the example that was scaled last to the statistics. */
    void keep(FeatureVector x) {
        for (int k = 0; k < x.size(); k++) {
            int index = x.index(k);
            double[] block = statistics.touch(index >>> BlockVector.SHIFT);
            int i = index & BlockVector.MASK;
            double count = ++block[COUNT + i];
            double fromOldMean = raw[k] - block[MEAN + i];
            block[MEAN + i] += fromOldMean / count;
            block[SQUARES + i] += fromOldMean * (raw[k] - block[MEAN + i]);
        }
    }
}
