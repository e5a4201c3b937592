package io.perceptronstreams.store;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Properties;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.test.TestRecord;

/**
 * A task with one store of models, exactly once: every step is done while a record is processed, then there is a
 * checkpoint.
 */
final class StoreDriver implements AutoCloseable {
    /** More indices than a small vector has; if they follow each other from 0 on, five blocks of them. */
    static final int WIDE = 640;

    static final InputPosition.Decisions DECISIONS = new InputPosition.Decisions(true, true, 1, 1, false, 3_600_000);

    private final TopologyTestDriver driver;
    private final long heapLimit;
    private ProcessorContext<byte[], byte[]> context;
    private ModelStore store;
    private Consumer<ModelStore> step;
    private int steps;

    StoreDriver(Path stateDir, long heapLimit) {
        this.heapLimit = heapLimit;
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "app");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:1");
        properties.put(StreamsConfig.STATE_DIR_CONFIG, stateDir.toString());
        properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        Topology topology = new Topology()
                .addSource("in", new ByteArrayDeserializer(), new ByteArrayDeserializer(), "in")
                .addProcessor("step", Step::new, "in")
                .addStateStore(
                        Stores.keyValueStoreBuilder(
                                Stores.persistentKeyValueStore("models"), Serdes.Bytes(), Serdes.ByteArray()),
                        "step")
                .addSink("out", "out", new ByteArraySerializer(), new ByteArraySerializer(), "step");
        driver = new TopologyTestDriver(topology, properties, Instant.EPOCH);
    }

    private final class Step implements Processor<byte[], byte[], byte[], byte[]> {
        @Override
        public void init(ProcessorContext<byte[], byte[]> processorContext) {
            context = processorContext;
            store = new ModelStore(context.getStateStore("models"), new StoreCounters(), heapLimit);
        }

        @Override
        public void process(Record<byte[], byte[]> record) {
            step.accept(store);
            context.forward(record);
        }
    }

    /** Does something with the store as part of processing a record, and commits. */
    void use(Consumer<ModelStore> nextStep) {
        step = nextStep;
        driver.createInputTopic("in", new ByteArraySerializer(), new ByteArraySerializer())
                .pipeInput(new byte[0], new byte[0], ++steps);
    }

    /** As {@link #use}, with a checkpoint before the commit. */
    void checkpoint(Consumer<ModelStore> nextStep) {
        use(models -> {
            nextStep.accept(models);
            models.checkpoint(Uuid.ONE_UUID, steps, DECISIONS, false);
        });
    }

    /** What was committed to the changelog since the last call, but not the position. */
    List<TestRecord<byte[], byte[]>> changelog() {
        return wholeChangelog().stream()
                .filter(record -> !Bytes.wrap(record.key()).equals(ModelKeys.POSITION))
                .toList();
    }

    List<TestRecord<byte[], byte[]>> wholeChangelog() {
        return committed("app-models-changelog");
    }

    List<TestRecord<byte[], byte[]>> committed(String topic) {
        return driver.createOutputTopic(topic, new ByteArrayDeserializer(), new ByteArrayDeserializer())
                .readRecordsToList();
    }

    @Override
    public void close() {
        driver.close();
    }

    /** Lets a model, new or known, learn from one feature. */
    static void learn(ModelStore store, String name, int index, double value, int label) {
        LiveModel stored = store.find(utf8(name));
        if (stored == null) {
            stored = store.create(utf8(name));
        }
        learn(stored.model(), index, value, label);
        store.changed(stored, record(name, 7));
    }

    /** A record at an offset, which is its time, too. */
    static InputRecord record(String name, long offset) {
        return new InputRecord(utf8(name), offset, offset, offset, false);
    }

    static void learn(Model model, int index, double value, int label) {
        Example example = new Example();
        example.vector().resetSparse().append(index, value);
        example.setLabel(Label.of(label));
        model.process(example, 7);
    }

    /** Makes a model learn enough features that its weights lie in blocks, and touches each block. */
    static void learnWidely(ModelStore store, String name, int first, int step) {
        LiveModel stored = store.find(utf8(name));
        if (stored == null) {
            stored = store.create(utf8(name));
        }
        learnWidely(stored.model(), first, step);
        store.changed(stored, record(name, 7));
    }

    /**
     * As {@link #learnWidely(ModelStore, String, int, int)}: the {@link #WIDE} indices from {@code first} on, in steps.
     */
    static void learnWidely(Model model, int first, int step) {
        // with either prediction, one of the two is a mistake
        for (int label : new int[] {1, -1}) {
            Example example = new Example();
            example.vector().resetSparse();
            for (int k = 0; k < WIDE; k++) {
                example.vector().append(first + k * step, 1 + 0.1 * k);
            }
            example.setLabel(Label.of(label));
            model.process(example, 7);
        }
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
