package io.perceptronstreams.fit;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.example.Example;
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
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;

/**
 * The examples of a source one after another, without ids and names of features.
 *
 * <p>Features have the same bits as after their way through Kafka: each example is encoded and decoded, or read by a
 * {@link DirectReader}. Not thread-safe.
 */
public final class ExampleFeed implements Closeable {
    private static final byte[] NO_ID = new byte[0];

    private final ExampleSource source;
    private final SchemaRegistry registry;
    private final ExampleReader reader;
    private final Fill fill;
    private long count;

    /** Fills the next example, or returns false at the end. */
    private interface Fill {
        boolean next(Example example) throws IOException;
    }

    /**
     * Opens a source.
     *
     * @param hasher hasher of the model that learns the examples
     * @throws IOException if the source cannot be read, or its header is invalid
     */
    public ExampleFeed(ExampleSource source, FeatureHasher hasher) throws IOException {
        this.source = source;
        reader = source.open(1);
        registry = SchemaRegistries.of(Map.of("schema.registry.url", "mock://fit"));
        fill = reader instanceof DirectReader direct && hasher.rules() == null
                ? direct::next
                : decoded(reader, registry, hasher);
    }

    private static Fill decoded(ExampleReader reader, SchemaRegistry registry, FeatureHasher hasher) {
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

    /**
     * Reads the next example that can be used.
     *
     * @return false at the end
     * @throws IOException if the source cannot be read or a line is malformed
     * @throws CommandFailedException if an example is invalid and the source does not skip faults
     */
    public boolean next(Example example) throws IOException {
        while (true) {
            try {
                if (!fill.next(example)) {
                    return false;
                }
                // both belong to the bytes of this record
                example.setNames(null);
                example.id().set(NO_ID, 0, 0);
                count++;
                return true;
            } catch (RejectedException e) {
                CommandFailedException fault = new CommandFailedException(
                        source.file() + ", example " + (count + 1) + " (line " + line() + "): " + e.getMessage(), e);
                if (!source.skipsFaults()) {
                    throw fault;
                }
                source.notes().skipped(fault);
            }
        }
    }

    /** Number of the line, from 1, on which the last example starts. */
    public long line() {
        return reader.line();
    }

    /** The source that is read. */
    public ExampleSource source() {
        return source;
    }

    /** The labels that the source declares; see {@link ExampleReader#twoLabels()}. */
    public List<String> twoLabels() {
        return reader.twoLabels();
    }

    /** What may be done if the source has no label; see {@link ExampleReader#labelHint()}. */
    public String labelHint() {
        return reader.labelHint();
    }

    @Override
    public void close() throws IOException {
        try (registry) {
            reader.close();
        }
    }
}
