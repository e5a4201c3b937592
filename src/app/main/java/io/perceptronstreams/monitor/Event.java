package io.perceptronstreams.monitor;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import io.perceptronstreams.serde.EventJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.avro.generic.IndexedRecord;

/**
 * A committed record of an output topic. {@code perceptron watch --json} prints the same JSON.
 *
 * @param timestamp event time in ms
 * @param model key of the record
 * @param value bounded by {@link Truncation}
 * @param <T> class of the event
 */
@JsonSerialize(using = Event.Json.class)
record Event<T extends IndexedRecord>(int partition, long offset, long timestamp, String model, T value) {

    /** The event as a tree. */
    ObjectNode json() {
        return EventJson.MAPPER.valueToTree(this);
    }

    /** The fields of an event as a tree. */
    static ObjectNode json(IndexedRecord value) {
        try (TokenBuffer buffer = new TokenBuffer(EventJson.MAPPER, false)) {
            EventJson.write(buffer, value);
            return EventJson.MAPPER.readTree(buffer.asParser());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void write(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("model", model);
        json.writeNumberField("partition", partition);
        json.writeNumberField("offset", offset);
        json.writeNumberField("timestamp", timestamp);
        EventJson.writeFields(json, value, Event::unique);
        json.writeEndObject();
    }

    /** Renames fields of the event that contain the position of its example: the record has its own position. */
    static String unique(String field) {
        return switch (field) {
            case "partition" -> "sourcePartition";
            case "offset" -> "sourceOffset";
            default -> field;
        };
    }

    static final class Json extends StdSerializer<Event<?>> {
        private static final long serialVersionUID = 1;

        Json() {
            super(Event.class, false);
        }

        @Override
        public void serialize(Event<?> event, JsonGenerator json, SerializerProvider provider) throws IOException {
            event.write(json);
        }
    }
}
