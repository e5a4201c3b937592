package io.perceptronstreams.embedded;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import org.apache.avro.Schema;

/** Parses Avro schemas; their {@link Schema#toString()} is the text that the registry stores and compares. */
final class SchemaParser {
    private static final ObjectMapper SORTED =
            new ObjectMapper().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

    private SchemaParser() {}

    /**
     * Parses a schema.
     *
     * @throws RegistryError 422 if it is invalid
     */
    static Schema parse(String text) {
        try {
            return new Schema.Parser().parse(text);
        } catch (RuntimeException | StackOverflowError e) {
            // not only AvroRuntimeException: an unknown order is an IllegalArgumentException, for example
            throw RegistryError.invalidSchema(e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    /** Returns the schema with its custom properties in alphabetical order; Avro writes its own keys in a fixed one. */
    static Schema normalize(Schema schema) {
        try {
            return parse(SORTED.writeValueAsString(SORTED.readValue(schema.toString(), Object.class)));
        } catch (JsonProcessingException e) {
            throw RegistryError.invalidSchema(e.getOriginalMessage());
        }
    }
}
