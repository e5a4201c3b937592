package io.perceptronstreams.store;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Model;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Properties;
import java.util.function.Consumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.test.TestRecord;

/** A task with one store, exactly once: every step is done while a record is processed, and then committed. */
final class StoreDriver<S extends StateStore> implements AutoCloseable {
    private final TopologyTestDriver driver;
    private ProcessorContext<byte[], byte[]> context;
    private Consumer<S> step;
    private int steps;

    StoreDriver(Path stateDir, StoreBuilder<S> store) {
        Properties properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "app");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "none:1");
        properties.put(StreamsConfig.STATE_DIR_CONFIG, stateDir.toString());
        properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        Topology topology = new Topology()
                .addSource("in", new ByteArrayDeserializer(), new ByteArrayDeserializer(), "in")
                .addProcessor("step", Step::new, "in")
                .addStateStore(store, "step")
                .addSink("out", "out", new ByteArraySerializer(), new ByteArraySerializer(), "step");
        driver = new TopologyTestDriver(topology, properties, Instant.EPOCH);
    }

    private final class Step implements Processor<byte[], byte[], byte[], byte[]> {
        @Override
        public void init(ProcessorContext<byte[], byte[]> processorContext) {
            context = processorContext;
        }

        @Override
        public void process(Record<byte[], byte[]> record) {
            step.accept(context.getStateStore("models"));
            context.forward(record);
        }
    }

    /** Does something with the store as part of processing a record, and commits. */
    void commit(Consumer<S> nextStep) {
        step = nextStep;
        driver.createInputTopic("in", new ByteArraySerializer(), new ByteArraySerializer())
                .pipeInput(new byte[0], new byte[0], ++steps);
    }

    /** Sends a record to the topic out. */
    void forward(byte[] value) {
        context.forward(new Record<>(new byte[0], value, steps));
    }

    /** What was committed to the changelog since the last call, but not the record by which it joined a transaction. */
    List<TestRecord<byte[], byte[]>> changelog() {
        return wholeChangelog().stream()
                .filter(record -> !Bytes.wrap(record.key()).equals(ModelKeys.NOTHING))
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
        StoredModel stored = store.find(utf8(name));
        if (stored == null) {
            stored = store.create(utf8(name));
        }
        learn(stored.model(), index, value, label);
        store.markChanged(stored, 7);
    }

    static void learn(Model model, int index, double value, int label) {
        Example example = new Example();
        example.vector().clearSparse().append(index, value);
        example.setLabel(Label.of(label));
        model.process(example, 7);
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
