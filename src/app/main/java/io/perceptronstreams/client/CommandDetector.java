package io.perceptronstreams.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.UnknownSchemaException;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.serde.WireFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Tells commands and weights from examples and labels.
 *
 * <p>A value that cannot be decoded is a command if it has the schema or a field of one: another version of the engine
 * may execute it. A value of a schema that the registry does not have is no command.
 *
 * <p>Not thread-safe.
 */
public final class CommandDetector implements Predicate<byte[]> {
    /** Stands for the action of a chunk of weights. */
    static final String WEIGHTS = "weights";

    /** Stands for the action of a command that cannot be decoded. */
    public static final String UNREADABLE = "unreadable command";

    private static final FeatureHasher ANY = new FeatureHasher(1);
    private static final JsonFactory JSON = new JsonFactory();

    /** Fields that only commands and weights have. */
    private static final Set<String> FIELDS = Set.of("action", "vectors");

    /** Schemas of commands and weights. */
    private static final Set<String> SCHEMAS = Set.of("ModelCommand", "WeightsSnapshot");

    private final SchemaRegistry registry;
    private final InputDecoder decoder;
    private final Example example = new Example();
    // a registry that does not answer is asked once: JSON needs none
    private boolean hasRegistry = true;

    /** @param registry closed by the caller */
    public CommandDetector(SchemaRegistry registry) {
        this.registry = registry;
        decoder = new InputDecoder(registry);
    }

    /** Like {@link #action}; false for a value in Avro if the registry does not answer. */
    @Override
    public boolean test(byte[] value) {
        if (value == null || value.length == 0 || (value[0] != '{' && !hasRegistry)) {
            return false;
        }
        try {
            return action(value) != null;
        } catch (RegistryException e) {
            hasRegistry = false;
            return false;
        }
    }

    /**
     * Returns the action of a command, such as {@code DELETE}, {@link #UNREADABLE}, or {@link #WEIGHTS}; null for any
     * other value.
     *
     * @throws RegistryException if the registry does not answer
     */
    public String action(byte[] value) {
        if (value == null || value.length == 0) {
            return null;
        }
        try {
            return switch (decoder.decode(value, ANY, example)) {
                case COMMAND -> decoder.command().action().name();
                case WEIGHTS -> WEIGHTS;
                case EXAMPLE, EXAMPLES, LABEL -> null;
            };
        } catch (RejectedException e) {
            return (value[0] == '{' ? hasFieldOfCommand(value) : hasSchemaOfCommand(value)) ? UNREADABLE : null;
        }
    }

    /**
     * Returns the value of a record with some examples of several.
     *
     * @param numbers from 0
     * @throws RegistryException if the registry does not answer
     * @throws RejectedException if the value cannot be taken apart
     */
    public byte[] examples(byte[] value, List<Integer> numbers) {
        decoder.decode(value, ANY, example);
        return numbers.size() == 1
                ? decoder.examples().value(numbers.get(0))
                : decoder.examples().value(numbers);
    }

    private static boolean hasFieldOfCommand(byte[] value) {
        try (JsonParser json = JSON.createParser(new String(value, StandardCharsets.UTF_8))) {
            json.nextToken();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                if (FIELDS.contains(json.currentName())) {
                    return true;
                }
                json.nextToken();
                json.skipChildren();
            }
            return false;
        } catch (IOException e) {
            return false;
        }
    }

    private boolean hasSchemaOfCommand(byte[] value) {
        try {
            return WireFormat.hasHeader(value)
                    && SCHEMAS.contains(
                            registry.schema(WireFormat.schemaId(value)).getName());
        } catch (UnknownSchemaException e) {
            return false;
        }
    }
}
