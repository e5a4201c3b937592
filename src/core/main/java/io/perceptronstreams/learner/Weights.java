package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.weights.BlockVector;

/**
 * A weight vector w and the sums for its average, in blocks of 128.
 *
 * <p>Lane 0 is w, lane 1 the sum a of (survivals so far · change) over all changes. With C the sum of all survival
 * counts, C·w - a is the survival-weighted sum of all weight vectors (as in Daumé 2012, algorithm 7, for unweighted
 * examples), so an update costs O(non-zeros) and not O(dimension). Sums run in ascending index; every product and sum
 * is rounded.
 */
public final class Weights {
    private static final int WEIGHT = 0;
    private static final int AVERAGE = 1;

    private final BlockVector blocks;
    // Number of features of x without a place, set by growth.
    private int missing;

    // True if x was scored, and no weight has got another place since.
    private boolean isScored;

    /** Creates weights with an average, all 0. */
    public Weights() {
        this(2);
    }

    /** Creates weights; with one lane there is no average, and they are read-only. */
    public Weights(int lanes) {
        blocks = new BlockVector(lanes);
    }

    public BlockVector blocks() {
        return blocks;
    }

    /**
     * w·x without the bias; sets {@link #squaredLength}.
     *
     * <p>Cost: O(non-zeros of x).
     */
    public double dot(FeatureVector x) {
        isScored = true;
        return blocks.dot(x, WEIGHT);
    }

    /** a·x without the bias. Cost: O(non-zeros of x). */
    public double dotAverage(FeatureVector x) {
        return blocks.dot(x, AVERAGE);
    }

    /** |x|^2 of the last scored example without the bias, in ascending index. */
    double squaredLength() {
        return blocks.squaredLength();
    }

    /**
     * Growth of |w|^2 if step·x were added to w; changes nothing. If an example was scored since the last {@link
     * #addScaled}, the last one must have been {@code x}.
     *
     * @param step factor of x
     * @param survivals factor of the change in the average's sum
     * @return not finite if a weight, its square or the average's sum would not be
     */
    public double growth(FeatureVector x, double step, double survivals) {
        missing = isScored ? blocks.findScored(x) : blocks.find(x);
        double[] values = x.values();
        int[] places = x.places();
        double growth = 0;
        for (int k = 0; k < x.size(); k++) {
            double change = step * values[k];
            double before = 0;
            double average = survivals * change;
            int place = places[k];
            if (place >= 0) {
                double[] numbers = blocks.slab(place);
                int at = blocks.from(place);
                before = numbers[at + WEIGHT];
                average += numbers[at + AVERAGE];
            }
            double after = before + change;
            // 0 · average is NaN if average is not finite
            growth += (after - before) * (after + before) + 0 * average;
        }
        return growth;
    }

    /**
     * Checks that there is room for the blocks that {@link #addScaled} would allocate.
     *
     * @throws RejectedException if there is not
     */
    public void requireRoom(FeatureVector x, int blocksMax) {
        if (blocks.maxCount() + (long) x.size() <= blocksMax) {
            return; // room for a block each: no need to count
        }
        int newBlocks = newBlocks(x);
        if (newBlocks > 0 && blocks.count() + (long) newBlocks > blocksMax) {
            throw full(blocksMax, "");
        }
    }

    /** Creates the exception for a full model. */
    static RejectedException full(int blocksMax, String others) {
        return new RejectedException(
                RejectReason.MODEL_FULL,
                "a model must not have more than blocks.max = " + blocksMax + " blocks of 128 weights" + others
                        + " (raise blocks.max, or hash names into fewer bits)");
    }

    /** Number of blocks that {@link #addScaled} would allocate. */
    int newBlocks(FeatureVector x) {
        int count = 0;
        int number = -1;
        for (int k = 0; k < x.size(); k++) {
            int next = x.index(k) >>> BlockVector.SHIFT;
            if (next != number && x.values()[k] != 0) {
                number = next;
                count += blocks.find(x.index(k)) < 0 && !blocks.hasBlock(number) ? 1 : 0;
            }
        }
        return count;
    }

    /**
     * Adds step·x to w and survivals·step·x to a; must follow a finite {@link #growth} with the same arguments.
     *
     * <p>Zeros in x allocate nothing. Cost: O(non-zeros of x).
     */
    public void addScaled(FeatureVector x, double step, double survivals) {
        blocks.touch(x, missing);
        isScored = false;
        add(x, step, survivals);
    }

    /** Does the same as {@link #addScaled} for features that are at their places. */
    void add(FeatureVector x, double step, double survivals) {
        double[] values = x.values();
        int[] places = x.places();
        for (int k = 0; k < x.size(); k++) {
            if (values[k] != 0) {
                double[] numbers = blocks.slab(places[k]);
                int at = blocks.from(places[k]);
                double change = step * values[k];
                numbers[at + WEIGHT] += change;
                numbers[at + AVERAGE] += survivals * change;
            }
        }
    }

    /** Multiplies a by a factor. Cost: O(touched blocks). */
    public void multiplyAverage(double factor) {
        blocks.multiply(AVERAGE, factor);
    }

    /** Visits every index with a non-zero w or average (C·w - a) / C. */
    public void forEach(double survivals, Learner.WeightVisitor visitor) {
        blocks.forEach((number, block) -> {
            for (int i = 0; i < BlockVector.BLOCK; i++) {
                double average = average(block[i], block[BlockVector.BLOCK + i], survivals);
                if (block[i] != 0 || average != 0) {
                    visitor.weight((number << BlockVector.SHIFT) + i, block[i], average);
                }
            }
        });
    }

    /** Visits every index with a non-zero {@code scale}·w; lane 1 may have another use than the average. */
    void forEachScaled(double scale, Learner.WeightVisitor visitor) {
        blocks.forEach((number, block) -> {
            for (int i = 0; i < BlockVector.BLOCK; i++) {
                if (scale * block[i] != 0) {
                    visitor.weight((number << BlockVector.SHIFT) + i, scale * block[i], 0);
                }
            }
        });
    }

    /** The average for a weight w and its sum a; 0 before the first survival. */
    public static double average(double w, double a, double survivals) {
        return survivals == 0 ? 0 : (survivals * w - a) / survivals;
    }
}
