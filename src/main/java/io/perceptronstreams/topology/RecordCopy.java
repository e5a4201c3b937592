package io.perceptronstreams.topology;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.processor.api.Record;

/** Copies of records that share key and value and have headers of their own. */
public final class RecordCopy {
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

    /** Copies headers to a mutable object; null gives an empty one. */
    static Headers headers(Headers headers) {
        // Record's constructor is the public way to create Kafka's internal RecordHeaders
        return new Record<>(null, null, 0, headers).headers();
    }

    /** Upper estimate of the size of headers, in bytes. */
    static long bytes(Headers headers) {
        long bytes = 0;
        for (Header header : headers) {
            bytes += 10 + 3L * header.key().length() + (header.value() == null ? 0 : header.value().length);
        }
        return bytes;
    }
}
