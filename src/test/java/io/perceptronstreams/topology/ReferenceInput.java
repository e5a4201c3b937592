package io.perceptronstreams.topology;

import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.Model;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * A record of the input topic, with the model that it is for.
 *
 * @param isNew the model does not exist before this record
 * @param part number of the example, from 0, in a record of several; {@link InputRecord#WHOLE} for a record with one event
 */
record ReferenceInput(
        ConsumerRecord<byte[], byte[]> record, String name, Model model, boolean isRerouted, boolean isNew, int part) {
    /** The place of the record, with that of the example in it. */
    String place() {
        return record.partition() + "@" + record.offset() + (part == InputRecord.WHOLE ? "" : "#" + part);
    }

    long timestamp() {
        return record.timestamp();
    }

    void countRerouted() {
        if (isRerouted) {
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
