package io.perceptronstreams.drift;

import java.util.List;

/**
 * Watches a stream of errors, one for each labelled example, and says when their rate has risen.
 *
 * <p>A falling rate is never an alarm: a model that learns errs less and less. An implementation <b>must</b> be deterministic on every
 * machine, and {@link #state} <b>must</b> restore it to the last bit. After an alarm it begins anew by itself. Not thread-safe.
 */
public interface DriftDetector {
    /** What a detector thinks of the stream. */
    enum Level {
        STABLE,
        /** Something may be about to change. */
        WARNING,
        /** The alarm. */
        DRIFT
    }

    /** Takes the next example: whether the emitted label was wrong. */
    Level add(boolean isError);

    /** The error rate before the change that the last alarm was about, a fraction; meaningless without one. */
    double rateBefore();

    /** The error rate since that change, a fraction. */
    double rateAfter();

    /** What survives: few numbers, O(log n) at most. */
    List<Double> state();

    /** Takes back a state, on a new detector with the same parameters. */
    void restore(List<Double> state);
}
