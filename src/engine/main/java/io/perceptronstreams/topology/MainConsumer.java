package io.perceptronstreams.topology;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The consumer of the input of a stream thread: returns an {@link InputBatch} as one record, pauses
 * {@link HeldPartitions}, and requests {@link CommitPace}.
 */
final class MainConsumer extends KafkaConsumer<byte[], byte[]> {
    private final CommitPace commits;
    private final HeldPartitions held;
    private final Function<OffsetOutOfRangeException, RuntimeException> outOfRange;
    private final Map<TopicPartition, BatchSize> sizes = new HashMap<>();

    /** @param outOfRange returns what is to be thrown where the next record is not there */
    MainConsumer(
            Map<String, Object> config,
            CommitPace commits,
            SchemaLookups lookups,
            Function<OffsetOutOfRangeException, RuntimeException> outOfRange) {
        super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        this.commits = commits;
        this.held = new HeldPartitions(lookups, new Unwrapped());
        this.outOfRange = outOfRange;
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        held.release(assignment());
        try {
            return batches(
                    held.admit(commits.poll(this, super::poll, held.limit(timeout))),
                    partition -> sizes.computeIfAbsent(partition, unused -> new BatchSize(BatchSize.FIRST_RECORDS)));
        } catch (OffsetOutOfRangeException e) {
            throw outOfRange.apply(e);
        }
    }

    /** Returns the records that stand for the batches of a poll. */
    static ConsumerRecords<byte[], byte[]> batches(
            ConsumerRecords<byte[], byte[]> polled, Function<TopicPartition, BatchSize> sizes) {
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> batches = new LinkedHashMap<>();
        for (TopicPartition partition : polled.partitions()) {
            batches.put(partition, InputBatch.split(polled.records(partition), sizes.apply(partition)));
        }
        return new ConsumerRecords<>(batches, polled.nextOffsets());
    }

    @Override
    public void pause(Collection<TopicPartition> partitions) {
        held.pause(partitions);
    }

    @Override
    public void resume(Collection<TopicPartition> partitions) {
        held.resume(partitions);
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        super.seek(partition, offset);
        held.sought(List.of(partition));
    }

    @Override
    public void seek(TopicPartition partition, OffsetAndMetadata offset) {
        super.seek(partition, offset);
        held.sought(List.of(partition));
    }

    @Override
    public void seekToBeginning(Collection<TopicPartition> partitions) {
        super.seekToBeginning(partitions);
        held.sought(partitions);
    }

    @Override
    public void seekToEnd(Collection<TopicPartition> partitions) {
        super.seekToEnd(partitions);
        held.sought(partitions);
    }

    @Override
    public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
        super.subscribe(topics, new Revocations(listener));
    }

    @Override
    public void subscribe(Pattern topics, ConsumerRebalanceListener listener) {
        super.subscribe(topics, new Revocations(listener));
    }

    /** This consumer without what this class adds. */
    private final class Unwrapped implements HeldPartitions.Input {
        @Override
        public void seek(TopicPartition partition, OffsetAndMetadata offset) {
            MainConsumer.super.seek(partition, offset);
        }

        @Override
        public void pause(Collection<TopicPartition> partitions) {
            MainConsumer.super.pause(partitions);
        }

        @Override
        public void resume(Collection<TopicPartition> partitions) {
            MainConsumer.super.resume(partitions);
        }
    }

    /** Tells {@link HeldPartitions} of partitions that go, before Kafka Streams. */
    private final class Revocations implements ConsumerRebalanceListener {
        private final ConsumerRebalanceListener listener;

        Revocations(ConsumerRebalanceListener listener) {
            this.listener = listener;
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            listener.onPartitionsAssigned(partitions);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            held.revoked(partitions);
            listener.onPartitionsRevoked(partitions);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            held.revoked(partitions);
            listener.onPartitionsLost(partitions);
        }
    }
}
