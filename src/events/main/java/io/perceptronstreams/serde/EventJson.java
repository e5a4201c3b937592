package io.perceptronstreams.serde;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.DecoderFactory;

/**
 * Writes events as plain JSON: fields under their schema names, union values without Avro's type tags.
 *
 * <p>Doubles have the shortest form that parses to the same bits. An infinite one, such as a sum of hinge losses that
 * has overflown, is the largest finite one where the schema requires a number, and null where it allows one.
 */
public final class EventJson {
    /** Writes doubles in the shortest form that reads back to the same bits, unlike Double.toString before JDK 19. */
    public static final JsonFactory WRITER = JsonFactory.builder()
            .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
            .build();

    /** Reads JSON of any kind, and writes it with {@link #WRITER}. */
    public static final JsonMapper MAPPER = new JsonMapper(WRITER);

    /** Avro's objects, with maps that keep the order in which they are read. */
    static final GenericData IN_ORDER = new GenericData() {
        @Override
        public Object newMap(Object old, int size) {
            return new LinkedHashMap<>();
        }
    };

    private EventJson() {}

    /** Converts Avro binary that starts at an offset to one JSON object. */
    static byte[] fromAvro(Schema schema, byte[] avro, int offset) {
        try {
            GenericRecord event = new GenericDatumReader<GenericRecord>(schema, schema, IN_ORDER)
                    .read(null, DecoderFactory.get().binaryDecoder(avro, offset, avro.length - offset, null));
            return bytes(event);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns an event as one JSON object in UTF-8. */
    static byte[] bytes(IndexedRecord event) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = WRITER.createGenerator(bytes)) {
            write(json, event);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Returns an event as one JSON object. */
    public static String text(IndexedRecord event) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = WRITER.createGenerator(text)) {
            write(json, event);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    /** Returns true if a field of two events of one schema is the same in JSON; the order of a map does not count. */
    public static boolean isEqual(IndexedRecord a, IndexedRecord b, String field) {
        try {
            return MAPPER.readTree(text(a))
                    .get(field)
                    .equals(MAPPER.readTree(text(b)).get(field));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Writes the fields of an event without the enclosing braces.
     *
     * @param names maps the name of a field to the name to write
     */
    public static void writeFields(JsonGenerator json, IndexedRecord event, UnaryOperator<String> names)
            throws IOException {
        for (Schema.Field field : event.getSchema().getFields()) {
            json.writeFieldName(names.apply(field.name()));
            Object value = event.get(field.pos());
            boolean isRequiredNumber = field.schema().getType() == Schema.Type.DOUBLE;
            write(json, isRequiredNumber ? saturated((Double) value) : value);
        }
    }

    /** The number that is nearest to an infinity: a null would make the event unreadable where it is not allowed. */
    private static Object saturated(Double value) {
        return value == null ? null : Math.max(-Double.MAX_VALUE, Math.min(Double.MAX_VALUE, value));
    }

    /** Writes a value of an event; null for NaN and infinities, which JSON does not have. */
    public static void write(JsonGenerator json, Object value) throws IOException {
        if (value == null || (value instanceof Double number && !Double.isFinite(number))) {
            json.writeNull();
        } else if (value instanceof IndexedRecord event) {
            json.writeStartObject();
            writeFields(json, event, UnaryOperator.identity());
            json.writeEndObject();
        } else if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                json.writeFieldName(entry.getKey().toString());
                write(json, entry.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof Iterable<?> items) {
            json.writeStartArray();
            for (Object item : items) {
                write(json, item);
            }
            json.writeEndArray();
        } else if (value instanceof Double number) {
            json.writeNumber(number);
        } else if (value instanceof Integer number) {
            json.writeNumber(number);
        } else if (value instanceof Long number) {
            json.writeNumber(number);
        } else if (value instanceof Instant time) {
            json.writeNumber(time.toEpochMilli());
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else {
            // strings and enum symbols: Avro has several classes for them
            json.writeString(value.toString());
        }
    }
}
