package io.perceptronstreams.topology;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.CommitGuardedStore;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.state.Stores;

/**
 * The topology: one source, one processor with one store, and a sink for every other topic.
 *
 * <pre>
 *   perceptron-examples ─► learn ─► perceptron-predictions
 *           ▲               │ │───► perceptron-mistakes
 *           │               │ │───► perceptron-counts
 *           └── reroute ◄───┘ │───► perceptron-models
 *                             │───► perceptron-weights
 *                             │───► perceptron-alerts
 *                             │───► perceptron-dead-letters
 *                             └───► perceptron-gen2-examples, behind a fence
 * </pre>
 *
 * <p>Keys and values are byte arrays; the processor decodes and encodes them.
 */
final class LearningTopology {
    static final String SOURCE = "examples";
    static final String PROCESSOR = "learn";
    static final String REROUTE = "reroute";
    static final String FORWARD = "forward";
    static final String STORE = "models";

    /**
     * Changelog settings. All event times are accepted, because a rejected one would stop the engine. Small segments
     * and early compaction bound the restoration; the active segment is never compacted.
     */
    static final Map<String, String> CHANGELOG = Map.of(
            "message.timestamp.after.max.ms", Long.toString(Long.MAX_VALUE),
            "message.timestamp.before.max.ms", Long.toString(Long.MAX_VALUE),
            "segment.bytes", Integer.toString(64 << 20),
            "min.cleanable.dirty.ratio", "0.2");

    private LearningTopology() {}

    /**
     * Builds the topology.
     *
     * @param aheadMs maximum time by which an event time in JSON may be after the timestamp of its record
     * @param processors creates a processor for each task
     */
    static Topology build(
            EngineConfig config, long aheadMs, ProcessorSupplier<byte[], byte[], byte[], byte[]> processors) {
        Topology topology = new Topology();
        topology.addSource(
                AutoOffsetReset.earliest(),
                SOURCE,
                new EventTimeExtractor(aheadMs),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer(),
                config.topic(Topic.EXAMPLES));
        topology.addProcessor(PROCESSOR, processors, SOURCE);
        topology.addStateStore(
                Stores.keyValueStoreBuilder(
                                CommitGuardedStore.supplier(
                                        STORE,
                                        () -> TransactionTracker.ofThread().transactions()),
                                Serdes.Bytes(),
                                Serdes.ByteArray())
                        .withCachingDisabled()
                        .withLoggingEnabled(CHANGELOG),
                PROCESSOR);
        for (Topic topic : Topic.values()) {
            if (topic != Topic.EXAMPLES && topic != Topic.WEIGHTS && topic != Topic.MODELS) {
                topology.addSink(
                        topic.suffix(),
                        config.topic(topic),
                        new ByteArraySerializer(),
                        new ByteArraySerializer(),
                        PROCESSOR);
            }
        }
        for (Topic topic : List.of(Topic.WEIGHTS, Topic.MODELS)) {
            topology.addSink(
                    topic.suffix(),
                    config.topic(topic),
                    new ByteArraySerializer(),
                    new ByteArraySerializer(),
                    new ByModel(),
                    PROCESSOR);
        }
        // to the source topic; the partitioner of the producer selects the right partition
        topology.addSink(
                REROUTE, config.topic(Topic.EXAMPLES), new ByteArraySerializer(), new ByteArraySerializer(), PROCESSOR);
        // the topic need not exist: only records behind a fence are sent to it
        topology.addSink(
                FORWARD,
                Topic.EXAMPLES.name(config.generation().next().prefix()),
                new ByteArraySerializer(),
                new ByteArraySerializer(),
                PROCESSOR);
        return topology;
    }

    /**
     * Returns the partition of a status or a chunk of weights: the input partition of defaults, otherwise the partition
     * of the model, whose name is the key or, in {@code name/k}, {@code name@version} and {@code name@version/k}, its
     * beginning.
     */
    static int modelPartition(byte[] key, int partitions) {
        int ofDefaults = ModelDefaults.partition(key);
        if (ofDefaults >= 0) {
            return ofDefaults % partitions;
        }
        int length = 0;
        // no byte of another character of UTF-8 is one of these
        while (length < key.length && key[length] != '@' && key[length] != '/') {
            length++;
        }
        byte[] name = length == key.length ? key : Arrays.copyOf(key, length);
        return Utils.toPositive(Utils.murmur2(name)) % partitions;
    }

    /** Partitioner of outputs that belong to the partition of their model. */
    private record ByModel() implements StreamPartitioner<byte[], byte[]> {
        @Override
        public Optional<Set<Integer>> partitions(
                String topic, byte[] key, byte[] value, Headers headers, int partitions) {
            return only(key, partitions);
        }

        // Kafka Streams 4.4 calls the other one; the interface still demands both
        @Override
        @Deprecated
        @SuppressWarnings("removal")
        public Optional<Set<Integer>> partitions(String topic, byte[] key, byte[] value, int partitions) {
            return only(key, partitions);
        }

        private static Optional<Set<Integer>> only(byte[] key, int partitions) {
            return Optional.of(Set.of(modelPartition(key, partitions)));
        }
    }
}
