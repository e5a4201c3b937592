package io.perceptronstreams.learner;

import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;

/**
 * Predicts, and corrects itself when it was wrong.
 *
 * <p>An implementation <b>must</b> be deterministic: the same settings, state and example give the same bits. It <b>must</b> throw
 * {@link io.perceptronstreams.example.RejectedException} before it has changed anything. Thread safety is not promised: one
 * stream task owns one learner.
 *
 * <p>Its state is a {@link LearnerState} of few numbers and any number of {@link Blocks}, of which a store writes only the changed
 * ones; together they <b>must</b> restore the learner to the last bit.
 */
public interface Learner {
    /**
     * Takes over changed settings; what was learned stays.
     *
     * @throws IllegalArgumentException if this learner, or what it has learned, does not allow them; then nothing has changed
     */
    void configure(Settings settings);

    /** Scores {@code x} with the present weights into {@code outcome}; changes nothing else. */
    void predict(Features x, Outcome outcome);

    /** Predicts and compares with the true label {@code y}; changes nothing but {@code outcome}. */
    void evaluate(Features x, Label y, Outcome outcome);

    /**
     * Evaluates, then corrects the weights where the rule asks for it.
     *
     * @param weight importance of the example, positive and finite
     */
    void learn(Features x, Label y, double weight, Outcome outcome);

    /** What survives besides the blocks. */
    LearnerState state();

    /**
     * Takes back a state, on a new learner; the vectors that belong to it are there from then on.
     *
     * @throws IllegalArgumentException if it is no state of such a learner: imported weights may say anything
     */
    void restore(LearnerState state);

    /** How many numbered sets of blocks there are. */
    int vectors();

    /** A set of blocks, made where it is not there yet; numbers from 0. */
    Blocks vector(int number);

    /**
     * Checks that a block can be one of this learner, after {@link #restore}: imports ask before they take memory for it.
     *
     * @param number not negative
     * @throws IllegalArgumentException if it cannot
     */
    default void checkBlock(int vector, int number, int length) {
        BlockLimits.requireLength(length, BlockLimits.MAX_LANES);
    }

    /**
     * Makes ready what was restored with all its blocks; does nothing to a learner that is ready.
     *
     * @throws IllegalArgumentException if the blocks do not belong together
     */
    default void checkBlocks() {}

    /** About how many bytes of heap the learner occupies besides its blocks. Cost: O(1). */
    default long heapBytes() {
        return 0;
    }

    /** Euclidean norm of all weights. */
    double weightNorm();

    /**
     * The sum of the steps of all updates, M where they are 1: w is the sum of step·(y·x), or of step·(f(x,y) - f(x,y*)).
     *
     * @return NaN where w is no such sum, or it is not known
     */
    default double steps() {
        return Double.NaN;
    }

    /**
     * Pins the weights as they will be after so many further updates: from then on the learner is compared with them.
     *
     * <p>Ends the present comparison, if any; a negative number does no more than that.
     *
     * @throws IllegalArgumentException if the learner does not offer it, or has too many weights; then nothing has changed
     */
    default void pin(long updates) {
        if (updates >= 0) {
            throw new IllegalArgumentException(
                    "comparator must be empty: only the linear two-class perceptron can be compared");
        }
    }

    /**
     * Pins other weights at once.
     *
     * @param weights in one lane; copied
     * @throws IllegalArgumentException as {@link #pin(long)}
     */
    default void pin(BlockVector weights, double bias) {
        pin(0);
    }

    /** The pinned weights and the comparison with them, or null where none are pinned. */
    default ComparatorWeights pinned() {
        return null;
    }

    /** R: the largest norm of an example evaluated with a label and learned from, 0 at the start. */
    double radius();

    /** Shows all weights, vector by vector, each in ascending index. */
    void forEachWeight(WeightVisitor visitor);

    /** Sees the weights of a learner. */
    interface WeightVisitor {
        /** A new vector begins. */
        void vector(String name, double bias, double averagedBias);

        /** A weight of the present vector; one of the two numbers is not 0. */
        void weight(int index, double weight, double averaged);
    }
}
