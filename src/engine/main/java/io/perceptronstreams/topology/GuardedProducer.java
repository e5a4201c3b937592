package io.perceptronstreams.topology;

import io.perceptronstreams.thread.SerialQueue;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.processor.api.Record;

/**
 * The producer of a stream thread, for cases in which Kafka Streams 4.4.0 would lose records, write for a partition
 * that another engine has, or end the engine although a new producer could continue.
 *
 * <p>It sends each output of an {@link OutputBatch} as its own record, large batches in a second thread, which has sent
 * all of them before a commit begins. It commits nothing without an offset; see {@link TransactionTracker}. It throws
 * {@link ProducerFencedException}, at which Kafka Streams creates a new producer, closes all tasks of the thread, and
 * begins at the last commit,
 *
 * <ul>
 *   <li>at a commit of records whose outputs were aborted; see {@link TransactionTracker}
 *   <li>at a commit or abort of a transaction that the broker has already aborted because it lasted too long: some
 *       brokers answer INVALID_TXN_STATE, which {@code StreamsProducer.commitTransaction} and {@code abortTransaction}
 *       treat as fatal, other than INVALID_PRODUCER_EPOCH since KAFKA-10813
 *   <li>after a commit or abort without an answer, which a producer must repeat before it begins a transaction: Kafka
 *       Streams closes the tasks instead ({@code TaskExecutor.commitOffsetsOrTransaction}, KAFKA-9274) and keeps the
 *       producer. Such a producer does not wait for brokers when it is closed: the next one ends its transaction.
 * </ul>
 */
final class GuardedProducer extends KafkaProducer<byte[], byte[]> {
    /**
     * Number of outputs from which on a batch is sent by another thread: to wake it takes as long as to send a few
     * outputs, and what readers wait for at low traffic is sent at once.
     */
    private static final int MIN_QUEUED = 16;

    /** Maximum number of batches, each of up to {@link Outputs#MAX_BYTES}, that wait to be sent. */
    private static final int MAX_QUEUED = 16;

    private final boolean hasSender;

    /** Batches that the sender sends. While there are any, all outputs follow them, and keep their order. */
    private final SerialQueue sends;

    /** Cause of an unknown outcome of the current transaction; otherwise null. */
    private TimeoutException unanswered;

    /** @param hasSender whether another thread sends large batches, for which there should be a processor */
    GuardedProducer(Map<String, Object> config, boolean hasSender) {
        super(config, new ByteArraySerializer(), new ByteArraySerializer());
        this.hasSender = hasSender;
        sends = new SerialQueue("outputs | " + config.get(ProducerConfig.TRANSACTIONAL_ID_CONFIG), MAX_QUEUED);
    }

    /**
     * {@inheritDoc}
     *
     * <p>The callback of a batch gets only the failures of its outputs: with successes Kafka Streams only updates
     * metrics and offsets of changelogs. After a failure no further output is sent.
     *
     * @return null where another thread sends: Kafka Streams does not use it
     */
    @Override
    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
        OutputBatch batch = OutputBatch.in(record.headers());
        boolean isLarge = batch != null && batch.outputs().size() >= MIN_QUEUED;
        if (!hasSender || (!isLarge && sends.isEmpty())) {
            return sendNow(record, batch, callback);
        }
        sends.add(() -> {
            try {
                var unused = sendNow(record, batch, callback);
            } catch (KafkaException e) {
                fail(callback, e);
            }
        });
        return null;
    }

    /** Kafka Streams judges the cause of a failure, and commits nothing after one. */
    private static void fail(Callback callback, KafkaException e) {
        callback.onCompletion(null, e.getCause() instanceof Exception cause ? cause : e);
    }

    private Future<RecordMetadata> sendNow(
            ProducerRecord<byte[], byte[]> record, OutputBatch batch, Callback callback) {
        if (batch == null) {
            return super.send(record, callback);
        }
        // of a topic that is not partitioned by the key of its records
        int partitions =
                record.partition() == null ? 0 : partitionsFor(record.topic()).size();
        Callback failures = (metadata, failure) -> {
            if (failure != null) {
                callback.onCompletion(metadata, failure);
            }
        };
        Future<RecordMetadata> last = null;
        for (Record<byte[], byte[]> output : batch.outputs()) {
            Integer partition = partitions == 0 ? null : LearningTopology.modelPartition(output.key(), partitions);
            try {
                last = sendOutput(record.topic(), partition, output, failures);
            } catch (KafkaException e) {
                if (last == null) {
                    throw e;
                }
                // after the failure of an earlier send, which Kafka Streams may not have seen yet
                fail(callback, e);
                break;
            }
        }
        return last;
    }

    private Future<RecordMetadata> sendOutput(
            String topic, Integer partition, Record<byte[], byte[]> output, Callback callback) {
        return super.send(
                new ProducerRecord<>(
                        topic, partition, output.timestamp(), output.key(), output.value(), output.headers()),
                callback);
    }

    @Override
    public void flush() {
        sends.finish();
        super.flush();
    }

    @Override
    public void beginTransaction() {
        requireAnswered();
        super.beginTransaction();
    }

    @Override
    public void sendOffsetsToTransaction(
            Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata groupMetadata) {
        sends.finish();
        requireNothingLost();
        // by either the brokers check that this is still a member of the group
        super.sendOffsetsToTransaction(
                offsets.isEmpty() ? TransactionTracker.ofThread().resumed() : offsets, groupMetadata);
    }

    @Override
    public void commitTransaction() {
        sends.finish();
        requireNothingLost();
        end(super::commitTransaction);
        TransactionTracker.ofThread().committed();
    }

    @Override
    public void abortTransaction() {
        sends.discard();
        // also if that fails: the brokers will do it
        TransactionTracker.ofThread().aborted();
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
            // others may last, such as a deleted topic: the engine ends with the cause
            throw e;
        }
    }

    @Override
    public void close(Duration timeout) {
        sends.close();
        super.close(timeout);
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
        if (!TransactionTracker.ofThread().lost().isEmpty()) {
            throw new ProducerFencedException(
                    "outputs of partitions " + TransactionTracker.ofThread().lost()
                            + " were aborted with those of another task: processed again");
        }
    }
}
