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
 *   <li>A feature that fewer than half of the examples contain, such as the count of a word, is not centred: x becomes
 *       x / sqrt(mean of the squares). Its ordinary value is 0, the value of the examples without it.
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

    private static final int LANES = 3;

    // Statistics of a feature that was never seen.
    private static final double[] NOTHING = new double[LANES];

    private static final double[] NO_VALUES = {};

    /*
     * Models that learn the same examples, as those of a portfolio, have the same statistics: one object for all. The
     * first of them that scales an example computes, and keeps it; each other one is behind by this example then,
     * copies the scaled values, and only counts that it has kept it, too. Between two examples none is behind. A model
     * that will not keep what the others do must separate() before the example.
     */
    private static final class Statistics {
        private final BlockVector numbers;
        private long kept;
        private boolean isShared;

        // Values of the last example as they were scaled; of shared statistics only.
        private double[] scaled = NO_VALUES;

        private Statistics(BlockVector numbers) {
            this.numbers = numbers;
        }
    }

    private Statistics statistics = new Statistics(new BlockVector(LANES));

    // Number of examples that were kept by this model, as Statistics.kept.
    private long kept;

    /** Returns true if another model has kept the present example already. */
    private boolean isBehind() {
        return kept < statistics.kept;
    }

    /** Takes over the statistics of another model if they are the same, bit for bit. */
    void share(Standardizer other) {
        if (!shares(other) && statistics.numbers.isSame(other.statistics.numbers)) {
            statistics = other.statistics;
            kept = other.kept;
            statistics.isShared = true;
        }
    }

    /** Returns true if this and another model have one object of statistics. */
    // an object, not its contents
    @SuppressWarnings("ReferenceEquality")
    boolean shares(Standardizer other) {
        return statistics == other.statistics;
    }

    /** Continues with statistics of its own. Cost: O(touched blocks) if they were shared. */
    void separate() {
        if (statistics.isShared) {
            if (isBehind()) {
                throw new IllegalStateException("statistics must be separated between two examples");
            }
            statistics = new Statistics(statistics.numbers.copy());
            kept = 0;
        }
    }

    /**
     * Statistics: the lanes are the number of values, their mean and the sum of their squared deviations from it; at
     * the largest index the number of examples.
     */
    BlockVector statistics() {
        return statistics.numbers;
    }

    /** Estimated heap, in bytes. */
    long heapBytes() {
        return statistics.numbers.heapBytes() + (long) Double.BYTES * statistics.scaled.length;
    }

    /**
     * Replaces the values of {@code x} by standardized ones.
     *
     * @throws RejectedException if a statistic would exceed the range of a double; then {@code x} is undefined
     */
    void scale(FeatureVector x) {
        if (isBehind()) {
            if (statistics.kept - kept > 1) {
                throw new IllegalStateException("statistics must be separated before an example that is not kept");
            }
            System.arraycopy(statistics.scaled, 0, x.values(), 0, x.size());
            return;
        }
        BlockVector numbers = statistics.numbers;
        double[] values = x.values();
        int[] found = x.found();
        double[] next = x.next(LANES);
        double examples = numbers.read(BIAS, COUNT) + 1;
        int size = withStatistics(x);
        var unused = numbers.find(x, found);
        for (int k = 0; k < size; k++) {
            int place = found[k];
            double[] slab = place < 0 ? NOTHING : numbers.slab(place);
            int at = place < 0 ? 0 : numbers.from(place);
            double count = slab[at + COUNT] + 1;
            double fromOldMean = values[k] - slab[at + MEAN];
            double mean = slab[at + MEAN] + fromOldMean / count;
            double squares = slab[at + SQUARES] + fromOldMean * (values[k] - mean);
            if (!Double.isFinite(squares)) {
                throw new RejectedException(
                        RejectReason.SCORE_OVERFLOW,
                        "the variance of feature " + x.index(k) + " must be finite, got an overflow at value "
                                + values[k]);
            }
            next[LANES * k + COUNT] = count;
            next[LANES * k + MEAN] = mean;
            next[LANES * k + SQUARES] = squares;
            values[k] = standardized(values[k], count, mean, squares, examples);
        }
        if (size < x.size()) {
            values[size] = Math.signum(values[size]);
        }
        if (statistics.isShared) {
            if (statistics.scaled.length < x.size()) {
                // not as many as the decoder has, which has room for the largest example of all models
                statistics.scaled = new double[Math.max(x.size(), 2 * statistics.scaled.length)];
            }
            System.arraycopy(values, 0, statistics.scaled, 0, x.size());
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
        BlockVector numbers = statistics.numbers;
        double examples = numbers.read(BIAS, COUNT);
        int size = withStatistics(x);
        for (int k = 0; k < size; k++) {
            int place = numbers.find(x.index(k));
            double[] slab = place < 0 ? NOTHING : numbers.slab(place);
            int at = place < 0 ? 0 : numbers.from(place);
            double count = Math.max(1, slab[at + COUNT]);
            values[k] = standardized(values[k], count, slab[at + MEAN], slab[at + SQUARES], examples);
        }
        if (size < x.size()) {
            values[size] = Math.signum(values[size]);
        }
    }

    /** Number of blocks that {@link #keep} would allocate. */
    int newBlocks(FeatureVector x) {
        BlockVector numbers = statistics.numbers;
        int count = numbers.hasBlock(BIAS >>> BlockVector.SHIFT) ? 0 : 1;
        int number = -1;
        for (int k = 0; k < x.size(); k++) {
            int next = x.index(k) >>> BlockVector.SHIFT;
            if (next != number) {
                number = next;
                count += numbers.find(x.index(k)) < 0 && !numbers.hasBlock(number) ? 1 : 0;
            }
        }
        return count;
    }

    /** Adds the last scaled example to the statistics. */
    void keep(FeatureVector x) {
        if (!isBehind()) {
            BlockVector numbers = statistics.numbers;
            numbers.write(BIAS, COUNT, numbers.read(BIAS, COUNT) + 1);
            write(x, numbers);
            statistics.kept++;
        }
        kept++;
    }

    private static void write(FeatureVector x, BlockVector numbers) {
        int size = withStatistics(x);
        int[] found = x.found();
        double[] next = x.next(LANES);
        boolean isValid = true;
        for (int k = 0; k < size; k++) {
            isValid &= found[k] >= 0;
        }
        if (isValid) {
            numbers.markChanged(x, size, found);
        }
        for (int k = 0; k < size; k++) {
            // a new index may move the others
            int place = isValid ? found[k] : numbers.touch(x.index(k));
            double[] slab = numbers.slab(place);
            int at = numbers.from(place);
            slab[at + COUNT] = next[LANES * k + COUNT];
            slab[at + MEAN] = next[LANES * k + MEAN];
            slab[at + SQUARES] = next[LANES * k + SQUARES];
        }
    }
}
