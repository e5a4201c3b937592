package io.perceptronstreams.client;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.ExampleBuffer;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.format.DirectReader;
import io.perceptronstreams.format.ExampleReader;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.InputDecoder;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import org.apache.avro.Schema;

/**
 * Loads all examples of one or more sources into memory.
 *
 * <p>Features have the same bits as after their way through Kafka: each example is encoded and decoded, or read by a
 * {@link DirectReader}.
 */
public final class ExampleLoader {
    private static final double HEAP_SHARE = 0.6;

    private final FeatureHasher hasher;
    private final long maxBytes;
    private long loadedBytes;
    private List<String> twoLabels = List.of();
    private String labelHint;

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
        ExampleBuffer examples = new ExampleBuffer();
        Example example = new Example();
        try (SchemaRegistry registry = SchemaRegistries.of(Map.of("schema.registry.url", "mock://fit"));
                ExampleReader reader = source.open(1)) {
            twoLabels = reader.twoLabels();
            NextExample next = next(reader, registry);
            while (keepGoing.test(examples.size())) {
                try {
                    if (!next.fill(example)) {
                        break;
                    }
                } catch (RejectedException e) {
                    CommandFailedException fault = new CommandFailedException(
                            source.file() + ", example " + (examples.size() + 1) + " (line " + reader.line() + "): "
                                    + e.getMessage(),
                            e);
                    if (!source.skipsFaults()) {
                        throw fault;
                    }
                    source.notes().skipped(fault);
                    continue;
                }
                examples.add(example, reader.line());
                if (loadedBytes + examples.heapBytes() > maxBytes) {
                    throw new CommandFailedException(String.format(
                            "examples must fit into %,d MB of memory, got more after %,d examples of %s (raise -Xmx in"
                                    + " PERCEPTRON_OPTS, or let the engine learn from them: perceptron produce)",
                            maxBytes >> 20, examples.size(), source.file()));
                }
            }
            labelHint = reader.labelHint();
        }
        loadedBytes += examples.heapBytes();
        return examples;
    }

    /** The labels that the last source declares; see {@link ExampleReader#twoLabels()}. */
    public List<String> twoLabels() {
        return twoLabels;
    }

    /** What may be done if the last source has no label; see {@link ExampleReader#labelHint()}. */
    public String labelHint() {
        return labelHint;
    }

    /** Fills the next example, or returns false at the end. */
    private interface NextExample {
        boolean fill(Example example) throws IOException;
    }

    private NextExample next(ExampleReader reader, SchemaRegistry registry) {
        if (reader instanceof DirectReader direct && hasher.rules() == null) {
            return direct::next;
        }
        Schema schema = EventSchemas.schema("Example");
        InputDecoder decoder = new InputDecoder(registry);
        EventWriter writer = new EventWriter(schema, registry.register("Example", schema));
        return example -> {
            var record = reader.next();
            if (record != null) {
                decoder.decode(writer.write(record), hasher, example);
            }
            return record != null;
        };
    }
}
