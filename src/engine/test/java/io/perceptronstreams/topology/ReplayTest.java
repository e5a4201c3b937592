package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.log.RegistryRetry;
import io.perceptronstreams.registry.FailingRegistry;
import io.perceptronstreams.registry.LateRegistry;
import io.perceptronstreams.serde.Topic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Outputs depend only on the log: not on the models in memory, nor on the times of commits. */
@ExtendWith(EngineExtension.class)
class ReplayTest {
    @TempDir
    Path dir;

    private record Sent(String model, String json) {}

    @SeededTest
    void shouldNotNoticeThatModelsAreReadBackFromTheStore(long seed) {
        List<Sent> log = log(new Random(seed));

        List<String> inMemory = outputs(log, "memory", Map.of(), false);

        assertThat(outputs(log, "dropped", Map.of(), true)).isEqualTo(inMemory);
        assertThat(outputs(log, "limited", Map.of("store.heap.bytes", "1"), false))
                .isEqualTo(inMemory);

        Map<String, String> limits = new HashMap<>(Map.of("models.max", "4", "models.idle.ms", "5000"));
        List<String> fewInMemory = outputs(log, "few", limits, false);
        assertThat(fewInMemory).isNotEqualTo(inMemory);
        limits.put("store.heap.bytes", "1");
        assertThat(outputs(log, "few-limited", limits, false)).isEqualTo(fewInMemory);
    }

    @Test
    void shouldNameTheRecordThatItFailedAt() {
        // without a registry behind it, one that throws an unexpected exception
        try (EngineDriver engine =
                new EngineDriver(dir, Map.of(), 1, real -> new FailingRegistry(null, 0), new RegistryRetry(0))) {
            engine.send("m", "{\"id\":\"1\",\"label\":1,\"features\":[1]}", 1);
            byte[] avro = Wire.example(engine.id("Example"), Wire.dense(1));
            assertThatThrownBy(() -> engine.send(BadRecord.utf8("m"), avro, 1))
                    .hasStackTraceContaining(
                            "perceptron-examples-0@1 could not be processed: java.lang.NullPointerException");
        }
    }

    // The replay decodes the record to find out whether it ended an import.
    @Test
    void shouldRepeatARefusalOfARecordWhoseSchemaWasDeletedSince() {
        boolean[] isKnown = {true};
        int id = KillReplayTest.LATE_ID;
        try (KillableTask task = new KillableTask(
                dir,
                Map.of("models.max", "1"),
                1,
                real -> isKnown[0]
                        ? LateRegistry.known(real, id)
                        : new LateRegistry(real, id, new int[] {Integer.MIN_VALUE}))) {
            task.add("m", "{\"label\":1,\"features\":[1]}");
            task.start();
            task.stepToEnd();
            task.commitCheckpoint();
            task.add(BadRecord.utf8("n"), Wire.example(id, Wire.dense(1)), new RecordHeaders());
            task.stepToEnd();
            task.commit();
            assertThat(task.committed(Topic.DEAD_LETTERS))
                    .extracting(each -> each.header("perceptron-reason"))
                    .containsExactly("TOO_MANY_MODELS");
            task.kill();
            isKnown[0] = false;
            task.start();
            task.add("m", "{\"label\":1,\"features\":[1]}");
            task.stepToEnd();
            task.commitCheckpoint();
            assertThat(task.committed(Topic.PREDICTIONS)).hasSize(2);
            assertThat(task.replayed).isPositive();
        }
    }

    @Test
    void shouldLeaveNoTraceOfAModelWhoseFirstExampleWasRefused(EngineDriver engine) {
        engine.send("m", "{\"id\":\"1\",\"label\":7,\"features\":[1]}", 1);
        engine.send("m", "{\"action\":\"FREEZE\"}", 2);
        assertThat(engine.reasons()).containsExactly("INVALID_LABEL", "INVALID_COMMAND");
        assertThat(engine.changelog()).isEmpty();
    }

    @Test
    @EngineSettings("models.auto.create=false")
    void shouldLeaveNoTraceOfAModelWhoseFirstCommandWasRefused(EngineDriver engine) {
        engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"h\":-1}}", 1);
        engine.send("m", "{\"id\":\"1\",\"features\":[1]}", 2);
        assertThat(engine.reasons()).containsExactly("INVALID_COMMAND", "UNKNOWN_MODEL");
    }

    private List<String> outputs(List<Sent> log, String name, Map<String, String> settings, boolean isDropped) {
        try (EngineDriver engine = new EngineDriver(dir.resolve(name), settings, 1)) {
            long time = 0;
            for (Sent sent : log) {
                engine.send(sent.model, sent.json, time += 700);
                if (isDropped) {
                    engine.reload();
                }
            }
            return outputs(engine);
        }
    }

    private static List<String> outputs(EngineDriver engine) {
        List<String> outputs = new ArrayList<>();
        for (Topic topic : Topic.values()) {
            for (TestRecord<byte[], byte[]> record : engine.records(topic)) {
                if (topic == Topic.MODELS
                        && engine.decode(record.value()).get("cause").toString().equals("IDLE")) {
                    continue; // published by the clock
                }
                outputs.add(topic + " " + Arrays.toString(record.key()) + " " + record.timestamp() + " "
                        + (record.value() == null ? null : HexFormat.of().formatHex(record.value())));
            }
        }
        return outputs;
    }

    private static List<Sent> log(Random random) {
        List<Sent> log = new ArrayList<>();
        for (int k = 0; k < 300; k++) {
            log.add(new Sent("m" + random.nextInt(6), random.nextInt(3) == 0 ? command(random) : example(random, k)));
        }
        return log;
    }

    private static String command(Random random) {
        return switch (random.nextInt(14)) {
            case 0 -> "{\"action\":\"RESET\"}";
            case 1 -> "{\"action\":\"DELETE\"}";
            case 2 -> "{\"action\":\"FREEZE\"}";
            case 3, 4 -> "{\"action\":\"THAW\"}";
            case 5 -> "{\"action\":\"SNAPSHOT\"}";
            case 6 -> setting("predict", random.nextBoolean() ? "averaged" : "last");
            case 7 ->
                setting(
                        "scale",
                        List.of("none", "unit-norm", "standard", "unit-norm-bias")
                                .get(random.nextInt(4)));
            case 8 -> setting("h", random.nextInt(-1, 3) + "");
            case 9 -> setting("snapshot.every", random.nextInt(4) + "");
            // in the next example the weights overflow
            case 10 -> setting("eta", random.nextInt(4) == 0 ? "1e308" : "0.5");
            // mostly a version that is past, and sometimes one to wait for
            case 11 -> setting("comparator", random.nextInt(15) + "");
            case 12 -> setting("comparator", "");
            default -> setting("labels", random.nextBoolean() ? "" : "-1,1");
        };
    }

    private static String setting(String name, String value) {
        return "{\"action\":\"CONFIGURE\",\"settings\":{\"" + name + "\":\"" + value + "\"}}";
    }

    private static String example(Random random, int id) {
        String label = random.nextInt(5) == 0
                ? ""
                : ",\"label\":" + (random.nextInt(20) == 0 ? 7 : random.nextBoolean() ? 1 : -1);
        return "{\"id\":\"" + id + "\"" + label + ",\"features\":{\"indices\":[" + random.nextInt(100) + ","
                + (100 + random.nextInt(1000)) + "],\"values\":[" + random.nextGaussian() + ","
                + random.nextGaussian() * 100
                + "]}}";
    }
}
