package io.perceptronstreams.log;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.Fence;
import java.util.List;

/** Receives what a {@link RecordDispatcher} finds out about a record, besides the events of its model. */
public interface RecordEvents {
    /** Drops all. */
    RecordEvents NONE = new RecordEvents() {};

    /** The record belongs to another partition. */
    default void reroute(int right) {}

    /**
     * The record lies behind a fence.
     *
     * @param isOfModel true if its key is a model's name
     */
    default void fenced(Fence fence, boolean isOfModel) {}

    /**
     * The record has several examples.
     *
     * @param count number of examples
     */
    default void beginExamples(int count) {}

    /**
     * The events that follow are those of an example of several.
     *
     * @param part its number, from 0
     * @param eventTime of the example
     */
    default void beginExample(int part, long eventTime) {}

    /**
     * Returns false if an example of several is left out; may change its label.
     *
     * @param eventTime of the example
     */
    default boolean uses(Example example, long eventTime) {
        return true;
    }

    /**
     * Returns false if an example that imported weights lack is left out of them; may change its label.
     *
     * @param offset of its record
     * @param eventTime of the example
     */
    default boolean usesAgain(Example example, long offset, long eventTime) {
        return true;
    }

    /**
     * Examples of several are refused, for which one dead letter is sent.
     *
     * @param parts their numbers, from 0
     * @param value of a record with these examples alone
     * @param streamTime largest event time of the partition, in ms, for the letter of a record without a valid one
     */
    default void refused(List<Integer> parts, byte[] value, RejectedException why, long streamTime) {}

    /** The last example of several has been used or refused. */
    default void endExamples() {}
}
