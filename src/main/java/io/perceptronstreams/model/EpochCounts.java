package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.learner.Algorithm;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.learner.UnequalClasses;

/** What a model counts: totals and confusion matrix of its epoch, and the open window of event time. */
final class EpochCounts {
    private final Counts totals = new Counts();
    private final ConfusionMatrix confusion = new ConfusionMatrix();
    private final CountingWindow window = new CountingWindow();

    Counts totals() {
        return totals;
    }

    ConfusionMatrix confusion() {
        return confusion;
    }

    CountingWindow window() {
        return window;
    }

    /**
     * Counts an example, or the label of an example that was counted earlier.
     *
     * @param isNew false if only the label is new
     */
    void add(Example example, boolean isNew, Outcome outcome, long timestamp, Algorithm algorithm, Settings settings) {
        window.moveTo(timestamp, settings.windowMs(), totals);
        if (isNew) {
            boolean isLabelled = example.label() != null;
            window.counts().add(isLabelled, outcome);
            totals.add(isLabelled, outcome);
        } else {
            window.counts().addLabel(outcome);
            totals.addLabel(outcome);
        }
        confusion.add(example.label(), outcome, algorithm, settings);
    }

    /** Counts an event of the model. */
    void add(Counts.Counter counter, long timestamp, Settings settings) {
        window.moveTo(timestamp, settings.windowMs(), totals);
        window.counts().increment(counter);
        totals.increment(counter);
    }

    /**
     * The weight of an example times that of its class.
     *
     * @throws RejectedException if the learner cannot have the label, or the product is not finite or 0
     */
    double weight(Example example, Learner learner, Settings settings) {
        UnequalClasses.Weights weights = settings.unequal().weights();
        if (weights.isNone()) {
            return example.weight();
        }
        String name = learner.className(example.label());
        double factor = weights.isBalanced()
                ? confusion.balance(name, settings)
                : weights.given().getOrDefault(name, 1.0);
        double weight = example.weight() * factor;
        if (weight > 0 && weight < Double.POSITIVE_INFINITY) {
            return weight;
        }
        throw new RejectedException(
                RejectReason.INVALID_WEIGHT,
                "the product of the weights of example and class must be a positive finite number, got " + weight);
    }

    /** Closes the window and begins an epoch. */
    void clear() {
        window.close(totals);
        totals.clear();
        confusion.clear();
    }

    /** Closes the window and continues with the totals of another model. */
    void replaceWith(EpochCounts other) {
        window.close(totals);
        totals.restore(other.totals);
        confusion.restore(other.confusion);
    }
}
