package io.perceptronstreams.log;

import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.streams.errors.TaskCorruptedException;

/**
 * Reads the examples topic independently of Kafka Streams. Offsets are counted from the base of the
 * {@linkplain io.perceptronstreams.serde.Generation generation}. Thread-safe.
 */
public interface InputLog extends InputRecords, AutoCloseable {
    /** Id of the topic; it changes if the topic is deleted and created again. */
    Uuid topicId();

    /** First offset of the partition. */
    long firstOffset(int partition);

    /**
     * Committed offset of the engine's consumer group in the topic, if there is one, with what Kafka Streams stores
     * with it; not counted from the base of the generation.
     */
    Optional<OffsetAndMetadata> committed(int partition);

    /** Returns true if the group has given the partition to another member than the calling stream thread. */
    boolean hasOtherOwner(int partition);

    /**
     * Returns true if the changelog has lost the models of a partition. To be called only if the restored store is
     * empty: then the records were deleted, or the topic is a new one.
     *
     * @throws TaskCorruptedException if the store must be restored again, because records of the changelog may have
     *     been committed after it was restored
     */
    boolean isChangelogLost(int partition);

    /** Returns true if the next generation of the topics is complete: it has all models of this one. */
    default boolean isMoved() {
        return false;
    }

    @Override
    void close();
}
