package io.perceptronstreams.serde;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;

/** Reads events of one type, in Avro of any schema version or in JSON, as records of one schema. */
public final class AvroEventReader {
    private static final JsonMapper JSON = new JsonMapper();

    private final Schema schema;
    private final SchemaRegistry registry;
    private final Map<Integer, GenericDatumReader<GenericRecord>> readers = new HashMap<>();
    private BinaryDecoder decoder;

    /** @param schema of the records to return; the writer's schema may be of another version */
    public AvroEventReader(Schema schema, SchemaRegistry registry) {
        this.schema = schema;
        this.registry = registry;
    }

    /**
     * Decodes an event.
     *
     * @throws IllegalArgumentException if {@code value} is not an event of this type; the message has no topic and
     *     offset
     * @throws RegistryException if the registry does not return the writer's schema
     */
    public GenericRecord read(byte[] value) {
        try {
            if (value.length > 0 && value[0] == '{') {
                return JsonEvents.fromJson(JSON.readTree(value), schema);
            }
            GenericDatumReader<GenericRecord> reader = reader(WireFormat.schemaId(value));
            decoder = DecoderFactory.get()
                    .binaryDecoder(value, WireFormat.HEADER, value.length - WireFormat.HEADER, decoder);
            return reader.read(null, decoder);
        } catch (RegistryException e) {
            throw e;
        } catch (IOException | RuntimeException | StackOverflowError e) {
            // Avro throws more than its own exceptions, such as UnsupportedOperationException for a long string
            throw new IllegalArgumentException("value must be a " + schema.getName() + ", got " + e.getMessage(), e);
        }
    }

    private GenericDatumReader<GenericRecord> reader(int schemaId) {
        return readers.computeIfAbsent(schemaId, id -> {
            Schema writer = registry.schema(id);
            String fault = SchemaSize.fault(writer);
            if (fault != null) {
                throw new IllegalArgumentException("schema id " + id + " must " + fault);
            }
            return new GenericDatumReader<>(writer, schema);
        });
    }
}
