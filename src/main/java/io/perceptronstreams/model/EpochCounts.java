package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.state.StoredFields;

/** Counts of a model: totals and classes of its epoch, and the open window of event time. */
public final class EpochCounts {
    /** Smallest number of examples that ends a window with {@code window.examples=auto}. */
    static final int MIN_WINDOW_EXAMPLES = 10;

    /** With {@code window.examples=auto} a window has this fraction of the examples so far. */
    static final int WINDOW_FRACTION = 20;

    private final Counts totals = new Counts();
    private ClassCounts classes = new ClassCounts();
    private final CountingWindow window = new CountingWindow();

    // Event time of what was counted last; not stored, because a window that is full ends with the same record.
    private long lastCounted;

    Counts totals() {
        return totals;
    }

    CountingWindow window() {
        return window;
    }

    /** Counts by class. */
    public ClassCounts classes() {
        return classes;
    }

    /** Writes or restores the counts. */
    public void exchange(StoredFields fields, Settings settings, long lastSeen) {
        totals.exchange(fields);
        window.exchange(fields, lastSeen);
        classes.exchange(fields, settings.get(Settings.AUC_WINDOW));
    }

    /** Metrics of the epoch. */
    public ClassMetrics metrics(Settings settings) {
        return classes.metrics(settings);
    }

    private CountingWindow.AtEnd atEnd(Model model) {
        ClassMetrics total = classes.metrics(model.settings());
        return new CountingWindow.AtEnd(totals.copy(), classes.endWindow(total), total, model.epoch(), model.learner());
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
            Settings settings = model.settings();
            classes.add(
                    example.label(),
                    outcome,
                    model.learner(),
                    model.algorithm(),
                    settings,
                    settings.get(Settings.AUC_WINDOW));
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
        totals.clear();
        classes = new ClassCounts();
    }

    /** Closes the window and continues with the totals of another model, which must not be used afterwards. */
    void replaceWith(EpochCounts other, Model model) {
        window.close(() -> atEnd(model));
        totals.restore(other.totals);
        classes = other.classes;
        var unused = classes.endWindow(classes.metrics(model.settings()));
    }

    /** Estimated heap of what grows, in bytes. */
    long heapBytes() {
        return classes.heapBytes();
    }
}
