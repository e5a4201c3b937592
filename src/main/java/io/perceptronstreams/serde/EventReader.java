package io.perceptronstreams.serde;

import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DatumReader;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificRecord;

/**
 * Reads events of one type, in Avro of any schema version or in JSON. Not thread-safe.
 *
 * @param <T> class of the events: one of {@code io.perceptronstreams.event}, or {@link GenericRecord} where the topic decides
 */
public final class EventReader<T extends IndexedRecord> {
    private final Schema schema;
    private final GenericData data;
    private final SchemaRegistry registry;
    private final Map<Integer, DatumReader<T>> readers = new HashMap<>();
    private BinaryDecoder decoder;

    private EventReader(Schema schema, GenericData data, SchemaRegistry registry) {
        this.schema = schema;
        this.data = data;
        this.registry = registry;
    }

    /** Returns a reader of the events of a class that is generated from {@code schemas/}. */
    public static <T extends SpecificRecord> EventReader<T> of(Class<T> type, SchemaRegistry registry) {
        return new EventReader<>(EventSchemas.CLASSES.getSchema(type), EventSchemas.CLASSES, registry);
    }

    /** Returns a reader of the events of a topic, as objects of their generated class. */
    public static EventReader<SpecificRecord> of(Topic topic, SchemaRegistry registry) {
        SpecificData data = SpecificData.getForSchema(EventSchemas.schema(topic));
        return new EventReader<>(data.getSchema(data.getClass(EventSchemas.schema(topic))), data, registry);
    }

    /** Returns a reader of records of {@code schema}; the writer's schema may be of another version. */
    public static EventReader<GenericRecord> generic(Schema schema, SchemaRegistry registry) {
        return new EventReader<>(schema, GenericData.get(), registry);
    }

    /**
     * Decodes an event.
     *
     * @throws IllegalArgumentException if {@code value} is not an event of this type; the message has no topic and
     *     offset
     * @throws RegistryException if the registry does not return the writer's schema
     */
    public T read(byte[] value) {
        try {
            if (value.length > 0 && value[0] == '{') {
                return fromJson(value);
            }
            DatumReader<T> reader = reader(WireFormat.schemaId(value));
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

    @SuppressWarnings("unchecked") // data makes records of class T of this schema
    private T fromJson(byte[] value) throws IOException {
        GenericRecord record = JsonEvents.fromJson(EventJson.MAPPER.readTree(value), schema);
        return (T) (data instanceof SpecificData ? data.deepCopy(schema, record) : record);
    }

    private DatumReader<T> reader(int schemaId) {
        return readers.computeIfAbsent(schemaId, id -> {
            Schema writer = registry.schema(id);
            String fault = SchemaSize.fault(writer);
            if (fault != null) {
                throw new IllegalArgumentException("schema id " + id + " must " + fault);
            }
            return data instanceof SpecificData specific
                    ? new SpecificDatumReader<>(writer, schema, specific)
                    : new GenericDatumReader<>(writer, schema);
        });
    }
}
