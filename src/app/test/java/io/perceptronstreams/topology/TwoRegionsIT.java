package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perceptronstreams.cli.Commands;
import io.perceptronstreams.embedded.JavaProcess;
import io.perceptronstreams.serde.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two clusters, an engine on each, and between them MirrorMaker 2 in its dedicated mode with the file of
 * {@code docs/regions.md}: both engines have the same models, although transactions of the input are aborted and the
 * mirror is killed.
 */
@Tag("full")
final class TwoRegionsIT {
    private static final long SEED = 20_261_129;
    private static final int PARTITIONS = 3;
    private static final int TRANSACTIONS = 60;
    private static final int RECORDS = 60;

    /** Each fourth transaction is aborted, with records as all others. */
    private static final int ABORTED = 4;

    private static final String EXAMPLES = Topic.EXAMPLES.name("perceptron");
    private static final Path LIBRARIES = Path.of("src/test/broker/target/mirror-4.3.1");
    private static final Path PAGE = Path.of("docs/regions.md");
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Whose weights are compared, besides by all snapshots, by {@code verify --against}. */
    private static final List<String> VERIFIED = List.of("plain", "averaged", "portfolio", "adwin", "moved");

    @TempDir
    Path directory;

    private LoadedCluster a;
    private LoadedCluster b;
    private Mirror mirror;
    private long aborted;

    /** MirrorMaker 2 in its own process, with libraries that {@code src/test/broker/pom.xml} copies. */
    private static final class Mirror implements AutoCloseable {
        private final List<String> command;
        private final Path log;
        private Process process;

        Mirror(Path properties, Path log) {
            assumeTrue(
                    Files.isDirectory(LIBRARIES),
                    "skipped: needs ./mvnw -f src/test/broker/pom.xml package -Pmirror -Dkafka.version=4.3.1");
            this.log = log;
            command = List.of(
                    JavaProcess.tool("java"),
                    "-Xmx256m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    LIBRARIES.toAbsolutePath() + "/*",
                    "org.apache.kafka.connect.mirror.MirrorMaker",
                    properties.toString());
        }

        void start() throws IOException {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        }

        boolean isAlive() {
            return process.isAlive();
        }

        /** SIGKILL. */
        void kill() {
            process.destroyForcibly().onExit().join();
        }

        @Override
        public void close() {
            if (process != null) {
                kill();
            }
        }
    }

    @Test
    void shouldHaveTheSameModelsInBothRegions() throws Exception {
        long begin = System.nanoTime();
        Path properties = directory.resolve("mirror.properties");
        try (Mirror process = new Mirror(properties, directory.resolve("mirror.log"));
                LoadedCluster regionA = LoadedCluster.start(directory("a"), PARTITIONS);
                LoadedCluster regionB = LoadedCluster.start(directory("b"), PARTITIONS);
                EngineProcess engineA = regionA.engine("engine", settings());
                EngineProcess engineB = new EngineProcess(
                        regionB.bootstrapServers(),
                        // the ids of schemas in the copy are those of A
                        regionA.registryUrl(),
                        directory.resolve("b/engine"),
                        directory.resolve("b/engine.log"),
                        settingsOfB())) {
            a = regionA;
            b = regionB;
            mirror = process;
            Files.writeString(properties, fileOfThePage());
            engineA.start();
            until(() -> regionA.admin().listTopics().names().get().contains(EXAMPLES));
            process.start();
            MixedStream stream = new MixedStream(SEED, EXAMPLES, PARTITIONS, regionA.registry());
            send(stream, 0, TRANSACTIONS / 3);
            until(() -> regionB.admin().listTopics().names().get().contains(EXAMPLES));
            // the engine must not make the topic
            engineB.start();
            until(() -> copied() > 0);
            process.kill();
            process.start();
            long before = copied();
            send(stream, TRANSACTIONS / 3, TRANSACTIONS);
            until(() -> copied() > before);
            process.kill();
            process.start();
            List<String> models = models();
            snapshot(models);
            until(() -> copied() == records(regionA, EXAMPLES).size());
            until(regionA::isAllProcessed);
            until(regionB::isAllProcessed);

            assertThat(aborted).isPositive();
            for (Topic topic :
                    List.of(Topic.EXAMPLES, Topic.WEIGHTS, Topic.PREDICTIONS, Topic.MISTAKES, Topic.COUNTS)) {
                requireEqual(topic.name("perceptron"));
            }
            Commands commands = new Commands();
            assertThat(commands.output("verify --bootstrap " + regionA.bootstrapServers() + " --registry "
                            + regionA.registryUrl() + " --against " + regionB.bootstrapServers() + " "
                            + String.join(" ", VERIFIED)))
                    .contains(VERIFIED.size() + " equal, 0 different, 0 not compared");
            System.out.println("TwoRegionsIT, seed " + SEED + ": "
                    + records(regionA, EXAMPLES).size()
                    + " records copied, " + aborted + " aborted, " + models.size() + " models, in "
                    + Duration.ofNanos(System.nanoTime() - begin).toSeconds() + " s");
        }
    }

    /** Requires the same records of a topic in both regions, but for positions. */
    private void requireEqual(String topic) {
        Map<String, List<String>> ofA = texts(a, topic);
        Map<String, List<String>> ofB = texts(b, topic);
        assertThat(ofA).as(topic).isNotEmpty();
        assertThat(ofB.keySet()).as(topic).isEqualTo(ofA.keySet());
        ofA.forEach((key, expected) -> {
            List<String> found = ofB.get(key);
            for (int k = 0; k < Math.min(expected.size(), found.size()); k++) {
                assertThat(found.get(k)).as("%s, %s, record %d", topic, key, k).isEqualTo(expected.get(k));
            }
            assertThat(found).as("%s, %s", topic, key).hasSameSizeAs(expected);
        });
    }

    private Path directory(String name) throws IOException {
        return Files.createDirectories(directory.resolve(name));
    }

    private static Map<String, String> settings() {
        Map<String, String> settings = new TreeMap<>();
        settings.put("topics.create", "true");
        settings.put("models.defaults", "");
        settings.put("topics.partitions", Integer.toString(PARTITIONS));
        return settings;
    }

    /** A has sent records of wrong partitions on, and B gets those copies. */
    private static Map<String, String> settingsOfB() {
        Map<String, String> settings = settings();
        settings.put("misrouted", "dead-letter");
        return settings;
    }

    /** The file of the page, for clusters of one broker, with their addresses. */
    private String fileOfThePage() throws IOException {
        String page = Files.readString(PAGE);
        Matcher block = Pattern.compile("(?s)```\n(clusters = A, B\n.*?)```").matcher(page);
        assertThat(block.find()).isTrue();
        StringBuilder file = new StringBuilder(block.group(1)
                .replace("a.example:9092", a.bootstrapServers())
                .replace("b.example:9092", b.bootstrapServers()));
        int factors = 0;
        Matcher factor = Pattern.compile("`([a-z.-]*replication\\.factor)`").matcher(page);
        for (; factor.find(); factors++) {
            file.append(factor.group(1)).append(" = 1\n");
        }
        assertThat(factors).isEqualTo(7);
        assertThat(file).doesNotContain("example:9092");
        return file.toString();
    }

    private void send(MixedStream stream, int from, int to) {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", a.bootstrapServers(), "transactional.id", "input"),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            producer.initTransactions();
            for (int k = from; k < to; k++) {
                producer.beginTransaction();
                for (int n = 0; n < RECORDS; n++) {
                    var unused = producer.send(stream.next());
                }
                producer.flush();
                // the first ones are commands that make the models
                if (k % ABORTED == ABORTED - 1) {
                    producer.abortTransaction();
                    aborted += RECORDS;
                } else {
                    producer.commitTransaction();
                }
            }
        }
    }

    /** Models that may publish their weights. */
    private static List<String> models() {
        return MixedModel.ALL.stream().map(MixedModel::name).toList();
    }

    /** Lets all models publish their weights, in both regions. */
    private void snapshot(List<String> models) {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", a.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (String model : models) {
                byte[] key = model.getBytes(StandardCharsets.UTF_8);
                int partition = Utils.toPositive(Utils.murmur2(key)) % PARTITIONS;
                var unused = producer.send(new ProducerRecord<>(
                        EXAMPLES,
                        partition,
                        key,
                        "{\"action\":\"SNAPSHOT\",\"settings\":{}}".getBytes(StandardCharsets.UTF_8)));
            }
        }
    }

    private long copied() {
        return records(b, EXAMPLES).size();
    }

    private static List<ConsumerRecord<byte[], byte[]>> records(LoadedCluster region, String topic) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            records.addAll(TopicLog.all(region.bootstrapServers(), topic, partition));
        }
        return records;
    }

    /**
     * The records of a topic by partition and key, in their order, with all fields of events but positions; the records
     * of the examples topic with their bytes and headers.
     */
    private Map<String, List<String>> texts(LoadedCluster region, String topic) {
        Map<String, List<String>> texts = new TreeMap<>();
        for (ConsumerRecord<byte[], byte[]> record : records(region, topic)) {
            String key = record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
            texts.computeIfAbsent(record.partition() + " " + key, absent -> new ArrayList<>())
                    .add(record.timestamp() + " " + (topic.equals(EXAMPLES) ? bytes(record) : text(record)));
        }
        return texts;
    }

    private static String bytes(ConsumerRecord<byte[], byte[]> record) {
        return record.headers() + (record.value() == null ? "null" : Utils.utf8(record.value()));
    }

    private String text(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null) {
            return "null";
        }
        // both engines have the registry of A
        GenericRecord event = EngineDriver.decode(a.registry(), record.value());
        return event.toString()
                // an example without an id, which the evidence of a kernel may name
                .replaceAll("\"(exampleId|name)\": \"\\d+@\\d+(#\\d+)?\"", "\"$1\": \"P@O\"")
                .replaceAll("\"(offset|countsSince|corrects)\": \\d+", "\"$1\": O");
    }

    private void until(Callable<Boolean> condition) {
        try {
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(300))
                    .ignoreExceptions()
                    .failFast("the mirror has ended", () -> mirror.process != null && !mirror.isAlive())
                    .until(condition);
        } catch (RuntimeException e) {
            throw new AssertionError(tail(), e);
        }
    }

    private String tail() {
        try {
            return a.logEnds() + "\n" + b.logEnds() + "\nmirror:\n"
                    + LoadedCluster.tail(directory.resolve("mirror.log"), 40) + "\nengine in B:\n"
                    + LoadedCluster.tail(directory.resolve("b/engine.log"), 20);
        } catch (Exception e) {
            return "no report: " + e;
        }
    }
}
