package io.perceptronstreams.model;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.evaluation.ClassCounts;
import io.perceptronstreams.evaluation.ClassMetrics;
import io.perceptronstreams.evaluation.ConfusionMatrix;
import io.perceptronstreams.evaluation.Correction;
import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.evaluation.Counts;
import io.perceptronstreams.evaluation.Reliability;
import io.perceptronstreams.evaluation.Totals;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.state.StoredBits;
import io.perceptronstreams.state.StoredFields;
import java.util.List;

/**
 * Counts of a model: of what was emitted under its name, of its present weights, and of the open window of event time.
 *
 * <p>What was emitted is counted since the model began, or since its last reset by a command. The weights are counted
 * since they began to learn, also as a challenger or before an import: what they themselves predicted, or would have.
 * Both are the same, and counted once, until other weights take the place of the first ones. Updates are counted of the
 * weights only.
 */
public final class EpochCounts {
    /** Smallest number of examples that ends a window with {@code window.examples=auto}. */
    static final int MIN_WINDOW_EXAMPLES = 10;

    /** With {@code window.examples=auto} a window has this fraction of the examples so far. */
    static final int WINDOW_FRACTION = 20;

    // a given number of examples ends a window, and no time does unless it is given, too
    private static final CountingWindow.Length BY_EXAMPLES =
            new CountingWindow.Length(CountingWindow.Length.AUTO.ms(), Long.MAX_VALUE);

    /** Unknown offset. */
    private static final long UNKNOWN = -1;

    // Heap of the objects of totals without classes.
    private static final long FIXED_BYTES = 700;

    private Totals ofWeights = new Totals();

    // Null while it is the same as ofWeights.
    private Totals emitted;
    private long since = UNKNOWN;
    private CountingWindow window = new CountingWindow();

    private final Pipeline pipeline;
    private final long epoch;

    /** Counts what this pipeline makes of examples. */
    EpochCounts(Pipeline pipeline, long epoch) {
        this.pipeline = pipeline;
        this.epoch = epoch;
    }

    private Totals emitted() {
        return emitted == null ? ofWeights : emitted;
    }

    /** Counts of what was emitted; its updates are those of all weights that the model had. */
    public Counts totals() {
        return emitted().counts();
    }

    /** Counts of the present weights. */
    public Totals ofWeights() {
        return ofWeights;
    }

    /** Returns true if other weights than the present ones have predicted, too. */
    public boolean isOfSeveralWeights() {
        return emitted != null;
    }

    /**
     * Offset of the record with which the counts of what was emitted began: the first one of the model, or its last
     * reset by a command; -1 if unknown.
     */
    public long since() {
        return since;
    }

    /** Sets the offset of the record with which these counts begin. */
    void beginAt(long offset) {
        since = offset;
    }

    /** The open window of event time. */
    public CountingWindow window() {
        return window;
    }

    /** Pairs of true and emitted label. */
    public ConfusionMatrix confusion() {
        return emitted().confusion();
    }

    /** Counts of what was emitted by class. */
    public ClassCounts classes() {
        return emitted().classes();
    }

    /**
     * Writes or restores the counts of the weights, and the open window.
     *
     * @param isWhole false without what is counted of probabilities and sets, which {@link #exchangeForecasts} has
     */
    public void exchange(StoredFields fields, Settings settings, long lastSeen, boolean isWhole) {
        ofWeights.counts().exchange(fields, isWhole);
        window.exchange(fields, lastSeen, isWhole);
        ofWeights.classes().exchange(fields, settings.get(Settings.AUC_WINDOW));
    }

    /**
     * Writes or restores what was emitted, which {@link #exchange} leaves out: a challenger emits nothing.
     *
     * @param isWhole false without what is counted of probabilities and sets
     */
    public void exchangeEmitted(StoredFields fields, Settings settings, boolean isWhole) {
        since = fields.signed(since);
        if (fields.flag(emitted != null)) {
            emitted = emitted == null ? new Totals() : emitted;
            emitted.exchange(fields, settings.get(Settings.AUC_WINDOW), isWhole);
        }
    }

    /** Writes or restores how often what was given a probability by the weights came true. */
    void exchangeReliability(StoredFields fields) {
        ofWeights.reliability().exchange(fields);
    }

    /** Writes or restores, after {@link #exchangeEmitted}, how often what was given a probability came true. */
    public void exchangeEmittedReliability(StoredFields fields) {
        if (emitted != null) {
            emitted.reliability().exchange(fields);
        }
    }

    /** Writes or restores what is counted of probabilities and sets, of the weights and of the open window. */
    void exchangeForecasts(StoredBits bits) {
        ofWeights.exchangeForecasts(bits, window.counts());
    }

    /** Writes or restores, after {@link #exchangeEmitted}, what is counted of probabilities and sets. */
    public void exchangeEmittedForecasts(StoredBits bits) {
        if (emitted != null) {
            emitted.exchangeForecasts(bits, null);
        }
    }

    /** How often what was given a probability came true, of what was emitted. */
    public List<Reliability.Range> reliability() {
        return emitted().reliability().ranges();
    }

    /** Restores sums of what was emitted that are not those of the weights; nothing by class. */
    public void restoreEmitted(Counts sums) {
        emitted = new Totals();
        emitted.counts().restore(sums);
    }

    /** Metrics of what was emitted. */
    public ClassMetrics metrics() {
        return emitted().classes().metrics(pipeline.settings());
    }

    /** Metrics of the present weights. */
    ClassMetrics metricsOfWeights() {
        return ofWeights.classes().metrics(pipeline.settings());
    }

    private CountingWindow.AtEnd atEnd() {
        ClassMetrics total = metrics();
        Counts sums = totals().copy();
        return new CountingWindow.AtEnd(
                sums,
                emitted == null ? sums : ofWeights.counts().copy(),
                classes().endWindow(total),
                total,
                reliability(),
                since,
                epoch,
                pipeline.learner());
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
     * 600 rows need windows of about 20 examples, 300,000 examples/s would then make 15,000 windows/s. A fraction of
     * the examples so far serves both. A model makes 20 + 20 ln(n/200) windows of this kind in n examples: 42 in 600,
     * 190 in a million; later ones end by window.ms, from 2,000 examples on with window.ms=auto on a slow stream.
     */
    private long windowExamples(Settings settings) {
        long given = settings.get(Settings.WINDOW_EXAMPLES);
        return given > 0 ? given : Math.max(MIN_WINDOW_EXAMPLES, totals().examples() / WINDOW_FRACTION);
    }

    /**
     * Counts an example, or the label of an example that was counted earlier.
     *
     * @param isNew false if only the label is new
     * @param outcome as it was emitted
     * @param also counter of the way on which the label came, or null
     */
    void add(Example example, boolean isNew, Outcome outcome, Counts.Counter also, long timestamp, ModelListener out) {
        CountingWindow.Closed before = moveTo(timestamp);
        if (isNew) {
            window.counts().add(example.label(), outcome);
        } else {
            window.counts().addLabel(example.label(), outcome);
        }
        add(emitted(), example, isNew, outcome, pipeline.settings().get(Settings.AUC_WINDOW));
        if (also != null) {
            increment(also);
        }
        handOut(before, timestamp, out);
    }

    /**
     * Counts the same for the present weights; must be called where {@link #isOfSeveralWeights}, before it is counted
     * as emitted.
     *
     * @param outcome as the weights have predicted, or would have
     */
    void addOfWeights(Example example, boolean isNew, Outcome outcome) {
        // their scores are not published
        add(ofWeights, example, isNew, outcome, 0);
    }

    /** Replaces the label of an example that is counted in what was emitted. */
    void correct(Correction made) {
        boolean isInWindow =
                made.number() > totals().labelled() - window.counts().labelled();
        if (isInWindow) {
            window.counts().correct(made);
        }
        emitted().correct(made, isInWindow, pipeline.algorithm(), pipeline.settings());
    }

    /** Replaces the label of an example that is counted for the present weights where {@link #isOfSeveralWeights}. */
    void correctOfWeights(Correction made) {
        ofWeights.correct(made, false, pipeline.algorithm(), pipeline.settings());
    }

    /** Counts what the weights have learned from a label that corrects another one. */
    void addLearned(Outcome outcome) {
        window.counts().addLearned(outcome);
        totals().addLearned(outcome);
        if (emitted != null) {
            ofWeights.counts().addLearned(outcome);
        }
    }

    private void add(Totals totals, Example example, boolean isNew, Outcome outcome, int lastScores) {
        totals.add(
                isNew,
                example.label(),
                outcome,
                pipeline.learner(),
                pipeline.algorithm(),
                pipeline.settings(),
                lastScores);
    }

    /** Counts an event of the model at a time, in its window and in total. */
    public void add(Counts.Counter counter, long timestamp, ModelListener out) {
        CountingWindow.Closed before = moveTo(timestamp);
        increment(counter);
        handOut(before, timestamp, out);
    }

    private void increment(Counts.Counter counter) {
        window.counts().increment(counter);
        totals().increment(counter);
    }

    /** Closes the window at the end of the epoch; returns null if nothing was counted in it. */
    CountingWindow.Closed closeWindow() {
        return window.close(this::atEnd);
    }

    /** Continues with the closed window of the last epoch. */
    void follow(EpochCounts last) {
        window = last.window;
    }

    /** Continues with what was emitted in the last epoch, whose counts may go on. */
    void followEmitted(EpochCounts last) {
        since = last.since;
        boolean isTwo = pipeline.algorithm().has(Algorithm.Trait.TWO_CLASSES);
        Totals copy = last.emitted()
                .copyFor(last.pipeline.settings(), isTwo ? ConfusionMatrix.twoLabels(pipeline.settings()) : List.of());
        boolean isKnown = since != UNKNOWN;
        if (isKnown && last.emitted == null && last.ofWeights.counts().labelled() == 0 && ofWeights.isEmpty()) {
            // neither has learned anything: they predict the same
            ofWeights.take(copy, pipeline.settings());
        } else {
            emitted = copy;
        }
    }

    /** Counts what is emitted apart from the weights from now on. */
    void separateEmitted() {
        if (emitted == null) {
            boolean isTwo = pipeline.algorithm().has(Algorithm.Trait.TWO_CLASSES);
            // the open window is of what is emitted
            emitted = ofWeights;
            ofWeights = emitted.copyFor(
                    pipeline.settings(), isTwo ? ConfusionMatrix.twoLabels(pipeline.settings()) : List.of());
        }
    }

    /**
     * Returns true if an example whose label comes now is not among those that were emitted.
     *
     * @param isNewInEpoch true if it is not among those of this epoch
     */
    boolean isNew(Waiting then, boolean isNewInEpoch) {
        return since == UNKNOWN ? emitted == null && isNewInEpoch : then.offset() < since;
    }

    /** Continues with the counts of the weights of another model, which must not be used afterwards. */
    void take(EpochCounts other) {
        ofWeights.take(other.ofWeights, pipeline.settings());
    }

    /** Estimated heap of what grows, in bytes. */
    long heapBytes() {
        return ofWeights.heapBytes() + (emitted == null ? 0 : FIXED_BYTES + emitted.heapBytes());
    }
}
