package io.perceptronstreams.topology;

import io.perceptronstreams.serde.SchemaRegistry;
import io.perceptronstreams.store.ModelStore;
import io.perceptronstreams.store.ModelStoreBuilder;
import io.perceptronstreams.topology.LearningTopology.StartUpFacts;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.internals.InternalProcessorContext;
import org.apache.kafka.streams.processor.internals.ProcessorRecordContext;
import org.apache.kafka.streams.test.TestRecord;

/**
 * Lets the learner see several records between two commits.
 *
 * <p>The test driver commits after every record. So a node before the learner makes many of one, each with an offset of its own.
 */
final class Bundles {
    private final Queue<List<TestRecord<byte[], byte[]>>> bundles = new ArrayDeque<>();
    private final Consumer<ModelStore> afterEach;
    private long offset;

    /** @param afterEach looks at the models after each record was handed over */
    Bundles(Consumer<ModelStore> afterEach) {
        this.afterEach = afterEach;
    }

    /** Sends records that are committed together. */
    void send(EngineDriver engine, List<TestRecord<byte[], byte[]>> records) {
        bundles.add(records);
        engine.send(new byte[0], new byte[0], 0);
    }

    Topology topology(EngineConfig config, SchemaRegistry registry, ModelStoreBuilder models, StartUpFacts facts) {
        Topology topology = new Topology()
                .addSource(
                        "bundle",
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer(),
                        config.topic(Topic.EXAMPLES))
                .addProcessor("unpack", Unpack::new, "bundle")
                .addProcessor(
                        LearningTopology.PROCESSOR,
                        () -> new LearnProcessor(config, registry, facts, new Outage()),
                        "unpack")
                .addStateStore(models, "unpack", LearningTopology.PROCESSOR);
        for (Topic topic : Topic.values()) {
            topology.addSink(
                    topic == Topic.EXAMPLES ? LearningTopology.REROUTE : topic.suffix(),
                    config.topic(topic),
                    new ByteArraySerializer(),
                    new ByteArraySerializer(),
                    LearningTopology.PROCESSOR);
        }
        return topology;
    }

    private final class Unpack implements Processor<byte[], byte[], byte[], byte[]> {
        private ProcessorContext<byte[], byte[]> context;

        @Override
        public void init(ProcessorContext<byte[], byte[]> processorContext) {
            context = processorContext;
        }

        @Override
        public void process(Record<byte[], byte[]> bundle) {
            InternalProcessorContext<?, ?> inner = (InternalProcessorContext<?, ?>) context;
            for (TestRecord<byte[], byte[]> record : bundles.remove()) {
                inner.setRecordContext(new ProcessorRecordContext(
                        record.timestamp(), offset++, 0, inner.recordContext().topic(), record.headers()));
                context.forward(new Record<>(record.key(), record.value(), record.timestamp(), record.headers()));
                afterEach.accept(context.getStateStore(LearningTopology.STORE));
            }
        }
    }
}
