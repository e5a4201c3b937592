package io.perceptronstreams.format;

import io.perceptronstreams.example.Example;
import java.io.IOException;

/** A reader that can fill examples itself: faster than by a record that is encoded and decoded. */
public interface DirectReader extends ExampleReader {
    /**
     * Reads the next example instead of {@link #next()}: its features have the bits that they would have after encoding
     * and decoding, by a model without crosses and groups of features. The id is not changed, and names are lost.
     *
     * @return false at the end
     * @throws MalformedExampleException if a line violates the format
     * @throws IOException if the text cannot be read
     */
    boolean next(Example example) throws IOException;
}
