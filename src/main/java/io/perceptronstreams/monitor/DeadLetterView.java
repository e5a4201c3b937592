package io.perceptronstreams.monitor;

import io.perceptronstreams.serde.DeadLetter;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A record that could not be used, without its value.
 *
 * @param model the record's key as text, whatever it is; null if it had none
 * @param timestamp event time in ms
 * @param reason the code of what was wrong
 * @param message the same in words
 * @param sourcePartition its partition of the examples topic; null where the header is missing, as below
 * @param valueBytes length of the value that was kept
 */
record DeadLetterView(
        String model,
        int partition,
        long offset,
        long timestamp,
        String reason,
        String message,
        String sourceTopic,
        Long sourcePartition,
        Long sourceOffset,
        int valueBytes) {
    private static final int MAX_KEY = 128;

    static DeadLetterView of(ConsumerRecord<byte[], byte[]> record) {
        DeadLetter letter = DeadLetter.of(record.headers());
        return new DeadLetterView(
                key(record.key()),
                record.partition(),
                record.offset(),
                record.timestamp(),
                Truncation.text(letter.reason(), Truncation.MAX_TEXT),
                Truncation.text(letter.message(), Truncation.MAX_TEXT),
                Truncation.text(letter.topic(), Truncation.MAX_TEXT),
                letter.sourcePartition(),
                letter.sourceOffset(),
                record.value() == null ? 0 : record.value().length);
    }

    private static String key(byte[] bytes) {
        if (bytes == null) {
            return null;
        }
        // an UTF-8 character has at most 4 bytes: what is cut here would be cut below
        int length = Math.min(bytes.length, 4 * MAX_KEY + 4);
        return Truncation.text(new String(bytes, 0, length, StandardCharsets.UTF_8), MAX_KEY);
    }
}
