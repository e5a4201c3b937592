package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.relearn.Verification;
import io.perceptronstreams.serde.EventIds;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.serde.WireFormat;
import io.perceptronstreams.store.StoredModels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.common.utils.Utils;

/**
 * Compares the committed records of the engine's topics with the output of {@link ReferenceEngine} for the same log.
 *
 * <p>Key, value, timestamp and headers of every record are equal, in the order of each partition; so are the latest
 * values of the changelog. Dead letters of records without a valid key are on any partition and are compared by their
 * source.
 */
final class LogComparison {
    private final String bootstrapServers;
    private final SchemaRegistry registry;
    private final EventIds ids;
    private final int partitions;
    private final String prefix;
    private final Map<Topic, Long> compared = new EnumMap<>(Topic.class);

    // By source: what was sent on and refused, in the order of the source.
    private final Map<String, SentRecord> expectedLetters = new TreeMap<>();
    // Places of these in the order of refusal: a label that waited for its example is refused after later records.
    private final Map<String, Integer> refusals = new HashMap<>();
    private final Map<String, List<SentRecord>> expectedRerouted = new TreeMap<>();
    private final Map<String, List<SentRecord>> rerouted = new TreeMap<>();

    // By model, how many predictions, mistakes and counts there were.
    private final Map<String, Map<Topic, Long>> events = new TreeMap<>();
    private int imports;
    private int replaced;
    private int idleStatuses;
    private long largestSnapshot;

    LogComparison(String bootstrapServers, SchemaRegistry registry, int partitions) {
        this(bootstrapServers, registry, partitions, "perceptron");
    }

    /** A comparison of topics with another prefix. */
    LogComparison(String bootstrapServers, SchemaRegistry registry, int partitions, String prefix) {
        this.prefix = prefix;
        this.bootstrapServers = bootstrapServers;
        this.registry = registry;
        this.partitions = partitions;
        this.ids = EventIds.of((topic, event) -> registry.register(event, EventSchemas.schema(event)));
    }

    /**
     * Compares everything and returns how many events of each topic there were, those of the examples topic being the
     * input.
     */
    Map<Topic, Long> run() {
        for (int partition = 0; partition < partitions; partition++) {
            comparePartition(partition);
        }
        compareRerouted();
        compareDeadLetters();
        return compared;
    }

    /** How many models were replaced by imported ones. */
    int imports() {
        return imports;
    }

    /** How many of these had learned up to a record of the log, and lacked at most those since. */
    int replaced() {
        return replaced;
    }

    /** Names of all models that have predicted. */
    Set<String> models() {
        return events.keySet();
    }

    /** How many events of a model were equal. */
    Verification.Counted events(String model) {
        Map<Topic, Long> counts = events.get(model);
        return new Verification.Counted(
                counts.getOrDefault(Topic.PREDICTIONS, 0L),
                counts.getOrDefault(Topic.MISTAKES, 0L),
                counts.getOrDefault(Topic.COUNTS, 0L));
    }

    /** Bytes of the largest snapshot, all its chunks together. */
    long largestSnapshot() {
        return largestSnapshot;
    }

    private void comparePartition(int partition) {
        Map<Topic, TopicLog> logs = new EnumMap<>(Topic.class);
        try {
            for (Topic topic : Topic.values()) {
                logs.put(topic, new TopicLog(bootstrapServers, topic.name(prefix), partition));
            }
            ReferenceEngine reference = new ReferenceEngine(registry, ids, partition, partitions, (topic, expected) -> {
                if (topic == Topic.EXAMPLES) {
                    int right = Utils.toPositive(Utils.murmur2(expected.key())) % partitions;
                    add(expectedRerouted, partition, right, expected);
                } else if (topic == Topic.DEAD_LETTERS) {
                    expectedLetters.put(source(expected), expected);
                    refusals.put(source(expected), refusals.size());
                } else {
                    compare(topic, logs.get(topic), partition, expected);
                }
            });
            Map<Long, List<SentRecord>> idle = idleStatuses(partition);
            TopicLog input = logs.get(Topic.EXAMPLES);
            while (input.hasNext()) {
                ConsumerRecord<byte[], byte[]> record = input.next();
                compared.merge(Topic.EXAMPLES, 1L, Long::sum);
                noteRerouted(record);
                reference.process(record);
                for (SentRecord status : idle.getOrDefault(record.offset(), List.of())) {
                    assertThat(status.isSameAs(reference.idleStatus(record)))
                            .as(
                                    "idle status of partition %d as of offset %d: %s, expected %s",
                                    partition, record.offset(), status, reference.idleStatus(record))
                            .isTrue();
                    idleStatuses++;
                }
            }
            skipIdle(logs.get(Topic.MODELS), Topic.MODELS);
            logs.remove(Topic.DEAD_LETTERS).close();
            logs.forEach((topic, log) -> assertThat(log.hasNext())
                    .as("%s-%d has more records than expected", topic, partition)
                    .isFalse());
            imports += reference.imports();
            replaced += reference.replaced();
            largestSnapshot = Math.max(largestSnapshot, reference.largestSnapshot());
            assertThat(StoredModels.waiting(changelog(bootstrapServers, prefix, partition)))
                    .isEqualTo(reference.waiting());
            assertThat(StoredModels.differences(
                            changelog(bootstrapServers, prefix, partition), reference.models(), reference.gathered()))
                    .as("changelog, partition %d", partition)
                    .isEmpty();
        } finally {
            logs.values().forEach(TopicLog::close);
        }
    }

    /**
     * Statuses with cause IDLE, whose place in the log of the topic depends on a clock, by the offset that they are of.
     */
    private Map<Long, List<SentRecord>> idleStatuses(int partition) {
        Map<Long, List<SentRecord>> idle = new HashMap<>();
        try (TopicLog log = new TopicLog(bootstrapServers, Topic.MODELS.name(prefix), partition)) {
            while (log.hasNext()) {
                ConsumerRecord<byte[], byte[]> record = log.next();
                GenericRecord status = EngineDriver.decode(registry, record.value());
                if (isIdle(status)) {
                    idle.computeIfAbsent((Long) status.get("offset"), any -> new ArrayList<>())
                            .add(SentRecord.of(record));
                }
            }
        }
        return idle;
    }

    private static boolean isIdle(GenericRecord status) {
        return status.get("cause").toString().equals("IDLE");
    }

    private void skipIdle(TopicLog log, Topic topic) {
        while (topic == Topic.MODELS
                && log.hasNext()
                && isIdle(EngineDriver.decode(registry, log.peek().value()))) {
            log.next();
        }
    }

    /** How many statuses had the cause IDLE. */
    int idleStatuses() {
        return idleStatuses;
    }

    private void compare(Topic topic, TopicLog log, int partition, SentRecord expected) {
        long count = events(topic, expected.value());
        long number = compared.merge(topic, count, Long::sum);
        if (topic == Topic.PREDICTIONS || topic == Topic.MISTAKES || topic == Topic.COUNTS) {
            events.computeIfAbsent(
                            new String(expected.key(), StandardCharsets.UTF_8), any -> new EnumMap<>(Topic.class))
                    .merge(topic, count, Long::sum);
        }
        skipIdle(log, topic);
        if (!log.hasNext()) {
            throw new AssertionError(topic + "-" + partition + " must go on with event " + number + ": " + expected);
        }
        ConsumerRecord<byte[], byte[]> record = log.next();
        SentRecord actual = SentRecord.of(record);
        if (!actual.isSameAs(expected)) {
            throw new AssertionError("%s-%d@%d must be%n%s%nbut is%n%s%n%s must be decoded%n%s%nbut is%n%s"
                    .formatted(
                            topic,
                            partition,
                            record.offset(),
                            expected,
                            actual,
                            topic.name(prefix),
                            EngineDriver.decode(registry, expected.value()),
                            EngineDriver.decode(registry, actual.value())));
        }
    }

    /** Number of events of a record: a record of predictions may have several. */
    private long events(Topic topic, byte[] value) {
        return topic == Topic.PREDICTIONS && WireFormat.schemaId(value) == ids.predictionBatch()
                ? Recount.predictions(EngineDriver.decode(registry, value)).size()
                : 1;
    }

    private void noteRerouted(ConsumerRecord<byte[], byte[]> record) {
        SentRecord actual = SentRecord.of(record);
        String source = actual.header("perceptron-rerouted");
        if (source != null && source.matches("\\d+@\\d+")) {
            add(rerouted, Integer.parseInt(source.split("@", 2)[0]), record.partition(), actual);
        }
    }

    private static void add(Map<String, List<SentRecord>> records, int from, int to, SentRecord record) {
        records.computeIfAbsent(from + " to " + to, any -> new ArrayList<>()).add(record);
    }

    private void compareRerouted() {
        assertThat(rerouted.keySet()).isEqualTo(expectedRerouted.keySet());
        rerouted.forEach((way, records) -> assertThat(records)
                .as("sent on from partition %s", way)
                .usingElementComparator((a, b) -> a.isSameAs(b) ? 0 : 1)
                .containsExactlyElementsOf(expectedRerouted.get(way)));
    }

    private void compareDeadLetters() {
        for (int partition = 0; partition < partitions; partition++) {
            Map<String, Integer> last = new HashMap<>();
            try (TopicLog log = new TopicLog(bootstrapServers, Topic.DEAD_LETTERS.name(prefix), partition)) {
                while (log.hasNext()) {
                    SentRecord letter = SentRecord.of(log.next());
                    compared.merge(Topic.DEAD_LETTERS, 1L, Long::sum);
                    SentRecord expected = expectedLetters.remove(source(letter));
                    assertThat(expected)
                            .as("dead letter %s, seen twice or too many", letter)
                            .isNotNull();
                    assertThat(letter.isSameAs(expected))
                            .as("%s must be %s", letter, expected)
                            .isTrue();
                    int place = refusals.get(source(letter));
                    Integer before = last.put(letter.header("__streams.errors.partition"), place);
                    assertThat(place)
                            .as("dead letters of a partition keep its order")
                            .isGreaterThan(before == null ? -1 : before);
                }
            }
        }
        assertThat(expectedLetters).as("missing dead letters").isEmpty();
    }

    private static String source(SentRecord letter) {
        String part = letter.header("perceptron-batch-index");
        return letter.header("__streams.errors.partition") + "@" + letter.header("__streams.errors.offset")
                + (part == null ? "" : "#" + part);
    }

    /** The last value of each key of a changelog. */
    static Map<Bytes, byte[]> changelog(String bootstrapServers, String prefix, int partition) {
        Map<Bytes, byte[]> stored = new HashMap<>();
        try (TopicLog log = new TopicLog(bootstrapServers, prefix + "-models-changelog", partition)) {
            while (log.hasNext()) {
                ConsumerRecord<byte[], byte[]> record = log.next();
                if (record.value() == null) {
                    stored.remove(Bytes.wrap(record.key()));
                } else {
                    stored.put(Bytes.wrap(record.key()), record.value());
                }
            }
        }
        return stored;
    }
}
