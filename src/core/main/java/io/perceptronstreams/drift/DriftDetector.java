package io.perceptronstreams.drift;

import io.perceptronstreams.state.StoredFields;

/**
 * Detects a rise of the error rate in a stream of labelled examples.
 *
 * <p>A falling rate is never an alarm. An implementation <b>must</b> be deterministic on every machine, and {@link
 * #exchange} <b>must</b> restore what it wrote to the last bit. After an alarm the detector restarts by itself. Not
 * thread-safe.
 */
public abstract class DriftDetector {
    /** State of the stream. */
    public enum Level {
        STABLE,
        /** The error rate may be rising. */
        WARNING,
        /** Alarm: the error rate has risen. */
        DRIFT
    }

    // of the last alarm
    double rateBefore;
    double rateAfter;

    /** Adds the next example; {@code isError} if the emitted label was wrong. */
    public abstract Level add(boolean isError);

    /** Error rate before the change of the last alarm, a fraction; undefined without an alarm. */
    public final double rateBefore() {
        return rateBefore;
    }

    /** Error rate since that change, a fraction. */
    public final double rateAfter() {
        return rateAfter;
    }

    /** Writes the state, at most O(log n) bytes, or restores it into a new detector with the same parameters. */
    public abstract void exchange(StoredFields fields);
}
