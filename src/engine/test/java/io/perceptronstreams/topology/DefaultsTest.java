package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.InputPosition;
import io.perceptronstreams.store.ModelKeys;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The command DEFAULTS, and the models that are made after it. */
@ExtendWith(EngineExtension.class)
class DefaultsTest {
    private static final String EXAMPLE = "{\"id\":\"1\",\"label\":1,\"features\":{\"age\":3}}";

    @TempDir
    Path dir;

    @Test
    void shouldMakeOnlyLaterModelsWithTheDefaults(EngineDriver engine) {
        engine.send("before", EXAMPLE, 1);
        engine.send("*", defaults("\"h\":\"2\",\"hash.bits\":\"9\""), 2);
        engine.send("before", EXAMPLE, 3);
        engine.send("after", EXAMPLE, 4);
        engine.send("configured", "{\"action\":\"CONFIGURE\",\"settings\":{\"h\":\"3\"}}", 5);
        assertThat(engine.reasons()).isEmpty();
        Map<String, Map<String, String>> settings = settings(engine);
        assertThat(settings.get("before")).containsEntry("h", "0.0").containsEntry("hash.bits", "18");
        assertThat(settings.get("after")).containsEntry("h", "2.0").containsEntry("hash.bits", "9");
        assertThat(settings.get("configured")).containsEntry("h", "3.0").containsEntry("hash.bits", "9");
        assertThat(settings.get("*/0"))
                .isEqualTo(Settings.DEFAULTS
                        .with(Map.of("h", "2", "hash.bits", "9"))
                        .toMap());
    }

    @Test
    void shouldHashTheFirstExampleByTheDefaults(EngineDriver engine) {
        engine.send("*", defaults("\"hash.bits\":\"9\""), 1);
        engine.send("m", EXAMPLE, 2);
        // a deleted model is a new one
        engine.send("m", "{\"action\":\"DELETE\"}", 3);
        engine.send("m", EXAMPLE, 4);
        engine.send("m", EXAMPLE, 5);
        // by the first example: 3 at the feature's index, 1 at the bias
        assertThat(engine.events(Topic.PREDICTIONS))
                .extracting(event -> event.get("score"))
                .containsExactly(0.0, 0.0, 10.0);
        engine.send("m", "{\"action\":\"SNAPSHOT\"}", 6);
        assertThat(settings(engine).get("m")).containsEntry("hash.bits", "9");
    }

    @Test
    void shouldKeepDefaultsOverARestartAndAnEviction(EngineDriver engine) {
        engine.send("*", defaults("\"h\":\"2\""), 1);
        engine.send("*", defaults("\"eta\":\"0.5\""), 2);
        engine.reload();
        engine.send("m", EXAMPLE, 3);
        assertThat(settings(engine).get("m")).containsEntry("h", "2.0").containsEntry("eta", "0.5");
    }

    @Test
    void shouldTakeTheDefaultsOnAnyPartition() {
        // the engine is partition 0; the hash of the key is one of the others for most numbers of partitions
        for (int partitions = 2; partitions < 6; partitions++) {
            Path state = dir.resolve("p" + partitions);
            try (EngineDriver engine = new EngineDriver(state, Map.of(), partitions)) {
                engine.send("*", defaults("\"h\":\"2\""), 1);
                assertThat(engine.records(Topic.EXAMPLES)).isEmpty();
                assertThat(settings(engine)).containsKey("*/0");
            }
        }
    }

    @Test
    void shouldRefuseWhatNoModelCanBeMadeWith(EngineDriver engine) {
        engine.send("*", defaults("\"h\":\"-1\""), 1);
        engine.send("*", defaults("\"speed\":\"1\""), 1);
        engine.send("*", defaults("\"algorithm\":\"multiclass\",\"budget\":\"5\""), 1);
        engine.send("*", "{\"action\":\"RESET\"}", 1);
        engine.send("m", defaults("\"h\":\"1\""), 1);
        assertThat(engine.reasons()).hasSize(5).containsOnly("INVALID_COMMAND");
        engine.send("*", EXAMPLE, 1);
        assertThat(engine.reasons()).containsExactly("INVALID_MODEL_NAME");
        engine.send("m", EXAMPLE, 2);
        assertThat(settings(engine)).containsOnlyKeys("m");
        assertThat(engine.store().defaults()).isEqualTo(Settings.DEFAULTS);
    }

    /** Of two examples behind a checkpoint one lies before the command: its model must not have the defaults. */
    @Test
    void shouldDecideAlikeInAReplay() {
        try (KillableTask task = new KillableTask(dir, Map.of(), 1, real -> real)) {
            task.add("x", EXAMPLE);
            task.add("a", EXAMPLE);
            task.add("*", defaults("\"h\":\"2\""));
            task.add("b", EXAMPLE);
            task.add("c", EXAMPLE);
            task.start();
            task.step();
            task.checkpoint();
            task.commit();
            task.steps(3);
            task.commit();
            task.kill();
            task.start();
            task.step();
            assertThat(task.replayed).isEqualTo(3);
            task.checkpoint();
            task.commit();
            assertThat(InputPosition.decode(task.store.get(ModelKeys.POSITION)).defaults())
                    .isEqualTo(Settings.DEFAULTS.with(Map.of("h", "2")));
            Map<String, String> h = new HashMap<>();
            task.committed(Topic.MODELS)
                    .forEach(each -> h.put(
                            new String(each.key(), StandardCharsets.UTF_8),
                            map(EngineDriver.decode(task.registry, each.value()))
                                    .get("h")));
            assertThat(h).isEqualTo(Map.of("x", "0.0", "a", "0.0", "*/0", "2.0", "b", "2.0", "c", "2.0"));
        }
    }

    private static String defaults(String settings) {
        return "{\"action\":\"DEFAULTS\",\"settings\":{" + settings + "}}";
    }

    /** The settings of the latest status by key. */
    private static Map<String, Map<String, String>> settings(EngineDriver engine) {
        Map<String, Map<String, String>> settings = new HashMap<>();
        List<TestRecord<byte[], byte[]>> records = engine.records(Topic.MODELS);
        records.forEach(record ->
                settings.put(new String(record.key(), StandardCharsets.UTF_8), map(engine.decode(record.value()))));
        return settings;
    }

    private static Map<String, String> map(GenericRecord status) {
        Map<String, String> map = new HashMap<>();
        ((Map<?, ?>) status.get("settings")).forEach((name, value) -> map.put(name.toString(), value.toString()));
        return map;
    }
}
