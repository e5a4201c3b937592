package io.perceptronstreams.client;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.UnknownSchemaException;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.WireFormat;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
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

    private final SchemaRegistry registry;

    /** @param registry for the schemas of values in Avro; closed by the caller */
    public DeadLetterValues(SchemaRegistry registry) {
        this.registry = registry;
    }

    /**
     * Returns a value as one JSON object on one line; empty if it is neither JSON nor Avro of a known schema.
     *
     * @throws RegistryException if the registry does not answer
     */
    public Optional<String> json(byte[] value) {
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
        return EventFormat.json(json -> {
            for (Schema.Field field : event.getSchema().getFields()) {
                json.writeFieldName(field.name());
                EventJson.write(json, plain(event.get(field.pos())));
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
