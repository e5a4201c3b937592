package io.perceptronstreams.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.serde.Topic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link Engine} beside the {@code KafkaStreams} of another program in one JVM. */
final class EngineIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int COUNT = 600;

    private final SharedCluster cluster = new SharedCluster("engine-in-program");

    @TempDir
    private Path directory;

    @Test
    void shouldLearnExactlyOnceBesideAnotherTopologyThroughAStop() throws Exception {
        requireExactlyOnce("avro");
    }

    @Test
    @Tag("full")
    void shouldLearnExactlyOnceBesideAnotherTopologyWithOutputInJson() throws Exception {
        requireExactlyOnce("json");
    }

    private void requireExactlyOnce(String format) throws Exception {
        Map<String, List<String>> expected = new TreeMap<>();
        Map<String, byte[]> models = learned(expected);
        createTopics();
        try (Engine engine = start(format)) {
            for (String name : models.keySet()) {
                StringBuilder set = new StringBuilder("models set " + name);
                LearningApplication.SETTINGS.forEach(
                        (key, value) -> set.append(' ').append(key).append('=').append(value));
                cluster.output(set.toString());
            }
            assertThat(engine.failure()).isEmpty();
        }
        try (KafkaStreams program = program(format)) {
            Engine.State atTheEnd;
            try (Engine first = start(format)) {
                produce(0, COUNT / 2);
                assertThat(results(COUNT / 4)).isNotEmpty();
                // the engine ends in the middle of these
                produce(COUNT / 2, COUNT * 3 / 4);
                atTheEnd = first.state();
            }
            assertThat(atTheEnd).isEqualTo(Engine.State.RUNNING);
            produce(COUNT * 3 / 4, COUNT);

            try (Engine second = start(format)) {
                int count = expected.values().stream().mapToInt(List::size).sum();
                assertThat(results(count)).isEqualTo(expected);
                assertThat(program.state().isRunningOrRebalancing()).isTrue();
                assertThat(second.metrics()).isNotEmpty();
                assertThat(refusals()).isZero();
                assertMurmur2();
                for (String name : models.keySet()) {
                    assertThat(exported(name)).as(name).isEqualTo(models.get(name));
                }
            }
        }
    }

    @Test
    void shouldRefuseASecondEngineInItsDirectory() throws Exception {
        try (Engine first = start("json")) {
            try (Engine second = Engine.of(settings("json"))) {
                assertThatThrownBy(second::start)
                        .hasMessageContaining("state directory must not be in use by another engine, got " + directory)
                        .hasMessageContaining("stop the other one, or set data.dir to another");
                assertThat(second.state()).isEqualTo(Engine.State.FAILED);
            }
            // with a directory of its own, it takes a part of the partitions
            Map<String, Object> other = new HashMap<>(settings("json"));
            other.put("data.dir", directory.resolve("other").toString());
            try (Engine third = Engine.of(other)) {
                third.start();
                assertThat(third.awaitRunning(PATIENCE)).isTrue();
            }
            assertThat(first.state()).isEqualTo(Engine.State.RUNNING);
        }
        // a close in a rebalance that waits for a member which has gone may end after its time limit, and then has the
        // directory
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(StartupException.class)
                .until(() -> {
                    start("json").close();
                    return true;
                });
        // no thread is left to a program that goes on
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(threads()).isEmpty());
    }

    /** Threads of the engines of this test, of their clients, too, but for those whose names tell nothing. */
    private List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.contains(cluster.prefix())
                        || List.of("perceptron-engine", "open-transactions", "rocksdb-library")
                                .contains(name))
                .toList();
    }

    // without a registry, a start waits for it
    @Test
    void shouldEndAStartThatWaits() throws Exception {
        Map<String, Object> settings = new HashMap<>(settings("avro"));
        settings.put("schema.registry.url", "http://localhost:1");
        Engine engine = Engine.of(settings);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread start = new Thread(() -> {
            try {
                engine.start();
            } catch (RuntimeException e) {
                thrown.set(e);
            }
        });
        try (engine) {
            start.start();
            await().atMost(PATIENCE).until(() -> examplesExist());
            assertThat(engine.state()).isEqualTo(Engine.State.STARTING);
        }
        start.join(PATIENCE.toMillis());

        assertThat(start.isAlive()).isFalse();
        assertThat(thrown.get()).hasMessageContaining("stopped while waiting for the registry");
        assertThat(engine.state()).isEqualTo(Engine.State.CLOSED);
        assertThat(engine.failure()).isEmpty();
        start("avro").close();
    }

    private boolean examplesExist() throws Exception {
        try (Admin admin = admin()) {
            return admin.listTopics().names().get().contains(cluster.topic(Topic.DEAD_LETTERS));
        }
    }

    @Test
    void shouldShowItsFailureAndLetAnotherOneStart() throws Exception {
        try (Engine engine = start("json");
                Admin admin = admin()) {
            admin.deleteTopics(List.of(cluster.topic(Topic.EXAMPLES))).all().get();

            engine.awaitEnd();
            assertThat(engine.state()).isEqualTo(Engine.State.FAILED);
            assertThat(engine.failure().orElseThrow())
                    .hasMessageContaining(cluster.topic(Topic.EXAMPLES))
                    .hasCauseInstanceOf(Exception.class);
            assertThat(engine.awaitRunning(Duration.ZERO)).isFalse();
        }
        // its directory is released, and the topic is created again
        try (Engine next = Engine.of(settings("json"))) {
            next.start();
        }
    }

    /** Models without Kafka that have learned the numbers, and their predictions by model. */
    private static Map<String, byte[]> learned(Map<String, List<String>> predictions) {
        LearningApplication.Expected expected = LearningApplication.Expected.of(COUNT);
        expected.predictions()
                .forEach((name, results) -> predictions.put(
                        name,
                        results.stream()
                                .map(each -> text(each.id(), each.predicted(), each.score()))
                                .toList()));
        return expected.models();
    }

    private static String text(String id, String predicted, double score) {
        return id + " " + predicted + " " + score;
    }

    private Map<String, Object> settings(String format) {
        return Map.of(
                "bootstrap.servers",
                cluster.bootstrapServers(),
                "schema.registry.url",
                cluster.registryUrl(),
                "topics.prefix",
                cluster.prefix(),
                "topics.create",
                true,
                "models.defaults",
                "",
                "topics.partitions",
                2,
                "output.format",
                format,
                "data.dir",
                directory.resolve("engine").toString());
    }

    private Engine start(String format) throws InterruptedException {
        Engine engine = Engine.of(settings(format));
        engine.start();
        assertThat(engine.awaitRunning(PATIENCE)).isTrue();
        assertThat(engine.state()).isEqualTo(Engine.State.RUNNING);
        return engine;
    }

    /** Numbers become examples and labels; predictions become text. */
    private KafkaStreams program(String format) {
        Map<String, Object> settings = new HashMap<>(settings(format));
        if (format.equals("json")) {
            // JSON needs no registry
            settings.put("schema.registry.url", "http://localhost:1");
        }
        PerceptronTopics topics = PerceptronTopics.of(settings);
        StreamsBuilder builder = new StreamsBuilder();
        topics.send(builder.stream(topic("numbers"), Consumed.with(Serdes.String(), Serdes.Integer()))
                .mapValues(LearningApplication::input));
        topics.predictions(builder)
                .mapValues(each -> text(each.id(), each.predicted(), each.score()))
                .to(topic("results"), Produced.with(Serdes.String(), Serdes.String()));
        Properties config = new Properties();
        config.putAll(Map.of(
                StreamsConfig.APPLICATION_ID_CONFIG,
                cluster.prefix() + "-program",
                StreamsConfig.BOOTSTRAP_SERVERS_CONFIG,
                cluster.bootstrapServers(),
                StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
                StreamsConfig.EXACTLY_ONCE_V2,
                StreamsConfig.STATE_DIR_CONFIG,
                directory.resolve("program").toString(),
                "producer.partitioner.class",
                RoundRobinPartitioner.class.getName()));
        KafkaStreams streams = new KafkaStreams(builder.build(), config);
        streams.start();
        return streams;
    }

    private String topic(String name) {
        return cluster.prefix() + "-program-" + name;
    }

    private Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", (Object) cluster.bootstrapServers()));
    }

    private void createTopics() throws Exception {
        try (Admin admin = admin()) {
            admin.createTopics(List.of(
                            new NewTopic(topic("numbers"), 1, (short) 1), new NewTopic(topic("results"), 1, (short) 1)))
                    .all()
                    .get();
        }
    }

    private void produce(int first, int end) {
        try (KafkaProducer<String, Integer> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", cluster.bootstrapServers()),
                new StringSerializer(),
                new IntegerSerializer())) {
            for (int number = first; number < end; number++) {
                var unused =
                        producer.send(new ProducerRecord<>(topic("numbers"), LearningApplication.key(number), number));
            }
        }
    }

    /** Waits for a number of committed results; returns them by model. */
    private Map<String, List<String>> results(int count) {
        Map<String, List<String>> results = new TreeMap<>();
        read(topic("results"), count)
                .forEach(each -> results.computeIfAbsent(each.key(), unused -> new ArrayList<>())
                        .add(each.value()));
        return results;
    }

    private int refusals() {
        return read(cluster.topic(Topic.DEAD_LETTERS), 0).size();
    }

    private void assertMurmur2() {
        assertThat(read(cluster.topic(Topic.EXAMPLES), COUNT))
                .allMatch(each -> each.partition() == Utils.toPositive(Utils.murmur2(Utils.utf8(each.key()))) % 2)
                .extracting(ConsumerRecord::partition)
                .contains(0, 1);
    }

    /** All committed records of a topic, as soon as there are so many. */
    private List<ConsumerRecord<String, String>> read(String topic, int count) {
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", cluster.bootstrapServers(), "isolation.level", "read_committed"),
                new StringDeserializer(),
                new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(each -> new TopicPartition(topic, each.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            List<ConsumerRecord<String, String>> records = new ArrayList<>();
            await().dontCatchUncaughtExceptions().atMost(PATIENCE).until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
                return records.size() >= count
                        && consumer.endOffsets(partitions).entrySet().stream()
                                .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
            });
            return records;
        }
    }

    /** The model of the engine, as a program writes it. */
    private byte[] exported(String name) throws Exception {
        Path file = directory.resolve(name + ".avro");
        cluster.output("models snapshot " + name);
        cluster.output("weights export " + name + " --format avro --output " + file);
        return OnlineModel.toBytes(OnlineModel.model(Files.readAllBytes(file)));
    }
}
