package io.perceptronstreams.format;

import java.io.Closeable;
import java.io.IOException;
import org.apache.avro.generic.GenericRecord;

/**
 * Reads examples from a text one by one; holds at most one line in memory.
 *
 * <p>Not thread-safe. After an exception the reader may only be closed.
 */
public interface ExampleReader extends Closeable {
    /**
     * Returns the next example, with the schema {@code Example}; null at the end.
     *
     * @throws MalformedExampleException if a line violates the format; the message names file and line
     * @throws IOException if the text cannot be read
     */
    GenericRecord next() throws IOException;

    /** Number of the line, from 1, on which the last example starts. */
    long line();

    /** The event time of the last example in ms; null if the text has none. */
    default Long timestamp() {
        return null;
    }
}
