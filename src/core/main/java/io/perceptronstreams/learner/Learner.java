package io.perceptronstreams.learner;

import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.Blocks;
import java.util.List;

/**
 * Predicts, and corrects its weights after a mistake.
 *
 * <p>An implementation <b>must</b> be deterministic: the same settings, state and example give the same bits. It
 * <b>must</b> throw {@link io.perceptronstreams.example.RejectedException} before it changes anything. It need not be
 * thread-safe: one stream task owns one learner.
 *
 * <p>The state is a {@link LearnerState} of a few numbers and any number of {@link Blocks}; a store writes only the
 * changed blocks. Both together <b>must</b> restore the learner to the last bit.
 */
public interface Learner {
    /**
     * Changes the settings and keeps the weights.
     *
     * @throws IllegalArgumentException if the learner does not support them, or no longer; then nothing has changed
     */
    void configure(Settings settings);

    /** Scores {@code x} with the present weights into {@code outcome}; changes nothing else. */
    void predict(Features x, Outcome outcome);

    /** Predicts and compares with the true label {@code y}; changes only {@code outcome}. */
    void evaluate(Features x, Label y, Outcome outcome);

    /**
     * Evaluates, then corrects the weights if the rule requires it.
     *
     * @param weight importance of the example, positive and finite
     */
    void learn(Features x, Label y, double weight, Outcome outcome);

    /** Estimated number of steps to score {@code x}; a function of settings, state and example, for limits. */
    default long cost(Features x) {
        return x.count();
    }

    /**
     * The class of a label as predictions name it: 0/1, -1/+1 or another name of two classes.
     *
     * @throws io.perceptronstreams.example.RejectedException if the model cannot have the label
     */
    default String className(Label y) {
        return y.toString();
    }

    /** Name in messages about a stored state, such as "a two-class perceptron". */
    String name();

    /**
     * Writes or reads the state without the blocks, a line per field.
     *
     * <p>The order of the fields <b>must</b> never change: stored states have no names for them.
     *
     * @throws IllegalArgumentException if a stored field is not valid
     */
    void exchange(StateFields fields);

    /** The state without the blocks. */
    default LearnerState state() {
        return StateFields.write(this::exchange);
    }

    /**
     * Restores a state; must be called on a new learner.
     *
     * @throws IllegalArgumentException if it is not a valid state of this learner
     */
    default void restore(LearnerState state) {
        StateFields.read(state, name(), this::exchange);
    }

    /** The sets of blocks of the state, always the same objects; a set's position is its number in the store. */
    List<Blocks> blocks();

    /** Number of the first {@link #blocks} that are written; the others are empty. */
    default int storedVectors() {
        return blocks().size();
    }

    /**
     * Checks the position and length of an imported block before memory is allocated for it, after {@link #restore}.
     *
     * @param vector position of the set in {@link #blocks}
     * @param number not negative
     * @throws IllegalArgumentException if the learner cannot have such a block
     */
    default void checkBlock(int vector, int number, int length) {
        BlockLimits.requireLength(length, BlockLimits.MAX_LANES);
    }

    /**
     * Completes a restore after all blocks were restored.
     *
     * @throws IllegalArgumentException if the blocks contradict each other
     */
    default void checkBlocks() {}

    /** Estimated heap besides the blocks, in bytes. Cost: O(1). */
    default long heapBytes() {
        return 0;
    }

    /** |w|^2, the sum of the steps and R^2. */
    NormCheck norm();

    /** Euclidean norm of all weights. */
    default double weightNorm() {
        return Math.sqrt(norm().squaredNorm());
    }

    /**
     * Sum of the steps of all updates, M if they are 1: w is the sum of step·(y·x), or of step·(f(x,y) - f(x,y*)).
     *
     * @return NaN if w is not such a sum, or the sum is unknown
     */
    default double steps() {
        return norm().steps();
    }

    /**
     * R: largest norm of an example learned from, or with structures of the difference of an update; 0 at the start.
     */
    default double radius() {
        return Math.sqrt(norm().squaredRadius());
    }

    /** Visits all weights, vector by vector, each in ascending index. */
    void forEachWeight(WeightVisitor visitor);

    /** Visitor of the weights of a learner. */
    interface WeightVisitor {
        /** A new vector begins. */
        void vector(String name, double bias, double averagedBias);

        /** A weight of this vector; one of the two numbers is not 0. */
        void weight(int index, double weight, double averaged);
    }
}
