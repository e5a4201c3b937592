package io.perceptronstreams.monitor;

import io.perceptronstreams.cluster.DeadLetter;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A dead letter without its value.
 *
 * @param model key of the record as text; null without a key
 * @param timestamp event time in ms
 * @param reason code of the fault
 * @param message description of the fault
 * @param sourcePartition partition of the examples topic; like all values from headers, null if the header is missing
 * @param valueBytes length of the value
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
        // a UTF-8 character has at most 4 bytes, so that this limit does not shorten the result
        int length = Math.min(bytes.length, 4 * MAX_KEY + 4);
        return Truncation.text(new String(bytes, 0, length, StandardCharsets.UTF_8), MAX_KEY);
    }
}
