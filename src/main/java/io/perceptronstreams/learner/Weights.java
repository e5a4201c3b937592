package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Reason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.NumberCache;

/**
 * A weight vector w and what its average needs, in blocks of 128; every inner loop of the linear learners is here.
 *
 * <p>Lane 0 is w, lane 1 the sum a of (survivals so far · change) over all changes. With C the sum of all survival counts, C·w - a is
 * the survival-weighted sum of all weight vectors (Daumé 2012, algorithm 7 does the same for unweighted examples), so that an
 * update costs O(non-zeros) and not O(dimension). Sums run in ascending index; products and sums are rounded one by one.
 */
final class Weights {
    private static final int AVERAGE = BlockVector.BLOCK;

    // Stands for a block that was never touched.
    private static final double[] ZEROS = new double[2 * BlockVector.BLOCK];

    private final BlockVector blocks;
    private double squaredLength;

    /** Weights and what their average needs, all 0. */
    Weights() {
        this(2);
    }

    /** With one lane there are weights alone, to be read only. */
    Weights(int lanes) {
        blocks = new BlockVector(lanes);
    }

    BlockVector blocks() {
        return blocks;
    }

    /**
     * w·x, bias not included; |x|^2 is {@link #squaredLength} afterwards.
     *
     * <p>One loop for both, because each sum by itself waits for its last addition. Cost: O(non-zeros of x).
     */
    double dot(FeatureVector x) {
        return x.isDense() ? dotDense(x.values(), x.size(), 0) : dotSparse(x.indices(), x.values(), x.size());
    }

    /** a·x, bias not included. Cost: O(non-zeros of x). */
    double dotAverage(FeatureVector x) {
        return x.isDense()
                ? dotDense(x.values(), x.size(), AVERAGE)
                : dotBlocks(x.indices(), x.values(), x.size(), AVERAGE);
    }

    /** |x|^2 of the last example scored, in ascending index, bias not included. */
    double squaredLength() {
        return squaredLength;
    }

    private double dotSparse(int[] indices, double[] values, int size) {
        double[] front = blocks.front();
        // indices ascend
        if (size == 0 || indices[size - 1] < front.length) {
            return dotFront(front, indices, values, size);
        }
        return blocks.isSpread() ? dotCached(indices, values, size) : dotBlocks(indices, values, size, 0);
    }

    private double dotFront(double[] front, int[] indices, double[] values, int size) {
        double sum = 0;
        double squares = 0;
        for (int k = 0; k < size; k++) {
            squares += values[k] * values[k];
            sum += front[indices[k]] * values[k];
        }
        squaredLength = squares;
        return sum;
    }

    private double dotCached(int[] indices, double[] values, int size) {
        NumberCache cache = blocks.cache();
        double sum = 0;
        double squares = 0;
        int differences = 0;
        for (int k = 0; k < size; k++) {
            int index = indices[k];
            double value = values[k];
            int slot = cache.slot(index);
            differences |= cache.index(slot) ^ index;
            squares += value * value;
            sum += cache.number(slot) * value;
        }
        if (differences != 0) {
            // some were not there: all once more, with those that are only in their blocks
            sum = 0;
            for (int k = 0; k < size; k++) {
                sum += blocks.read(indices[k]) * values[k];
            }
        }
        squaredLength = squares;
        return sum;
    }

    // Looks every block up anew: whether it is the last one again, no processor can foresee.
    private double dotBlocks(int[] indices, double[] values, int size, int lane) {
        double sum = 0;
        double squares = 0;
        for (int k = 0; k < size; k++) {
            int index = indices[k];
            double value = values[k];
            squares += value * value;
            double[] block = blocks.find(index >>> BlockVector.SHIFT);
            if (block != null) {
                sum += block[lane + (index & BlockVector.MASK)] * value;
            }
        }
        squaredLength = squares;
        return sum;
    }

    private double dotDense(double[] values, int size, int lane) {
        double sum = 0;
        double squares = 0;
        for (int from = 0; from < size; from += BlockVector.BLOCK) {
            double[] block = blocks.find(from >>> BlockVector.SHIFT);
            int to = Math.min(size, from + BlockVector.BLOCK);
            if (block == null) {
                block = ZEROS;
            }
            for (int k = from; k < to; k++) {
                sum += block[lane + k - from] * values[k];
                squares += values[k] * values[k];
            }
        }
        squaredLength = squares;
        return sum;
    }

    /**
     * By how much |w|^2 would grow if step·x were added to w; changes nothing.
     *
     * @param step factor of x
     * @param survivals factor of the change in the average's sum
     * @return not finite where a weight, its square or the average's sum would not be
     */
    double growth(FeatureVector x, double step, double survivals) {
        double[] values = x.values();
        double growth = 0;
        for (int k = 0; k < x.size(); k++) {
            int index = x.index(k);
            double[] block = blocks.find(index >>> BlockVector.SHIFT);
            int i = index & BlockVector.MASK;
            double change = step * values[k];
            double before = block == null ? 0 : block[i];
            double after = before + change;
            double average = (block == null ? 0 : block[AVERAGE + i]) + survivals * change;
            // 0 · average is 0 where it is finite and NaN where not
            growth += (after - before) * (after + before) + 0 * average;
        }
        return growth;
    }

    /**
     * Checks that there is room for the blocks that {@link #addScaled} would allocate.
     *
     * @throws RejectedException if there is not
     */
    void requireRoom(FeatureVector x, int blocksMax) {
        if (blocks.count() + (long) x.size() <= blocksMax) {
            return; // room for a block each: no need to count
        }
        int newBlocks = newBlocks(x);
        if (newBlocks > 0 && blocks.count() + (long) newBlocks > blocksMax) {
            throw full(blocksMax, "");
        }
    }

    /** What is thrown where there is no room. */
    static RejectedException full(int blocksMax, String others) {
        return new RejectedException(
                Reason.MODEL_FULL,
                "a model must not have more than blocks.max = " + blocksMax + " blocks of 128 weights" + others
                        + " (raise blocks.max, or hash names into fewer bits)");
    }

    /** How many blocks {@link #addScaled} would allocate. */
    int newBlocks(FeatureVector x) {
        int count = 0;
        int number = -1;
        for (int k = 0; k < x.size(); k++) {
            int next = x.index(k) >>> BlockVector.SHIFT;
            if (next != number && x.values()[k] != 0) {
                number = next;
                count += blocks.find(number) == null ? 1 : 0;
            }
        }
        return count;
    }

    /**
     * Adds step·x to w and survivals·step·x to a, after {@link #growth} has found that everything stays finite.
     *
     * <p>Zeros in x allocate nothing. Cost: O(non-zeros of x).
     */
    void addScaled(FeatureVector x, double step, double survivals) {
        double[] values = x.values();
        int number = -1;
        double[] block = null;
        for (int k = 0; k < x.size(); k++) {
            if (values[k] == 0) {
                continue;
            }
            int index = x.index(k);
            if (index >>> BlockVector.SHIFT != number) {
                number = index >>> BlockVector.SHIFT;
                block = blocks.touch(number);
            }
            int i = index & BlockVector.MASK;
            double change = step * values[k];
            double weight = block[i] + change;
            block[i] = weight;
            blocks.changed(index, weight);
            block[AVERAGE + i] += survivals * change;
        }
    }

    /** Shows every index of which w or the weighted mean of all weight vectors, (C·w - a) / C, is not 0. */
    void forEach(double survivals, Learner.WeightVisitor visitor) {
        blocks.forEach((number, block) -> {
            for (int i = 0; i < BlockVector.BLOCK; i++) {
                double average = average(block[i], block[AVERAGE + i], survivals);
                if (block[i] != 0 || average != 0) {
                    visitor.weight((number << BlockVector.SHIFT) + i, block[i], average);
                }
            }
        });
    }

    /** The mean that belongs to a present number w and its sum a, 0 before the first survival. */
    static double average(double w, double a, double survivals) {
        return survivals == 0 ? 0 : (survivals * w - a) / survivals;
    }
}
