package io.perceptronstreams.monitor;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

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
record DeadLetter(
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

    public static DeadLetter of(ConsumerRecord<byte[], byte[]> record) {
        return new DeadLetter(
                text(record.key(), MAX_KEY),
                record.partition(),
                record.offset(),
                record.timestamp(),
                header(record, "perceptron-reason"),
                header(record, "__streams.errors.message"),
                header(record, "__streams.errors.topic"),
                number(header(record, "__streams.errors.partition")),
                number(header(record, "__streams.errors.offset")),
                record.value() == null ? 0 : record.value().length);
    }

    /** The last one: a record that was itself a dead letter once has older ones before it. */
    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        Header found = record.headers().lastHeader(name);
        return found == null ? null : text(found.value(), Truncation.MAX_TEXT);
    }

    private static String text(byte[] bytes, int max) {
        if (bytes == null) {
            return null;
        }
        // an UTF-8 character has at most 4 bytes: what is cut here would be cut below
        int length = Math.min(bytes.length, 4 * max + 4);
        return Truncation.text(new String(bytes, 0, length, StandardCharsets.UTF_8), max);
    }

    private static Long number(String text) {
        return text == null || !text.matches("-?\\d{1,18}") ? null : Long.valueOf(text);
    }
}
