package io.perceptronstreams.topology;

import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The producer of a stream thread, which does not commit offsets of records whose outputs were aborted; see {@link OpenWork}.
 *
 * <p>It says that it is fenced, upon which Kafka Streams closes all tasks of the thread and begins at the last commit.
 */
final class GuardedProducer extends KafkaProducer<byte[], byte[]> {
    GuardedProducer(Map<String, Object> config) {
        super(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public void sendOffsetsToTransaction(
            Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata groupMetadata) {
        requireNothingLost();
        super.sendOffsetsToTransaction(offsets, groupMetadata);
    }

    @Override
    public void commitTransaction() {
        requireNothingLost();
        super.commitTransaction();
        OpenWork.ofThread().committed();
    }

    @Override
    public void abortTransaction() {
        // also if that fails: the brokers will do it
        OpenWork.ofThread().aborted();
        super.abortTransaction();
    }

    private static void requireNothingLost() {
        if (!OpenWork.ofThread().lost().isEmpty()) {
            throw new ProducerFencedException("outputs of partitions "
                    + OpenWork.ofThread().lost() + " were aborted with those of another task: processed again");
        }
    }
}
