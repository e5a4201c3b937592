package io.perceptronstreams.topology;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The producer of a stream thread, where Kafka Streams 4.3.1 would lose records, write for a partition that another engine has, or
 * end the engine although a new producer could go on.
 *
 * <p>It commits nothing without an offset; see {@link OpenWork}. And it says that it is fenced, upon which Kafka Streams makes a
 * new producer, closes all tasks of the thread, and begins at the last commit,
 *
 * <ul>
 *   <li>at a commit of records whose outputs were aborted; see {@link OpenWork}
 *   <li>at a commit or abort of a transaction that the broker has already aborted because it lasted too long: some brokers then
 *       say that its state is invalid, which Kafka Streams takes for a fault of the program
 *   <li>after a commit or abort without an answer, which a producer would have to repeat before all else, and Kafka Streams
 *       does not. Such a producer does not wait for brokers when it is closed: the next one ends its transaction.
 * </ul>
 */
final class GuardedProducer extends KafkaProducer<byte[], byte[]> {
    /** Why it is not known how the present transaction has ended; null if it has not, or that is known. */
    private TimeoutException unanswered;

    GuardedProducer(Map<String, Object> config) {
        super(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public void beginTransaction() {
        requireAnswered();
        super.beginTransaction();
    }

    @Override
    public void sendOffsetsToTransaction(
            Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata groupMetadata) {
        requireNothingLost();
        // by either the brokers check that this is still a member of the group
        super.sendOffsetsToTransaction(offsets.isEmpty() ? OpenWork.ofThread().resumed() : offsets, groupMetadata);
    }

    @Override
    public void commitTransaction() {
        requireNothingLost();
        end(super::commitTransaction);
        OpenWork.ofThread().committed();
    }

    @Override
    public void abortTransaction() {
        // also if that fails: the brokers will do it
        OpenWork.ofThread().aborted();
        requireAnswered();
        end(super::abortTransaction);
    }

    private void end(Runnable transaction) {
        try {
            transaction.run();
            unanswered = null;
        } catch (TimeoutException e) {
            unanswered = e;
            throw e;
        } catch (KafkaException e) {
            // what follows the first failure has it as its cause
            if (e instanceof InvalidTxnStateException || e.getCause() instanceof InvalidTxnStateException) {
                throw new ProducerFencedException("the broker has ended the transaction: processed again");
            }
            // others may last, such as that of a topic that was deleted: the engine ends and says why
            throw e;
        }
    }

    @Override
    public void close() {
        if (unanswered == null) {
            super.close();
        } else {
            close(Duration.ZERO);
        }
    }

    private void requireAnswered() {
        if (unanswered != null) {
            throw new ProducerFencedException(
                    "the end of a transaction had no answer (" + unanswered.getMessage() + "): processed again");
        }
    }

    private static void requireNothingLost() {
        if (!OpenWork.ofThread().lost().isEmpty()) {
            throw new ProducerFencedException("outputs of partitions "
                    + OpenWork.ofThread().lost() + " were aborted with those of another task: processed again");
        }
    }
}
