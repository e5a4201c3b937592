package io.perceptronstreams.topology;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.serde.EventIds;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.state.Stores;

/**
 * The stream program: one source, one processor with one store, and a sink for every other topic.
 *
 * <pre>
 *   perceptron-examples ─► learn ─► perceptron-predictions
 *           ▲               │ │───► perceptron-mistakes
 *           │               │ │───► perceptron-counts
 *           └── reroute ◄───┘ │───► perceptron-models
 *                             │───► perceptron-weights
 *                             │───► perceptron-alerts
 *                             └───► perceptron-dead-letters
 * </pre>
 *
 * <p>Keys and values are bytes from end to end: the processor knows what they are, and nothing on the way turns them into objects.
 */
final class LearningTopology {
    static final String SOURCE = "examples";
    static final String PROCESSOR = "learn";
    static final String REROUTE = "reroute";
    static final String STORE = "models";

    /**
     * Settings of the changelog where Kafka Streams creates it. Event time is the producers' business: a changelog that refused it would
     * stop the engine. What a restoration reads is bounded by small segments and early compaction: the active segment is never
     * compacted.
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
     * @param processors gives each task its processor
     */
    static Topology build(EngineConfig config, Supplier<LearnProcessor> processors) {
        Topology topology = new Topology();
        topology.addSource(
                AutoOffsetReset.earliest(),
                SOURCE,
                new EventTimeExtractor(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer(),
                config.topic(Topic.EXAMPLES));
        topology.addProcessor(PROCESSOR, processors::get, SOURCE);
        topology.addStateStore(
                Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(STORE), Serdes.Bytes(), Serdes.ByteArray())
                        .withCachingDisabled()
                        .withLoggingEnabled(CHANGELOG),
                PROCESSOR);
        for (Topic topic : Topic.values()) {
            if (topic != Topic.EXAMPLES && topic != Topic.WEIGHTS) {
                topology.addSink(
                        topic.suffix(),
                        config.topic(topic),
                        new ByteArraySerializer(),
                        new ByteArraySerializer(),
                        PROCESSOR);
            }
        }
        topology.addSink(
                Topic.WEIGHTS.suffix(),
                config.topic(Topic.WEIGHTS),
                new ByteArraySerializer(),
                new ByteArraySerializer(),
                (topic, key, value, partitions) -> Optional.of(Set.of(chunkPartition(key, partitions))),
                PROCESSOR);
        // back to the source's own topic, where the producer's partitioner puts the record right
        topology.addSink(
                REROUTE, config.topic(Topic.EXAMPLES), new ByteArraySerializer(), new ByteArraySerializer(), PROCESSOR);
        return topology;
    }

    /** The partition of the model that a chunk's key, {@code name} or {@code name/k}, belongs to. */
    private static int chunkPartition(byte[] key, int partitions) {
        String name = new String(key, StandardCharsets.UTF_8).split("/", 2)[0];
        return Utils.toPositive(Utils.murmur2(name.getBytes(StandardCharsets.UTF_8))) % partitions;
    }

    /**
     * What was found out at start-up.
     *
     * @param partitions how many partitions the examples topic has
     * @param maxRecordBytes the largest record that producer and topics take
     * @param ids the schemas that the engine writes with
     */
    record StartUpFacts(int partitions, int maxRecordBytes, EventIds ids) {}
}
