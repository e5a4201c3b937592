package io.perceptronstreams.format;

import java.io.Closeable;
import java.io.IOException;
import org.apache.avro.generic.GenericRecord;

/**
 * Examples from a text, one after the other; never more than one line of it is in memory.
 *
 * <p>Not thread-safe. After an exception the reader may only be closed.
 */
public interface ExampleReader extends Closeable {
    /**
     * The next example, on the schema {@code Example}; null at the end.
     *
     * @throws MalformedExampleException if a line is not what the format says; the message names file and line
     * @throws IOException if the text cannot be read
     */
    GenericRecord next() throws IOException;
}
