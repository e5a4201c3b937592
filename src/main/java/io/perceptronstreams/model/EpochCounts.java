package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Algorithm;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.state.StoredFields;
import java.util.List;

/** What a model counts: totals, confusion matrix and baselines of its epoch, and the open window of event time. */
public final class EpochCounts {
    /** Smallest number of examples that ends a window with {@code window.examples=auto}. */
    static final int MIN_WINDOW_EXAMPLES = 10;

    /** With {@code window.examples=auto} a window has this fraction of the examples so far. */
    static final int WINDOW_FRACTION = 20;

    private final Counts totals = new Counts();
    private final ConfusionMatrix confusion = new ConfusionMatrix();
    private final Baselines baselines = new Baselines();
    private final RecentScores scores = new RecentScores();
    private final CountingWindow window = new CountingWindow();
    private final ClassCounts windowClasses = new ClassCounts();

    // Event time of what was counted last; not stored, because a window that is full ends with the same record.
    private long lastCounted;

    Counts totals() {
        return totals;
    }

    ConfusionMatrix confusion() {
        return confusion;
    }

    CountingWindow window() {
        return window;
    }

    /** Labels of the open window, by class. */
    public ClassCounts windowClasses() {
        return windowClasses;
    }

    /** The last scores of a two-class model; empty unless {@code auc.window} is set. */
    public RecentScores scores() {
        return scores;
    }

    /** The state of the baselines. */
    public Baselines.State baselines() {
        return baselines.state(confusion);
    }

    /**
     * Restores the state of the baselines, after {@link #confusion}.
     *
     * @param state null if they were not stored
     * @throws IllegalArgumentException if it does not fit to the matrix
     */
    public void restoreBaselines(Baselines.State state) {
        baselines.restore(state == null ? new Baselines.State(-1, 0, List.of()) : state, confusion);
    }

    /** Writes or restores the counts. */
    public void exchange(StoredFields fields, Settings settings, long lastSeen) {
        totals.exchange(fields);
        window.exchange(fields, lastSeen);
        confusion.exchange(fields);
        baselines.exchange(fields, confusion);
        windowClasses.exchange(fields);
        scores.exchange(fields, settings.get(Settings.AUC_WINDOW));
    }

    /** Metrics of the epoch. Cost: O(classes^2), and O(n log n) for n scores. */
    public ClassMetrics metrics(Settings settings) {
        return ClassMetrics.of(
                confusion.labels(settings), confusion.classes(baselines), totals, scores.areaUnderCurve());
    }

    private CountingWindow.AtEnd atEnd(Model model) {
        ClassMetrics total = metrics(model.settings());
        ClassMetrics own = ClassMetrics.of(total.labels(), windowClasses.copy(), window.counts(), total.auc());
        windowClasses.clear();
        return new CountingWindow.AtEnd(totals.copy(), own, total, model.epoch(), model.learner());
    }

    private void moveTo(long timestamp, Model model) {
        lastCounted = timestamp;
        if (!window.covers(timestamp)) {
            window.moveTo(timestamp, model.settings().get(Settings.WINDOW_MS), () -> atEnd(model));
        }
    }

    /**
     * Closes the window if it has as many examples, or labels, as {@code window.examples} allows; to be called when a record is
     * counted completely and {@link CountingWindow#pollClosed} was called.
     *
     * @return true if it was closed
     */
    boolean closeFull(Model model) {
        Counts counts = window.counts();
        if (Math.max(counts.examples(), counts.labelled()) < windowExamples(model.settings())) {
            return false;
        }
        window.endWith(lastCounted, () -> atEnd(model));
        return true;
    }

    /*
     * Windows of a fixed number of examples either hide the course of a small file or flood the topic of a fast stream:
     * 600 rows need windows of about 20 examples, 300,000 examples/s would then make 15,000 windows/s. A fraction of the
     * examples so far serves both. A model makes 20 + 20 ln(n/200) windows of this kind in n examples: 42 in 600, 190 in a
     * million; later ones end by window.ms.
     */
    private long windowExamples(Settings settings) {
        long given = settings.get(Settings.WINDOW_EXAMPLES);
        return given > 0 ? given : Math.max(MIN_WINDOW_EXAMPLES, totals.examples() / WINDOW_FRACTION);
    }

    /**
     * Counts an example, or the label of an example that was counted earlier.
     *
     * @param isNew false if only the label is new
     * @param model with its learner and settings after the example
     */
    void add(Example example, boolean isNew, Outcome outcome, long timestamp, Model model) {
        moveTo(timestamp, model);
        if (isNew) {
            window.counts().add(example.label(), outcome);
            totals.add(example.label(), outcome);
        } else {
            window.counts().addLabel(example.label(), outcome);
            totals.addLabel(example.label(), outcome);
        }
        if (example.label() != null && model.algorithm().hasClasses()) {
            addLabel(example.label(), outcome, model);
        }
    }

    private void addLabel(Label truth, Outcome outcome, Model model) {
        Algorithm algorithm = model.algorithm();
        Settings settings = model.settings();
        int actual = confusion.actual(truth, outcome, model.learner(), algorithm, settings);
        int emitted = confusion.emitted(outcome, algorithm, settings);
        confusion.add(actual, emitted, outcome.isError());
        windowClasses.add(actual, emitted, outcome.isError());
        // only a place without a row needs the name
        String name = actual == ConfusionMatrix.OTHER ? truth.toString() : "";
        boolean isMajority = baselines.isCommonest(actual);
        boolean isSame = baselines.isLast(actual, name);
        totals.compare(outcome.isError(), isMajority, isSame);
        window.counts().compare(outcome.isError(), isMajority, isSame);
        baselines.add(actual, name);
        if (algorithm.has(Algorithm.Trait.TWO_CLASSES)) {
            scores.add(outcome.predictedScore(), ConfusionMatrix.isPositive(actual), settings.get(Settings.AUC_WINDOW));
        }
    }

    /** Counts an event of the model. */
    void add(Counts.Counter counter, long timestamp, Model model) {
        moveTo(timestamp, model);
        window.counts().increment(counter);
        totals.increment(counter);
    }

    /** Closes the window and begins an epoch. */
    void clear(Model model) {
        window.close(() -> atEnd(model));
        windowClasses.clear();
        totals.clear();
        confusion.clear();
        baselines.clear();
        scores.clear();
    }

    /** Closes the window and continues with the totals of another model. */
    void replaceWith(EpochCounts other, Model model) {
        window.close(() -> atEnd(model));
        windowClasses.clear();
        totals.restore(other.totals);
        confusion.restore(other.confusion);
        baselines.restore(other.baselines);
        scores.restore(other.scores);
    }

    /** Estimated heap of what grows, in bytes. */
    long heapBytes() {
        // baselines and window have up to four numbers for each row of the matrix
        return confusion.heapBytes() + 32L * confusion.size() + scores.heapBytes();
    }
}
