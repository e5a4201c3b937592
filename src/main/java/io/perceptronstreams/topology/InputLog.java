package io.perceptronstreams.topology;

import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Uuid;

/** The examples topic, to be read apart from Kafka Streams. Thread-safe. */
interface InputLog extends AutoCloseable {
    /** The id of the topic: another one after it was deleted and created again. */
    Uuid topicId();

    /** First offset that the partition still has. */
    long firstOffset(int partition);

    /** Where the engine's consumer group goes on, if it has committed an offset. */
    OptionalLong committedOffset(int partition);

    /**
     * Whether the changelog has lost what it had of this partition, given that the store restored from it is empty: its records were
     * deleted, or the whole topic is a new one.
     */
    boolean isChangelogLost(int partition);

    /**
     * Reads committed records in their order.
     *
     * @param from first offset
     * @param to offset behind the last one, up to which the partition is known to reach
     */
    void read(int partition, long from, long to, Consumer<ConsumerRecord<byte[], byte[]>> sink);

    @Override
    void close();
}
