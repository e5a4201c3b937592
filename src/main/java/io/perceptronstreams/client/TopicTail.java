package io.perceptronstreams.client;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.topology.BrokerCheck;
import io.perceptronstreams.topology.StartupException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** Reads all partitions of topics, committed records only; stores no offsets on the cluster. */
public final class TopicTail implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(500);

    private final Consumer<byte[], byte[]> consumer;
    private final List<TopicPartition> partitions;
    private final Duration patience;
    private java.util.function.Consumer<String> gaps = line -> {};

    /**
     * Starts after the last record of each partition.
     *
     * @param consumer closed with this object, also if the constructor fails
     * @throws CommandFailedException if a topic does not exist
     */
    public TopicTail(Consumer<byte[], byte[]> consumer, List<String> topics) {
        this(consumer, topics, StallCheck.PATIENCE);
    }

    TopicTail(Consumer<byte[], byte[]> consumer, List<String> topics, Duration patience) {
        this.consumer = consumer;
        this.patience = patience;
        try {
            this.partitions = topics.stream()
                    .flatMap(topic -> partitions(consumer, topic).stream())
                    .toList();
            consumer.assign(partitions);
            consumer.seekToEnd(partitions);
            // resolves the end now instead of at the first poll: records sent from here on must be read
            partitions.forEach(consumer::position);
        } catch (RuntimeException e) {
            consumer.close();
            throw e;
        }
    }

    /**
     * Starts after the last record of each partition.
     *
     * @throws StartupException if no broker accepts connections
     */
    public static TopicTail open(EngineConfig config, String... topics) {
        BrokerCheck.require(config);
        return new TopicTail(KafkaClients.strictConsumer(config), List.of(topics));
    }

    private static List<TopicPartition> partitions(Consumer<byte[], byte[]> consumer, String topic) {
        List<PartitionInfo> found = consumer.partitionsFor(topic);
        if (found == null || found.isEmpty()) {
            throw KafkaClients.noTopic(topic);
        }
        return found.stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .toList();
    }

    /** Seeks to the oldest records. */
    public TopicTail fromBeginning() {
        consumer.seekToBeginning(partitions);
        return this;
    }

    /** Passes a line to {@code gaps} where records were deleted before they were read. */
    public TopicTail reportingGaps(java.util.function.Consumer<String> gaps) {
        this.gaps = gaps;
        return this;
    }

    /** Waits up to 500 ms for records; empty if there are none. Goes on with the oldest one where the next was deleted. */
    public ConsumerRecords<byte[], byte[]> poll() {
        try {
            return consumer.poll(POLL);
        } catch (OffsetOutOfRangeException e) {
            consumer.seekToBeginning(e.partitions());
            e.offsetOutOfRangePartitions()
                    .forEach((partition, offset) -> gaps.accept(partition + "@" + offset
                            + " was deleted before it was read (going on with the oldest record, "
                            + consumer.position(partition) + ")"));
            return ConsumerRecords.empty();
        }
    }

    /** Ends a {@link #poll()} with a {@code WakeupException}; the only thread-safe method. */
    public void wakeup() {
        consumer.wakeup();
    }

    /**
     * Reads from the beginning to the end as of the call.
     *
     * @throws CommandFailedException if no record arrives for a minute
     */
    public void readAll(java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> each) {
        fromBeginning();
        readTo(consumer.endOffsets(partitions), each);
    }

    /**
     * Reads the last records of each partition to the end as of the call.
     *
     * @param count maximum number per partition; fewer where transactions end, which take offsets, too
     * @throws CommandFailedException if no record arrives for a minute
     */
    void readLast(long count, java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> each) {
        Map<TopicPartition, Long> starts = consumer.beginningOffsets(partitions);
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        ends.forEach((partition, end) -> consumer.seek(partition, Math.max(starts.get(partition), end - count)));
        readTo(ends, each);
    }

    private void readTo(
            Map<TopicPartition, Long> ends, java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> each) {
        StallCheck stall = new StallCheck(consumer, patience);
        while (isBefore(ends)) {
            poll().forEach(each);
            stall.check();
        }
    }

    private boolean isBefore(Map<TopicPartition, Long> ends) {
        return partitions.stream().anyMatch(partition -> consumer.position(partition) < ends.get(partition));
    }

    List<TopicPartition> partitions() {
        return partitions;
    }

    /**
     * Reads from the present position to {@code ends}; returns false if not all of it is committed by the deadline.
     *
     * @param deadline in {@link System#nanoTime}
     */
    boolean readTo(
            Map<TopicPartition, Long> ends,
            long deadline,
            java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> each) {
        boolean isLate = false;
        while (isBefore(ends)) {
            if (isLate) {
                return false;
            }
            poll().forEach(each);
            isLate = System.nanoTime() - deadline >= 0;
        }
        return true;
    }

    @Override
    public void close() {
        consumer.close();
    }
}
