package io.perceptronstreams.topology;

import static io.perceptronstreams.topology.BadRecord.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.cluster.CommandSigner;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.serde.CommandSignature;
import io.perceptronstreams.serde.Topic;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands and weights with {@code commands.key}. */
@EngineSettings("commands.key=" + SignedCommandTest.KEY)
class SignedCommandTest {
    static final String KEY = "the-key-of-the-operators";
    private static final Map<String, String> SETTINGS = Map.of("commands.key", KEY);
    private static final String EXAMPLE = "{\"id\":\"1\",\"label\":1,\"features\":[1]}";

    // one for each key: its times ascend, also within a microsecond
    private static final Map<String, CommandSigner> SIGNERS = new HashMap<>();

    @TempDir
    Path dir;

    private final EngineDriver engine;

    SignedCommandTest(EngineDriver engine) {
        this.engine = engine;
    }

    @Test
    void shouldRefuseACommandWithoutASignature() {
        engine.send("m", EXAMPLE, 1);
        for (String action : List.of("RESET", "DELETE", "FREEZE", "THAW", "SNAPSHOT")) {
            engine.send("m", command(action), 2);
        }
        engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"h\":\"1\"}}", 2);
        List<TestRecord<byte[], byte[]>> letters = engine.records(Topic.DEAD_LETTERS);
        assertThat(letters)
                .hasSize(6)
                .allMatch(letter -> EngineDriver.reason(letter).equals("NOT_AUTHORISED"));
        assertThat(EngineDriver.message(letters.get(0)))
                .isEqualTo("a command must be signed, got no header perceptron-signature"
                        + " (set commands.key, or PERCEPTRON_COMMANDS_KEY, for the sender, too)");
        engine.send("m", EXAMPLE, 3);
        assertThat(engine.events(Topic.PREDICTIONS)).hasSize(2);
    }

    @Test
    void shouldExecuteASignedCommand() {
        engine.send("m", EXAMPLE, 1);
        send(signed(KEY, "m", command("FREEZE")));
        assertThat(engine.reasons()).isEmpty();
        assertThat(states()).containsExactly("LIVE", "FROZEN");
    }

    @Test
    void shouldRefuseDefaultsWithoutASignature() {
        String defaults = "{\"action\":\"DEFAULTS\",\"settings\":{\"h\":\"1\"}}";
        engine.send("*", defaults, 1);
        assertThat(engine.reasons()).containsExactly("NOT_AUTHORISED");
        send(signed(KEY, "*", defaults));
        assertThat(engine.reasons()).isEmpty();
    }

    @Test
    void shouldRefuseASignatureOfAnotherKeyModelOrValue() {
        engine.send("m", EXAMPLE, 1);
        engine.send("n", EXAMPLE, 1);
        send(signed("a-key-of-somebody-else", "m", command("DELETE")));
        ProducerRecord<byte[], byte[]> freeze = signed(KEY, "m", command("FREEZE"));
        send(new ProducerRecord<>("t", null, utf8("n"), freeze.value(), freeze.headers()));
        send(new ProducerRecord<>("t", null, freeze.key(), utf8(command("DELETE")), freeze.headers()));
        assertThat(engine.reasons()).containsExactly("NOT_AUTHORISED", "NOT_AUTHORISED", "NOT_AUTHORISED");
        assertThat(states()).containsExactly("LIVE", "LIVE");
    }

    @Test
    void shouldRefuseCopiesOfSignedCommands() {
        engine.send("m", EXAMPLE, 1);
        ProducerRecord<byte[], byte[]> delete = signed(KEY, "m", command("DELETE"));
        send(delete);
        send(delete);
        engine.send("m", EXAMPLE, 2);
        send(delete);
        assertThat(engine.reasons()).containsExactly("NOT_AUTHORISED", "NOT_AUTHORISED");
        assertThat(states()).containsExactly("LIVE", "DELETED", "LIVE");
    }

    @Test
    void shouldRefuseACopyOfACommandThatWasRejectedForAModelNotThereYet() {
        ProducerRecord<byte[], byte[]> delete = signed(KEY, "m", command("DELETE"));
        send(delete);
        assertThat(engine.reasons()).containsExactly("INVALID_COMMAND");
        engine.send("m", EXAMPLE, 2);
        send(delete);
        assertThat(engine.reasons()).containsExactly("NOT_AUTHORISED");
    }

    @Test
    void shouldRefuseACommandThatWasSignedBeforeTheModelsLastOne() {
        ProducerRecord<byte[], byte[]> early = signed(KEY, "m", command("FREEZE"));
        ProducerRecord<byte[], byte[]> late = signed(KEY, "m", command("THAW"));
        engine.send("m", EXAMPLE, 1);
        send(late);
        send(early);
        assertThat(engine.reasons()).containsExactly("NOT_AUTHORISED");
    }

    @Test
    void shouldAcceptSeveralKeys() {
        try (EngineDriver both = new EngineDriver(dir, Map.of("commands.key", "the-key-of-tomorrow , " + KEY), 1)) {
            both.send("m", EXAMPLE, 1);
            for (String key : List.of(KEY, "the-key-of-tomorrow")) {
                ProducerRecord<byte[], byte[]> record = signed(key, "m", command("FREEZE"));
                both.send(record.key(), record.value(), record.headers(), 2);
            }
            assertThat(both.reasons()).isEmpty();
        }
    }

    @Test
    void shouldRefuseWeightsWithoutASignatureAndKeepThoseWithOne() {
        engine.send("source", EXAMPLE, 1);
        send(signed(KEY, "source", command("SNAPSHOT")));
        byte[] chunk = engine.records(Topic.WEIGHTS).get(0).value();
        engine.send("m", chunk, 2);
        assertThat(engine.reasons()).containsExactly("NOT_AUTHORISED");
        ProducerRecord<byte[], byte[]> comparator = new ProducerRecord<>("t", utf8("source"), chunk);
        comparator.headers().add("perceptron-import-as", utf8("comparator"));
        signer(KEY).sign(comparator);
        // as weights that replace the model: without the header that was signed
        Headers without = new RecordHeaders().add(comparator.headers().lastHeader(CommandSignature.HEADER));
        engine.send(comparator.key(), chunk, without, 3);
        assertThat(engine.reasons()).containsExactly("NOT_AUTHORISED");
        send(comparator);
        send(signer(KEY).sign(new ProducerRecord<>("t", utf8("m"), chunk)));
        assertThat(engine.reasons()).isEmpty();
    }

    @Test
    void shouldKeepTheSignatureOfARecordThatIsRerouted() {
        try (EngineDriver two = new EngineDriver(dir, SETTINGS, 2)) {
            // "m" belongs to partition 0, the driver's, "n" to the other one
            ProducerRecord<byte[], byte[]> record = signed(KEY, "n", command("FREEZE"));
            two.send(record.key(), record.value(), record.headers(), 1);
            byte[] sentOn = two.records(Topic.EXAMPLES)
                    .get(0)
                    .headers()
                    .lastHeader(CommandSignature.HEADER)
                    .value();
            assertThat(CommandSignature.decode(sentOn).isOf(KEY, utf8("n"), null, record.value()))
                    .isTrue();
        }
    }

    /** A kill after a commit, before the next checkpoint; then a life with another key, or none. */
    @Test
    void shouldReplayEveryDecisionAfterTheKeyHasChanged() {
        for (String next : List.of("another-key-of-operators", "")) {
            try (KillableTask task = new KillableTask(dir, SETTINGS, 1, any -> any)) {
                ProducerRecord<byte[], byte[]> freeze = signed(KEY, "m", command("FREEZE"));
                ProducerRecord<byte[], byte[]> thaw = signed(KEY, "m", command("THAW"));
                task.add("m", EXAMPLE);
                add(task, freeze);
                add(task, thaw);
                add(task, freeze); // a copy
                task.add("m", command("DELETE"));
                add(task, signed("a-key-of-somebody-else", "m", command("RESET")));
                task.add("m", EXAMPLE);
                task.start();
                task.steps(6);
                task.commit();
                task.kill();
                if (!next.isEmpty()) {
                    task.set("commands.key", next);
                } else {
                    task.unset("commands.key");
                }
                task.start();
                task.steps(1);
                task.commit();
                assertThat(task.replayed).isEqualTo(6);
                assertThat(task.committed(Topic.DEAD_LETTERS)).hasSize(3);
                // seen 2, live: neither frozen by the copy nor deleted nor reset
                assertThat(task.events(Topic.PREDICTIONS))
                        .last()
                        .extracting(each -> each.get("score"))
                        .isEqualTo(2.0);
            }
        }
    }

    @Test
    void shouldRefuseACopyAfterAKill() {
        try (KillableTask task = new KillableTask(dir, SETTINGS, 1, any -> any)) {
            ProducerRecord<byte[], byte[]> delete = signed(KEY, "m", command("DELETE"));
            task.add("m", EXAMPLE);
            add(task, delete);
            task.add("m", EXAMPLE);
            add(task, delete);
            task.start();
            task.steps(3);
            task.commit();
            task.kill();
            task.start();
            task.steps(1);
            task.commit();
            assertThat(task.committed(Topic.DEAD_LETTERS)).hasSize(1);
        }
    }

    @Test
    void shouldStoreNothingMoreWithoutAKey() {
        try (EngineDriver open = new EngineDriver(dir)) {
            ProducerRecord<byte[], byte[]> signed = signed(KEY, "m", command("CONFIGURE"));
            open.send(signed.key(), signed.value(), signed.headers(), 1);
            assertThat(open.reasons()).isEmpty();
            assertThat(open.changelog()).hasSize(1);
        }
    }

    private void send(ProducerRecord<byte[], byte[]> record) {
        engine.send(record.key(), record.value(), record.headers(), 5);
    }

    private static void add(KillableTask task, ProducerRecord<byte[], byte[]> sent) {
        task.add(sent.key(), sent.value(), sent.headers());
    }

    private List<String> states() {
        return engine.events(Topic.MODELS).stream()
                .map(status -> status.get("state").toString())
                .toList();
    }

    private static String command(String action) {
        return "{\"action\":\"" + action + "\"}";
    }

    private static ProducerRecord<byte[], byte[]> signed(String key, String model, String value) {
        return signer(key).sign(new ProducerRecord<>("t", utf8(model), utf8(value)));
    }

    private static CommandSigner signer(String key) {
        return SIGNERS.computeIfAbsent(
                key, any -> new CommandSigner(EngineConfig.of(Map.of("commands.key", key), Map.of(), null, Map.of())));
    }
}
