package io.perceptronstreams.deadletters;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.cluster.TopicCreator;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EngineRunner;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rejected records of a broker, sent again. */
@Tag("full")
final class DeadLetterReplayIT {
    // not old: the broker's first check of retention, 30 s after its start, would delete the first records
    private static final long TIME = System.currentTimeMillis();

    private static final SharedCluster CLUSTER = new SharedCluster("dead-letter-replay");
    private static final SchemaRegistry REGISTRY = SchemaRegistries.of(Map.of("schema.registry.url", "mock://replay"));

    @TempDir
    Path directory;

    @Test
    void shouldLearnFromRecordsThatWereRejectedAfterTheirCauseIsMended() throws Exception {
        EngineConfig config = config(CLUSTER.prefix());
        try (EngineRunner engine = new EngineRunner(config)) {
            engine.start();
            engine.awaitRunning();
            CLUSTER.output("models set m algorithm=perceptron");
            sendFifty(config, "m");
            await().atMost(Duration.ofMinutes(1)).until(() -> letters(config).size() == 50);

            assertThat(CLUSTER.output("dead-letters list"))
                    .contains(
                            "       30 INVALID_LABEL of m, " + Instant.ofEpochMilli(TIME) + " to ",
                            "12 MALFORMED_JSON",
                            "8 EMPTY_VALUE")
                    .endsWith("after the cause is mended: perceptron dead-letters replay --dry-run\n");
            ConsumerRecord<byte[], byte[]> first = letters(config).get(0);
            assertThat(CLUSTER.output("dead-letters show " + first.partition() + "@" + first.offset()))
                    .contains("reason: INVALID_LABEL", "header trace: 0", "{\"id\":\"e0\",");
            assertThat(CLUSTER.output("dead-letters show " + first.partition() + "@" + first.offset() + " --json"))
                    .startsWith("{\"model\":\"m\",")
                    .contains(",\"reason\":\"INVALID_LABEL\",");
            assertThat(CLUSTER.output("dead-letters replay --json --dry-run"))
                    .isEqualTo(
                            "{\"records\":50,\"reasons\":{\"EMPTY_VALUE\":8,\"INVALID_LABEL\":30,\"MALFORMED_JSON\":12},"
                                    + "\"commands\":{},\"withoutCommands\":{},\"wornOut\":0,\"withoutTime\":0}\n");
            assertThat(CLUSTER.output("dead-letters export --values --reason INVALID_LABEL")
                            .lines())
                    .hasSize(30)
                    .startsWith("{\"id\":\"e0\",\"label\":\"ham\",\"features\":[1,0]}");
            assertThat(CLUSTER.output("dead-letters replay --dry-run --since 2100-01-01T00:00:00Z"))
                    .startsWith("nothing to send");
            assertThat(CLUSTER.failure(1, "dead-letters replay"))
                    .contains("replay must be confirmed, got neither a terminal nor --yes");

            CLUSTER.output("models set m labels=ham,spam");
            List<ConsumerRecord<byte[], byte[]>> before = examples(config);
            assertThat(CLUSTER.output("dead-letters replay --reason INVALID_LABEL --yes"))
                    .startsWith("30 records to send: 30 INVALID_LABEL\n")
                    .contains("sent 30 records to dead-letter-replay-examples");
            CLUSTER.output("watch predictions --model m --from-beginning --limit 30");
            List<ConsumerRecord<byte[], byte[]>> all = examples(config);
            assertThat(all).hasSize(before.size() + 30);
            all.removeIf(each -> each.headers().lastHeader(DeadLetter.REPLAYS) == null);
            for (int k = 0; k < 30; k++) {
                ConsumerRecord<byte[], byte[]> again = all.get(k);
                assertThat(again.key()).isEqualTo("m".getBytes(UTF_8));
                assertThat(new String(again.value(), UTF_8)).isEqualTo(example(k));
                assertThat(again.timestamp()).isEqualTo(TIME + k);
                assertThat(again.headers())
                        .map(Header::key)
                        .containsExactly("trace", DeadLetter.REPLAY_OF, DeadLetter.REPLAYS);
                assertThat(again.headers().lastHeader("trace").value()).isEqualTo(("" + k).getBytes(UTF_8));
            }

            assertThat(CLUSTER.output("dead-letters replay --reason INVALID_LABEL --yes"))
                    .isEqualTo(
                            "nothing to send: no dead letter of this selection, or all were sent by earlier replays\n");
            replayUntilTheyAreWornOut(config);
        }
    }

    /** The twenty records that nothing mends come back each time, three times. */
    private void replayUntilTheyAreWornOut(EngineConfig config) {
        for (int time = 1; time <= 3; time++) {
            int letters = 50 + 20 * time;
            assertThat(CLUSTER.output("dead-letters replay --yes")).contains("sent 20 records");
            await().atMost(Duration.ofMinutes(1)).until(() -> letters(config).size() == letters);
        }

        assertThat(CLUSTER.output("dead-letters replay --yes"))
                .startsWith("nothing to send")
                .contains("20 left out: sent 3 times, and rejected each time (--max-replays 4 sends them again)");
        assertThat(CLUSTER.output("dead-letters replay --max-replays 4 --max 5 --json --yes"))
                .startsWith("{\"records\":5,")
                .endsWith("\n{\"sent\":5,\"lost\":0}\n");
    }

    // dead-letters replay --yes deleted a good model: its DELETE had been typed, and refused, before the model existed
    @Test
    void shouldNotExecuteCommandsThatWereRefusedUnlessTheyAreNamed() throws Exception {
        SharedCluster cluster = new SharedCluster("commands");
        EngineConfig config = cluster.config(Map.of("topics.partitions", "2"));
        try (EngineRunner engine = new EngineRunner(config)) {
            engine.start();
            engine.awaitRunning();
            // not sent by a command that waits: it sees that there is no such model
            assertThat(cluster.failure(1, "models delete ghost --yes")).contains("model must exist, got 'ghost'");
            assertThat(letters(config)).isEmpty();
            cluster.output("models delete ghost --yes --no-wait");
            await().atMost(Duration.ofMinutes(1)).until(() -> letters(config).size() == 1);
            assertThat(cluster.output("dead-letters list"))
                    .endsWith("after the cause is mended: perceptron dead-letters replay --commands --dry-run\n");
            cluster.output("models set ghost algorithm=perceptron");
            sendFifty(config, "ghost");
            await().atMost(Duration.ofMinutes(1)).until(() -> letters(config).size() == 51);

            assertThat(cluster.output("dead-letters replay --yes")).startsWith("""
                            50 records to send: 8 EMPTY_VALUE, 30 INVALID_LABEL, 12 MALFORMED_JSON
                            1 left out: commands or weights (--commands sends them, too): DELETE of ghost
                            """);
            await().atMost(Duration.ofMinutes(1)).until(() -> letters(config).size() == 101);
            assertThat(cluster.output("models show ghost")).contains("state: LIVE");

            cluster.failure(1, "dead-letters replay --reason INVALID_COMMAND");
            assertThat(cluster.output()).startsWith("""
                            1 records to send: 1 INVALID_COMMAND
                            1 of them are commands or weights, which the engine executes now: DELETE of ghost
                            """);
            assertThat(cluster.errors()).contains("replay must be confirmed, got neither a terminal nor --yes");
            cluster.output("dead-letters replay --commands --reason INVALID_COMMAND --yes");
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> cluster.run("models show ghost") == 0
                            && cluster.output().contains("state: DELETED"));
        }
    }

    @Test
    void shouldAskBeforeWhatAModelHasLearnedIsLost() throws Exception {
        SharedCluster cluster = new SharedCluster("asked");
        Path weights = Files.writeString(directory.resolve("weights.json"), "{}");
        for (String command : List.of("models delete m", "models reset m", "weights import m " + weights)) {
            assertThat(cluster.failure(1, command))
                    .isEqualTo("perceptron: " + command.split(" ", -1)[1]
                            + " must be confirmed, got neither a terminal nor --yes;" + " nothing was changed\n");
        }
    }

    @Test
    void shouldSendEachRecordOnceAlthoughItIsKilledTwentyTimes() throws Exception {
        EngineConfig config = withTopics("killed");
        Random random = new Random(20);
        writeLetters(config, 400);
        for (int kill = 0; kill < 20; kill++) {
            try (DeadLetterLog log = DeadLetterLog.open(config)) {
                // some transactions of each life succeed: one has 4 to 10 calls
                Producer<byte[], byte[]> producer = killedAt(config, 1 + random.nextInt(30), random.nextBoolean());
                assertThatExceptionOfType(Killed.class)
                        .isThrownBy(
                                () -> new DeadLetterReplay(config, log, REGISTRY, ReplaySelection.ALL, Long.MAX_VALUE)
                                        .run(producer, 1 + random.nextInt(7), System::nanoTime, () -> false));
            }
        }
        DeadLetterReplay.Result rest = replayAll(config);

        // without this, the kills came after the end
        assertThat(rest.sent()).as("sent after the last kill").isPositive();
        assertThat(examples(config).stream().map(record -> new String(record.value(), UTF_8)))
                .hasSize(400)
                .doesNotHaveDuplicates();
        assertThat(replayAll(config).sent())
                .as("sent by a second replay of everything")
                .isZero();
    }

    @Test
    void shouldFailWhereALaterReplayStarts() throws Exception {
        EngineConfig config = withTopics("fenced");
        writeLetters(config, 10);
        try (DeadLetterLog log = DeadLetterLog.open(config);
                Producer<byte[], byte[]> producer = KafkaClients.onlyProducer(config, "replay", 15_000)) {
            DeadLetterReplay replay = new DeadLetterReplay(config, log, REGISTRY, ReplaySelection.ALL, Long.MAX_VALUE);

            assertThatExceptionOfType(CommandFailedException.class)
                    .isThrownBy(() -> replay.run(producer, 5, System::nanoTime, () -> {
                        replayAll(config);
                        return false;
                    }))
                    .withMessageStartingWith("two replays must not run at the same time");
        }
        assertThat(examples(config)).hasSize(10);
    }

    @Test
    void shouldReadWhatWasTooLargeForTheDeadLettersFromTheExamples() throws Exception {
        EngineConfig config = withTopics("omitted");
        try (Producer<byte[], byte[]> producer = KafkaClients.producer(config)) {
            long offset = producer.send(new ProducerRecord<>("omitted-examples", 0, TIME, bytes("m"), bytes("large")))
                    .get()
                    .offset();
            for (long source : new long[] {offset, offset + 1000}) {
                var letter = new ProducerRecord<byte[], byte[]>("omitted-dead-letters", 0, TIME, null, null);
                letter.headers().add(DeadLetter.OMITTED, bytes("9"));
                DeadLetter.addTo(
                        letter.headers(),
                        new RejectedException(RejectReason.MODEL_FULL, "no"),
                        "omitted-examples",
                        0,
                        source);
                producer.send(letter).get();
            }
        }
        assertThat(replayAll(config)).isEqualTo(new DeadLetterReplay.Result(1, 1));
        assertThat(examples(config)).hasSize(2).allSatisfy(each -> {
            assertThat(each.key()).isEqualTo(bytes("m"));
            assertThat(each.value()).isEqualTo(bytes("large"));
            assertThat(each.timestamp()).isEqualTo(TIME);
        });
    }

    private static EngineConfig withTopics(String name) throws Exception {
        // no other test has its topics
        EngineConfig config = config(new SharedCluster(name).prefix());
        try (Admin admin = Admin.create(config.admin())) {
            TopicCreator.create(admin, config);
        }
        return config;
    }

    private static DeadLetterReplay.Result replayAll(EngineConfig config) {
        try (DeadLetterLog log = DeadLetterLog.open(config)) {
            return new DeadLetterReplay(config, log, REGISTRY, ReplaySelection.ALL, Long.MAX_VALUE).run(() -> false);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** End of a process: nothing is aborted or closed in order. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** A producer that ends without a word instead of its n-th call, or after it. */
    @SuppressWarnings("unchecked")
    private static Producer<byte[], byte[]> killedAt(EngineConfig config, int call, boolean isDone) {
        Producer<byte[], byte[]> real = KafkaClients.onlyProducer(config, "replay", 15_000);
        int[] calls = new int[1];
        return (Producer<byte[], byte[]>) Proxy.newProxyInstance(
                DeadLetterReplayIT.class.getClassLoader(),
                new Class<?>[] {Producer.class},
                (self, method, arguments) -> {
                    boolean isLast = ++calls[0] == call;
                    Object answer = null;
                    if (!isLast || isDone) {
                        try {
                            answer = method.invoke(real, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    }
                    if (isLast) {
                        // unlike close(), aborts nothing
                        real.close(Duration.ZERO);
                        throw new Killed();
                    }
                    return answer;
                });
    }

    private static void writeLetters(EngineConfig config, int count) {
        try (Producer<byte[], byte[]> producer = KafkaClients.producer(config)) {
            for (int k = 0; k < count; k++) {
                var letter =
                        new ProducerRecord<>(config.topic(Topic.DEAD_LETTERS), k % 2, TIME, bytes("m"), bytes("v" + k));
                DeadLetter.addTo(
                        letter.headers(),
                        new RejectedException(RejectReason.INVALID_LABEL, "no"),
                        config.topic(Topic.EXAMPLES),
                        k % 2,
                        k);
                var unused = producer.send(letter);
            }
        }
    }

    private static void sendFifty(EngineConfig config, String model) {
        try (Producer<byte[], byte[]> producer = KafkaClients.producer(config)) {
            for (int k = 0; k < 50; k++) {
                String value = k < 30 ? example(k) : k < 42 ? "{" : "";
                Header trace = new RecordHeader("trace", bytes("" + k));
                var unused = producer.send(new ProducerRecord<>(
                        config.topic(Topic.EXAMPLES), null, TIME + k, bytes(model), bytes(value), List.of(trace)));
            }
        }
    }

    private static String example(int k) {
        return "{\"id\":\"e" + k + "\",\"label\":\"" + (k % 2 == 0 ? "ham" : "spam") + "\",\"features\":["
                + (k % 2 == 0 ? "1,0" : "0,1") + "]}";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static EngineConfig config(String prefix) {
        return CLUSTER.config(Map.of("topics.prefix", prefix, "topics.partitions", "2"));
    }

    private static List<ConsumerRecord<byte[], byte[]>> letters(EngineConfig config) {
        return all(config, Topic.DEAD_LETTERS);
    }

    private static List<ConsumerRecord<byte[], byte[]>> examples(EngineConfig config) {
        return all(config, Topic.EXAMPLES);
    }

    /** All committed records of a topic. */
    private static List<ConsumerRecord<byte[], byte[]>> all(EngineConfig config, Topic topic) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        try (TopicScan tail = TopicScan.open(config, config.topic(topic))) {
            tail.readAll(records::add);
        }
        return records;
    }
}
