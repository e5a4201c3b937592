package io.perceptronstreams.log;

import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.serde.Generation;
import io.perceptronstreams.serde.Topic;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.TaskCorruptedException;
import org.apache.kafka.streams.processor.TaskId;

/**
 * Reads the examples topic from the brokers with a read-committed consumer without a group.
 *
 * <p>Waits for brokers that are away, for a limited time: a process without free file handles cannot connect, either.
 * After the limit of its {@link Patience} without an answer every method ends with its failure, in an engine a
 * {@link StreamsException}.
 */
public final class KafkaInputLog implements InputLog {
    private static final long PAUSE_MS = 200;

    private final EngineConfig config;
    private final BooleanSupplier isStopping;
    private final Patience patience;
    private final Admin admin;
    private final Uuid topicId;
    // Ends of changelogs from which empty stores were restored, by partition.
    private final Map<Integer, Long> restoredChangelogs = new ConcurrentHashMap<>();

    /**
     * Connects and reads the topic's id, with the patience of an engine.
     *
     * @param isStopping returns true when a read must be aborted
     */
    public KafkaInputLog(EngineConfig config, BooleanSupplier isStopping) {
        this(config, isStopping, Patience.ofEngine(config));
    }

    /** Connects and reads the topic's id. */
    KafkaInputLog(EngineConfig config, BooleanSupplier isStopping, Patience patience) {
        this.config = config;
        this.isStopping = isStopping;
        this.patience = patience;
        this.admin = Admin.create(config.admin());
        String topic = config.topic(Topic.EXAMPLES);
        try {
            topicId = call(() -> admin.describeTopics(List.of(topic))
                    .allTopicNames()
                    .get()
                    .get(topic)
                    .topicId());
        } catch (RuntimeException e) {
            admin.close();
            throw e;
        }
    }

    @Override
    public Uuid topicId() {
        return topicId;
    }

    @Override
    public long firstOffset(int partition) {
        TopicPartition place = place(partition);
        return config.generation()
                .offset(call(() -> admin.listOffsets(Map.of(place, OffsetSpec.earliest()))
                        .partitionResult(place)
                        .get()
                        .offset()));
    }

    @Override
    public Optional<OffsetAndMetadata> committed(int partition) {
        TopicPartition place = place(partition);
        String group = config.applicationId();
        // wait for open transactions, which may commit a later offset
        return Optional.ofNullable(call(() -> admin.listConsumerGroupOffsets(
                        Map.of(group, new ListConsumerGroupOffsetsSpec().topicPartitions(List.of(place))),
                        new ListConsumerGroupOffsetsOptions().requireStable(true))
                .partitionsToOffsetAndMetadata(group)
                .get()
                .get(place)));
    }

    @Override
    public boolean hasOtherOwner(int partition) {
        String group = config.applicationId();
        // Kafka Streams appends the number of the thread; brokers may have the client id of an earlier process
        String thread = Thread.currentThread().getName();
        Optional<String> member = config.groupInstanceId().map(id -> id + thread.substring(thread.lastIndexOf('-')));
        return call(() -> admin.describeConsumerGroups(List.of(group))
                        .describedGroups()
                        .get(group)
                        .get())
                .members()
                .stream()
                .filter(each -> !each.groupInstanceId().equals(member))
                .anyMatch(each -> each.assignment().topicPartitions().contains(place(partition)));
    }

    @Override
    public boolean isMoved() {
        EngineConfig next = config.at(config.generation().next(), Map.of());
        // committed by the last transaction of the move
        return !call(() -> EngineGroup.committed(admin, next)).isEmpty();
    }

    @Override
    public boolean isChangelogLost(int partition) {
        TopicPartition place = new TopicPartition(config.changelog(), partition);
        Map<TopicPartition, Long> ends = ends(config.changelog(), IsolationLevel.READ_UNCOMMITTED);
        long end = ends.get(place);
        if (end == 0) {
            return ends.values().stream().allMatch(each -> each == 0);
        }
        // a broker that was away may still have to write the end of a transaction whose offsets are committed
        long start = System.nanoTime();
        long readable;
        while ((readable =
                        ends(config.changelog(), IsolationLevel.READ_COMMITTED).get(place))
                < end) {
            requireNotLate(start, place + " must be readable up to offset " + end, null);
            pause();
        }
        Long restored = restoredChangelogs.put(partition, readable);
        if (restored == null || restored != readable) {
            throw new TaskCorruptedException(Set.of(new TaskId(0, partition)));
        }
        return true;
    }

    /**
     * Waits for the transactions that are open now, so that all those can be read that were committed before.
     *
     * @return present ends of the partitions of a topic
     */
    Map<TopicPartition, Long> readableEnds(String topic) {
        Map<TopicPartition, Long> ends = ends(topic, IsolationLevel.READ_UNCOMMITTED);
        long start = System.nanoTime();
        while (true) {
            Map<TopicPartition, Long> readable = ends(topic, IsolationLevel.READ_COMMITTED);
            if (ends.keySet().stream().allMatch(each -> readable.get(each) >= ends.get(each))) {
                return ends;
            }
            requireNotLate(start, topic + " must be readable up to its end", null);
            pause();
        }
    }

    private Map<TopicPartition, Long> ends(String topic, IsolationLevel isolation) {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        call(() -> admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic))
                .partitions()
                .forEach(each -> latest.put(new TopicPartition(topic, each.partition()), OffsetSpec.latest()));
        Map<TopicPartition, Long> ends = new HashMap<>();
        call(() -> admin.listOffsets(latest, new ListOffsetsOptions(isolation))
                        .all()
                        .get())
                .forEach((place, end) -> ends.put(place, end.offset()));
        return ends;
    }

    private interface Call<T> {
        T get() throws ExecutionException, InterruptedException;
    }

    /** Asks until the brokers answer: one that is slow or restarts must not end the engine. */
    private <T> T call(Call<T> call) {
        long start = System.nanoTime();
        boolean isNoted = false;
        while (true) {
            try {
                return call.get();
            } catch (ExecutionException e) {
                boolean isLasting = !(e.getCause() instanceof RetriableException)
                        || e.getCause() instanceof UnknownTopicOrPartitionException;
                if (isLasting) {
                    throw new StreamsException(
                            "the broker must answer, got: " + e.getCause().getMessage(), e.getCause());
                }
                requireNotLate(start, "the broker must answer", e.getCause());
                if (!isNoted
                        && System.nanoTime() - start >= patience.beforeNote().toNanos()) {
                    isNoted = true;
                    patience.note();
                }
                pause();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw RegistryRetry.StoppedException.ofThread();
            }
        }
    }

    private void requireNotLate(long startNanos, String requirement, Throwable cause) {
        if (System.nanoTime() - startNanos > patience.limit().toNanos()) {
            throw patience.late(requirement, cause);
        }
    }

    private void pause() {
        try {
            Thread.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RegistryRetry.StoppedException.ofThread();
        }
        if (isStopping.getAsBoolean()) {
            throw RegistryRetry.StoppedException.ofThread();
        }
    }

    @Override
    public void read(int partition, long from, long to, Consumer<ConsumerRecord<byte[], byte[]>> sink) {
        read(config, isStopping, patience, partition, from, to, sink);
    }

    /** Reads as {@link #read(int, long, long, Consumer)}, without other questions to the brokers. */
    static void read(
            EngineConfig config,
            BooleanSupplier isStopping,
            Patience patience,
            int partition,
            long from,
            long to,
            Consumer<ConsumerRecord<byte[], byte[]>> sink) {
        TopicPartition place = new TopicPartition(config.topic(Topic.EXAMPLES), partition);
        Generation generation = config.generation();
        long first = generation.inTopic(from);
        long end = generation.inTopic(to);
        String requirement = place + " must be readable from offset " + first + " to " + end;
        try (TopicScan scan = new TopicScan(TopicScan.patientConsumer(config), List.of())
                .waiting(patience.limit())
                .noting(patience.beforeNote(), patience::note)
                .reportingGaps(gap -> {
                    throw new DeletedRecordsException(requirement + ", got: " + gap);
                })) {
            boolean isComplete = scan.from(place, first).readTo(Map.of(place, end), isStopping, record -> {
                if (record.offset() < end) {
                    sink.accept(RecordCopy.at(generation.offset(record.offset()), record));
                }
            });
            if (!isComplete) {
                throw RegistryRetry.StoppedException.ofThread();
            }
        } catch (StreamsException e) {
            throw e;
        } catch (TimeoutException e) {
            throw patience.late(requirement, e);
        } catch (KafkaException e) {
            throw new StreamsException(requirement + ", got: " + e.getMessage(), e);
        }
    }

    private TopicPartition place(int partition) {
        return new TopicPartition(config.topic(Topic.EXAMPLES), partition);
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(1));
    }
}
