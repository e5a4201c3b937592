package io.perceptronstreams.log;

import io.perceptronstreams.cluster.DeadLetter;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.processor.api.Record;

/** Copies of records that share key and value and have headers of their own. */
public final class RecordCopy {
    private static final List<String> REPLAY = List.of(DeadLetter.REPLAY_OF, DeadLetter.REPLAYS);

    /** Longer than the name of a topic with partition and offset. */
    private static final int MAX_MARK_BYTES = 300;

    private RecordCopy() {}

    /** Copies a record, to which readers add a header if its time is invalid. */
    public static ConsumerRecord<byte[], byte[]> of(ConsumerRecord<?, ?> record) {
        return new ConsumerRecord<>(
                record.topic(),
                record.partition(),
                record.offset(),
                record.timestamp(),
                record.timestampType(),
                record.serializedKeySize(),
                record.serializedValueSize(),
                (byte[]) record.key(),
                (byte[]) record.value(),
                headers(record.headers()),
                record.leaderEpoch());
    }

    /** Returns a record under another offset, with the same key, value and headers. */
    public static ConsumerRecord<byte[], byte[]> at(long offset, ConsumerRecord<byte[], byte[]> record) {
        return offset == record.offset()
                ? record
                : new ConsumerRecord<>(
                        record.topic(),
                        record.partition(),
                        offset,
                        record.timestamp(),
                        record.timestampType(),
                        record.serializedKeySize(),
                        record.serializedValueSize(),
                        record.key(),
                        record.value(),
                        record.headers(),
                        record.leaderEpoch());
    }

    /** Copies headers to a mutable object; null gives an empty one. */
    public static Headers headers(Headers headers) {
        // Record's constructor is the public way to create Kafka's internal RecordHeaders
        return new Record<>(null, null, 0, headers).headers();
    }

    /**
     * Creates headers in place of contents too large to copy: the omission header and the marks of a replay, without
     * which a record that is refused again and again would be sent again for ever.
     *
     * @param bytes size of what is omitted
     */
    public static Headers omitted(Headers original, long bytes) {
        Headers headers = headers(null);
        for (String name : REPLAY) {
            Header mark = original.lastHeader(name);
            if (mark != null && mark.value() != null && mark.value().length <= MAX_MARK_BYTES) {
                headers.add(mark);
            }
        }
        return headers.add(DeadLetter.OMITTED, Utils.utf8(Long.toString(bytes)));
    }

    /** Upper estimate of the size of headers, in bytes. */
    public static long bytes(Headers headers) {
        long bytes = 0;
        for (Header header : headers) {
            bytes += 10 + 3L * header.key().length() + (header.value() == null ? 0 : header.value().length);
        }
        return bytes;
    }
}
