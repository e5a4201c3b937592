package io.perceptronstreams.topology;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;

/**
 * What an engine adds to the consumer of the input of a stream thread: it returns an {@link InputBatch} as one record,
 * pauses {@link HeldPartitions}, and requests {@link CommitPace}.
 *
 * <p>Not thread-safe.
 */
final class InputPoll {
    private final CommitPace commits;
    private final HeldPartitions held;
    private final Function<OffsetOutOfRangeException, RuntimeException> outOfRange;
    private final Map<TopicPartition, BatchSize> sizes = new HashMap<>();

    /** @param outOfRange returns what is to be thrown where the next record is not there */
    InputPoll(
            CommitPace commits, HeldPartitions held, Function<OffsetOutOfRangeException, RuntimeException> outOfRange) {
        this.commits = commits;
        this.held = held;
        this.outOfRange = outOfRange;
    }

    /** Partitions that wait for an answer of the registry. */
    HeldPartitions held() {
        return held;
    }

    /** Polls a consumer, by its own method. */
    ConsumerRecords<byte[], byte[]> poll(
            Consumer<byte[], byte[]> consumer,
            Function<Duration, ConsumerRecords<byte[], byte[]>> poll,
            Duration timeout) {
        held.release(consumer.assignment());
        try {
            return batches(
                    held.admit(commits.poll(consumer, poll, held.limit(timeout))),
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
}
