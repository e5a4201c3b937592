package io.perceptronstreams.learner;

import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.List;

/**
 * Stands for the learner of a model with {@code algorithm=auto} that has not seen a label yet: predicts nothing.
 *
 * <p>{@code Model} puts the learner that fits in its place before the first label is learned from.
 */
public final class NoLearner implements Learner {
    public NoLearner(Settings settings) {
        configure(settings);
    }

    @Override
    public void configure(Settings settings) {}

    @Override
    public void predict(Features x, Outcome outcome) {
        outcome.predictNothing();
    }

    /** Without a prediction any label is a mistake, as it is for the learners that know no class yet. */
    @Override
    public void evaluate(Features x, Label y, Outcome outcome) {
        predict(x, outcome);
        outcome.kind = Outcome.Kind.MISTAKE;
        outcome.error = true;
    }

    @Override
    public void learn(Features x, Label y, double weight, Outcome outcome) {
        throw new IllegalStateException("a label must decide the learner before it is learned from");
    }

    @Override
    public LearnerState state() {
        return new LearnerState(List.of(), List.of());
    }

    @Override
    public void restore(LearnerState state) {
        if (!state.numbers().isEmpty() || !state.names().isEmpty()) {
            throw new IllegalArgumentException("a model without a label must have no state, got some");
        }
    }

    /** The learner that takes its place is told again. */
    @Override
    public void pin(long updates) {}

    @Override
    public void pin(BlockVector weights, double bias) {
        throw new IllegalArgumentException(
                "a model must have a learner to be compared, got algorithm=auto before the first label"
                        + " (set algorithm=perceptron)");
    }

    @Override
    public int vectors() {
        return 0;
    }

    @Override
    public Blocks vector(int number) {
        throw new IllegalArgumentException("a model without a label has no vectors, not even " + number);
    }

    @Override
    public double weightNorm() {
        return 0;
    }

    @Override
    public double radius() {
        return 0;
    }

    @Override
    public void forEachWeight(WeightVisitor visitor) {}
}
