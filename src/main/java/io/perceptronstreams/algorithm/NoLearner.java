package io.perceptronstreams.algorithm;

import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.NormCheck;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.StateFields;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.Blocks;
import java.util.List;

/** Placeholder of a model with {@code algorithm=auto} before its first label: has no prediction. */
final class NoLearner implements Learner {
    private final NormCheck norm = new NormCheck();

    NoLearner() {
        norm.forget();
    }

    @Override
    public void configure(Settings settings) {}

    @Override
    public void predict(Features x, Outcome outcome) {
        outcome.predictNothing();
    }

    /** Every label is a mistake, as with a learner that has no class yet. */
    @Override
    public void evaluate(Features x, Label y, Outcome outcome) {
        predict(x, outcome);
        outcome.kind = Outcome.Kind.MISTAKE;
        outcome.error = true;
    }

    @Override
    public void learn(Features x, Label y, double weight, Outcome outcome) {
        throw new IllegalStateException("the first label must replace this learner before it is learned from");
    }

    @Override
    public String name() {
        return "a model without a label";
    }

    @Override
    public void exchange(StateFields fields) {}

    @Override
    public List<Blocks> blocks() {
        return List.of();
    }

    @Override
    public NormCheck norm() {
        return norm;
    }

    @Override
    public void forEachWeight(WeightVisitor visitor) {}
}
