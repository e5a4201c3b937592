package io.perceptronstreams.serde;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.labels.LabelEvent;
import io.perceptronstreams.model.ModelCommand;
import io.perceptronstreams.model.WeightsChunk;
import io.perceptronstreams.registry.RegistryUnavailableException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.UnknownSchemaException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes the records of the examples topic: Example, ExampleBatch, Label, ModelCommand or WeightsSnapshot, in Avro or
 * JSON.
 *
 * <p>Values of the current schema version, and Examples of earlier versions with fewer kinds of features, are read
 * directly ({@link ExampleDecoder}). {@link SchemaResolver} first converts values of other versions to the current one,
 * so that each event has only one reader. In JSON, examples and labels are read by {@link JsonExampleReader}, commands
 * are such as {@code {"action":"CONFIGURE","settings":{"h":"1"}}}. Not thread-safe.
 *
 * <p>A subclass may change what was decoded.
 */
public class InputDecoder {
    /** Type of a decoded value. */
    public enum Kind {
        /** An example, stored in the object that the caller passed. */
        EXAMPLE,
        /** Several examples, available from {@link InputDecoder#examples}. */
        EXAMPLES,
        /** A label without its example, available from {@link InputDecoder#label}. */
        LABEL,
        /** A command, available from {@link InputDecoder#command}. */
        COMMAND,
        /** A chunk of weights to import, available from {@link InputDecoder#weights}. */
        WEIGHTS
    }

    private static final Logger LOG = LoggerFactory.getLogger(InputDecoder.class);

    private static final int MAX_CACHED_SCHEMAS = 1000;

    // A producer that uses another registry must not cause one registry request per record.
    private static final long UNKNOWN_NANOS = 1_000_000_000;

    private static final Schema WEIGHTS = EventSchemas.CLASSES.getSchema(WeightsSnapshot.class);

    private static final ObjectReader TREE = JsonInput.MAPPER
            .readerFor(JsonNode.class)
            .with(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY, DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final SchemaRegistry registry;
    private final LongSupplier nanoTime;
    private final AvroReader in = new AvroReader();
    private final ExampleDecoder avro = new ExampleDecoder();
    private final JsonExampleReader json = new JsonExampleReader();
    private final ExampleList examples = new ExampleList(in, avro, json);
    private final Map<Integer, Writer> writers = new HashMap<>();
    private final Map<Integer, Unknown> unknown = new HashMap<>();
    private final Map<Integer, String> incompatible = new HashMap<>();
    private int lastId = -1;
    private Writer lastWriter;
    private ModelCommand command;
    private WeightsChunk weights;
    private LabelEvent label;

    /**
     * Reads values with one schema id.
     *
     * @param resolver null if the values are read directly
     * @param branches number of branches of features in an Example as {@link ExampleDecoder} gets it
     * @param ignored a line about the fields that are ignored; null for none
     */
    private record Writer(Kind kind, SchemaResolver resolver, int branches, String ignored) {}

    /** Answer of the registry, and its time, for an unknown id. */
    private record Unknown(String message, long since) {}

    /** Creates a decoder that requests each schema id once, and an unknown one at most once per second. */
    public InputDecoder(SchemaRegistry registry) {
        this(registry, System::nanoTime);
    }

    InputDecoder(SchemaRegistry registry, LongSupplier nanoTime) {
        this.registry = registry;
        this.nanoTime = nanoTime;
    }

    /** Returns true if {@link #decode} of a value in the wire format asks the registry, unless the schema is known. */
    public static boolean asksForSchema(byte[] value) {
        int id = WireFormat.schemaId(value);
        return id > 0 && ForeignBytes.wideId(value, id) == null;
    }

    /** Returns true if a value begins as a JSON object or array. */
    public static boolean isJson(byte[] value) {
        return value.length > 0 && (value[0] == '{' || value[0] == '[');
    }

    /**
     * Decodes a value.
     *
     * @param value owned by the caller; the id of the example points into it until the next call
     * @param hasher of the model, for feature names
     * @param example overwritten if the value is an Example; undefined after an exception
     * @throws RejectedException if the value is not one of the five events
     * @throws RegistryUnavailableException if the registry does not answer; the call can be repeated
     */
    public Kind decode(byte[] value, FeatureHasher hasher, Example example) {
        if (value.length > 0 && value[0] == '{') {
            return decodeJson(value, hasher, example);
        }
        if (ExampleList.isArray(value)) {
            examples.readJson(value);
            return Kind.EXAMPLES;
        }
        Writer writer = writer(schemaId(value));
        if (writer.kind == Kind.WEIGHTS) {
            SnapshotDecoder.checkLength(value.length);
            weights = SnapshotDecoder.chunk((WeightsSnapshot) writer.resolver.read(value, WireFormat.HEADER));
            return Kind.WEIGHTS;
        }
        if (writer.kind == Kind.EXAMPLES) {
            examples.readAvro(value, writer.resolver);
            return Kind.EXAMPLES;
        }
        byte[] bytes = value;
        int start = WireFormat.HEADER;
        if (writer.resolver != null) {
            bytes = writer.resolver.resolve(value, WireFormat.HEADER);
            start = 0;
        }
        in.reset(bytes, start);
        if (writer.kind == Kind.EXAMPLE) {
            avro.decode(in, bytes, hasher, example, writer.branches);
            in.end();
        } else if (writer.kind == Kind.LABEL) {
            label = avro.label(in, bytes);
        } else if (writer.kind == Kind.COMMAND) {
            command = command(bytes);
        }
        return writer.kind;
    }

    /** Commands and chunks of weights are rare, and read by a tree. */
    private Kind decodeJson(byte[] value, FeatureHasher hasher, Example example) {
        if (json.read(value, 0, value.length)) {
            if (json.exampleId() != null) {
                label = new LabelEvent(
                        new Utf8Slice().set(json.exampleId()),
                        json.label(),
                        json.weight(),
                        json.source(),
                        json.knowableAt());
                return Kind.LABEL;
            }
            json.fill(hasher, example);
            return Kind.EXAMPLE;
        }
        if (json.has("action")) {
            command = jsonCommand(value);
            return Kind.COMMAND;
        }
        if (!json.has("exampleId") && json.has("vectors")) {
            SnapshotDecoder.checkLength(value.length);
            List<String> fields =
                    WEIGHTS.getFields().stream().map(Schema.Field::name).toList();
            weights = weights(tree(value, fields));
            return Kind.WEIGHTS;
        }
        throw json.unknownField();
    }

    /**
     * Requests the schema of a value, unless it is known or the value has none, so that {@link #decode} does not.
     *
     * @throws RejectedException if the value cannot be decoded, as {@link #decode} does
     * @throws RegistryUnavailableException if the registry does not answer
     */
    public void prepare(byte[] value) {
        if (!isJson(value)) {
            writer(schemaId(value));
        }
    }

    /** Returns true if {@link #prepare} asks the registry nothing. */
    public boolean isPrepared(byte[] value) {
        return isJson(value) || (value.length >= WireFormat.HEADER && writers.containsKey(WireFormat.schemaId(value)));
    }

    /**
     * Returns a line about the fields of a value that are ignored, because no event of this version has them; null for
     * none. Fields of its schema, whether they have values or not. Asks the registry as {@link #prepare}.
     *
     * @throws RejectedException if the value cannot be decoded, as {@link #decode} does
     * @throws RegistryUnavailableException if the registry does not answer
     */
    public String ignoredFields(byte[] value) {
        return isJson(value) ? null : writer(schemaId(value)).ignored;
    }

    /** The examples of the last value that has several. */
    public ExampleList examples() {
        return examples;
    }

    /** The last command that was read. */
    public ModelCommand command() {
        return command;
    }

    /** The last chunk of weights that was read. */
    public WeightsChunk weights() {
        return weights;
    }

    /** The last label without an example that was read. */
    public LabelEvent label() {
        return label;
    }

    /**
     * Sets the place of the record that is decoded next, for subclasses.
     *
     * @param offset from which an example without an id has its id
     * @param eventTime in ms
     */
    public void at(long offset, long eventTime) {}

    /** Creates a decoder of the same registry, so that objects filled by this one can stay in use. */
    public InputDecoder another() {
        return new InputDecoder(registry, nanoTime);
    }

    private static int schemaId(byte[] value) {
        if (value.length == 0) {
            throw new RejectedException(RejectReason.EMPTY_VALUE, "value must be an event, got no bytes");
        }
        if (value[0] == WireFormat.GUID) {
            throw new RejectedException(
                    RejectReason.UNKNOWN_FORMAT,
                    "value must start with byte 0 and a schema id, or '{' or '[' (JSON), got byte 1, which stands for a schema"
                            + " GUID (" + WireFormat.REMEDY + ")");
        }
        if (value[0] != WireFormat.MAGIC) {
            throw new RejectedException(
                    RejectReason.UNKNOWN_FORMAT,
                    "value must start with byte 0 (Avro in the Confluent wire format), '{' or '[' (JSON), got "
                            + ForeignBytes.value(value));
        }
        if (value.length < WireFormat.HEADER) {
            throw new RejectedException(
                    RejectReason.TRUNCATED_HEADER,
                    "value must start with byte 0 and a schema id of 4 bytes, got " + value.length + " bytes in all");
        }
        int id = WireFormat.schemaId(value);
        // one comparison for the ids of most registries
        String fault = (id & ~0xff) == 0 ? ForeignBytes.wideId(value, id) : null;
        if (fault != null) {
            throw new RejectedException(RejectReason.UNKNOWN_FORMAT, fault);
        }
        return id;
    }

    private Writer writer(int id) {
        if (lastWriter == null || id != lastId) {
            Writer known = writers.get(id);
            if (known == null) {
                known = writerOf(id);
                if (writers.size() < MAX_CACHED_SCHEMAS) {
                    writers.put(id, known);
                }
            }
            lastWriter = known;
            lastId = id;
        }
        return lastWriter;
    }

    private Writer writerOf(int id) {
        String known = incompatible.get(id);
        if (known != null) {
            throw new RejectedException(RejectReason.INCOMPATIBLE_SCHEMA, known);
        }
        Schema schema = schema(id);
        String fault = SchemaSize.fault(schema);
        if (fault != null) {
            throw incompatible(id, "schema id " + id + " must " + fault);
        }
        for (Kind kind : Kind.values()) {
            Schema own = own(kind);
            if (schema.getType() == Schema.Type.RECORD && schema.getName().equals(own.getName())) {
                int branches = kind == Kind.EXAMPLE ? ExampleDecoder.readableBranches(schema) : 0;
                if (branches > 0) {
                    return new Writer(kind, null, branches, null);
                }
                UnknownFields unknownFields = UnknownFields.of(schema, own);
                if (unknownFields.fault() != null && kind != Kind.WEIGHTS) {
                    throw incompatible(id, "schema id " + id + " must " + unknownFields.fault());
                }
                String ignored = ignored(unknownFields.ignored(), own.getName(), id);
                if (ignored != null) {
                    LOG.warn("{}", ignored);
                }
                if (kind == Kind.WEIGHTS) {
                    return new Writer(kind, new SchemaResolver(schema, WeightsSnapshot.class), 0, ignored);
                }
                boolean isOwn =
                        SchemaNormalization.toParsingForm(schema).equals(SchemaNormalization.toParsingForm(own));
                return new Writer(
                        kind, isOwn ? null : new SchemaResolver(schema, own), ExampleDecoder.ALL_BRANCHES, ignored);
            }
        }
        throw incompatible(
                id,
                "schema id " + id
                        + " must be a version of Example, ExampleBatch, Label, ModelCommand or WeightsSnapshot, got "
                        + schema.getFullName());
    }

    private static String ignored(List<String> fields, String event, int id) {
        return fields.isEmpty()
                ? null
                : "fields " + fields + " of " + event + " with schema id " + id
                        + " are ignored: this version does not know them (values to learn from belong into features)";
    }

    /** Keeps the fault: the schema of an id never changes. */
    private RejectedException incompatible(int id, String message) {
        if (incompatible.size() < MAX_CACHED_SCHEMAS) {
            incompatible.put(id, message);
        }
        return new RejectedException(RejectReason.INCOMPATIBLE_SCHEMA, message);
    }

    private Schema schema(int id) {
        if (id < 0) {
            // some registries refuse the question, which would look like an outage
            throw new RejectedException(RejectReason.UNKNOWN_SCHEMA, "schema id must be at least 1, got " + id);
        }
        Unknown known = unknown.get(id);
        if (known != null && nanoTime.getAsLong() - known.since < UNKNOWN_NANOS) {
            throw new RejectedException(RejectReason.UNKNOWN_SCHEMA, known.message);
        }
        try {
            return registry.schema(id);
        } catch (UnknownSchemaException e) {
            if (unknown.size() >= MAX_CACHED_SCHEMAS) {
                unknown.clear();
            }
            unknown.put(id, new Unknown(e.getMessage(), nanoTime.getAsLong()));
            throw new RejectedException(RejectReason.UNKNOWN_SCHEMA, e.getMessage());
        }
    }

    private static Schema own(Kind kind) {
        return EventSchemas.schema(
                switch (kind) {
                    case EXAMPLE -> "Example";
                    case EXAMPLES -> "ExampleBatch";
                    case LABEL -> "Label";
                    case COMMAND -> "ModelCommand";
                    case WEIGHTS -> "WeightsSnapshot";
                });
    }

    private ModelCommand command(byte[] bytes) {
        int action = in.readInt();
        ModelCommand.Action[] actions = ModelCommand.Action.values();
        if (action < 0 || action >= actions.length) {
            throw in.malformed("action must be one of " + actions.length + " symbols, got number " + action);
        }
        Map<String, String> settings = new LinkedHashMap<>();
        for (int left = in.readBlockCount(2); left > 0; left = in.next(left, 2)) {
            String name = string(bytes);
            settings.put(name, string(bytes));
        }
        in.end();
        return new ModelCommand(actions[action], settings);
    }

    private String string(byte[] bytes) {
        int start = in.skipString();
        return new String(bytes, start, in.position() - start, StandardCharsets.UTF_8);
    }

    private static JsonNode tree(byte[] value, List<String> known) {
        JsonNode event;
        try (JsonParser json = JsonInput.parser(value, 0, value.length)) {
            event = TREE.readValue(json);
        } catch (IOException e) {
            throw JsonFault.rejected(e);
        }
        event.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                throw new RejectedException(
                        RejectReason.MALFORMED_JSON, JsonFault.unknownField(List.of(name), name, known));
            }
        });
        return event;
    }

    private static WeightsChunk weights(JsonNode event) {
        try {
            return SnapshotDecoder.chunk(
                    (WeightsSnapshot) EventSchemas.CLASSES.deepCopy(WEIGHTS, JsonEvents.fromJson(event, WEIGHTS)));
        } catch (IllegalArgumentException e) {
            throw new RejectedException(RejectReason.MALFORMED_JSON, shortened(String.valueOf(e.getMessage())));
        }
    }

    /**
     * Reads a command in JSON.
     *
     * @throws RejectedException if it is invalid
     */
    static ModelCommand jsonCommand(byte[] value) {
        JsonNode event = tree(value, List.of("action", "settings"));
        ModelCommand.Action action;
        try {
            action = ModelCommand.Action.valueOf(event.path("action").asText().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new RejectedException(
                    RejectReason.INVALID_COMMAND,
                    "action must be one of " + Arrays.toString(ModelCommand.Action.values()) + ", got "
                            + shortened(event.path("action").toString()));
        }
        Map<String, String> settings = new LinkedHashMap<>();
        JsonNode given = event.path("settings");
        if (!given.isMissingNode() && !given.isObject()) {
            throw malformed("settings must be an object", given);
        }
        given.properties().forEach(setting -> {
            if (!setting.getValue().isValueNode() || setting.getValue().isNull()) {
                throw malformed("settings must be strings, numbers or booleans", setting.getValue());
            }
            settings.put(setting.getKey(), setting.getValue().asText());
        });
        return new ModelCommand(action, settings);
    }

    private static RejectedException malformed(String rule, JsonNode got) {
        return new RejectedException(RejectReason.MALFORMED_JSON, rule + ", got " + shortened(got.toString()));
    }

    private static String shortened(String text) {
        return Utf8Slice.shortened(text, 200);
    }
}
