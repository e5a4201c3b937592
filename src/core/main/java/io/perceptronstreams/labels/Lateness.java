package io.perceptronstreams.labels;

/**
 * Lateness of a label.
 *
 * @param predictedUpdates number of updates of the model before its prediction
 * @param delayMs event time between example and label, in ms
 */
public record Lateness(long predictedUpdates, long delayMs) {
    public static Lateness of(Waiting then, long time) {
        return new Lateness(then.version(), time - then.time());
    }
}
