package io.perceptronstreams.topology;

import io.perceptronstreams.model.Model;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A record of the input topic, with the model that it is for.
 *
 * @param isNew the model does not exist before this record
 */
record ReferenceInput(
        ConsumerRecord<byte[], byte[]> record, String name, Model model, boolean isRerouted, boolean isNew) {
    long timestamp() {
        return record.timestamp();
    }

    void countRerouted() {
        if (isRerouted) {
            model.countRerouted();
        }
    }
}
