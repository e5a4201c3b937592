package io.perceptronstreams.model;

import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.Lateness;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.probability.ErrorEstimates;
import io.perceptronstreams.settings.Settings;

/** Listener of a {@link ModelSession}. Called before the next change: arguments may be read but not kept. */
public interface ModelEvents {
    /**
     * Sets {@link #bytes} to 0.
     *
     * @param isNeeded false if it need not be counted until the next call
     */
    default void count(boolean isNeeded) {}

    /**
     * Bytes of the Predictions, Mistakes and MistakeCounts since the last {@link #count}, as Avro, whatever the format
     * of the outputs. A replay must return the same, though it sends none: examples are refused for it.
     */
    default long bytes() {
        return 0;
    }

    /** An example was scored. {@code updates} is the number of updates before it. */
    void predicted(Model model, Example example, Outcome outcome, long updates);

    /**
     * An example was a mistake or a margin mistake; after {@link #predicted}.
     *
     * @param lateness of its label; null if example and label were used together
     */
    void mistaken(Model model, Example example, Outcome outcome, Lateness lateness);

    /**
     * A label was compared with the emitted prediction, right or wrong; after {@link #predicted} and {@link #mistaken}.
     *
     * @param example with its label
     */
    default void labelled(Model model, Example example, Outcome outcome) {}

    /**
     * A label that had waited for its example is refused.
     *
     * @param record the current record, not the record of the label
     */
    void labelRefused(InputRecord record, Waiting label, RejectedException why);

    /** A counting window has ended. */
    void windowClosed(Model model, CountingWindow.Closed window);

    /** A model's status must be published. */
    void status(Model model, StatusCause cause);

    /** The settings of models to be created in the partition have changed. */
    void defaultsChanged(Settings defaults);

    /**
     * A fence was made or lifted.
     *
     * @param defaults settings of models to be created in the partition
     */
    void fenced(Settings defaults);

    /**
     * A model has been silent for a second; publishes its status as of its last record.
     *
     * @param record its last record, not the one in hand
     */
    void silent(Model model, InputRecord record);

    /**
     * A model is deleted because it was idle. The following events are about it, and no longer about the model of the
     * current record.
     *
     * @param record with the name of the idle model, and the stream time as its time
     */
    void expires(InputRecord record);

    /** A drift detector has raised an alarm. */
    void drifted(Model model, Alarm alarm);

    /** A challenger was judged by its trial, or has ended. */
    void judged(Model model, Judgement judgement);

    /** The estimated error of predictions whose labels are out has left the range of the known errors. */
    void estimated(Model model, ErrorEstimates.Outlier outlier);

    /** There is advice for the owner of a model. */
    void advised(Model model, Advice advice);

    /** A model was quarantined. */
    void quarantined(Model model, String reason);

    /**
     * The weights must be published.
     *
     * @param version name of the snapshot, or null
     * @return number of chunks of the snapshot, which is part of the model's state
     */
    int snapshot(Model model, String version);

    /**
     * Chunks of an earlier snapshot, from {@code first} to {@code end - 1}, must be removed.
     *
     * @param version name of the snapshot, or null
     */
    void chunksRemoved(Model model, String version, int first, int end);
}
