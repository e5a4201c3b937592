package io.perceptronstreams.model;

import io.perceptronstreams.evaluation.ClassCounts;
import io.perceptronstreams.evaluation.ClassMetrics;
import io.perceptronstreams.evaluation.ConfusionMatrix;
import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredFields;

/** Counts of a model: totals and classes of its epoch, and the open window of event time. */
public final class EpochCounts {
    /** Smallest number of examples that ends a window with {@code window.examples=auto}. */
    static final int MIN_WINDOW_EXAMPLES = 10;

    /** With {@code window.examples=auto} a window has this fraction of the examples so far. */
    static final int WINDOW_FRACTION = 20;

    // a given number of examples ends a window, and no time does unless it is given, too
    private static final CountingWindow.Length BY_EXAMPLES =
            new CountingWindow.Length(CountingWindow.Length.AUTO.ms(), Long.MAX_VALUE);

    private final Counts totals = new Counts();
    private ClassCounts classes = new ClassCounts();
    private CountingWindow window = new CountingWindow();

    private final Pipeline pipeline;
    private final long epoch;

    /** Counts what this pipeline makes of examples. */
    EpochCounts(Pipeline pipeline, long epoch) {
        this.pipeline = pipeline;
        this.epoch = epoch;
    }

    /** Counts of this epoch. */
    public Counts totals() {
        return totals;
    }

    /** The open window of event time. */
    public CountingWindow window() {
        return window;
    }

    /** Pairs of true and emitted label of this epoch. */
    public ConfusionMatrix confusion() {
        return classes.confusion();
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
    public ClassMetrics metrics() {
        return classes.metrics(pipeline.settings());
    }

    private CountingWindow.AtEnd atEnd() {
        ClassMetrics total = metrics();
        return new CountingWindow.AtEnd(totals.copy(), classes.endWindow(total), total, epoch, pipeline.learner());
    }

    /** Returns the window that is closed by the time, or null. */
    private CountingWindow.Closed moveTo(long timestamp) {
        return window.covers(timestamp) ? null : window.moveTo(timestamp, length(pipeline.settings()), this::atEnd);
    }

    private static CountingWindow.Length length(Settings settings) {
        long ms = settings.get(Settings.WINDOW_MS);
        if (ms > 0) {
            return CountingWindow.Length.of(ms);
        }
        return settings.get(Settings.WINDOW_EXAMPLES) > 0 ? BY_EXAMPLES : CountingWindow.Length.AUTO;
    }

    /**
     * Hands out the windows that a record has closed: the one before it, and its own if that has as many examples, or
     * labels, as {@code window.examples} allows.
     */
    private void handOut(CountingWindow.Closed before, long timestamp, ModelListener out) {
        if (out == ModelListener.NONE) {
            return; // a shadow, whose windows nobody gets, needs none that are full
        }
        if (before != null) {
            out.windowClosed(before, false);
        }
        Settings settings = pipeline.settings();
        if (window.size() >= windowExamples(settings)) {
            out.windowClosed(window.endWith(timestamp, length(settings), this::atEnd), true);
        }
    }

    /*
     * Windows of a fixed number of examples either hide the course of a small file or flood the topic of a fast stream:
     * 600 rows need windows of about 20 examples, 300,000 examples/s would then make 15,000 windows/s. A fraction of the
     * examples so far serves both. A model makes 20 + 20 ln(n/200) windows of this kind in n examples: 42 in 600, 190 in a
     * million; later ones end by window.ms, from 2,000 examples on with window.ms=auto on a slow stream.
     */
    private long windowExamples(Settings settings) {
        long given = settings.get(Settings.WINDOW_EXAMPLES);
        return given > 0 ? given : Math.max(MIN_WINDOW_EXAMPLES, totals.examples() / WINDOW_FRACTION);
    }

    /**
     * Counts an example, or the label of an example that was counted earlier.
     *
     * @param isNew false if only the label is new
     * @param also counter of the way on which the label came, or null
     */
    void add(Example example, boolean isNew, Outcome outcome, Counts.Counter also, long timestamp, ModelListener out) {
        CountingWindow.Closed before = moveTo(timestamp);
        if (isNew) {
            window.counts().add(example.label(), outcome);
            totals.add(example.label(), outcome);
        } else {
            window.counts().addLabel(example.label(), outcome);
            totals.addLabel(example.label(), outcome);
        }
        if (example.label() != null && pipeline.algorithm().hasClasses()) {
            Settings settings = pipeline.settings();
            classes.add(
                    example.label(),
                    outcome,
                    pipeline.learner(),
                    pipeline.algorithm(),
                    settings,
                    settings.get(Settings.AUC_WINDOW));
        }
        if (also != null) {
            increment(also);
        }
        handOut(before, timestamp, out);
    }

    /** Counts an event of the model at a time, in its window and in total. */
    public void add(Counts.Counter counter, long timestamp, ModelListener out) {
        CountingWindow.Closed before = moveTo(timestamp);
        increment(counter);
        handOut(before, timestamp, out);
    }

    private void increment(Counts.Counter counter) {
        window.counts().increment(counter);
        totals.increment(counter);
    }

    /** Closes the window at the end of the epoch; returns null if nothing was counted in it. */
    CountingWindow.Closed closeWindow() {
        return window.close(this::atEnd);
    }

    /** Continues with the closed window of the last epoch. */
    void follow(EpochCounts last) {
        window = last.window;
    }

    /** Continues with the totals of another model, which must not be used afterwards. */
    void take(EpochCounts other) {
        totals.restore(other.totals);
        classes = other.classes;
        var unused = classes.endWindow(metrics());
    }

    /** Estimated heap of what grows, in bytes. */
    long heapBytes() {
        return classes.heapBytes();
    }
}
