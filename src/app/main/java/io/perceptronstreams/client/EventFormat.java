package io.perceptronstreams.client;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.serde.EventJson;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Formats records of the output topics as lines of JSON or text. */
public final class EventFormat {
    /** Fields with the text of another one. */
    private static final Set<String> COPIES = Set.of("labelText", "predictedText");

    private static final ObjectMapper RECORDS = new ObjectMapper(EventJson.WRITER);

    /** Writes the fields of a JSON object. */
    public interface Fields {
        void write(JsonGenerator json) throws IOException;
    }

    private EventFormat() {}

    /**
     * One JSON object: model, partition, offset, timestamp, then the event's fields. The event's partition and offset,
     * which are its example's, become {@code sourcePartition} and {@code sourceOffset}, because names must be unique.
     */
    public static String json(ConsumerRecord<byte[], byte[]> record, IndexedRecord event) {
        return json(generator -> writeFields(record, event, generator));
    }

    /** Writes the fields of an event and its record. */
    static void writeFields(ConsumerRecord<byte[], byte[]> record, IndexedRecord event, JsonGenerator json)
            throws IOException {
        writePosition(record, json);
        EventJson.writeFields(json, event, EventFormat::uniqueName);
    }

    /**
     * The fields of an event as one JSON object, with the names that {@link #json(ConsumerRecord, IndexedRecord)} gives
     * them.
     */
    public static String json(IndexedRecord event) {
        return json(generator -> EventJson.writeFields(generator, event, EventFormat::uniqueName));
    }

    /** The components of a record as one JSON object on one line. */
    public static String json(Record values) {
        try {
            return RECORDS.writeValueAsString(values);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A JSON object on one line. */
    public static String json(Fields fields) {
        StringWriter line = new StringWriter();
        writeJson(line, fields);
        return line.toString();
    }

    /** Like {@link #json(Fields)}, but writes to a stream instead of memory. */
    static void writeJson(Writer out, Fields fields) {
        try (JsonGenerator json =
                EventJson.WRITER.createGenerator(out).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
            json.writeStartObject();
            fields.write(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String uniqueName(String field) {
        return switch (field) {
            case "partition" -> "sourcePartition";
            case "offset" -> "sourceOffset";
            default -> field;
        };
    }

    public static void writePosition(ConsumerRecord<byte[], byte[]> record, JsonGenerator json) throws IOException {
        json.writeStringField("model", model(record));
        json.writeNumberField("partition", record.partition());
        json.writeNumberField("offset", record.offset());
        json.writeNumberField("timestamp", record.timestamp());
    }

    /** Time, model, position and {@code field=value} of all fields that have a value. */
    public static String text(ConsumerRecord<byte[], byte[]> record, IndexedRecord event) {
        StringBuilder line = new StringBuilder(position(record));
        for (Schema.Field field : event.getSchema().getFields()) {
            Object value = event.get(field.pos());
            if (value != null && !COPIES.contains(field.name())) {
                line.append("  ").append(field.name()).append('=').append(text(field, value));
            }
        }
        return line.toString();
    }

    public static String position(ConsumerRecord<byte[], byte[]> record) {
        return Instant.ofEpochMilli(record.timestamp()) + "  " + model(record) + "  " + record.partition() + "@"
                + record.offset();
    }

    private static String text(Schema.Field field, Object value) {
        // an Instant in an object of a generated class, a number in a generic record
        boolean isNumber = field.schema().getLogicalType() != null && value instanceof Long;
        return isNumber ? Instant.ofEpochMilli((Long) value).toString() : text(value);
    }

    /** Formats a value; doubles are rounded to six digits, other than in JSON. */
    public static String text(Object value) {
        return value instanceof Double number ? String.format(Locale.ROOT, "%.6g", number) : String.valueOf(value);
    }

    /** Returns the record's key; null if it has none. */
    public static String model(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null ? null : new String(record.key(), StandardCharsets.UTF_8);
    }
}
