package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.weights.BlockVector;
import java.util.List;

/**
 * u: weights that a learner is compared with, and what there is to know of the stream since they were pinned.
 *
 * <p>Only labelled examples that were learned from count. With the start w_s of the comparison, the weights of the learner at that
 * moment, these numbers bound its updates since then, whatever the data (Lin 2021).
 *
 * <p>Cost: a dot product per example while pinned, nothing otherwise. State: u in blocks, and {@link #numbers}.
 */
public final class ComparatorWeights {
    static final int NUMBERS = 14;

    private final Weights weights = new Weights(1);
    private double bias;
    private boolean isPinned;

    // Updates until the present weights are to be pinned; negative: they are not.
    private double updatesLeft = -1;

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

    BlockVector blocks() {
        return weights.blocks();
    }

    boolean isPinned() {
        return isPinned;
    }

    /** Whether there is anything to be stored. */
    boolean isWanted() {
        return isPinned || updatesLeft >= 0;
    }

    /**
     * Checks that there is room for the blocks of an update by x, and for a copy of all if its weights are to be pinned.
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

    /** Counts an update; whether the weights that it made are to be pinned. */
    boolean countDown() {
        return updatesLeft > 0 && --updatesLeft == 0;
    }

    /** Ends the comparison. */
    void clear() {
        blocks().clear();
        restore(List.of());
    }

    /** Ends the comparison and waits for so many updates to begin another one. */
    void expect(long moreUpdates) {
        clear();
        updatesLeft = moreUpdates;
    }

    /**
     * Begins a comparison.
     *
     * @param u in lane 0; copied
     * @param present the weights that the learner has now
     * @param presentSquaredNorm |w|^2 with the bias
     */
    void pin(BlockVector u, double uBias, Weights present, double presentBias, double presentSquaredNorm) {
        clear();
        isPinned = true;
        bias = uBias;
        double[] sums = new double[2];
        u.forEach((number, block) -> {
            for (int i = 0; i < BlockVector.BLOCK; i++) {
                sums[0] += block[i] * block[i];
                sums[1] += block[i] * present.blocks().read((number << BlockVector.SHIFT) + i, 0);
            }
        });
        copy(u);
        squaredNorm = sums[0] + bias * bias;
        startProduct = sums[1] + bias * presentBias;
        startSquaredNorm = presentSquaredNorm;
        smallestStep = Double.POSITIVE_INFINITY;
    }

    private void copy(BlockVector u) {
        if (u.isSmall()) {
            u.forEachEntry((index, numbers, from) -> blocks().write(index, 0, numbers[from]));
        } else {
            u.forEach((number, block) -> blocks().writeBlock(number, block));
        }
    }

    /** Compares one more example. */
    void add(
            FeatureVector x,
            boolean hasBias,
            double squaredLength,
            int sign,
            double step,
            double h,
            boolean isUpdated) {
        double score = weights.dot(x) + (hasBias ? bias : 0);
        double loss = Math.max(0, 1 - sign * score);
        // a score beyond the range of a double, or an infinite one less another
        double finiteOrInfinite = Double.isNaN(loss) ? Double.POSITIVE_INFINITY : loss;
        hingeLoss += finiteOrInfinite;
        stepLoss += finiteOrInfinite == 0 ? 0 : step * finiteOrInfinite;
        examples++;
        updates += isUpdated ? 1 : 0;
        squaredRadius = Math.max(squaredRadius, squaredLength);
        smallestStep = Math.min(smallestStep, step);
        largestStep = Math.max(largestStep, step);
        largestH = Math.max(largestH, h);
    }

    /** What survives besides the blocks: {@link #NUMBERS} of them. */
    List<Double> numbers() {
        return List.of(
                bias,
                isPinned ? 1.0 : 0.0,
                updatesLeft,
                squaredNorm,
                startProduct,
                startSquaredNorm,
                examples,
                updates,
                hingeLoss,
                stepLoss,
                squaredRadius,
                smallestStep,
                largestStep,
                largestH);
    }

    /** Takes back {@link #numbers}; an empty list says that nothing is pinned. */
    void restore(List<Double> numbers) {
        boolean hasNumbers = !numbers.isEmpty();
        bias = hasNumbers ? numbers.get(0) : 0;
        isPinned = hasNumbers && numbers.get(1) != 0;
        updatesLeft = hasNumbers ? numbers.get(2) : -1;
        squaredNorm = hasNumbers ? numbers.get(3) : 0;
        startProduct = hasNumbers ? numbers.get(4) : 0;
        startSquaredNorm = hasNumbers ? numbers.get(5) : 0;
        examples = hasNumbers ? numbers.get(6) : 0;
        updates = hasNumbers ? numbers.get(7) : 0;
        hingeLoss = hasNumbers ? numbers.get(8) : 0;
        stepLoss = hasNumbers ? numbers.get(9) : 0;
        squaredRadius = hasNumbers ? numbers.get(10) : 0;
        smallestStep = hasNumbers ? numbers.get(11) : 0;
        largestStep = hasNumbers ? numbers.get(12) : 0;
        largestH = hasNumbers ? numbers.get(13) : 0;
    }

    /** |u|^2, bias included. */
    public double squaredNorm() {
        return squaredNorm;
    }

    /** u·w_s. */
    public double startProduct() {
        return startProduct;
    }

    /** |w_s|^2. */
    public double startSquaredNorm() {
        return startSquaredNorm;
    }

    /** Labelled examples learned from since the pin. */
    public long examples() {
        return (long) examples;
    }

    /** Updates since the pin. */
    public long updates() {
        return (long) updates;
    }

    /** L(u): the sum of max(0, 1 - y·(u·x)) since the pin; infinite where it overflows. */
    public double hingeLoss() {
        return hingeLoss;
    }

    /** The same sum, each loss times the step of its example: eta times its weight. */
    public double stepLoss() {
        return stepLoss;
    }

    /** R^2 since the pin. */
    public double squaredRadius() {
        return squaredRadius;
    }

    /** The smallest step of all examples since the pin. */
    public double smallestStep() {
        return smallestStep;
    }

    /** The largest step of all examples since the pin. */
    public double largestStep() {
        return largestStep;
    }

    /** The largest h since the pin. */
    public double largestH() {
        return largestH;
    }
}
