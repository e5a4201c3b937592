package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.client.CommandSender;
import io.perceptronstreams.client.Confirmation;
import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.JavaProcess;
import io.perceptronstreams.embedded.MethodDebugger;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.model.Fence;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Generation;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code perceptron topics repartition} on a broker, with engines in processes of their own that are killed.
 *
 * <p>{@code -Drepartition.partitions} are the numbers of partitions that follow each other under load, and
 * {@code -Drepartition.kills} the kills of the engine in each of these steps.
 */
@Tag("full")
final class RepartitionIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Confirmation CONFIRMED = new Confirmation(90, true, false);
    private static final long SEED = Long.getLong("test.seed", System.nanoTime());
    private static final int[] PARTITIONS = Stream.of(
                    System.getProperty("repartition.partitions", "1,3,7").split(","))
            .mapToInt(Integer::parseInt)
            .toArray();

    /** One before the fence, one at the end, the others between transactions of the move. */
    private static final int KILLS = Integer.getInteger("repartition.kills", 5);

    private static final List<String> SETTINGS = List.of(
            "{\"algorithm\":\"perceptron\"}",
            "{\"algorithm\":\"adaptive\"}",
            "{\"algorithm\":\"pa-i\",\"predict\":\"averaged\"}",
            "{\"algorithm\":\"arow\",\"dedupe.last\":50}",
            "{\"algorithm\":\"perceptron\",\"await.labels.ms\":3600000}",
            "{\"algorithm\":\"adaptive\",\"await.labels.ms\":3600000,\"calibrate\":\"platt\"}",
            "{\"algorithm\":\"perceptron\",\"kernel\":\"poly(c=1,k=2)\"}",
            "{\"algorithm\":\"pa-i\",\"scale\":\"standard\",\"drift\":\"adwin\"}");

    /** Number of topics of a generation, with the changelog. */
    private static final int TOPICS = Topic.values().length + 1;

    @TempDir
    Path dir;

    private final Random random = new Random(SEED);
    private final List<EngineProcess> engines = new ArrayList<>();
    private SharedCluster cluster;
    private long sent;

    @AfterEach
    void stop() {
        engines.forEach(EngineProcess::close);
    }

    private EngineProcess engine(String prefix, String... more) throws Exception {
        Map<String, String> settings = new TreeMap<>(Map.of(
                "topics.prefix",
                prefix,
                "topics.create",
                "true",
                "topics.partitions",
                "1",
                "models.defaults",
                "",
                "checkpoint.interval.ms",
                "1000",
                "http.port",
                "-1",
                "session.timeout.ms",
                "6000"));
        settings.remove("http.port");
        for (int k = 0; k < more.length; k += 2) {
            settings.put(more[k], more[k + 1]);
        }
        EngineProcess engine = new EngineProcess(
                cluster.bootstrapServers(),
                cluster.registryUrl(),
                dir.resolve(prefix),
                dir.resolve(prefix + ".log"),
                settings);
        engines.add(engine);
        engine.start();
        return engine;
    }

    private EngineConfig config(String prefix) {
        return cluster.config(Map.of("topics.prefix", prefix));
    }

    private Admin admin() {
        return Admin.create(config(cluster.prefix()).admin());
    }

    private static void kill(EngineProcess engine) throws Exception {
        engine.kill();
        engine.start();
    }

    private static String example(long id, Random random, boolean hasLabel) {
        double x = random.nextGaussian();
        double y = random.nextGaussian();
        String label = hasLabel ? ",\"label\":" + label(id) : "";
        return "{\"id\":\"" + id + "\"" + label + ",\"features\":[" + x + "," + y + "," + (id % 7) + "]}";
    }

    private static int label(long id) {
        return id % 7 < 3 ? 1 : -1;
    }

    /**
     * Sends the next record of each model to topics of several prefixes; labels of late models follow 200 rounds later.
     */
    private void send(Producer<byte[], byte[]> producer, String... prefixes) {
        long round = sent++;
        long time = System.currentTimeMillis();
        for (int k = 0; k < SETTINGS.size(); k++) {
            boolean isLate = SETTINGS.get(k).contains("await.labels.ms");
            List<String> values = new ArrayList<>();
            if (round == 0) {
                values.add("{\"action\":\"CONFIGURE\",\"settings\":" + SETTINGS.get(k) + "}");
            }
            values.add(example(round, random, !isLate));
            if (isLate && round >= 200) {
                values.add("{\"exampleId\":\"" + (round - 200) + "\",\"label\":" + label(round - 200) + "}");
            }
            for (String prefix : prefixes) {
                for (String value : values) {
                    var unused = producer.send(new ProducerRecord<>(
                            Topic.EXAMPLES.name(prefix),
                            null,
                            time,
                            ("model-" + k).getBytes(StandardCharsets.UTF_8),
                            value.getBytes(StandardCharsets.UTF_8)));
                }
            }
        }
    }

    @Test
    void shouldMoveModelsUnderLoadAndKillsWithoutADifferentBit() throws Exception {
        System.out.println("RepartitionIT, seed " + SEED);
        cluster = new SharedCluster("grow");
        SharedCluster right = new SharedCluster("grow-right");
        String last = Integer.toString(PARTITIONS[PARTITIONS.length - 1]);
        List<String> prefixes = new ArrayList<>();
        int kills = 0;
        try (EngineRunner reference = SharedCluster.startEngine(right.config(Map.of("topics.partitions", last)));
                Admin admin = admin();
                Producer<byte[], byte[]> producer = KafkaClients.producer(config(cluster.prefix()))) {
            Generation generation = Generation.of(cluster.prefix());
            EngineProcess engine = engine(generation.prefix(), "topics.partitions", Integer.toString(PARTITIONS[0]));
            await().atMost(PATIENCE)
                    .until(() -> !EngineGroup.members(admin, config(cluster.prefix()))
                            .isEmpty());
            for (int stage = 1; stage <= PARTITIONS.length; stage++) {
                String prefix = generation.prefix();
                prefixes.add(prefix);
                AtomicBoolean isOver = new AtomicBoolean();
                AtomicReference<Throwable> failure = new AtomicReference<>();
                Thread load = new Thread(() -> {
                    try {
                        while (!isOver.get()) {
                            send(producer, prefix, right.prefix());
                            Thread.sleep(5);
                        }
                    } catch (Throwable e) {
                        failure.set(e);
                    }
                });
                load.start();
                Thread.sleep(3_000);
                kill(engine);
                kills++;
                if (stage < PARTITIONS.length) {
                    int partitions = PARTITIONS[stage];
                    // interrupted after each of some transactions, and in the end as a user does it
                    for (int k = 0; k < KILLS - 2; k++) {
                        int transaction = k < 3 ? k * 5 : random.nextInt(10);
                        Repartition repartition = new Repartition(admin, config(prefix), partitions);
                        repartition.createTopics();
                        new CommandSender(config(prefix)).sendFence(new Fence(true).settings(), CONFIRMED);
                        repartition.transactionBytes = 1;
                        int[] count = {0};
                        repartition.afterTransaction = () -> {
                            if (count[0]++ == transaction) {
                                throw new IllegalStateException("interrupted");
                            }
                        };
                        assertThatThrownBy(repartition::move).hasMessage("interrupted");
                        // a failure left the copy of a partition on the disk
                        assertThat(repartition.lastDirectory).doesNotExist();
                        kill(engine);
                        kills++;
                    }
                    EngineProcess early = engine(generation.next().prefix());
                    assertThat(early.awaitEnd(60)).isTrue();
                    assertThat(early.exitCode()).isEqualTo(1);
                    assertThat(early.log()).content().contains("must have the models of " + prefix + ", which are not");
                    String output = output(prefix, "topics repartition --to " + partitions + " --yes --timeout 90");
                    System.out.println(output);
                    assertThat(output)
                            .contains("perceptron run -D topics.prefix="
                                    + generation.next().prefix());
                    Thread.sleep(500);
                    kill(engine);
                    kills++;
                }
                isOver.set(true);
                load.join();
                producer.flush();
                assertThat(failure.get()).isNull();
                if (stage < PARTITIONS.length) {
                    awaitEnd(admin, prefix);
                    generation = generation.next();
                    engine = engine(generation.prefix());
                }
            }
            awaitEnd(admin, generation.prefix());
            awaitEnd(admin, right.prefix());

            assertThat(kills).isEqualTo(1 + (PARTITIONS.length - 1) * KILLS);
            String[] all = prefixes.toArray(String[]::new);
            compare(Topic.PREDICTIONS, Prediction.class, right, all);
            compare(Topic.MISTAKES, Mistake.class, right, all);
            assertThat(letters(right.prefix())).isZero();
            assertThat(letters(cluster.prefix()) + letters(generation.prefix())).isZero();
            assertThat(output(generation.prefix(), "models list"))
                    .contains("model-0", "model-" + (SETTINGS.size() - 1));
            for (int k = 0; k < SETTINGS.size(); k++) {
                assertThat(output(generation.prefix(), "verify model-" + k))
                        .contains("reproduced model-" + k + " at " + generation.prefix() + "-examples-", "all equal");
            }
            assertThat(reference.hasEnded()).isFalse();
        }
    }

    /**
     * A method of the command at whose beginning it is killed, in one of these calls.
     *
     * @param first number of the first one, from 1
     * @param last number of the last one
     */
    private record Point(String type, String method, int first, int last) {}

    private static final String REPARTITION = "io.perceptronstreams.topology.Repartition";
    private static final String SENDER = "io.perceptronstreams.client.CommandSender";
    private static final String KAFKA = "org.apache.kafka.clients.";

    /** From nothing to the end, and then in what has begun: the changelog is deleted and created again. */
    private static final List<Point> POINTS = List.of(
            new Point(REPARTITION, "createTopics", 1, 1),
            new Point(REPARTITION, "create", 1, TOPICS),
            new Point(SENDER, "sendFence", 1, 1),
            new Point(KAFKA + "producer.KafkaProducer", "send", 1, 3),
            new Point(REPARTITION, "move", 1, 1),
            new Point(REPARTITION + "$Move", "send", 1, 20),
            new Point("io.perceptronstreams.store.MovedModels", "finish", 1, 1),
            new Point(KAFKA + "producer.KafkaProducer", "sendOffsetsToTransaction", 1, 2),
            new Point(REPARTITION, "create", TOPICS + 1, TOPICS + 1),
            new Point(REPARTITION + "$Move", "commit", 1, 1));

    private static final List<Point> POINTS_BACK = List.of(
            new Point(REPARTITION, "deleteNext", 1, 1),
            new Point(KAFKA + "admin.KafkaAdminClient", "deleteTopics", 1, TOPICS),
            new Point(KAFKA + "admin.KafkaAdminClient", "deleteConsumerGroups", 1, 1),
            new Point(SENDER, "sendFence", 1, 1));

    @Test
    void shouldGoOnOrBackWhereverTheCommandIsKilled() throws Exception {
        System.out.println("RepartitionIT, seed " + SEED);
        cluster = new SharedCluster("killed");
        SharedCluster right = new SharedCluster("killed-right");
        String prefix = cluster.prefix();
        String forward = "topics repartition --to 2 --yes --timeout 90";
        String back = "topics repartition --back --yes --timeout 90";
        Map<String, String> ofRight = Map.of("topics.partitions", "2");
        try (EngineRunner reference = SharedCluster.startEngine(right.config(ofRight));
                MethodDebugger debugger = new MethodDebugger();
                Admin admin = admin();
                Producer<byte[], byte[]> producer = KafkaClients.producer(config(prefix))) {
            engine(prefix, "topics.partitions", "3");
            await().atMost(PATIENCE)
                    .until(() -> !EngineGroup.members(admin, config(prefix)).isEmpty());
            sendRounds(producer, prefix, right.prefix());
            for (Point point : POINTS) {
                kill(debugger, prefix, forward, point);
            }
            // also of what is left of a move whose last transaction is open
            for (Point point : POINTS_BACK) {
                kill(debugger, prefix, back, point);
            }
            output(prefix, back);
            sendRounds(producer, prefix, right.prefix());
            producer.flush();
            awaitEnd(admin, prefix);
            kill(debugger, prefix, forward, POINTS.get(random.nextInt(POINTS.size() - 2)));
            assertThat(output(prefix, forward)).contains("perceptron run -D topics.prefix=" + prefix + "-gen2");
            assertThat(output(prefix, forward)).contains(prefix + "-gen2 has the models already");
            sendRounds(producer, prefix, right.prefix());
            producer.flush();
            awaitEnd(admin, prefix);
            engine(prefix + "-gen2");
            awaitEnd(admin, prefix + "-gen2");
            awaitEnd(admin, right.prefix());
            compare(Topic.PREDICTIONS, Prediction.class, right, prefix, prefix + "-gen2");
            compare(Topic.MISTAKES, Mistake.class, right, prefix, prefix + "-gen2");
            for (int k = 0; k < SETTINGS.size(); k++) {
                assertThat(output(prefix + "-gen2", "verify model-" + k)).contains("all equal");
            }
            assertThat(reference.hasEnded()).isFalse();
        }
    }

    private void sendRounds(Producer<byte[], byte[]> producer, String... prefixes) {
        for (int k = 0; k < 120; k++) {
            send(producer, prefixes);
        }
    }

    /** Runs a command in its own process until it comes to a point. */
    private void kill(MethodDebugger debugger, String prefix, String command, Point point) throws Exception {
        List<String> words = JavaProcess.command();
        words.addAll(List.of(debugger.option(), "io.perceptronstreams.Main"));
        words.addAll(List.of(command.split(" ")));
        words.addAll(List.of("--bootstrap", cluster.bootstrapServers(), "--registry", cluster.registryUrl()));
        words.addAll(List.of("-D", "topics.prefix=" + prefix));
        Path output = dir.resolve("command.log");
        Process process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            int hit = point.first() + random.nextInt(point.last() - point.first() + 1);
            boolean isMet = MethodDebugger.comesTo(debugger.accept(), point.type(), point.method(), hit);
            System.out.println("RepartitionIT: killed at call " + hit + " of " + point);
            assertThat(isMet)
                    .as("call %d of %s: %s", hit, point, Files.readString(output))
                    .isTrue();
        } finally {
            process.destroyForcibly().onExit().join();
        }
    }

    /** Output of a command on the topics of a prefix. */
    private String output(String prefix, String command) {
        List<String> words = new ArrayList<>(List.of(command.split(" ")));
        words.addAll(List.of("--bootstrap", cluster.bootstrapServers(), "--registry", cluster.registryUrl()));
        words.addAll(List.of("-D", "topics.prefix=" + prefix, "-D", "models.defaults="));
        assertThat(cluster.runAlone(words.toArray(String[]::new)))
                .as("%s: %s%s", command, cluster.output(), cluster.errors())
                .isZero();
        return cluster.output();
    }

    /** Waits until the engine has committed the end of its input. */
    private void awaitEnd(Admin admin, String prefix) {
        await().atMost(PATIENCE).until(() -> {
            Map<TopicPartition, Long> committed = EngineGroup.committed(admin, config(prefix));
            Map<TopicPartition, Long> ends = StartupChecks.ends(admin, Topic.EXAMPLES.name(prefix));
            return ends.entrySet().stream()
                    .allMatch(end ->
                            end.getValue() == 0 || committed.getOrDefault(end.getKey(), 0L) >= readable(prefix, end));
        });
    }

    /** Offset behind the last record, not behind the end of a transaction of records that were sent on. */
    private long readable(String prefix, Map.Entry<TopicPartition, Long> end) {
        long[] last = {0};
        try (TopicScan scan = TopicScan.open(config(prefix), Topic.EXAMPLES.name(prefix))) {
            scan.from(end.getKey(), Math.max(0, end.getValue() - 10))
                    .readTo(Map.of(end.getKey(), end.getValue()), () -> false, record -> last[0] = record.offset() + 1);
        }
        return last[0];
    }

    private <E extends SpecificRecord> void compare(
            Topic topic, Class<E> type, SharedCluster right, String... prefixes) {
        Map<String, List<String>> expected = sent(topic, type, right.prefix());
        Map<String, List<String>> actual = sent(topic, type, prefixes);
        assertThat(actual.keySet()).isEqualTo(expected.keySet());
        long count = 0;
        for (Map.Entry<String, List<String>> each : actual.entrySet()) {
            List<String> wanted = expected.get(each.getKey());
            for (int k = 0; k < Math.min(wanted.size(), each.getValue().size()); k++) {
                assertThat(each.getValue().get(k))
                        .as("%s %d of %s", topic, k, each.getKey())
                        .isEqualTo(wanted.get(k));
            }
            assertThat(each.getValue()).hasSameSizeAs(wanted);
            count += wanted.size();
        }
        System.out.println("RepartitionIT: " + count + " equal records of " + topic);
        assertThat(count).isGreaterThan(100);
    }

    /** Events by model in their order, of one generation after the other. */
    private <E extends SpecificRecord> Map<String, List<String>> sent(Topic topic, Class<E> type, String... prefixes) {
        Map<String, List<String>> events = new TreeMap<>();
        for (String prefix : prefixes) {
            try (SchemaRegistry registry = SchemaRegistries.of(config(prefix).registry());
                    TopicScan scan = TopicScan.open(config(prefix), topic.name(prefix))) {
                EventReader<E> reader = EventReader.of(type, registry);
                scan.readAll(record -> events.computeIfAbsent(
                                new String(record.key(), StandardCharsets.UTF_8), any -> new ArrayList<>())
                        .add(reader.read(record.value()).toString()));
            }
        }
        return events;
    }

    private long letters(String prefix) {
        long[] count = {0};
        try (TopicScan scan = TopicScan.open(config(prefix), Topic.DEAD_LETTERS.name(prefix))) {
            scan.readAll(record -> {
                System.out.println("dead letter " + record);
                count[0]++;
            });
        }
        return count[0];
    }

    @Test
    void shouldHaveNoTransactionOpenWhileItReadsAndMoveOnlyOnce() throws Exception {
        cluster = new SharedCluster("once");
        String prefix = cluster.prefix();
        try (EngineRunner engine = SharedCluster.startEngine(cluster.config(Map.of("topics.partitions", "2")));
                Admin admin = admin();
                Producer<byte[], byte[]> producer = KafkaClients.producer(config(prefix))) {
            send(producer, prefix);
            producer.flush();
            awaitEnd(admin, prefix);
            Repartition repartition = new Repartition(admin, config(prefix), 3);
            repartition.createTopics();
            new CommandSender(config(prefix)).sendFence(new Fence(true).settings(), CONFIRMED);
            repartition.afterTransaction = () -> {
                throw new IllegalStateException("interrupted");
            };
            assertThatThrownBy(repartition::move).hasMessage("interrupted");
            // a failure left the copy of a partition on the disk
            assertThat(repartition.lastDirectory).doesNotExist();
            int[] count = {0};
            repartition.afterTransaction = () -> count[0]++;
            assertThat(repartition.isDone()).isFalse();
            repartition.move();

            // what is read takes longer than a transaction may be open: changelog and statuses of two partitions
            assertThat(count[0]).isEqualTo(4);
            // as brokers do after a week without a member: what is there must not be deleted and moved again
            admin.deleteConsumerGroups(List.of(repartition.next().applicationId()))
                    .all()
                    .get();
            assertThat(repartition.isDone()).isTrue();
            assertThatThrownBy(repartition::move).hasMessageContaining("models must be moved once");
            assertThat(engine.hasEnded()).isFalse();
        }
    }

    // a replay sent them to the old topic, where they were refused again
    @Test
    void shouldReplayDeadLettersWhereTheModelsAre() throws Exception {
        cluster = new SharedCluster("letters");
        String prefix = cluster.prefix();
        String next = prefix + "-gen2";
        try (Admin admin = admin();
                Producer<byte[], byte[]> producer = KafkaClients.producer(config(prefix))) {
            try (EngineRunner engine = SharedCluster.startEngine(config(prefix))) {
                send(producer, prefix);
                producer.flush();
                cluster.send("model-0", "{\"label\":\"x\",\"features\":[1]}");
                cluster.output("topics repartition --yes --to 2 --after-fence refuse");
                send(producer, prefix);
                producer.flush();
                awaitEnd(admin, prefix);
                assertThat(engine.hasEnded()).isFalse();
            }
            int models = SETTINGS.size();
            assertThat(letters(prefix)).isEqualTo(models + 1);
            assertThat(cluster.output("dead-letters replay --reason FENCED --yes"))
                    .contains("sent " + models + " records to " + next + "-examples");
            assertThat(cluster.output("dead-letters replay --reason FENCED --yes"))
                    .startsWith("nothing to send");
            assertThat(cluster.output("dead-letters replay --yes")).contains("sent 1 records to " + next + "-examples");
            engine(next);
            awaitEnd(admin, next);
            assertThat(letters(next)).isEqualTo(1);
            assertThat(sent(Topic.PREDICTIONS, Prediction.class, next)).hasSize(models);
            // of the round behind the fence, once
            assertThat(sent(Topic.PREDICTIONS, Prediction.class, next).values())
                    .allSatisfy(
                            all -> assertThat(all).singleElement().asString().contains("\"exampleId\": \"1\""));
        }
    }

    @Test
    void shouldSayThatAPrefixOfALaterGenerationIsNotOneToBeginWith() {
        SharedCluster odd = new SharedCluster("odd-gen2");
        for (String command : List.of("run", "topics create --partitions 1")) {
            assertThat(odd.failure(1, command + " -D topics.create=true"))
                    .contains("topics.prefix must end in -gen2, -gen3, … only for topics to which perceptron topics"
                            + " repartition has moved models, got odd-gen2 and no models of odd");
        }
    }

    @Test
    void shouldGoBackAndRefuseWhatCannotBe() throws Exception {
        cluster = new SharedCluster("back");
        String prefix = cluster.prefix();
        EngineProcess engine = engine(prefix);
        try (Admin admin = admin();
                Producer<byte[], byte[]> producer = KafkaClients.producer(config(prefix))) {
            await().atMost(PATIENCE)
                    .until(() -> !EngineGroup.members(admin, config(prefix)).isEmpty());
            for (int k = 0; k < 20; k++) {
                send(producer, prefix);
            }
            producer.flush();
            awaitEnd(admin, prefix);

            String command = "topics repartition --yes ";
            assertThat(cluster.failure(1, command + "--to 1"))
                    .contains("--to must be another number of partitions than that of back-examples, got 1");
            assertThat(cluster.failure(1, command + "--to 0")).contains("at least 1, got 0");
            cluster.failure(2, command + "--to 2 --back");
            cluster.failure(2, command);
            assertThat(cluster.failure(1, "topics repartition --to 2")).contains("nothing was changed");
            admin.createTopics(List.of(new NewTopic("back-gen2-counts", 1, (short) 1)))
                    .all()
                    .get();
            assertThat(cluster.failure(1, command + "--to 2"))
                    .contains("topics of the prefix back-gen2 must not exist, got back-gen2-counts without");
            admin.deleteTopics(List.of("back-gen2-counts")).all().get();
            await().atMost(PATIENCE)
                    .until(() -> !admin.listTopics().names().get().contains("back-gen2-counts"));

            assertThat(cluster.output(command + "--to 2 --dry-run"))
                    .contains(
                            "back-examples (partitions: 1) to back-gen2-examples (partitions: 2)",
                            "models: 8, changelog: about")
                    .contains("back-gen2-models-changelog: 2 partitions, 1 copies");
            assertThat(admin.listTopics().names().get()).doesNotContain("back-gen2-examples");

            cluster.output(command + "--to 2 --after-fence refuse");
            assertThat(cluster.output(command + "--to 2")).contains("back-gen2 has the models already");
            assertThat(cluster.failure(1, command + "--to 3")).contains("must go on with its number of partitions");
            assertThatThrownBy(() -> new CommandSender(config(prefix)).sendFence(new Fence(true).settings(), CONFIRMED))
                    .hasMessageContaining("a fence must be lifted before another one is made");
            send(producer, prefix);
            producer.flush();
            awaitEnd(admin, prefix);
            assertThat(cluster.output("watch dead-letters --from-beginning --limit 2 --json"))
                    .contains("FENCED", "must be sent to back-gen2-examples");

            engine.stop(60);
            engine.start();
            assertThat(engine.awaitEnd(60)).isTrue();
            assertThat(engine.log())
                    .content()
                    .contains("have been moved to back-gen2, and no record behind that is used here");

            // a log whose records behind a fence were sent on must not be learned again
            assertThat(cluster.failure(1, "topics reset --to-earliest --yes"))
                    .contains("must not be learned again while its models are, or are being, moved");
            // without an engine the fence cannot be lifted, but it starts again
            assertThat(cluster.failure(1, "topics repartition --back --yes --timeout 1"))
                    .contains("no engine has answered");
            engine.start();
            cluster.output("topics repartition --back --yes --timeout 60");
            assertThat(admin.listTopics().names().get()).doesNotContain("back-gen2-examples");
            send(producer, prefix);
            producer.flush();
            awaitEnd(admin, prefix);
            assertThat(sent(Topic.PREDICTIONS, Prediction.class, prefix).get("model-0"))
                    .hasSize(21);

            cluster.output(command + "--to 2");
            send(producer, "back-gen2");
            producer.flush();
            assertThat(cluster.failure(1, "topics repartition --back --yes"))
                    .contains("back-gen2-examples must have no records for --back");
            engine("back-gen2");
            awaitEnd(admin, "back-gen2");
            assertThat(sent(Topic.PREDICTIONS, Prediction.class, "back-gen2").get("model-0"))
                    .singleElement()
                    .asString()
                    .contains("\"exampleId\": \"22\"");
            assertThatThrownBy(() -> new Repartition(admin, config("nothing"), 2))
                    .isInstanceOf(StartupException.class)
                    .hasMessageContaining("topic nothing-examples must exist");
        }
    }
}
