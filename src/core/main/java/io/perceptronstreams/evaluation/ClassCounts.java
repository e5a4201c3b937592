package io.perceptronstreams.evaluation;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredFields;

/**
 * Counts of labelled examples by class: confusion matrix, baselines and last scores. Empty for models without classes.
 *
 * <p>A window is counted by the difference to the sums at its start. Cost: O(1) per example. Not thread-safe.
 */
public final class ClassCounts {
    private static final long[] NO_SUMS = {};

    private final ConfusionMatrix confusion = new ConfusionMatrix();
    private final Baselines baselines = new Baselines();
    private RecentScores scores = new RecentScores();

    // as ClassMetrics.sums, at the start of the window
    private long[] start = NO_SUMS;

    /**
     * Counts an example.
     *
     * @param learner after the example
     * @param lastScores number of scores to keep
     */
    public void add(
            Label truth, Outcome outcome, Learner learner, Algorithm algorithm, Settings settings, int lastScores) {
        int actual = confusion.actual(truth, outcome, learner, algorithm, settings);
        int emitted = confusion.emitted(outcome, algorithm, settings);
        boolean isTwo = algorithm.has(Algorithm.Trait.TWO_CLASSES);
        add(
                truth,
                isTwo ? confusion.ofSide(actual, settings) : actual,
                isTwo ? confusion.ofSide(emitted, settings) : emitted,
                outcome.isError());
        if (isTwo) {
            scores.add(outcome.predictedScore(), ConfusionMatrix.isPositive(actual), lastScores);
        }
    }

    /**
     * Replaces the label of a counted example.
     *
     * @param isInWindow true if it was counted in the open window
     * @param age number of labels that were counted after it
     */
    void correct(Correction made, boolean isInWindow, long age, Algorithm algorithm, Settings settings) {
        boolean isTwo = algorithm.has(Algorithm.Trait.TWO_CLASSES);
        int before = confusion.place(made.before(), algorithm, settings);
        int emitted = confusion.place(made.emitted(), algorithm, settings);
        long[] sums = sums();
        if (!confusion.remove(side(before, isTwo, settings), side(emitted, isTwo, settings), made.wasError())) {
            return;
        }
        int after = confusion.place(made.after(), algorithm, settings);
        confusion.add(side(after, isTwo, settings), side(emitted, isTwo, settings), made.isError());
        baselines.findMajority(confusion);
        if (!isInWindow) {
            // the window has no part of it
            long[] change = sums();
            for (int k = 0; k < change.length; k++) {
                change[k] += (k < start.length ? start[k] : 0) - (k < sums.length ? sums[k] : 0);
            }
            start = change;
        }
        if (isTwo && age >= 0 && age < scores.size()) {
            scores.correct(scores.size() - 1 - (int) age, ConfusionMatrix.isPositive(after));
        }
    }

    private int side(int place, boolean isTwo, Settings settings) {
        return isTwo ? confusion.ofSide(place, settings) : place;
    }

    private long[] sums() {
        return ClassMetrics.of(confusion.names(), confusion, baselines, Double.NaN)
                .sums();
    }

    /**
     * Counts an example with a label that the model does not have. It has no score.
     *
     * @param outcome of the example without its label
     */
    public void addUnknown(Label truth, Outcome outcome, Algorithm algorithm, Settings settings) {
        add(truth, ConfusionMatrix.OTHER, confusion.emitted(outcome, algorithm, settings), true);
    }

    private void add(Label truth, int actual, int emitted, boolean isError) {
        confusion.add(actual, emitted, isError);
        // only a place without a row needs the name
        baselines.add(actual, actual == ConfusionMatrix.OTHER ? truth.toString() : "", confusion);
    }

    /** Pairs of true and emitted label. */
    public ConfusionMatrix confusion() {
        return confusion;
    }

    /** The last scores of a two-class model; empty unless {@code auc.window} is set. */
    public RecentScores scores() {
        return scores;
    }

    /** Forgets the last scores. */
    void forgetScores() {
        scores = new RecentScores();
    }

    /** Metrics of all examples. Cost: O(classes^2), and O(n log n) for n scores. */
    public ClassMetrics metrics(Settings settings) {
        return ClassMetrics.of(confusion.labels(settings), confusion, baselines, scores.areaUnderCurve());
    }

    /**
     * Returns the metrics of the window and begins the next one.
     *
     * @param total metrics of all examples
     */
    public ClassMetrics endWindow(ClassMetrics total) {
        ClassMetrics window = total.since(start);
        start = total.sums();
        return window;
    }

    /** Writes or restores the counts. */
    public void exchange(StoredFields fields, int lastScores) {
        confusion.exchange(fields);
        baselines.exchange(fields, confusion);
        ClassMetrics total = ClassMetrics.of(confusion.names(), confusion, baselines, Double.NaN);
        long[] window = fields.counts(total.since(start).sums());
        start = total.since(window).sums();
        scores.exchange(fields, lastScores);
    }

    /** Estimated heap of what grows, in bytes. */
    public long heapBytes() {
        // the start of the window has three numbers for each row of the matrix
        return confusion.heapBytes() + 32L * confusion.size() + scores.heapBytes();
    }
}
