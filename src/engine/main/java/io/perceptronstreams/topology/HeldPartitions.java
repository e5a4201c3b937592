package io.perceptronstreams.topology;

import io.perceptronstreams.log.RecordDispatcher;
import io.perceptronstreams.serde.WireFormat;
import io.perceptronstreams.topology.SchemaLookups.Lookup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Partitions whose next record has a schema id for which the registry has no answer yet: they are paused in front of
 * that record, while the other partitions of the stream thread go on.
 *
 * <p>Nothing of such a record has reached Kafka Streams: the consumer stands in front of it, and so does the offset
 * that Kafka Streams commits. If the consumer fetches the record again, as after a rebalance, the same question
 * is asked again. Kafka Streams pauses partitions, too, while their models are restored and where its queue is full; a
 * partition is resumed when neither reason is left.
 *
 * <p>Belongs to the consumer of one stream thread; not thread-safe.
 */
final class HeldPartitions {
    /**
     * Maximum wait of the stream thread for an answer, before it pauses the partition; a registry in order needs less.
     */
    private static final long FIRST_WAIT_MS = 200;

    /** Maximum time of a poll while a partition is held, so that it is resumed soon after the answer. */
    private static final Duration MAX_POLL = Duration.ofMillis(100);

    private final SchemaLookups lookups;
    private final Input input;
    private final Map<TopicPartition, Lookup> held = new HashMap<>();
    private final Set<TopicPartition> pausedByStreams = new HashSet<>();

    /** An id with an answer; most records have that of the record before. */
    private int lastId;

    /** The consumer itself. */
    interface Input {
        void seek(TopicPartition partition, OffsetAndMetadata offset);

        void pause(Collection<TopicPartition> partitions);

        void resume(Collection<TopicPartition> partitions);
    }

    HeldPartitions(SchemaLookups lookups, Input input) {
        this.lookups = lookups;
        this.input = input;
    }

    /** Returns the records in front of the first one of each partition that must wait, and pauses these partitions. */
    ConsumerRecords<byte[], byte[]> admit(ConsumerRecords<byte[], byte[]> polled) {
        Map<TopicPartition, Integer> ends = null;
        for (TopicPartition partition : polled.partitions()) {
            List<ConsumerRecord<byte[], byte[]>> records = polled.records(partition);
            int end = endOfReadable(partition, records);
            if (end < records.size()) {
                ends = ends == null ? new HashMap<>() : ends;
                ends.put(partition, end);
            }
        }
        return ends == null ? polled : cut(polled, ends);
    }

    private int endOfReadable(TopicPartition partition, List<ConsumerRecord<byte[], byte[]>> records) {
        for (int k = 0; k < records.size(); k++) {
            byte[] value = records.get(k).value();
            if (value != null && WireFormat.hasHeader(value)) {
                int id = WireFormat.schemaId(value);
                if (id != lastId && !isReadable(partition, records.get(k), id)) {
                    return k;
                }
            }
        }
        return records.size();
    }

    /** Returns true if the registry has answered, or is not asked. */
    private boolean isReadable(TopicPartition partition, ConsumerRecord<byte[], byte[]> record, int id) {
        if (lookups.isAnswered(id)) {
            lastId = id;
            return true;
        }
        if (!RecordDispatcher.asksForSchema(record, lookups.partitions())) {
            return true;
        }
        drop(partition);
        Lookup lookup = lookups.ask(id, "partition " + partition.partition() + " at offset " + record.offset());
        if (isAnsweredSoon(lookup)) {
            return true;
        }
        held.put(partition, lookup);
        input.seek(partition, place(record));
        input.pause(Set.of(partition));
        return false;
    }

    private static boolean isAnsweredSoon(Lookup lookup) {
        try {
            lookup.answer().get(FIRST_WAIT_MS, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException | ExecutionException | CancellationException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static OffsetAndMetadata place(ConsumerRecord<?, ?> record) {
        return new OffsetAndMetadata(record.offset(), record.leaderEpoch(), "");
    }

    private static ConsumerRecords<byte[], byte[]> cut(
            ConsumerRecords<byte[], byte[]> polled, Map<TopicPartition, Integer> ends) {
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> records = new LinkedHashMap<>();
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>(polled.nextOffsets());
        for (TopicPartition partition : polled.partitions()) {
            List<ConsumerRecord<byte[], byte[]>> all = polled.records(partition);
            int end = ends.getOrDefault(partition, all.size());
            if (end > 0) {
                records.put(partition, all.subList(0, end));
            }
            if (end < all.size()) {
                // Kafka Streams commits this offset once the records before it are processed
                next.put(partition, place(all.get(end)));
            }
        }
        return new ConsumerRecords<>(records, next);
    }

    /** Returns the time limit of the next poll. */
    Duration limit(Duration timeout) {
        return held.isEmpty() || timeout.compareTo(MAX_POLL) < 0 ? timeout : MAX_POLL;
    }

    /** Resumes the partitions for whose records there is an answer; before each poll. */
    void release(Set<TopicPartition> assignment) {
        for (Iterator<Map.Entry<TopicPartition, Lookup>> each = held.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<TopicPartition, Lookup> hold = each.next();
            if (!assignment.contains(hold.getKey())) {
                hold.getValue().cancel();
                each.remove();
            } else if (hold.getValue().isAnswered()) {
                each.remove();
                resumeUnlessPaused(hold.getKey());
            }
        }
    }

    private void resumeUnlessPaused(TopicPartition partition) {
        if (!pausedByStreams.contains(partition)) {
            input.resume(Set.of(partition));
        }
    }

    /** Pauses partitions for Kafka Streams. */
    void pause(Collection<TopicPartition> partitions) {
        pausedByStreams.addAll(partitions);
        input.pause(partitions);
    }

    /** Resumes partitions for Kafka Streams; those that are held stay paused. */
    void resume(Collection<TopicPartition> partitions) {
        pausedByStreams.removeAll(partitions);
        List<TopicPartition> free = new ArrayList<>(partitions);
        free.removeAll(held.keySet());
        input.resume(free);
    }

    /** Ends the hold of partitions whose position Kafka Streams changes: the records are fetched again. */
    void sought(Collection<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            if (drop(partition)) {
                resumeUnlessPaused(partition);
            }
        }
    }

    /** Forgets partitions that go to another consumer, or come back with another position. */
    void revoked(Collection<TopicPartition> partitions) {
        partitions.forEach(this::drop);
        pausedByStreams.removeAll(partitions);
    }

    private boolean drop(TopicPartition partition) {
        Lookup lookup = held.remove(partition);
        if (lookup != null) {
            lookup.cancel();
        }
        return lookup != null;
    }
}
