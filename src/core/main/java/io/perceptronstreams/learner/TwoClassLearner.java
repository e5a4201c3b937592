package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.settings.Settings;

/**
 * A learner of two classes: predicts the sign of a score u, and compares the margin y·u with a hinge.
 *
 * <p>A subclass defines the score, the hinge and the update, each for a vector and a label of -1 or +1. Settings,
 * labels and kinds of features are the same for all. The constructor of a subclass <b>must</b> call {@link #configure}.
 */
public abstract class TwoClassLearner implements HasEvidence {
    private final NormCheck norm = new NormCheck();
    private Settings settings;
    private TwoClassLabels labels;
    private boolean hasBias;
    private boolean isLast;

    @Override
    public void configure(Settings changed) {
        settings = changed;
        labels = new TwoClassLabels(changed);
        hasBias = changed.get(Settings.BIAS);
        isLast = changed.get(Settings.PREDICT) == Settings.Predict.LAST;
    }

    protected final Settings settings() {
        return settings;
    }

    /** Returns true if each example has the feature of the bias. */
    protected final boolean hasBias() {
        return hasBias;
    }

    /** Returns true if the last weights predict. */
    protected final boolean isLast() {
        return isLast;
    }

    protected final TwoClassLabels labels() {
        return labels;
    }

    @Override
    public final NormCheck norm() {
        return norm;
    }

    @Override
    public final void predict(Features features, Outcome outcome) {
        predict(TwoClassLabels.vector(features), outcome);
    }

    @Override
    public final void evaluate(Features features, Label y, Outcome outcome) {
        evaluate(TwoClassLabels.vector(features), labels.sign(y), outcome);
    }

    @Override
    public final void learn(Features features, Label y, double weight, Outcome outcome) {
        FeatureVector x = TwoClassLabels.vector(features);
        int sign = labels.sign(y);
        evaluate(x, sign, outcome);
        explainIfAsked(features, y, outcome);
        correct(x, sign, weight, outcome);
    }

    @Override
    public final String className(Label y) {
        return labels.label(labels.sign(y)).toString();
    }

    /** Scores {@code x} by {@link TwoClassLabels#predict}. */
    protected abstract void predict(FeatureVector x, Outcome outcome);

    /** Predicts, then compares with the true label, -1 or +1, by {@link TwoClassLabels#compare}. */
    protected abstract void evaluate(FeatureVector x, int sign, Outcome outcome);

    /** Corrects the weights if the rule requires it, right after {@link #evaluate}, and updates R. */
    protected abstract void correct(FeatureVector x, int sign, double weight, Outcome outcome);

    /** Rejects an example if a score or its norm is not finite. */
    protected static void requireFinite(double number) {
        if (!Double.isFinite(number)) {
            throw new RejectedException(
                    RejectReason.SCORE_OVERFLOW,
                    "score and norm of an example must be finite, got an overflow (scale its features down)");
        }
    }
}
