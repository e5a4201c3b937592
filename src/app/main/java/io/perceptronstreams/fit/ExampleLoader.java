package io.perceptronstreams.fit;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.format.ExampleSource;
import java.io.IOException;
import java.util.function.LongPredicate;

/** Loads all examples of one or more sources into memory. */
public final class ExampleLoader {
    private static final double HEAP_SHARE = 0.6;

    private final FeatureHasher hasher;
    private final long maxBytes;
    private long loadedBytes;

    /** @param hasher hasher of the model that learns the examples */
    public ExampleLoader(FeatureHasher hasher) {
        this(hasher, (long) (HEAP_SHARE * Runtime.getRuntime().maxMemory()));
    }

    /** @param maxBytes limit of all sources together */
    public ExampleLoader(FeatureHasher hasher, long maxBytes) {
        this.hasher = hasher;
        this.maxBytes = maxBytes;
    }

    /**
     * Reads the source to its end.
     *
     * @param keepGoing called before each example with the number of examples read; false stops
     * @throws IOException if the source cannot be read or a line is malformed
     * @throws CommandFailedException if an example is invalid or the examples do not fit into memory
     */
    public ExampleBuffer load(ExampleSource source, LongPredicate keepGoing) throws IOException {
        try (ExampleFeed feed = new ExampleFeed(source, hasher)) {
            ExampleBuffer examples = new ExampleBuffer();
            load(feed, Long.MAX_VALUE, examples, keepGoing);
            return examples;
        }
    }

    /**
     * Reads from a feed to its end, or until the examples take more than a number of bytes.
     *
     * @param examples receives them
     * @param keepGoing called before each example with the number of examples read; false stops
     * @return true at the end, or if it was stopped
     * @throws IOException if the source cannot be read or a line is malformed
     * @throws CommandFailedException if an example is invalid or the examples do not fit into memory
     */
    public boolean load(ExampleFeed feed, long bytes, ExampleBuffer examples, LongPredicate keepGoing)
            throws IOException {
        Example example = new Example();
        while (examples.heapBytes() <= bytes) {
            if (!keepGoing.test(examples.size()) || !feed.next(example)) {
                loadedBytes += examples.heapBytes();
                return true;
            }
            examples.add(example, feed.line());
            if (loadedBytes + examples.heapBytes() > maxBytes) {
                throw new CommandFailedException(String.format(
                        "examples must fit into %,d MB of memory, got more after %,d examples of %s (raise -Xmx in"
                                + " PERCEPTRON_OPTS, or let the engine learn from them: perceptron produce)",
                        maxBytes >> 20, examples.size(), feed.source().file()));
            }
        }
        loadedBytes += examples.heapBytes();
        return false;
    }
}
