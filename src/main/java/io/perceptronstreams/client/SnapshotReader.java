package io.perceptronstreams.client;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.UnknownSchemaException;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.TopicScan;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Assembles a model's weights from their chunks: the newest complete snapshot in the compacted topic.
 */
public final class SnapshotReader {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotReader.class);

    /** Identity of a snapshot. Examples without update change the averages and the offset, but not the updates. */
    private record Id(long epoch, long updates, long offset, int chunks) {
        static final Comparator<Id> NEWEST_LAST = Comparator.comparingLong(Id::epoch)
                .thenComparingLong(Id::updates)
                .thenComparingLong(Id::offset);

        static Id of(GenericRecord chunk) {
            return new Id((Long) chunk.get("epoch"), (Long) chunk.get("updates"), (Long) chunk.get("offset"), (Integer)
                    chunk.get("chunks"));
        }
    }

    private final Map<String, GenericRecord> chunks = new HashMap<>();

    /**
     * Reads the topic to its end and returns the newest weights.
     *
     * @throws CommandFailedException if the model has no snapshot
     */
    public static ModelWeights latest(EngineConfig config, String model) {
        return assemble(latestChunks(config, model));
    }

    /** Like {@link #latest(EngineConfig, String)}, but returns the published chunks, in order. */
    public static List<GenericRecord> latestChunks(EngineConfig config, String model) {
        ModelKey.of(model);
        try (SchemaRegistry registry = SchemaRegistry.of(config.registry());
                TopicScan tail = TopicScan.open(config, config.topic(Topic.WEIGHTS))) {
            return latestChunks(tail, EventReader.generic(EventSchemas.schema(Topic.WEIGHTS), registry), model)
                    .orElseThrow(() -> new CommandFailedException("model must have published its weights, got none of '"
                            + model + "' (perceptron models snapshot " + model + " publishes them)"));
        }
    }

    private static Optional<List<GenericRecord>> latestChunks(
            TopicScan tail, EventReader<GenericRecord> events, String model) {
        SnapshotReader reader = new SnapshotReader();
        tail.readAll(record -> {
            String key = EventFormat.model(record);
            if (key != null && (key.equals(model) || key.startsWith(model + "/"))) {
                reader.put(key, record.value() == null ? null : readOrNull(events, record));
            }
        });
        return reader.newestChunks();
    }

    /** Returns null for a record that is no chunk; the snapshot before it is then incomplete. */
    private static GenericRecord readOrNull(EventReader<GenericRecord> events, ConsumerRecord<byte[], byte[]> record) {
        try {
            return events.read(record.value());
        } catch (IllegalArgumentException | UnknownSchemaException e) {
            LOG.warn(
                    "chunk must be readable, got {}-{}@{}: {}",
                    record.topic(),
                    record.partition(),
                    record.offset(),
                    e.getMessage());
            return null;
        }
    }

    /** Adds a chunk under its record key; null removes the key. */
    void put(String key, GenericRecord chunk) {
        if (chunk == null) {
            chunks.remove(key);
        } else {
            chunks.put(key, chunk);
        }
    }

    Optional<ModelWeights> newest() {
        return newestChunks().map(SnapshotReader::assemble);
    }

    private Optional<List<GenericRecord>> newestChunks() {
        Map<Id, List<GenericRecord>> snapshots = chunks.values().stream().collect(Collectors.groupingBy(Id::of));
        return snapshots.entrySet().stream()
                .filter(snapshot ->
                        snapshot.getValue().size() == snapshot.getKey().chunks())
                .max(Map.Entry.comparingByKey(Id.NEWEST_LAST))
                .map(snapshot -> snapshot.getValue().stream()
                        .sorted(Comparator.comparingInt(chunk -> (Integer) chunk.get("chunk")))
                        .toList());
    }

    /** Merges all chunks of a snapshot, in order. */
    static ModelWeights assemble(List<GenericRecord> chunks) {
        Map<String, ModelWeights.Vector> vectors = new TreeMap<>();
        FeatureNames names = new FeatureNames();
        for (GenericRecord chunk : chunks) {
            names.addKept(chunk);
            for (Object vector : (List<?>) chunk.get("vectors")) {
                addVector((GenericRecord) vector, vectors);
            }
        }
        GenericRecord first = chunks.get(0);
        return new ModelWeights(
                (Long) first.get("epoch"),
                (Long) first.get("updates"),
                (Long) first.get("examples"),
                (Long) first.get("labelled"),
                (Long) first.get("mistakes"),
                hasher((Map<?, ?>) first.get("settings")),
                vectors,
                names);
    }

    /** Of the settings that decide which features there are; others may be of another version of the program. */
    private static FeatureHasher hasher(Map<?, ?> settings) {
        Map<String, String> own = new HashMap<>();
        settings.forEach((name, value) -> {
            if (Settings.isOfFeatures(name.toString())) {
                own.put(name.toString(), value.toString());
            }
        });
        return Settings.DEFAULTS.with(own).hasher();
    }

    private static void addVector(GenericRecord chunk, Map<String, ModelWeights.Vector> vectors) {
        ModelWeights.Vector vector = vectors.computeIfAbsent(
                chunk.get("name").toString(),
                name -> new ModelWeights.Vector(
                        (Double) chunk.get("bias"), (Double) chunk.get("averagedBias"), new TreeMap<>()));
        List<?> indices = (List<?>) chunk.get("indices");
        List<?> weights = (List<?>) chunk.get("weights");
        List<?> averaged = (List<?>) chunk.get("averaged");
        for (int i = 0; i < indices.size(); i++) {
            vector.weights().put((Integer) indices.get(i), new ModelWeights.Weight((Double) weights.get(i), (Double)
                    averaged.get(i)));
        }
    }
}
