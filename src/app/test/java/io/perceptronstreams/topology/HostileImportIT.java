package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.embedded.ClusterProcess;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An engine with a heap of 128 MB is sent imports with faults, and finds stored records with faults: it goes on, keeps
 * the weights of the models that they are for, and learns all others as if nothing had been.
 *
 * <p>{@code -Dfuzz.imports} sets their number, {@code -Dtest.seed} what they are.
 */
@Tag("full")
@Timeout(value = 1, unit = TimeUnit.HOURS)
final class HostileImportIT {
    private static final int IMPORTS = Integer.getInteger("fuzz.imports", 150);
    private static final long SEED = Long.getLong("test.seed", 20_261_123);
    private static final long MOST_GROWTH = 24 << 20;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String NEIGHBOUR = "neighbour";
    private static final Set<String> REASONS = Set.of("INVALID_WEIGHTS", "MALFORMED_AVRO", "INCOMPATIBLE_SCHEMA");

    @TempDir
    Path directory;

    private final Random random = new Random(SEED);
    private final List<String> ofNeighbour = new ArrayList<>();
    private final List<Future<RecordMetadata>> sends = new ArrayList<>();
    private ClusterProcess cluster;
    private SchemaRegistry registry;
    private EngineProcess engine;
    private KafkaProducer<byte[], byte[]> producer;

    @BeforeEach
    void start() throws Exception {
        cluster = ClusterProcess.start(directory.resolve("broker"), directory.resolve("cluster.log"));
        registry = SchemaRegistries.of(Map.of("schema.registry.url", cluster.registryUrl()));
        engine = new EngineProcess(
                cluster,
                directory.resolve("data"),
                directory.resolve("engine.log"),
                Map.of(
                        "topics.create",
                        "true",
                        "models.defaults",
                        "",
                        "topics.partitions",
                        "1",
                        "checkpoint.interval.ms",
                        "500"));
        engine.start();
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", cluster.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        untilProcessed();
    }

    @AfterEach
    void stop() {
        engine.close();
        producer.close(Duration.ZERO);
        registry.close();
        cluster.close();
    }

    @Test
    void shouldOutliveHostileImports() throws Exception {
        int schemaId = registry.register("perceptron-examples-WeightsSnapshot", EventSchemas.schema("WeightsSnapshot"));
        HostileImports imports = new HostileImports(directory.resolve("sources"), random, schemaId);
        // its first label comes when it cannot choose a learner by it any more: a Mistake with this label was too large
        send("frozen", "{\"action\":\"CONFIGURE\",\"settings\":{}}");
        send("frozen", "{\"action\":\"FREEZE\"}");
        send("frozen", "{\"id\":\"1\",\"label\":\"" + "l".repeat(900_000) + "\",\"features\":[1]}");
        List<HostileImports.Import> sent = new ArrayList<>();
        long heap = 0;
        for (int k = 0; k < IMPORTS; k++) {
            HostileImports.Import hostile = imports.next();
            sent.add(hostile);
            attack("victim-" + k, hostile);
            if (k == IMPORTS / 5) {
                untilProcessed();
                heap = engine.liveBytes();
            }
        }
        untilProcessed();
        long growth = engine.liveBytes() - heap;
        int refused = check(sent, imports);
        System.out.println("HostileImportIT, seed " + SEED + ": " + IMPORTS + " imports, " + refused
                + " refused, the heap grew by " + growth + " bytes");
        assertThat(refused).isGreaterThan(IMPORTS / 3);
        assertThat(growth).isLessThan(MOST_GROWTH);
        assertNeighbourExact();
        assertThat(engine.stop(60)).isTrue();
    }

    /** The model that is attacked learns before and after; its weights are shown before and after the import. */
    private void attack(String victim, HostileImports.Import hostile) {
        send(victim, "{\"action\":\"CONFIGURE\",\"settings\":" + hostile.settings() + "}");
        for (int n = 0; n < 6; n++) {
            send(victim, HostileImports.example(hostile.settings(), random));
        }
        send(victim, "{\"action\":\"SNAPSHOT\"}");
        for (byte[] chunk : hostile.chunks()) {
            ProducerRecord<byte[], byte[]> record = record(victim, chunk);
            if (hostile.purpose() != null) {
                record.headers().add("perceptron-import-as", hostile.purpose().getBytes(StandardCharsets.UTF_8));
            }
            sends.add(producer.send(record));
            if (random.nextInt(20) == 0) {
                neighbour();
            }
        }
        send(victim, "{\"action\":\"SNAPSHOT\"}");
        send(victim, HostileImports.example(hostile.settings(), random));
        send(victim, "{\"action\":\"DELETE\"}");
        neighbour();
    }

    private void neighbour() {
        String example = HostileImports.example("", random);
        ofNeighbour.add(example);
        send(NEIGHBOUR, example);
    }

    private static ProducerRecord<byte[], byte[]> record(String model, byte[] value) {
        return new ProducerRecord<>(
                Topic.EXAMPLES.name("perceptron"), 0, 1_000L, model.getBytes(StandardCharsets.UTF_8), value);
    }

    private void send(String model, String json) {
        sends.add(producer.send(record(model, json.getBytes(StandardCharsets.UTF_8))));
    }

    /** Returns the number of imports that were refused. */
    private int check(List<HostileImports.Import> sent, HostileImports imports) {
        Map<String, List<String>> causes = new HashMap<>();
        read(
                Topic.MODELS,
                record -> causes.computeIfAbsent(name(record), any -> new ArrayList<>())
                        .add(EngineDriver.decode(registry, record.value())
                                .get("cause")
                                .toString()));
        Map<String, List<String>> reasons = reasons();
        assertThat(reasons.get("frozen")).containsExactly("INVALID_LABEL");
        Map<String, List<List<String>>> snapshots = snapshots(imports);
        Map<String, Integer> byReason = new TreeMap<>();
        int refused = 0;
        for (int k = 0; k < sent.size(); k++) {
            String victim = "victim-" + k;
            String what = "seed " + SEED + ", import " + k + ", " + sent.get(k).what();
            List<String> ofVictim = causes.get(victim);
            assertThat(ofVictim).as(what).contains("CONFIGURE", "DELETE");
            if (ofVictim.contains("IMPORT") || ofVictim.contains("COMPARATOR")) {
                continue;
            }
            refused++;
            assertThat(snapshots.get(victim)).as(what).hasSize(2);
            assertThat(snapshots.get(victim).get(1))
                    .as("%s: the weights after it", what)
                    .isEqualTo(snapshots.get(victim).get(0));
            List<String> given = reasons.getOrDefault(victim, List.of());
            assertThat(given).as(what).allMatch(REASONS::contains);
            if (sent.get(k).isComplete()) {
                assertThat(given).as(what).isNotEmpty();
            }
            given.forEach(reason -> byReason.merge(reason, 1, Integer::sum));
        }
        System.out.println("HostileImportIT, seed " + SEED + ": dead letters " + byReason);
        return refused;
    }

    private Map<String, List<String>> reasons() {
        Map<String, List<String>> reasons = new HashMap<>();
        read(Topic.DEAD_LETTERS, record -> {
            Header reason = record.headers().lastHeader(DeadLetter.REASON);
            Header message = record.headers().lastHeader("__streams.errors.message");
            assertThat(message.value()).isNotEmpty();
            reasons.computeIfAbsent(name(record), any -> new ArrayList<>())
                    .add(new String(reason.value(), StandardCharsets.UTF_8));
        });
        return reasons;
    }

    /** By model, its snapshots, each the hashes of the states of its chunks. */
    private Map<String, List<List<String>>> snapshots(HostileImports imports) {
        Map<String, List<List<String>>> snapshots = new HashMap<>();
        read(Topic.WEIGHTS, record -> {
            if (record.value() != null) {
                String key = name(record);
                int end = key.indexOf('/');
                List<List<String>> ofModel =
                        snapshots.computeIfAbsent(end < 0 ? key : key.substring(0, end), any -> new ArrayList<>());
                if (end < 0) {
                    ofModel.add(new ArrayList<>());
                }
                byte[] state = imports.state(record.value()).getBytes(StandardCharsets.UTF_8);
                ofModel.get(ofModel.size() - 1)
                        .add(UUID.nameUUIDFromBytes(state).toString());
            }
        });
        return snapshots;
    }

    /** Another engine, which gets the neighbour's examples only, predicts the same. */
    private void assertNeighbourExact() {
        List<String> predictions = new ArrayList<>();
        read(Topic.PREDICTIONS, record -> {
            if (name(record).equals(NEIGHBOUR)) {
                predictions.add(text(EngineDriver.decode(registry, record.value())));
            }
        });
        try (EngineDriver reference = new EngineDriver(directory.resolve("reference"))) {
            ofNeighbour.forEach(example -> reference.send(NEIGHBOUR, example, 1_000));
            assertThat(predictions)
                    .as("seed %d", SEED)
                    .isEqualTo(reference.events(Topic.PREDICTIONS).stream()
                            .map(HostileImportIT::text)
                            .toList());
        }
    }

    private static String text(GenericRecord prediction) {
        // doubles are written in full
        return prediction.toString();
    }

    /** What a broken disk or a foreign writer leaves in the changelog. */
    @Test
    void shouldQuarantineAModelWhoseStoredBlocksAreHostile() throws Exception {
        String wide = "{\"id\":\"w\",\"label\":-1,\"features\":[" + "1.5,".repeat(2_000) + "1]}";
        List<byte[]> garbage = new ArrayList<>(List.of(
                new byte[0],
                new byte[] {1, 0x7f, -1, -1, -1},
                new byte[] {1, -128, 0, 0, 0},
                new byte[] {0, 1},
                new byte[8 << 10]));
        for (int k = 0; k < 10; k++) {
            byte[] bytes = new byte[random.nextInt(100)];
            random.nextBytes(bytes);
            garbage.add(bytes);
        }
        for (int k = 0; k < garbage.size(); k++) {
            send("hostile-" + k, wide);
        }
        neighbour();
        untilProcessed();
        assertThat(engine.stop(60)).isTrue();
        engine.deleteState();
        for (int k = 0; k < garbage.size(); k++) {
            sends.add(producer.send(
                    new ProducerRecord<>("perceptron-models-changelog", 0, lastBlock("hostile-" + k), garbage.get(k))));
        }
        untilSent();

        engine.start();
        for (int k = 0; k < garbage.size(); k++) {
            send("hostile-" + k, wide);
        }
        for (int k = 0; k < 20; k++) {
            neighbour();
        }
        untilProcessed();

        Map<String, List<String>> reasons = reasons();
        for (int k = 0; k < garbage.size(); k++) {
            assertThat(reasons.get("hostile-" + k))
                    .as("%s", Arrays.toString(garbage.get(k)))
                    .containsExactly("MODEL_QUARANTINED");
        }
        assertThat(Files.readString(directory.resolve("engine.log"))).contains("must be one that was written, got ");
        assertNeighbourExact();
        assertThat(engine.stop(60)).isTrue();
    }

    /** The key of a block in the changelog: with the name, a 0, and epoch, vector and number. */
    private byte[] lastBlock(String model) {
        byte[] name = (model + "\0").getBytes(StandardCharsets.UTF_8);
        byte[] last = null;
        try (TopicLog log = new TopicLog(cluster.bootstrapServers(), "perceptron-models-changelog", 0)) {
            while (log.hasNext()) {
                ConsumerRecord<byte[], byte[]> record = log.next();
                boolean isOfModel = record.key().length > name.length
                        && Arrays.equals(record.key(), 0, name.length, name, 0, name.length);
                // a block of 128 weights
                if (isOfModel && record.value() != null && record.value().length > 1_000) {
                    last = record.key();
                }
            }
        }
        return last;
    }

    private void read(Topic topic, Consumer<ConsumerRecord<byte[], byte[]>> sink) {
        try (TopicLog log = new TopicLog(cluster.bootstrapServers(), topic.name("perceptron"), 0)) {
            log.forEachRemaining(sink);
        }
    }

    private static String name(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.key(), StandardCharsets.UTF_8);
    }

    /** Sends another example of the neighbour and waits for its prediction. */
    private void untilProcessed() throws ExecutionException, InterruptedException {
        neighbour();
        untilSent();
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(500))
                .failFast("the engine has ended by itself, see " + directory, () -> !engine.isAlive())
                .ignoreExceptions()
                .until(() -> predictionsOfNeighbour() == ofNeighbour.size());
    }

    private void untilSent() throws ExecutionException, InterruptedException {
        for (Future<RecordMetadata> send : sends) {
            send.get();
        }
        sends.clear();
    }

    private int predictionsOfNeighbour() {
        int[] count = {0};
        read(Topic.PREDICTIONS, record -> count[0] += name(record).equals(NEIGHBOUR) ? 1 : 0);
        return count[0];
    }
}
