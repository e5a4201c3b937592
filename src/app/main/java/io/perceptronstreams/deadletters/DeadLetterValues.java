package io.perceptronstreams.deadletters;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.UnknownSchemaException;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.ExampleList;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.serde.WireFormat;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.DecoderFactory;

/** Decodes rejected values as far as possible, in the form of the lines that {@code perceptron produce} reads. */
public final class DeadLetterValues {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** Fields of records that JSON does not have: of DenseVector and NamedFeatures, of FeatureMap. */
    private static final Set<String> UNNAMED = Set.of("values", "named");

    /** Field of an ExampleBatch. */
    private static final String EXAMPLES = "examples";

    private static final FeatureHasher ANY = new FeatureHasher(1);

    private final SchemaRegistry registry;
    private final InputDecoder decoder;

    /** @param registry for the schemas of values in Avro; closed by the caller */
    public DeadLetterValues(SchemaRegistry registry) {
        this.registry = registry;
        this.decoder = new InputDecoder(registry);
    }

    /**
     * Returns a value as one JSON object on one line, or an array of several examples, null for one that cannot be
     * decoded; empty if it is neither JSON nor Avro of a known schema.
     *
     * @throws RegistryException if the registry does not answer
     */
    public Optional<String> json(byte[] value) {
        List<byte[]> examples = examples(value);
        if (examples.size() == 1) {
            return object(examples.get(0));
        }
        return Optional.of(
                examples.stream().map(each -> object(each).orElse("null")).collect(Collectors.joining(",", "[", "]")));
    }

    /**
     * Returns the values of records with one example each; the value itself if it does not have several.
     *
     * @throws RegistryException if the registry does not answer
     */
    public List<byte[]> examples(byte[] value) {
        if (value != null && (ExampleList.isArray(value) || WireFormat.hasHeader(value))) {
            try {
                if (decoder.decode(value, ANY, new Example()) == InputDecoder.Kind.EXAMPLES) {
                    ExampleList examples = decoder.examples();
                    return IntStream.range(0, examples.size())
                            .mapToObj(examples::value)
                            .toList();
                }
            } catch (RejectedException e) {
                // not several examples
            }
        }
        return Collections.singletonList(value);
    }

    private Optional<String> object(byte[] value) {
        try {
            if (value == null || value.length == 0) {
                return Optional.empty();
            }
            if (value[0] == '{') {
                JsonNode tree = JSON.readTree(value);
                return tree.isObject() ? Optional.of(JSON.writeValueAsString(tree)) : Optional.empty();
            }
            return WireFormat.hasHeader(value) ? Optional.of(avro(value)) : Optional.empty();
        } catch (IOException | AvroRuntimeException | IndexOutOfBoundsException | UnknownSchemaException e) {
            return Optional.empty();
        }
    }

    private String avro(byte[] value) throws IOException {
        var reader = new GenericDatumReader<GenericRecord>(registry.schema(WireFormat.schemaId(value)));
        GenericRecord event = reader.read(
                null,
                DecoderFactory.get().binaryDecoder(value, WireFormat.HEADER, value.length - WireFormat.HEADER, null));
        // of an ExampleBatch of one, the example
        Object examples = event.hasField(EXAMPLES) ? event.get(EXAMPLES) : null;
        IndexedRecord shown = examples instanceof List<?> one && one.size() == 1 ? (IndexedRecord) one.get(0) : event;
        return EventFormat.json(json -> {
            for (Schema.Field field : shown.getSchema().getFields()) {
                json.writeFieldName(field.name());
                EventJson.write(json, plain(shown.get(field.pos())));
            }
        });
    }

    /** In JSON, a dense vector and named features are their values without a name. */
    private static Object plain(Object value) {
        return value instanceof IndexedRecord features
                        && features.getSchema().getFields().size() == 1
                        && UNNAMED.contains(
                                features.getSchema().getFields().get(0).name())
                ? features.get(0)
                : value;
    }
}
