package io.perceptronstreams.log;

import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads records of the examples topic again. Thread-safe. */
@FunctionalInterface
public interface InputRecords {
    /**
     * Reads committed records in order.
     *
     * @param from first offset
     * @param to offset behind the last record; at most the end of the partition
     * @throws DeletedRecordsException if some of them were deleted
     */
    void read(int partition, long from, long to, Consumer<ConsumerRecord<byte[], byte[]>> sink);
}
