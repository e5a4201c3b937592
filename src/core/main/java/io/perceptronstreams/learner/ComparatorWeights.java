package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.weights.BlockVector;

/**
 * Pinned weights u, and their losses on the later examples.
 *
 * <p>Only labelled examples that the model learned from count. With w_s, the weights at the start of the comparison,
 * these numbers bound the learner's updates since then, on any data (Lin 2021).
 *
 * <p>Cost: a dot product per example while weights are pinned.
 */
public final class ComparatorWeights {
    /** Number of numbers of {@link #exchange}. */
    static final int NUMBERS = 14;

    private static final Pinned NOTHING = new Pinned();

    private final Weights weights = new Weights(1);

    // Number of updates until the weights are pinned; negative: never.
    private double updatesLeft = -1;

    // null until the weights are pinned: most models never pin any
    private Pinned pinned;

    /** What is known of the pinned weights, and the sums of the examples since. */
    private static final class Pinned {
        private double bias;
        private double squaredNorm;
        private double startProduct;
        private double startSquaredNorm;
        private double examples;
        private double updates;
        private double hingeLoss;
        private double stepLoss;
        private double squaredRadius;
        private double smallestStep;
        private double largestStep;
        private double largestH;
    }

    BlockVector blocks() {
        return weights.blocks();
    }

    boolean isPinned() {
        return pinned != null;
    }

    /** Returns true if there is anything to store. */
    boolean isWanted() {
        return isPinned() || updatesLeft >= 0;
    }

    /**
     * Checks that there is room for the blocks of an update by x, and for a copy of all blocks if the weights will be
     * pinned.
     *
     * @throws io.perceptronstreams.example.RejectedException if there is not
     */
    void requireRoom(Weights learning, FeatureVector x, int blocksMax) {
        if (!isWanted()) {
            learning.requireRoom(x, blocksMax);
            return;
        }
        boolean isPinnedNext = updatesLeft == 1;
        int newBlocks = learning.newBlocks(x);
        long all = learning.blocks().count() + (long) newBlocks;
        long needed = all + (isPinnedNext ? all : blocks().count());
        if ((newBlocks > 0 || isPinnedNext) && needed > blocksMax) {
            throw Weights.full(blocksMax, ", those of its comparator included,");
        }
    }

    /** Counts an update; returns true if the weights must be pinned now. */
    boolean countDown() {
        return updatesLeft > 0 && --updatesLeft == 0;
    }

    /** Ends the comparison. */
    void clear() {
        blocks().clear();
        updatesLeft = -1;
        pinned = null;
    }

    /** Ends the comparison; the next one begins after {@code moreUpdates} updates. */
    void expect(long moreUpdates) {
        clear();
        updatesLeft = moreUpdates;
    }

    /**
     * Begins a comparison.
     *
     * @param u in lane 0; copied
     * @param present current weights of the learner
     * @param presentSquaredNorm |w|^2 with the bias
     */
    void pin(BlockVector u, double uBias, Weights present, double presentBias, double presentSquaredNorm) {
        clear();
        pinned = new Pinned();
        pinned.bias = uBias;
        double[] sums = new double[2];
        u.forEach((number, block) -> {
            for (int i = 0; i < BlockVector.BLOCK; i++) {
                sums[0] += block[i] * block[i];
                sums[1] += block[i] * present.blocks().read((number << BlockVector.SHIFT) + i, 0);
            }
        });
        copy(u);
        pinned.squaredNorm = sums[0] + uBias * uBias;
        pinned.startProduct = sums[1] + uBias * presentBias;
        pinned.startSquaredNorm = presentSquaredNorm;
        pinned.smallestStep = Double.POSITIVE_INFINITY;
    }

    private void copy(BlockVector u) {
        if (u.isSmall()) {
            u.forEachEntry((index, numbers, from) -> blocks().write(index, 0, numbers[from]));
        } else {
            u.forEach((number, block) -> blocks().writeBlock(number, block));
        }
    }

    /** Adds the loss of an example. */
    void add(
            FeatureVector x,
            boolean hasBias,
            double squaredLength,
            int sign,
            double step,
            double h,
            boolean isUpdated) {
        double score = weights.dot(x) + (hasBias ? pinned.bias * x.bias() : 0);
        double loss = Math.max(0, 1 - sign * score);
        // NaN: a score overflowed, or two infinities were subtracted
        double finiteOrInfinite = Double.isNaN(loss) ? Double.POSITIVE_INFINITY : loss;
        pinned.hingeLoss += finiteOrInfinite;
        pinned.stepLoss += finiteOrInfinite == 0 ? 0 : step * finiteOrInfinite;
        pinned.examples++;
        pinned.updates += isUpdated ? 1 : 0;
        pinned.squaredRadius = Math.max(pinned.squaredRadius, squaredLength);
        pinned.smallestStep = Math.min(pinned.smallestStep, step);
        pinned.largestStep = Math.max(pinned.largestStep, step);
        pinned.largestH = Math.max(pinned.largestH, h);
    }

    /** Exchanges the state besides the blocks. */
    void exchange(StateFields fields) {
        Pinned u = pinned == null ? new Pinned() : pinned;
        u.bias = fields.any(u.bias);
        boolean isPinned = fields.any(isPinned() ? 1 : 0) != 0;
        updatesLeft = fields.any(updatesLeft);
        u.squaredNorm = fields.any(u.squaredNorm);
        u.startProduct = fields.any(u.startProduct);
        u.startSquaredNorm = fields.any(u.startSquaredNorm);
        u.examples = fields.any(u.examples);
        u.updates = fields.any(u.updates);
        u.hingeLoss = fields.any(u.hingeLoss);
        u.stepLoss = fields.any(u.stepLoss);
        u.squaredRadius = fields.any(u.squaredRadius);
        u.smallestStep = fields.any(u.smallestStep);
        u.largestStep = fields.any(u.largestStep);
        u.largestH = fields.any(u.largestH);
        pinned = isPinned ? u : null;
    }

    private Pinned known() {
        return pinned == null ? NOTHING : pinned;
    }

    /** |u|^2, bias included. */
    public double squaredNorm() {
        return known().squaredNorm;
    }

    /** u·w_s. */
    public double startProduct() {
        return known().startProduct;
    }

    /** |w_s|^2. */
    public double startSquaredNorm() {
        return known().startSquaredNorm;
    }

    /** Labelled examples learned from since the pin. */
    public long examples() {
        return (long) known().examples;
    }

    /** Updates since the pin. */
    public long updates() {
        return (long) known().updates;
    }

    /** L(u): sum of max(0, 1 - y·(u·x)) since the pin; infinite if it overflows. */
    public double hingeLoss() {
        return known().hingeLoss;
    }

    /** Sum of step · max(0, 1 - y·(u·x)) since the pin, where the step is eta times the example's weight. */
    public double stepLoss() {
        return known().stepLoss;
    }

    /** R^2 since the pin. */
    public double squaredRadius() {
        return known().squaredRadius;
    }

    /** The smallest step of all examples since the pin. */
    public double smallestStep() {
        return known().smallestStep;
    }

    /** The largest step of all examples since the pin. */
    public double largestStep() {
        return known().largestStep;
    }

    /** The largest h since the pin. */
    public double largestH() {
        return known().largestH;
    }
}
