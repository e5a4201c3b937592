package io.perceptronstreams.log;

import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.example.RejectedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.processor.api.Record;

/** Copies a rejected record to a dead letter: key, value and headers, plus the headers of {@link DeadLetter}. */
public final class DeadLetterRecord {
    // upper bound for the fields of a batch and a record besides key, value and headers
    private static final int OVERHEAD = 1024;

    private DeadLetterRecord() {}

    /**
     * Creates the dead letter of a record.
     *
     * @param timestamp of the dead letter
     * @param maxBytes a larger dead letter has neither value, key nor original headers, only those of
     *     {@link RecordCopy#omitted} and the position of the original
     */
    public static Record<byte[], byte[]> of(
            ConsumerRecord<byte[], byte[]> record, long timestamp, RejectedException why, int maxBytes) {
        Headers headers = RecordCopy.headers(record.headers());
        headers.remove(EventTime.REFUSED);
        // of a producer: readers would take the record for one of several examples
        headers.remove(DeadLetter.BATCH_INDEX);
        long bytes = bytes(record);
        byte[] key = record.key();
        byte[] value = record.value();
        if (bytes > maxBytes) {
            headers = RecordCopy.omitted(record.headers(), bytes);
            key = null;
            value = null;
        }
        DeadLetter.addTo(headers, why, record.topic(), record.partition(), record.offset());
        return new Record<>(key, value, timestamp, headers);
    }

    /** Upper estimate of the size of a dead letter, in bytes. */
    static long bytes(ConsumerRecord<byte[], byte[]> record) {
        long bytes = OVERHEAD + 4L * DeadLetter.MAX_MESSAGE;
        bytes += record.key() == null ? 0 : record.key().length;
        bytes += record.value() == null ? 0 : record.value().length;
        return bytes + RecordCopy.bytes(record.headers());
    }
}
