package io.perceptronstreams.log;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Copies a record on a wrong partition for its right one, or one behind a fence for the next generation: key, value,
 * timestamp and headers, plus {@link #HEADER} or {@link #FORWARDED}.
 */
public final class ReroutedRecord {
    /** Header with partition and offset of the original, such as {@code 0@17}. */
    public static final String HEADER = "perceptron-rerouted";

    /**
     * Header with topic, partition and offset of the original behind a fence, such as {@code perceptron-examples-0@17}.
     */
    public static final String FORWARDED = "perceptron-forwarded";

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

    /**
     * Creates the copy of a record behind a fence.
     *
     * @param next prefix of the next generation
     * @param maxBytes maximum size of the copy as a dead letter
     * @throws RejectedException if the record is too large
     */
    public static Record<byte[], byte[]> forwarded(ConsumerRecord<byte[], byte[]> record, String next, int maxBytes) {
        if (DeadLetterRecord.bytes(record) > maxBytes) {
            throw new RejectedException(
                    RejectReason.FENCED,
                    "a record behind a fence must be small enough to be sent on to " + next + ", got one of "
                            + DeadLetterRecord.bytes(record) + " bytes");
        }
        // another pass over the input starts from the same headers
        Record<byte[], byte[]> copy =
                new Record<>(record.key(), record.value(), record.timestamp(), RecordCopy.headers(record.headers()));
        // it may come to another place there, on its own
        copy.headers().remove(HEADER);
        copy.headers().add(FORWARDED, Utils.utf8(record.topic() + "-" + record.partition() + "@" + record.offset()));
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
