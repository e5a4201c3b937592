package io.perceptronstreams.format;

import io.perceptronstreams.event.Example;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * Reads examples from a text one by one; holds at most one line in memory, or the sample of a table.
 *
 * <p>Not thread-safe. After an exception the reader may only be closed, unless it is a fault of one example that can be
 * skipped ({@link CheckedReader}).
 */
public interface ExampleReader extends Closeable {
    /**
     * Returns the next example; null at the end.
     *
     * @throws MalformedExampleException if a line violates the format; the message names file and line
     * @throws IOException if the text cannot be read
     */
    Example next() throws IOException;

    /** Number of the line, from 1, on which the last example starts. */
    long line();

    /** Makes {@link #description} show the examples that are read, too; must be called before the first of them. */
    default void describe() {}

    /**
     * Lines that show how the text is read, for each column of a table and each field of objects; empty if the format
     * determines it, or nothing to describe was read so far.
     */
    default List<String> description() {
        return List.of();
    }

    /**
     * The labels that the text declares, the negative one first, if they are two whose names a model of two classes
     * needs; empty otherwise.
     */
    default List<String> twoLabels() {
        return List.of();
    }

    /** What may be done if no example read so far has a label: an option, or the cause; null if nothing is known. */
    default String labelHint() {
        return null;
    }

    /** The event time of the last example in ms; null if the text has none. */
    default Long timestamp() {
        return null;
    }
}
