package io.perceptronstreams.evaluation;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredBits;
import io.perceptronstreams.state.StoredFields;
import java.util.List;

/**
 * Counts of all examples of a model, or of its weights, in sum and by class. Cost: O(1) per example. Not thread-safe.
 */
public final class Totals {
    private final Counts counts = new Counts();
    private ClassCounts classes = new ClassCounts();
    private Reliability reliability = new Reliability();

    /**
     * Counts an example, or the label of an example that was counted earlier.
     *
     * @param isNew false if only the label is new
     * @param truth null if it is not known yet
     * @param learner after the example
     * @param lastScores number of scores to keep
     */
    public void add(
            boolean isNew,
            Label truth,
            Outcome outcome,
            Learner learner,
            Algorithm algorithm,
            Settings settings,
            int lastScores) {
        if (isNew) {
            counts.add(truth, outcome);
        } else {
            counts.addLabel(truth, outcome);
        }
        if (truth != null && algorithm.hasClasses()) {
            classes.add(truth, outcome, learner, algorithm, settings, lastScores);
            if (outcome.hasProbability()) {
                boolean isTwo = algorithm.has(Algorithm.Trait.TWO_CLASSES);
                reliability.add(outcome, isTwo && !ConfusionMatrix.isPositive(outcome.predicted(), settings));
            }
        }
    }

    /**
     * Replaces the label of a counted example.
     *
     * @param isInWindow true if it was counted in the open window
     */
    public void correct(Correction made, boolean isInWindow, Algorithm algorithm, Settings settings) {
        counts.correct(made);
        if (algorithm.hasClasses()) {
            classes.correct(made, isInWindow, counts.labelled() - made.number(), algorithm, settings);
            if (made.hasProbability()) {
                boolean isTwo = algorithm.has(Algorithm.Trait.TWO_CLASSES);
                reliability.correct(made, isTwo && !ConfusionMatrix.isPositive(made.emitted(), settings));
            }
        }
    }

    /** The sums. */
    public Counts counts() {
        return counts;
    }

    /** Counts by class. */
    public ClassCounts classes() {
        return classes;
    }

    /** How often what was given a probability came true. */
    public Reliability reliability() {
        return reliability;
    }

    /** Pairs of true and emitted label. */
    public ConfusionMatrix confusion() {
        return classes.confusion();
    }

    /** Returns true if nothing is counted. */
    public boolean isEmpty() {
        return counts.isEmpty();
    }

    /** Continues with other totals, which must not be used afterwards, in a new window. */
    public void take(Totals other, Settings settings) {
        counts.restore(other.counts);
        classes = other.classes;
        reliability = other.reliability;
        beginWindow(settings);
    }

    private void beginWindow(Settings settings) {
        var unused = classes.endWindow(classes.metrics(settings));
    }

    /**
     * Returns a copy that counts on for a model with other settings, in a new window. Cost: O(labels² + scores).
     *
     * @param old settings of these totals
     * @param labels of two classes that the next examples have; empty for other models
     */
    public Totals copyFor(Settings old, List<String> labels) {
        // what is stored of the counts is what they are
        int lastScores = old.get(Settings.AUC_WINDOW);
        StoredFields out = new StoredFields();
        exchange(out, lastScores, true);
        reliability.exchange(out);
        Totals copy = new Totals();
        StoredFields in = new StoredFields(out.toBytes());
        copy.exchange(in, lastScores, true);
        copy.reliability.exchange(in);
        if (!copy.confusion().labels(old).equals(labels)) {
            copy.confusion().nameLabels(old);
        }
        if (labels.isEmpty()) {
            copy.classes.forgetScores();
        }
        copy.beginWindow(old);
        return copy;
    }

    /**
     * Writes or restores the totals, without {@link #reliability}.
     *
     * @param isWhole false without what is counted of probabilities and sets
     */
    public void exchange(StoredFields fields, int lastScores, boolean isWhole) {
        counts.exchange(fields, isWhole);
        classes.exchange(fields, lastScores);
    }

    /**
     * Writes or restores what is counted of probabilities and sets, in few bits.
     *
     * @param window counts of the open window, or null
     */
    public void exchangeForecasts(StoredBits bits, Counts window) {
        counts.exchangeForecasts(bits, null);
        if (window != null) {
            window.exchangeForecasts(bits, counts);
        }
        reliability.exchange(bits, counts.of(Counts.Counter.PROBABILITIES));
    }

    /** Estimated heap of what grows, in bytes. */
    public long heapBytes() {
        return classes.heapBytes();
    }
}
