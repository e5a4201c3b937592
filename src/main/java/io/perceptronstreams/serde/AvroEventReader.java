package io.perceptronstreams.serde;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;

/** Reads events of one kind, Avro of any version in the wire format or JSON, as records of this version's schema. */
public final class AvroEventReader {
    private static final JsonMapper JSON = new JsonMapper();

    private final Schema schema;
    private final SchemaRegistry registry;
    private final Map<Integer, GenericDatumReader<GenericRecord>> readers = new HashMap<>();
    private BinaryDecoder decoder;

    /** @param schema what the events are read as, whatever they were written as */
    public AvroEventReader(Schema schema, SchemaRegistry registry) {
        this.schema = schema;
        this.registry = registry;
    }

    /**
     * The event that {@code value} holds.
     *
     * @throws IllegalArgumentException if it holds none; the message is without topic and offset
     * @throws RegistryException if the writer's schema cannot be had
     */
    public GenericRecord read(byte[] value) {
        try {
            if (value.length > 0 && value[0] == '{') {
                return JsonEvents.fromJson(JSON.readTree(value), schema);
            }
            decoder = DecoderFactory.get()
                    .binaryDecoder(value, WireFormat.HEADER, value.length - WireFormat.HEADER, decoder);
            return reader(WireFormat.schemaId(value)).read(null, decoder);
        } catch (IOException | AvroRuntimeException | IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("value must be a " + schema.getName() + ", got " + e.getMessage(), e);
        }
    }

    private GenericDatumReader<GenericRecord> reader(int schemaId) {
        return readers.computeIfAbsent(schemaId, id -> new GenericDatumReader<>(registry.schema(id), schema));
    }
}
