package io.perceptronstreams.topology;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The consumer of the input of a stream thread: returns an {@link InputBatch} as one record, and requests {@link DrainedCommits}. */
final class MainConsumer extends KafkaConsumer<byte[], byte[]> {
    private final DrainedCommits commits;
    private final Map<TopicPartition, BatchSize> sizes = new HashMap<>();

    MainConsumer(Map<String, Object> config, DrainedCommits commits) {
        super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        this.commits = commits;
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        return batches(
                commits.poll(this, super::poll, timeout),
                partition -> sizes.computeIfAbsent(partition, unused -> new BatchSize(BatchSize.FIRST_RECORDS)));
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
}
