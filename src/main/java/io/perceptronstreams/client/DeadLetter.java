package io.perceptronstreams.client;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * What the headers of a dead letter say of the record that could not be used.
 *
 * @param reason the code; null where a header is missing, here as below
 * @param message what was wrong
 * @param topic where the record came from
 * @param sourcePartition its partition there
 * @param sourceOffset its offset there
 */
public record DeadLetter(String reason, String message, String topic, Long sourcePartition, Long sourceOffset) {

    public static DeadLetter of(ConsumerRecord<byte[], byte[]> record) {
        return new DeadLetter(
                text(record, "perceptron-reason"),
                text(record, "__streams.errors.message"),
                text(record, "__streams.errors.topic"),
                number(record, "__streams.errors.partition"),
                number(record, "__streams.errors.offset"));
    }

    /** Whether it is the record that lay there. */
    public boolean isOf(String sourceTopic, int partition, long offset) {
        return sourceTopic.equals(topic)
                && Long.valueOf(partition).equals(sourcePartition)
                && Long.valueOf(offset).equals(sourceOffset);
    }

    public static String json(ConsumerRecord<byte[], byte[]> record) {
        return EventFormat.json(json -> {
            EventFormat.writePlace(record, json);
            of(record).write(json);
            json.writeStringField(
                    "valueBase64",
                    record.value() == null ? null : Base64.getEncoder().encodeToString(record.value()));
        });
    }

    private void write(JsonGenerator json) throws IOException {
        json.writeStringField("reason", reason);
        json.writeStringField("message", message);
        json.writeStringField("topic", topic);
        json.writeObjectField("sourcePartition", sourcePartition);
        json.writeObjectField("sourceOffset", sourceOffset);
    }

    public static String text(ConsumerRecord<byte[], byte[]> record) {
        DeadLetter letter = of(record);
        return EventFormat.place(record) + "  " + letter.reason + "  from " + letter.topic + "-"
                + letter.sourcePartition + "@" + letter.sourceOffset + "  " + letter.message;
    }

    private static String text(ConsumerRecord<byte[], byte[]> record, String header) {
        // The last one: a record that was itself a dead letter once has older ones before it.
        Header found = record.headers().lastHeader(header);
        return found == null || found.value() == null ? null : new String(found.value(), StandardCharsets.UTF_8);
    }

    private static Long number(ConsumerRecord<byte[], byte[]> record, String header) {
        String text = text(record, header);
        return text == null || !text.matches("-?\\d{1,18}") ? null : Long.valueOf(text);
    }
}
