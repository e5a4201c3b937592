package io.perceptronstreams.model;

import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.evaluation.CountingWindow;

/** Listener of a {@link Model}: receives what its observers find, before the next change of the model. */
public interface ModelListener {
    /** Ignores everything. */
    ModelListener NONE = new ModelListener() {};

    /**
     * A counting window has ended.
     *
     * @param isFull true if it has as many examples as it may have; false if its time is over, or its epoch
     */
    default void windowClosed(CountingWindow.Closed window, boolean isFull) {}

    /** There is advice for the owner of the model. */
    default void advised(Advice advice) {}

    /** The drift detector has raised an alarm; {@link Model#adapt} comes later. */
    default void drifted(Alarm alarm) {}

    /** A challenger other than the shadow of a drift was judged by its trial, or has ended. */
    default void judged(Judgement judgement) {}

    /** An epoch has ended, of the model or of a challenger: its blocks are not used any more. */
    default void epochEnded(long epoch) {}
}
