package io.perceptronstreams.model;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.weights.BlockVector;

/**
 * Standardizes features online: x becomes (x - mean) / deviation, both over all values so far, this one included.
 *
 * <p>Welford's recurrence (1962) keeps mean and squared deviations per feature, over the examples that contain it: a
 * missing feature does not count as 0, so the cost is O(non-zeros). Two exceptions keep what a sparse feature means:
 *
 * <ul>
 *   <li>While the deviation is 0, x becomes its sign, so the 1 of a word stays 1.
 *   <li>A feature that fewer than half of the examples contain, such as the count of a word, is not centred: x becomes x /
 *       sqrt(mean of the squares). Its ordinary value is 0, the value of the examples without it.
 * </ul>
 *
 * <p>Two steps, so that a rejected example changes nothing: {@link #scale} computes, {@link #keep} stores. The label is
 * not used.
 */
final class Standardizer {
    private static final int COUNT = 0;
    private static final int MEAN = 1;
    private static final int SQUARES = 2;

    // The bias is a feature of every example: its count is the number of examples.
    private static final int BIAS = Integer.MAX_VALUE;

    // Statistics of a feature that was never seen.
    private static final double[] NOTHING = new double[3];

    private static final double[] NO_VALUES = {};

    private final BlockVector statistics = new BlockVector(3);

    // Allocated by the first example.
    private double[] raw = NO_VALUES;

    /**
     * Statistics: the lanes are the number of values, their mean and the sum of their squared deviations from it; at the
     * largest index the number of examples.
     */
    BlockVector statistics() {
        return statistics;
    }

    /** Estimated heap, in bytes. */
    long heapBytes() {
        return statistics.heapBytes() + (long) Double.BYTES * raw.length;
    }

    /**
     * Replaces the values of {@code x} by standardized ones and remembers the old ones for {@link #keep}.
     *
     * @throws RejectedException if a statistic would exceed the range of a double; then {@code x} is undefined
     */
    void scale(FeatureVector x) {
        if (raw.length < x.size()) {
            // not as many as the decoder has, which has room for the largest example of all models
            raw = new double[Math.max(x.size(), 2 * raw.length)];
        }
        double[] values = x.values();
        System.arraycopy(values, 0, raw, 0, x.size());
        double examples = statistics.read(BIAS, COUNT) + 1;
        statistics.find(x);
        int size = withStatistics(x);
        for (int k = 0; k < size; k++) {
            int place = x.places()[k];
            double[] numbers = place < 0 ? NOTHING : statistics.slab(place);
            int at = place < 0 ? 0 : statistics.from(place);
            double count = numbers[at + COUNT] + 1;
            double oldMean = numbers[at + MEAN];
            double mean = oldMean + (values[k] - oldMean) / count;
            double squares = numbers[at + SQUARES] + (values[k] - oldMean) * (values[k] - mean);
            if (!Double.isFinite(squares)) {
                throw new RejectedException(
                        RejectReason.SCORE_OVERFLOW,
                        "the variance of feature " + x.index(k) + " must be finite, got an overflow at value "
                                + values[k]);
            }
            values[k] = standardized(values[k], count, mean, squares, examples);
        }
        if (size < x.size()) {
            values[size] = Math.signum(values[size]);
        }
    }

    /** Number of features with statistics: all but the bias. */
    private static int withStatistics(FeatureVector x) {
        int last = x.size() - 1;
        return last >= 0 && x.index(last) == BIAS ? last : x.size();
    }

    private static double standardized(double x, double count, double mean, double squares, double examples) {
        double variance = squares / count;
        // test the variance, not only the squares: a quotient of the smallest doubles is 0
        if (variance == 0) {
            return Math.signum(x);
        }
        return 2 * count < examples ? x / Math.sqrt(variance + mean * mean) : (x - mean) / Math.sqrt(variance);
    }

    /** Replaces the values of {@code x} by ones standardized with the current statistics. */
    void rescale(FeatureVector x) {
        double[] values = x.values();
        double examples = statistics.read(BIAS, COUNT);
        statistics.find(x);
        int size = withStatistics(x);
        for (int k = 0; k < size; k++) {
            int place = x.places()[k];
            double[] numbers = place < 0 ? NOTHING : statistics.slab(place);
            int at = place < 0 ? 0 : statistics.from(place);
            double count = Math.max(1, numbers[at + COUNT]);
            values[k] = standardized(values[k], count, numbers[at + MEAN], numbers[at + SQUARES], examples);
        }
        if (size < x.size()) {
            values[size] = Math.signum(values[size]);
        }
    }

    /** Number of blocks that {@link #keep} would allocate. */
    int newBlocks(FeatureVector x) {
        int count = statistics.hasBlock(BIAS >>> BlockVector.SHIFT) ? 0 : 1;
        int number = -1;
        for (int k = 0; k < x.size(); k++) {
            int next = x.index(k) >>> BlockVector.SHIFT;
            if (next != number) {
                number = next;
                count += statistics.find(x.index(k)) < 0 && !statistics.hasBlock(number) ? 1 : 0;
            }
        }
        return count;
    }

    /** Adds the last scaled example to the statistics. */
    void keep(FeatureVector x) {
        statistics.write(BIAS, COUNT, statistics.read(BIAS, COUNT) + 1);
        int size = withStatistics(x);
        for (int k = 0; k < size; k++) {
            int place = statistics.touch(x.index(k));
            double[] numbers = statistics.slab(place);
            int at = statistics.from(place);
            double count = ++numbers[at + COUNT];
            double fromOldMean = raw[k] - numbers[at + MEAN];
            numbers[at + MEAN] += fromOldMean / count;
            numbers[at + SQUARES] += fromOldMean * (raw[k] - numbers[at + MEAN]);
        }
    }
}
