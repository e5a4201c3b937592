package io.perceptronstreams.drift;

import java.util.List;

/**
 * Detects a rise of the error rate in a stream of labelled examples.
 *
 * <p>A falling rate is never an alarm. An implementation <b>must</b> be deterministic on every machine, and {@link
 * #restore} <b>must</b> reproduce {@link #state} to the last bit. After an alarm the detector restarts by itself. Not
 * thread-safe.
 */
public interface DriftDetector {
    /** State of the stream. */
    enum Level {
        STABLE,
        /** The error rate may be rising. */
        WARNING,
        /** Alarm: the error rate has risen. */
        DRIFT
    }

    /** Adds the next example; {@code isError} if the emitted label was wrong. */
    Level add(boolean isError);

    /** Error rate before the change of the last alarm, a fraction; undefined without an alarm. */
    double rateBefore();

    /** Error rate since that change, a fraction. */
    double rateAfter();

    /** The state to be stored: at most O(log n) numbers. */
    List<Double> state();

    /** Restores a state into a new detector with the same parameters. */
    void restore(List<Double> state);
}
