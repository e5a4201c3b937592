package io.perceptronstreams.topology;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.log.DeletedRecordsException;
import io.perceptronstreams.log.EngineServices;
import io.perceptronstreams.log.EventTime;
import io.perceptronstreams.log.InputLog;
import io.perceptronstreams.log.RecordCopy;
import io.perceptronstreams.log.RegistryRetry;
import io.perceptronstreams.log.ReplicaPartition;
import io.perceptronstreams.log.RestoreProgress;
import io.perceptronstreams.log.ShutdownBarrier;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventIds;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Generation;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.DiskStore;
import io.perceptronstreams.store.InputPosition;
import io.perceptronstreams.store.StoreCounters;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.MockProcessorContext.CapturedForward;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Runs the engine's processor on an in-memory log, in transactions that are committed or aborted by a kill, with
 * restarts.
 *
 * <p>Replaces Kafka Streams: outputs, store and offset of a transaction become visible together or not at all.
 */
public final class KillableTask implements InputLog, AutoCloseable {
    /** An output: its topic, that of the examples for a record that was sent on, and the record. */
    public record Output(Topic topic, SentRecord record) {}

    public final List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    public final List<Output> committed = new ArrayList<>();
    public final UndoableStore store = new UndoableStore();
    public final SchemaRegistry registry;
    public final EventIds ids;
    public Uuid topicId = Uuid.ONE_UUID;
    long firstOffset;
    public long committedOffset = -1;
    boolean hasOtherOwner;
    boolean isChangelogLost;
    boolean isMoved;
    public int replayed;
    int slices;
    int readsUntilKill = -1;

    /** Offset of a record at which the life ends, in the middle of a batch; -1: none. */
    long killAt = -1;

    long aheadMs = InputPosition.Decisions.DEFAULT_AHEAD_MS;
    public RegistryRetry registryRetry = new RegistryRetry(0);

    private final Path stateDir;
    private final int partition;
    private final int partitions;
    private final UnaryOperator<SchemaRegistry> view;
    private final Map<String, String> settings = new HashMap<>();
    private MockProcessorContext<byte[], byte[]> context;
    private LearnProcessor processor;
    private long next;

    public KillableTask(
            Path stateDir, Map<String, String> settings, int partitions, UnaryOperator<SchemaRegistry> view) {
        this(stateDir, settings, 0, partitions, view);
    }

    /** A task of another partition than the first one. */
    KillableTask(
            Path stateDir,
            Map<String, String> settings,
            int partition,
            int partitions,
            UnaryOperator<SchemaRegistry> view) {
        this.stateDir = stateDir;
        this.partition = partition;
        this.partitions = partitions;
        this.view = view;
        this.settings.put("schema.registry.url", "mock://" + stateDir);
        this.settings.putAll(settings);
        this.registry = SchemaRegistries.of(config().registry());
        this.ids = EventIds.of((topic, event) -> registry.register(event, EventSchemas.schema(event)));
    }

    private EngineConfig config() {
        return EngineConfig.of(settings, Map.of(), null, Map.of());
    }

    /** Has later lives run with another setting. */
    public void set(String key, String value) {
        settings.put(key, value);
    }

    /** Has later lives run without a setting. */
    void unset(String key) {
        settings.remove(key);
    }

    /** Appends a record to the log, a millisecond after the one before it. */
    public void add(String model, String json) {
        add(BadRecord.utf8(model), BadRecord.utf8(json), new RecordHeaders());
    }

    public void add(byte[] key, byte[] value, Headers headers) {
        add(1000 + records.size(), key, value, headers);
    }

    void add(long timestamp, byte[] key, byte[] value, Headers headers) {
        add(records.size(), timestamp, key, value, headers);
    }

    /** Appends a record with an offset that may leave some out, as those of other records of a transaction do. */
    void add(long offset, long timestamp, byte[] key, byte[] value, Headers headers) {
        records.add(record(partition, offset, timestamp, key, value, headers));
    }

    /** Number of records with smaller offsets. */
    private int indexOf(long offset) {
        int from = 0;
        int to = records.size();
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (records.get(middle).offset() < offset) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }

    /** Committed outputs of one topic. */
    public List<SentRecord> committed(Topic topic) {
        return committed.stream()
                .filter(each -> each.topic() == topic)
                .map(Output::record)
                .toList();
    }

    /** Committed events of one topic. */
    List<GenericRecord> events(Topic topic) {
        return committed(topic).stream()
                .map(each -> EngineDriver.decode(registry, each.value()))
                .toList();
    }

    /** Number of the partition of the examples topic. */
    int partition() {
        return partition;
    }

    /** Number of partitions of the examples topic. */
    int partitions() {
        return partitions;
    }

    /** Begins a life where the last commit was. */
    public void start() {
        EngineConfig config = config();
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "perceptron");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:1");
        context = new MockProcessorContext<>(properties, new TaskId(0, partition), stateDir.toFile());
        context.addStateStore(store);
        processor = new LearnProcessor(new EngineServices(
                config,
                view.apply(registry),
                new EngineServices.Limits(partitions, 1 << 20, aheadMs, false),
                ids,
                this,
                registryRetry,
                new ShutdownBarrier(),
                new RestoreProgress(partition -> {}),
                new StoreCounters(),
                System::nanoTime));
        processor.init(context);
        next = committedOffset >= 0 ? committedOffset : firstOffset;
    }

    public boolean isAtEnd() {
        return indexOf(next) == records.size();
    }

    /** Uses the next record of the log. */
    public void step() {
        batch(1);
    }

    /** Uses the next records of the log, at most this number, as one batch. */
    void batch(int count) {
        List<ConsumerRecord<byte[], byte[]>> batch =
                records.subList(indexOf(next), Math.min(records.size(), indexOf(next) + count)).stream()
                        .map(record -> record.offset() == killAt ? new KillingRecord(record) : copy(record))
                        .toList();
        ConsumerRecord<byte[], byte[]> head =
                InputBatch.split(batch, new BatchSize(count)).get(0);
        processor.process(
                new Record<>(null, null, EventTime.of(InputBatch.of(head).first(), aheadMs), head.headers()));
        next = InputBatch.of(head).last().offset() + 1;
    }

    private static final class KillingRecord extends ConsumerRecord<byte[], byte[]> {
        KillingRecord(ConsumerRecord<byte[], byte[]> record) {
            super(record.topic(), record.partition(), record.offset(), record.key(), record.value());
        }

        @Override
        public byte[] key() {
            throw new UndoableStore.Killed();
        }
    }

    /** Number of records forwarded since the last commit. */
    int forwarded() {
        return context.forwarded().size();
    }

    public void checkpoint() {
        processor.checkpoint();
    }

    /** Writes at most this number of models, of those that have changed. */
    void checkpoint(int models) {
        AtomicInteger written = new AtomicInteger();
        processor.checkpoint(() -> written.incrementAndGet() == models);
        slices++;
    }

    void tick() {
        context.scheduledPunctuators().stream()
                .filter(each -> !each.cancelled())
                .forEach(each -> each.getPunctuator().punctuate(0));
    }

    void ticks(int count) {
        for (int k = 0; k < count; k++) {
            tick();
        }
    }

    /** Whether Kafka Streams would still punctuate this task, and so commit without any record. */
    boolean isTicking() {
        return context.scheduledPunctuators().stream().anyMatch(each -> !each.cancelled());
    }

    /** Uses this number of records. */
    public void steps(int count) {
        for (int k = 0; k < count; k++) {
            step();
        }
    }

    public void stepToEnd() {
        while (!isAtEnd()) {
            step();
        }
    }

    /** Writes a checkpoint and commits it. */
    public void commitCheckpoint() {
        checkpoint();
        commit();
    }

    /** Ends this life and begins the next one. */
    void restart() {
        kill();
        start();
    }

    /** A replica of the partition without models. */
    public ReplicaPartition replica(Path directory, SchemaRegistry seen, long heapBytes) {
        return new ReplicaPartition(
                "perceptron-examples",
                topicId,
                0,
                new DiskStore(directory, 1 << 20),
                new InputDecoder(seen),
                new RegistryRetry(0),
                this,
                new StoreCounters(),
                heapBytes);
    }

    /** Makes everything since the last commit last. */
    public void commit() {
        for (CapturedForward<? extends byte[], ? extends byte[]> forward : context.forwarded()) {
            String sink = forward.childName().orElseThrow();
            Topic topic = sink.equals(LearningTopology.REROUTE) || sink.equals(LearningTopology.FORWARD)
                    ? Topic.EXAMPLES
                    : Topic.valueOf(sink.toUpperCase(Locale.ROOT).replace('-', '_'));
            OutputBatch batch = OutputBatch.in(forward.record().headers());
            List<? extends Record<? extends byte[], ? extends byte[]>> outputs =
                    batch == null ? List.of(forward.record()) : batch.outputs();
            outputs.forEach(each -> committed.add(
                    new Output(topic, new SentRecord(each.key(), each.value(), each.timestamp(), each.headers()))));
        }
        context.resetForwards();
        store.commit();
        committedOffset = next;
    }

    /** Loses everything since the last commit. */
    public void kill() {
        store.abort();
        readsUntilKill = -1;
        context.resetForwards();
        processor.close();
    }

    private static ConsumerRecord<byte[], byte[]> copy(ConsumerRecord<byte[], byte[]> record) {
        return record(
                record.partition(),
                record.offset(),
                record.timestamp(),
                record.key(),
                record.value(),
                record.headers());
    }

    /** A record of partition 0 of the examples topic, with a copy of headers. */
    public static ConsumerRecord<byte[], byte[]> record(
            long offset, long timestamp, byte[] key, byte[] value, Headers headers) {
        return record(0, offset, timestamp, key, value, headers);
    }

    private static ConsumerRecord<byte[], byte[]> record(
            int partition, long offset, long timestamp, byte[] key, byte[] value, Headers headers) {
        return new ConsumerRecord<>(
                "perceptron-examples",
                partition,
                offset,
                timestamp,
                TimestampType.CREATE_TIME,
                key == null ? 0 : key.length,
                value == null ? 0 : value.length,
                key,
                value,
                new RecordHeaders(headers),
                Optional.empty());
    }

    @Override
    public Uuid topicId() {
        return topicId;
    }

    @Override
    public long firstOffset(int partition) {
        return firstOffset;
    }

    @Override
    public Optional<OffsetAndMetadata> committed(int partition) {
        return committedOffset < 0 ? Optional.empty() : Optional.of(new OffsetAndMetadata(committedOffset));
    }

    @Override
    public boolean hasOtherOwner(int partition) {
        return hasOtherOwner;
    }

    @Override
    public boolean isMoved() {
        return isMoved;
    }

    @Override
    public boolean isChangelogLost(int partition) {
        return isChangelogLost;
    }

    @Override
    public void read(int partition, long from, long to, Consumer<ConsumerRecord<byte[], byte[]>> sink) {
        if (from < firstOffset) {
            throw new DeletedRecordsException("deleted before offset " + firstOffset);
        }
        Generation generation = config().generation();
        for (int k = indexOf(generation.inTopic(from)); k < indexOf(generation.inTopic(to)); k++) {
            if (readsUntilKill >= 0 && readsUntilKill-- == 0) {
                throw new UndoableStore.Killed();
            }
            replayed++;
            sink.accept(RecordCopy.at(generation.offset(records.get(k).offset()), copy(records.get(k))));
        }
    }

    @Override
    public void close() {
        registry.close();
    }
}
