package io.perceptronstreams.client;

import io.perceptronstreams.serde.DeadLetter;
import java.util.Base64;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Formats dead letters as lines. */
public final class DeadLetterFormat {
    private DeadLetterFormat() {}

    /** One JSON object: position, reason and the rejected value in base64. */
    public static String json(ConsumerRecord<byte[], byte[]> record) {
        DeadLetter letter = DeadLetter.of(record.headers());
        return EventFormat.json(json -> {
            EventFormat.writePosition(record, json);
            json.writeStringField("reason", letter.reason());
            json.writeStringField("message", letter.message());
            json.writeStringField("topic", letter.topic());
            json.writeObjectField("sourcePartition", letter.sourcePartition());
            json.writeObjectField("sourceOffset", letter.sourceOffset());
            json.writeStringField(
                    "valueBase64",
                    record.value() == null ? null : Base64.getEncoder().encodeToString(record.value()));
        });
    }

    /** Time, model, position, reason, source and message. */
    public static String text(ConsumerRecord<byte[], byte[]> record) {
        DeadLetter letter = DeadLetter.of(record.headers());
        return EventFormat.position(record) + "  " + letter.reason() + "  from " + letter.topic() + "-"
                + letter.sourcePartition() + "@" + letter.sourceOffset() + "  " + letter.message();
    }
}
