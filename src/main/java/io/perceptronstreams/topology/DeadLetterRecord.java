package io.perceptronstreams.topology;

import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.serde.DeadLetter;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.processor.api.Record;

/** Makes the copy of a refused record: its key, value and headers as they were, and the headers of a {@link DeadLetter}. */
final class DeadLetterRecord {
    // what a batch and a record cost besides key, value and headers, generously
    private static final int OVERHEAD = 1024;

    private DeadLetterRecord() {}

    /**
     * The dead letter of a record.
     *
     * @param maxBytes a larger copy is replaced by one without value, key and original headers: its coordinates lead to the original
     *     as long as the examples topic keeps it
     */
    public static Record<byte[], byte[]> of(
            Record<byte[], byte[]> record,
            RejectedException why,
            String topic,
            int partition,
            long offset,
            int maxBytes) {
        Headers headers = copy(record.headers());
        headers.remove(EventTimeExtractor.REFUSED);
        long bytes = bytes(record);
        byte[] key = record.key();
        byte[] value = record.value();
        if (bytes > maxBytes) {
            headers = copy(null).add(DeadLetter.OMITTED, utf8(Long.toString(bytes)));
            key = null;
            value = null;
        }
        DeadLetter.addTo(headers, why, topic, partition, offset);
        return new Record<>(key, value, record.timestamp(), headers);
    }

    /** A copy of headers that can be changed; of null an empty one. */
    static Headers copy(Headers headers) {
        // the public way to Kafka's own class
        return new Record<>(null, null, 0, headers).headers();
    }

    /** About how many bytes a copy of the record with our headers takes, rather too many than too few. */
    static long bytes(Record<byte[], byte[]> record) {
        long bytes = OVERHEAD + 4L * DeadLetter.MAX_MESSAGE;
        bytes += record.key() == null ? 0 : record.key().length;
        bytes += record.value() == null ? 0 : record.value().length;
        return bytes + bytes(record.headers());
    }

    /** About how many bytes headers take, rather too many than too few. */
    static long bytes(Headers headers) {
        long bytes = 0;
        for (Header header : headers) {
            bytes += 10 + 3L * header.key().length() + (header.value() == null ? 0 : header.value().length);
        }
        return bytes;
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
