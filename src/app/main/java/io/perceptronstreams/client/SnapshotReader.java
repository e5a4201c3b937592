package io.perceptronstreams.client;

import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.WeightVector;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.UnknownSchemaException;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.settings.Settings;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
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

        static Id of(WeightsSnapshot chunk) {
            return new Id(chunk.getEpoch(), chunk.getUpdates(), chunk.getOffset(), chunk.getChunks());
        }
    }

    private final Map<String, WeightsSnapshot> chunks = new HashMap<>();

    /**
     * Reads the topic to its end and returns the newest weights.
     *
     * @param model its name or, for a named snapshot, {@code model@name}
     * @throws CommandFailedException if the model has no snapshot
     */
    public static ModelWeights latest(EngineConfig config, String model) {
        return assemble(latestChunks(config, model));
    }

    /** Like {@link #latest(EngineConfig, String)}, but returns the published chunks, in order. */
    public static List<WeightsSnapshot> latestChunks(EngineConfig config, String model) {
        int end = model.indexOf(Versions.SEPARATOR);
        String name = end < 0 ? model : model.substring(0, end);
        ModelKey.of(name);
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry());
                TopicScan tail = TopicScan.open(config, config.topic(Topic.WEIGHTS))) {
            return latestChunks(tail, EventReader.of(WeightsSnapshot.class, registry), model)
                    .orElseThrow(() -> none(config, model, name, end < 0));
        }
    }

    /** A model that does not exist has nothing to publish. */
    private static CommandFailedException none(EngineConfig config, String model, String name, boolean isLatest) {
        StatusReader statuses = new StatusReader(config);
        if (isLatest) {
            statuses.requireExisting(name);
        } else {
            statuses.require(name);
        }
        return new CommandFailedException(
                isLatest
                        ? "model must have published its weights, got none of '" + model
                                + "' (perceptron models snapshot " + model + " publishes them)"
                        : "a named snapshot must exist, got none of '" + model + "' (perceptron versions list " + name
                                + " lists them)");
    }

    private static Optional<List<WeightsSnapshot>> latestChunks(
            TopicScan tail, EventReader<WeightsSnapshot> events, String model) {
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
    private static WeightsSnapshot readOrNull(
            EventReader<WeightsSnapshot> events, ConsumerRecord<byte[], byte[]> record) {
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
    void put(String key, WeightsSnapshot chunk) {
        if (chunk == null) {
            chunks.remove(key);
        } else {
            chunks.put(key, chunk);
        }
    }

    Optional<ModelWeights> newest() {
        return newestChunks().map(SnapshotReader::assemble);
    }

    private Optional<List<WeightsSnapshot>> newestChunks() {
        Map<Id, List<WeightsSnapshot>> snapshots = chunks.values().stream().collect(Collectors.groupingBy(Id::of));
        return snapshots.entrySet().stream()
                .filter(snapshot ->
                        snapshot.getValue().size() == snapshot.getKey().chunks())
                .max(Map.Entry.comparingByKey(Id.NEWEST_LAST))
                .map(snapshot -> snapshot.getValue().stream()
                        .sorted(Comparator.comparingInt(WeightsSnapshot::getChunk))
                        .toList());
    }

    /** Merges all chunks of a snapshot, in order. */
    static ModelWeights assemble(List<WeightsSnapshot> chunks) {
        Map<String, ModelWeights.Vector> vectors = new TreeMap<>();
        FeatureNames names = new FeatureNames();
        for (WeightsSnapshot chunk : chunks) {
            names.addKept(chunk);
            chunk.getVectors().forEach(each -> addVector(each, vectors));
        }
        WeightsSnapshot first = chunks.get(0);
        return new ModelWeights(
                first.getEpoch(),
                first.getUpdates(),
                first.getExamples(),
                first.getLabelled(),
                first.getMistakes(),
                hasher(first.getSettings()),
                vectors,
                names);
    }

    /** Of the settings that decide which features there are; others may be of another version of the program. */
    private static FeatureHasher hasher(Map<String, String> settings) {
        Map<String, String> own = new HashMap<>(settings);
        own.keySet().removeIf(name -> !Settings.isOfFeatures(name));
        return Settings.DEFAULTS.with(own).hasher();
    }

    private static void addVector(WeightVector chunk, Map<String, ModelWeights.Vector> vectors) {
        ModelWeights.Vector vector = vectors.computeIfAbsent(
                chunk.getName(),
                name -> new ModelWeights.Vector(chunk.getBias(), chunk.getAveragedBias(), new TreeMap<>()));
        for (int i = 0; i < chunk.getIndices().size(); i++) {
            vector.weights()
                    .put(
                            chunk.getIndices().get(i),
                            new ModelWeights.Weight(
                                    chunk.getWeights().get(i),
                                    chunk.getAveraged().get(i)));
        }
    }
}
