package io.perceptronstreams.serde;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
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
 * @param <T> class of the events: one of {@code io.perceptronstreams.event}, or {@link GenericRecord} where the topic
 *     decides
 */
public final class EventReader<T extends IndexedRecord> {
    /** End of the name of an event that has several of another type. */
    private static final String BATCH = "Batch";

    private final Schema schema;
    private final GenericData data;
    private final SchemaRegistry registry;
    private final Map<Integer, Reader> readers = new HashMap<>();
    private BinaryDecoder decoder;

    /**
     * Reads the values of one schema id.
     *
     * @param isBatch true if the values have several events
     */
    private record Reader(boolean isBatch, DatumReader<? extends IndexedRecord> values) {}

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
            return event(value);
        } catch (RegistryException e) {
            throw e;
        } catch (IOException | RuntimeException | StackOverflowError e) {
            throw unreadable(e);
        }
    }

    /** Avro throws more than its own exceptions, such as UnsupportedOperationException for a long string. */
    private IllegalArgumentException unreadable(Throwable e) {
        return new IllegalArgumentException("value must be a " + schema.getName() + ", got " + e.getMessage(), e);
    }

    /**
     * Returns true if a value has several events of this type: a JSON array, or an event such as PredictionBatch.
     *
     * @throws RegistryException as {@link #read}
     */
    public boolean isBatch(byte[] value) {
        return ExampleList.isArray(value)
                || (WireFormat.hasHeader(value) && reader(WireFormat.schemaId(value)).isBatch);
    }

    /**
     * Decodes the event or the events of a value.
     *
     * @throws IllegalArgumentException as {@link #read}
     * @throws RegistryException as {@link #read}
     */
    @SuppressWarnings("unchecked") // the only field of a batch
    public List<T> readAll(byte[] value) {
        return isBatch(value) ? (List<T>) readBatch(value).get(0) : List.of(read(value));
    }

    /** Decodes a value that {@link #isBatch} as one event, with the events in its only field. */
    public IndexedRecord readBatch(byte[] value) {
        try {
            return ExampleList.isArray(value) ? batchFromJson(value) : fromAvro(value);
        } catch (RegistryException e) {
            throw e;
        } catch (IOException | RuntimeException | StackOverflowError e) {
            throw unreadable(e);
        }
    }

    @SuppressWarnings("unchecked") // data makes records of class T of this schema
    private T event(byte[] value) throws IOException {
        if (isBatch(value)) {
            throw new IllegalArgumentException("several of them");
        }
        return value.length > 0 && value[0] == '{'
                ? (T) fromJson(EventJson.MAPPER.readTree(value), schema)
                : (T) fromAvro(value);
    }

    private IndexedRecord fromAvro(byte[] value) throws IOException {
        Reader reader = reader(WireFormat.schemaId(value));
        decoder =
                DecoderFactory.get().binaryDecoder(value, WireFormat.HEADER, value.length - WireFormat.HEADER, decoder);
        return reader.values.read(null, decoder);
    }

    private IndexedRecord batchFromJson(byte[] value) throws IOException {
        Schema batch = batch();
        ObjectNode object = EventJson.MAPPER.createObjectNode();
        object.set(batch.getFields().get(0).name(), EventJson.MAPPER.readTree(value));
        return fromJson(object, batch);
    }

    /** Objects of a generated class are read from Avro: its types, such as Instant, are those of one reader then. */
    private IndexedRecord fromJson(JsonNode json, Schema its) throws IOException {
        GenericRecord record = JsonEvents.fromJson(json, its);
        if (!(data instanceof SpecificData specific)) {
            return record;
        }
        byte[] avro = new EventWriter(its, 0).write(record);
        decoder = DecoderFactory.get().binaryDecoder(avro, WireFormat.HEADER, avro.length - WireFormat.HEADER, decoder);
        return new SpecificDatumReader<IndexedRecord>(its, its, specific).read(null, decoder);
    }

    /** Schema of several events of this type. */
    private Schema batch() {
        Schema batch = EventSchemas.schema(schema.getName() + BATCH);
        return data instanceof SpecificData specific ? specific.getSchema(specific.getClass(batch)) : batch;
    }

    private Reader reader(int schemaId) {
        return readers.computeIfAbsent(schemaId, id -> {
            Schema writer = registry.schema(id);
            String fault = SchemaSize.fault(writer);
            if (fault != null) {
                throw new IllegalArgumentException("schema id " + id + " must " + fault);
            }
            boolean isBatch = writer.getName().equals(schema.getName() + BATCH);
            Schema wanted = isBatch ? batch() : schema;
            return new Reader(
                    isBatch,
                    data instanceof SpecificData specific
                            ? new SpecificDatumReader<>(writer, wanted, specific)
                            : new GenericDatumReader<>(writer, wanted));
        });
    }
}
