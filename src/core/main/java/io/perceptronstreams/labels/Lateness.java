package io.perceptronstreams.labels;

import io.perceptronstreams.example.Label;

/**
 * Lateness of a label, and what it corrects.
 *
 * @param predictedUpdates number of updates of the model before its prediction
 * @param delayMs event time between example and label, in ms
 * @param source who has said it; null for none
 * @param replaced null unless it corrects another label
 */
public record Lateness(long predictedUpdates, long delayMs, String source, Replaced replaced) {
    /**
     * A label that another one corrects.
     *
     * @param offset of the record that brought it
     * @param wasError true if the emitted label was wrong by it
     */
    public record Replaced(long offset, Label label, boolean wasError) {}

    /** Describes a label that corrects none. */
    public Lateness(long predictedUpdates, long delayMs) {
        this(predictedUpdates, delayMs, null, null);
    }

    /** Lateness of a label at a time, in ms. */
    public static Lateness of(Waiting then, long time, String source) {
        return new Lateness(then.version(), time - then.time(), source, null);
    }

    /** Returns the lateness of the same label as one that corrects another. */
    public Lateness replacing(Replaced other) {
        return new Lateness(predictedUpdates, delayMs, source, other);
    }
}
