package io.perceptronstreams.topology;

import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.Model;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * A record of the input topic, with the model that it is for.
 *
 * @param rerouted true if the record was rerouted and is not counted as such yet; of all its examples one object
 * @param isNew the model does not exist before this record
 * @param part number of the example, from 0, in a record of several; {@link InputRecord#WHOLE} for a record with one
 *     event
 */
record ReferenceInput(
        ConsumerRecord<byte[], byte[]> record,
        String name,
        Model model,
        AtomicBoolean rerouted,
        boolean isNew,
        int part) {
    /** The place of the record, with that of the example in it. */
    String place() {
        return record.partition() + "@" + record.offset() + (part == InputRecord.WHOLE ? "" : "#" + part);
    }

    long timestamp() {
        return record.timestamp();
    }

    void countRerouted() {
        if (rerouted.getAndSet(false)) {
            model.publications().countRerouted();
        }
    }

    /** A record at the same place, without headers. */
    static ConsumerRecord<byte[], byte[]> at(
            ConsumerRecord<byte[], byte[]> place, long timestamp, byte[] key, byte[] value) {
        return new ConsumerRecord<>(
                place.topic(),
                place.partition(),
                place.offset(),
                timestamp,
                place.timestampType(),
                0,
                0,
                key,
                value,
                new RecordHeaders(),
                place.leaderEpoch());
    }
}
