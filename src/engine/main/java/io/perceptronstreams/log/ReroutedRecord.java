package io.perceptronstreams.log;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.processor.api.Record;

/** Copies a record on a wrong partition for its right one: key, value, timestamp and headers, plus {@link #HEADER}. */
public final class ReroutedRecord {
    /** Header with partition and offset of the original, such as {@code 0@17}. */
    public static final String HEADER = "perceptron-rerouted";

    private static final String HINT = " (set partitioner=murmur2_random in librdkafka clients)";

    private ReroutedRecord() {}

    /**
     * Creates the copy of a record.
     *
     * @param right its right partition
     * @param maxBytes maximum size of the copy as a dead letter
     * @throws RejectedException if the record was rerouted before, or is too large
     */
    public static Record<byte[], byte[]> of(ConsumerRecord<byte[], byte[]> record, int right, int maxBytes) {
        if (record.headers().lastHeader(HEADER) != null) {
            throw misrouted("a rerouted record", record, right, "");
        }
        if (DeadLetterRecord.bytes(record) > maxBytes) {
            throw misrouted("a record too large to be rerouted", record, right, HINT);
        }
        // not the event time, which the broker may refuse in this topic; it is in the value
        Record<byte[], byte[]> copy = new Record<>(record.key(), record.value(), record.timestamp(), record.headers());
        copy.headers().add(HEADER, Utils.utf8(record.partition() + "@" + record.offset()));
        return copy;
    }

    /** Creates the exception for a record that must not be rerouted. */
    public static RejectedException refused(ConsumerRecord<byte[], byte[]> record, int right) {
        return misrouted("a record", record, right, HINT);
    }

    private static RejectedException misrouted(
            String what, ConsumerRecord<byte[], byte[]> record, int right, String hint) {
        return new RejectedException(
                RejectReason.MISROUTED,
                what + " must be on partition " + right + " by the murmur2 hash of its key, got partition "
                        + record.partition() + hint);
    }
}
