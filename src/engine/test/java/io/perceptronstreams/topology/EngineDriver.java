package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.log.EngineServices;
import io.perceptronstreams.log.RegistryRetry;
import io.perceptronstreams.log.RestoreProgress;
import io.perceptronstreams.log.ShutdownBarrier;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventIds;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.serde.WireFormat;
import io.perceptronstreams.store.InputPosition.Decisions;
import io.perceptronstreams.store.ModelStore;
import io.perceptronstreams.store.StoreCounters;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.UnaryOperator;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.test.TestRecord;

/** The whole topology in a test driver with an in-memory registry: bytes in, decoded events out. */
public final class EngineDriver implements AutoCloseable {
    static final int MAX_RECORD_BYTES = 100_000;

    final SchemaRegistry registry;
    final EngineConfig config;
    final StoreCounters counters = new StoreCounters();
    final ShutdownBarrier stop = new ShutdownBarrier();
    private final TopologyTestDriver driver;
    private final TestInputTopic<byte[], byte[]> examples;
    private LearnProcessor processor;
    private long nanoTime;

    public EngineDriver(Path stateDir) {
        this(stateDir, Map.of(), 1);
    }

    /** A driver of partition 0 of {@code partitions}. */
    public EngineDriver(Path stateDir, Map<String, String> settings, int partitions) {
        this(stateDir, settings, partitions, any -> any, new RegistryRetry(0));
    }

    /**
     * A driver whose engine sees the registry through {@code view}.
     *
     * @param registryRetry used while the registry does not answer
     */
    public EngineDriver(
            Path stateDir,
            Map<String, String> settings,
            int partitions,
            UnaryOperator<SchemaRegistry> view,
            RegistryRetry registryRetry) {
        Map<String, String> all = new HashMap<>(settings);
        all.putIfAbsent("schema.registry.url", "mock://" + stateDir);
        all.put("state.dir", stateDir.toString());
        config = EngineConfig.of(all, Map.of(), null, Map.of());
        registry = SchemaRegistries.of(config.registry());
        EventIds ids = EngineRunner.ids(config, registry);
        Properties properties = new Properties();
        properties.putAll(config.streams());
        EngineServices.Limits limits =
                new EngineServices.Limits(partitions, MAX_RECORD_BYTES, Decisions.DEFAULT_AHEAD_MS, false);
        EngineServices services = new EngineServices(
                config,
                view.apply(registry),
                limits,
                ids,
                new EmptyLog(),
                registryRetry,
                stop,
                new RestoreProgress(partition -> {}),
                counters,
                () -> nanoTime);
        Topology topology =
                LearningTopology.build(config, limits.aheadMs(), () -> processor = new LearnProcessor(services));
        driver = new TopologyTestDriver(topology, properties, Instant.EPOCH);
        examples = driver.createInputTopic(
                config.topic(Topic.EXAMPLES), new ByteArraySerializer(), new ByteArraySerializer());
    }

    public void send(String model, String json, long timestamp) {
        send(model.getBytes(StandardCharsets.UTF_8), json.getBytes(StandardCharsets.UTF_8), timestamp);
    }

    public void send(String model, byte[] value, long timestamp) {
        send(model.getBytes(StandardCharsets.UTF_8), value, timestamp);
    }

    public void send(byte[] key, byte[] value, long timestamp) {
        examples.pipeInput(key, value, timestamp);
    }

    void send(TestRecord<byte[], byte[]> record) {
        examples.pipeInput(record);
    }

    /** Sends with any timestamp, also such as the test driver itself would refuse. */
    void send(byte[] key, byte[] value, Headers headers, long timestamp) {
        driver.createInputTopic(
                        config.topic(Topic.EXAMPLES),
                        new ByteArraySerializer(),
                        new ByteArraySerializer(),
                        Instant.ofEpochMilli(timestamp),
                        Duration.ZERO)
                .pipeInput(new TestRecord<>(key, value, headers));
    }

    /** Everything that came out on a topic since the last call. */
    public List<TestRecord<byte[], byte[]>> records(Topic topic) {
        return records(config.topic(topic));
    }

    /** Has the engine write a checkpoint, as it does when no records come any more. */
    public void checkpoint() {
        nanoTime += Duration.ofHours(1).toNanos();
        driver.advanceWallClockTime(LearnProcessor.TICK);
    }

    /** Offset of the first record that a start would learn again. */
    long position() {
        return processor.store().position().next();
    }

    /** Lets quarters of a second pass by the wall clock. */
    void tick(int count) {
        for (int k = 0; k < count; k++) {
            driver.advanceWallClockTime(LearnProcessor.TICK);
        }
    }

    /** Has the engine write a checkpoint, drop all models, and read them back. */
    void reload() {
        checkpoint();
        processor.store().clear();
    }

    /** What checkpoints have written to the changelog of the models since the last call, but not their positions. */
    public List<TestRecord<byte[], byte[]>> changelog() {
        checkpoint();
        return records(config.applicationId() + "-" + LearningTopology.STORE + "-changelog").stream()
                .filter(record -> record.key().length > 1)
                .toList();
    }

    private List<TestRecord<byte[], byte[]>> records(String topic) {
        List<TestRecord<byte[], byte[]>> records = new ArrayList<>();
        driver.createOutputTopic(topic, new ByteArrayDeserializer(), new ByteArrayDeserializer())
                .readRecordsToList()
                .forEach(record -> {
                    OutputBatch batch = OutputBatch.in(record.headers());
                    if (batch == null) {
                        records.add(record);
                    } else {
                        batch.outputs()
                                .forEach(each -> records.add(new TestRecord<>(
                                        each.key(),
                                        each.value(),
                                        each.headers(),
                                        Instant.ofEpochMilli(each.timestamp()))));
                    }
                });
        return records;
    }

    public Model model(String name) {
        return store().find(name.getBytes(StandardCharsets.UTF_8)).model();
    }

    ModelStore store() {
        return processor.store();
    }

    /** The id of one of our own schemas. */
    public int id(String event) {
        return registry.register(event, EventSchemas.schema(event));
    }

    /** As {@link #records}, decoded. */
    public List<GenericRecord> events(Topic topic) {
        return records(topic).stream().map(record -> decode(record.value())).toList();
    }

    /** The last event of a topic since the last call. */
    GenericRecord last(Topic topic) {
        List<GenericRecord> events = events(topic);
        return events.get(events.size() - 1);
    }

    /** The only dead letter since the last call. */
    TestRecord<byte[], byte[]> letter() {
        List<TestRecord<byte[], byte[]>> letters = records(Topic.DEAD_LETTERS);
        assertThat(letters).hasSize(1);
        return letters.get(0);
    }

    /** The messages of the dead letters since the last call. */
    List<String> messages() {
        return records(Topic.DEAD_LETTERS).stream().map(EngineDriver::message).toList();
    }

    static String message(TestRecord<byte[], byte[]> letter) {
        return header(letter, "__streams.errors.message");
    }

    static String reason(TestRecord<byte[], byte[]> letter) {
        return header(letter, DeadLetter.REASON);
    }

    /** The reason codes of the dead letters since the last call. */
    public List<String> reasons() {
        return records(Topic.DEAD_LETTERS).stream().map(EngineDriver::reason).toList();
    }

    static String header(TestRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    GenericRecord decode(byte[] value) {
        return decode(registry, value);
    }

    /** A value in the wire format, by its writer's schema alone. */
    static GenericRecord decode(SchemaRegistry registry, byte[] value) {
        try {
            return new GenericDatumReader<GenericRecord>(registry.schema(WireFormat.schemaId(value)))
                    .read(
                            null,
                            DecoderFactory.get()
                                    .binaryDecoder(value, WireFormat.HEADER, value.length - WireFormat.HEADER, null));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A record in the wire format, its schema registered. */
    byte[] encode(GenericRecord event) {
        Schema schema = event.getSchema();
        return new EventWriter(schema, registry.register(schema.getName(), schema)).write(event);
    }

    @Override
    public void close() {
        driver.close();
        registry.close();
    }
}
