package io.perceptronstreams.cluster;

import io.perceptronstreams.config.EngineConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads partitions of topics from here to there, committed records only; stores no offsets on the cluster.
 *
 * <p>{@link #toEnd} looks up the partitions; one that is added later is not read. Where the next record was
 * deleted, a scan continues with the oldest one. All reads but {@link #poll} end with a {@link TimeoutException} if no
 * record arrives for a minute: a consumer would wait without end. Not thread-safe, but for {@link #wakeup}.
 */
public final class TopicScan implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(500);

    /** Default time-out of Kafka's clients for other answers. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Time without a record after which the brokers are asked for, and asked for again. */
    private static final Duration CHECK = Duration.ofSeconds(4);

    private static final Duration CHECK_AGAIN = Duration.ofSeconds(1);

    private static final int API_TIMEOUT_MS = 10_000;

    private final Consumer<byte[], byte[]> consumer;
    private final List<String> topics;
    private List<TopicPartition> partitions = List.of();
    private Duration patience = PATIENCE;
    private Duration beforeNote = PATIENCE;
    private Runnable note = () -> {};
    private java.util.function.Consumer<Gap> gaps = gap -> {};

    // null if the scan waits for brokers that have gone
    private Supplier<List<String>> brokers;
    private long lastCheck = System.nanoTime();
    private boolean isGone;

    /**
     * Records of a partition that were deleted before they were read.
     *
     * @param next offset of the oldest record, with which the scan continues
     */
    public record Gap(TopicPartition partition, long offset, long next) {
        @Override
        public String toString() {
            return partition + "@" + offset + " was deleted before it was read (continuing with the oldest record, "
                    + next + ")";
        }
    }

    /**
     * Creates a scan that has no partitions before {@link #toEnd} or {@link #from}. Asks no broker.
     *
     * @param consumer closed with this object; its poll throws where the next record was deleted
     */
    public TopicScan(Consumer<byte[], byte[]> consumer, List<String> topics) {
        this.consumer = consumer;
        this.topics = topics;
    }

    /**
     * Starts after the last record of each partition.
     *
     * @throws StartupException if no broker accepts connections, or a topic does not exist
     */
    public static TopicScan open(EngineConfig config, String... topics) {
        BrokerCheck.require(config);
        return open(consumer(config, null), topics).requiringBrokers(() -> BrokerCheck.faults(config));
    }

    /** Like {@link #open(EngineConfig, String...)}; closes the consumer if it fails. */
    public static TopicScan open(Consumer<byte[], byte[]> consumer, String... topics) {
        TopicScan scan = new TopicScan(consumer, List.of(topics));
        try {
            return scan.toEnd();
        } catch (RuntimeException e) {
            scan.close();
            throw e;
        }
    }

    /**
     * Creates a consumer of committed records, whose poll throws an {@link OffsetOutOfRangeException} where the next
     * one was deleted.
     *
     * @param group whose offsets it may read, joined only by subscribing; null for none
     */
    public static Consumer<byte[], byte[]> consumer(EngineConfig config, String group) {
        return consumer(config, group, API_TIMEOUT_MS);
    }

    /** Like {@link #consumer(EngineConfig, String)}, but waits for answers as long as Kafka's clients by default. */
    public static Consumer<byte[], byte[]> patientConsumer(EngineConfig config) {
        return consumer(config, null, (int) PATIENCE.toMillis());
    }

    /** Creates a consumer like {@link #consumer(EngineConfig, String)}, but of aborted records, too. */
    public static Consumer<byte[], byte[]> uncommitted(EngineConfig config) {
        Map<String, Object> properties = properties(config, API_TIMEOUT_MS);
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
        return new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static Consumer<byte[], byte[]> consumer(EngineConfig config, String group, int apiTimeoutMs) {
        Map<String, Object> properties = properties(config, apiTimeoutMs);
        if (group != null) {
            properties.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        }
        return new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Settings of a consumer of committed records without a group. */
    private static Map<String, Object> properties(EngineConfig config, int apiTimeoutMs) {
        Map<String, Object> properties = new HashMap<>();
        properties.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, apiTimeoutMs);
        properties.putAll(config.clients("consumer."));
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        properties.remove(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
        properties.remove(ConsumerConfig.GROUP_ID_CONFIG);
        return properties;
    }

    /**
     * Requires that another topic exists.
     *
     * @throws StartupException if it does not
     */
    public TopicScan require(String topic) {
        partitions(topic);
        return this;
    }

    private List<TopicPartition> partitions(String topic) {
        List<PartitionInfo> found = consumer.partitionsFor(topic);
        if (found == null || found.isEmpty()) {
            throw noTopic(topic);
        }
        return found.stream()
                .map(each -> new TopicPartition(topic, each.partition()))
                .sorted((a, b) -> Integer.compare(a.partition(), b.partition()))
                .toList();
    }

    /** Failure of a command that needs a topic. */
    public static StartupException noTopic(String topic) {
        return new StartupException(
                List.of("topic " + topic + " must exist, got none (perceptron topics create creates it)"));
    }

    /**
     * Looks up the partitions and seeks to their ends.
     *
     * @throws StartupException if a topic does not exist
     */
    public TopicScan toEnd() {
        List<TopicPartition> found = new ArrayList<>();
        topics.forEach(topic -> found.addAll(partitions(topic)));
        partitions = List.copyOf(found);
        consumer.assign(partitions);
        consumer.seekToEnd(partitions);
        // resolves the ends now instead of at the first poll: records sent from here on must be read
        partitions.forEach(consumer::position);
        return this;
    }

    /** Seeks to the oldest records. */
    public TopicScan fromBeginning() {
        consumer.seekToBeginning(partitions);
        return this;
    }

    /** Reads one partition from an offset instead. */
    public TopicScan from(TopicPartition partition, long offset) {
        partitions = List.of(partition);
        consumer.assign(partitions);
        consumer.seek(partition, offset);
        return this;
    }

    /** Calls {@code gaps} where records were deleted before they were read. */
    public TopicScan reportingGaps(java.util.function.Consumer<Gap> gaps) {
        this.gaps = gaps;
        return this;
    }

    /**
     * Ends a read with a {@link StartupException} within seconds when the brokers have gone, for which a consumer waits
     * without end.
     *
     * @param check returns a line if no broker accepts connections, otherwise none; asked where no records come
     */
    public TopicScan requiringBrokers(Supplier<List<String>> check) {
        brokers = check;
        return this;
    }

    /** Sets the time without a record after which a read fails. */
    public TopicScan waiting(Duration patience) {
        this.patience = patience;
        return this;
    }

    /** Calls {@code note} once in each wait of this length for a record. */
    public TopicScan noting(Duration wait, Runnable note) {
        beforeNote = wait;
        this.note = note;
        return this;
    }

    public List<TopicPartition> partitions() {
        return partitions;
    }

    /** Offsets of the oldest records. */
    public Map<TopicPartition, Long> beginnings() {
        return consumer.beginningOffsets(partitions);
    }

    /** Offsets after the last committed records. */
    public Map<TopicPartition, Long> ends() {
        return consumer.endOffsets(partitions);
    }

    /** Waits up to 500 ms for records; empty if there are none. */
    public ConsumerRecords<byte[], byte[]> poll() {
        try {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
            checkBrokers(!records.isEmpty());
            return records;
        } catch (OffsetOutOfRangeException e) {
            consumer.seekToBeginning(e.partitions());
            e.offsetOutOfRangePartitions()
                    .forEach((partition, offset) ->
                            gaps.accept(new Gap(partition, offset, consumer.position(partition))));
            return ConsumerRecords.empty();
        }
    }

    /** Asks for the brokers twice before it believes that they have gone. */
    private void checkBrokers(boolean hasRecords) {
        long now = System.nanoTime();
        if (hasRecords) {
            lastCheck = now;
            isGone = false;
        } else if (brokers != null && now - lastCheck >= (isGone ? CHECK_AGAIN : CHECK).toNanos()) {
            lastCheck = now;
            List<String> faults = brokers.get();
            if (isGone && !faults.isEmpty()) {
                throw new StartupException(faults);
            }
            isGone = !faults.isEmpty();
        }
    }

    /** Ends a {@link #poll()} with a {@code WakeupException}; the only thread-safe method. */
    public void wakeup() {
        consumer.wakeup();
    }

    /** Reads from the beginning to the end at the time of the call; the last batch may contain later records, too. */
    public void readAll(java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> each) {
        fromBeginning().readTo(ends(), () -> false, each);
    }

    /**
     * Reads the last records of each partition to the end as of the call.
     *
     * @param count maximum number per partition; fewer where transactions end, which take offsets, too
     * @return partitions that have older ones, too
     */
    public Set<TopicPartition> readLast(long count, java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> each) {
        Map<TopicPartition, Long> starts = beginnings();
        Map<TopicPartition, Long> ends = ends();
        ends.forEach((partition, end) -> consumer.seek(partition, Math.max(starts.get(partition), end - count)));
        readTo(ends, () -> false, each);
        Set<TopicPartition> cut = new HashSet<>();
        ends.forEach((partition, end) -> {
            if (end - count > starts.get(partition)) {
                cut.add(partition);
            }
        });
        return cut;
    }

    /**
     * Reads from the current positions; records that arrive together with the last one are passed, too.
     *
     * @param isStopped asked after each poll
     * @return false if stopped before {@code ends}
     */
    public boolean readTo(
            Map<TopicPartition, Long> ends,
            BooleanSupplier isStopped,
            java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> each) {
        StallCheck stall = new StallCheck();
        // compares positions, not offsets of records: transaction markers at the end are not returned by poll
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            if (stall.hasPolled && isStopped.getAsBoolean()) {
                return false;
            }
            poll().forEach(each);
            stall.check();
        }
        return true;
    }

    /**
     * Reads a part of one partition; afterwards, the scan has its former partitions and positions again.
     *
     * @param visitor returns false to stop; may read another part itself
     * @return the offset after the last visited record
     */
    public long read(TopicPartition partition, long from, long to, Predicate<ConsumerRecord<byte[], byte[]>> visitor) {
        Map<TopicPartition, Long> interrupted = new HashMap<>();
        consumer.assignment().forEach(each -> interrupted.put(each, consumer.position(each)));
        try {
            consumer.assign(List.of(partition));
            consumer.seek(partition, from);
            StallCheck stall = new StallCheck();
            while (consumer.position(partition) < to) {
                for (ConsumerRecord<byte[], byte[]> record : poll()) {
                    if (record.offset() >= to) {
                        return to;
                    }
                    if (!visitor.test(record)) {
                        return record.offset() + 1;
                    }
                }
                stall.check();
            }
            return Math.max(from, to);
        } finally {
            consumer.assign(interrupted.keySet());
            interrupted.forEach(consumer::seek);
        }
    }

    /** Ends a read where no record arrives any more. */
    private final class StallCheck {
        private long position = -1;
        private long since;
        private boolean hasPolled;
        private boolean isNoted;

        /** To be called after each poll; O(partitions). */
        void check() {
            hasPolled = true;
            Set<TopicPartition> assigned = consumer.assignment();
            long sum = assigned.stream().mapToLong(consumer::position).sum();
            long now = System.nanoTime();
            if (sum != position) {
                position = sum;
                since = now;
                isNoted = false;
            } else if (now - since >= patience.toNanos()) {
                Set<String> names = new TreeSet<>();
                assigned.forEach(partition -> names.add(partition.topic()));
                throw new TimeoutException(
                        "no record of " + String.join(", ", names) + " for " + patience.toSeconds() + " s");
            } else if (!isNoted && now - since >= beforeNote.toNanos()) {
                isNoted = true;
                note.run();
            }
        }
    }

    @Override
    public void close() {
        consumer.close();
    }
}
