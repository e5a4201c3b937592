package io.perceptronstreams.topology;

import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Outputs for one topic that Kafka Streams handles as one record, as an {@link InputBatch}; {@link GuardedProducer}
 * sends each of them.
 *
 * <p>The batch is in a header, which Kafka Streams passes on by reference. Key and time of the record are those of the
 * first output. The outputs belong to the batch.
 */
record OutputBatch(List<Record<byte[], byte[]>> outputs) implements Header {
    private static final String KEY = "perceptron-output-batch";

    /** Returns the record that stands for the outputs; a single one stands for itself. */
    static Record<byte[], byte[]> of(List<Record<byte[], byte[]>> outputs) {
        Record<byte[], byte[]> first = outputs.get(0);
        if (outputs.size() == 1) {
            return first;
        }
        Record<byte[], byte[]> all = new Record<>(first.key(), null, first.timestamp());
        all.headers().add(new OutputBatch(outputs));
        return all;
    }

    /** Returns the batch with these headers; null if they are those of an output. */
    static OutputBatch in(Headers headers) {
        return headers.lastHeader(KEY) instanceof OutputBatch batch ? batch : null;
    }

    @Override
    public String key() {
        return KEY;
    }

    /** Nothing: the outputs are not serialized here. */
    @Override
    public byte[] value() {
        return null;
    }
}
