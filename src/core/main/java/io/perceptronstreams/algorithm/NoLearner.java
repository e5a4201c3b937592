package io.perceptronstreams.algorithm;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.NormCheck;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.StateFields;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.weights.Blocks;
import java.util.List;

/**
 * Placeholder of a model with {@code algorithm=auto} before its first label.
 *
 * <p>Where the settings name the labels ({@code labels} or {@code classes}), it predicts vectors as the learner that
 * the first of these labels makes, which has no weights then: the second of two labels, because score 0 predicts +1, or
 * the first of several classes. Otherwise no label is known, and it has no prediction.
 */
final class NoLearner implements Learner {
    private final NormCheck norm = new NormCheck();
    // null if no label is known
    private Learner beginner;

    NoLearner(Settings settings) {
        norm.forget();
        configure(settings);
    }

    @Override
    public void configure(Settings settings) {
        beginner = Algorithm.beginner(settings);
    }

    private boolean hasPrediction(Features x) {
        return beginner != null && x instanceof FeatureVector;
    }

    @Override
    public void predict(Features x, Outcome outcome) {
        if (hasPrediction(x)) {
            beginner.predict(x, outcome);
        } else {
            outcome.predictNothing();
        }
    }

    /** Without a prediction every label is a mistake, as with a learner that has no class yet. */
    @Override
    public void evaluate(Features x, Label y, Outcome outcome) {
        if (hasPrediction(x)) {
            beginner.evaluate(x, y, outcome);
            return;
        }
        outcome.predictNothing();
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
