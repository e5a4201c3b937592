package io.perceptronstreams.topology;

import static io.perceptronstreams.topology.Snapshots.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Names of features, from examples of all kinds over the store to published weights and back. */
@ExtendWith(EngineExtension.class)
class FeatureNamesTopologyTest {
    @TempDir
    Path dir;

    /** "index name" of all names. */
    private static List<String> names(EngineDriver engine, List<byte[]> chunks) {
        List<String> names = new ArrayList<>();
        for (byte[] chunk : chunks) {
            assertThat(chunk.length).isLessThan(512 * 1024);
            for (Object each : (List<?>) engine.decode(chunk).get("featureNames")) {
                names.add(((GenericRecord) each).get("index") + " " + ((GenericRecord) each).get("name"));
            }
        }
        return names;
    }

    private static String hashed(String name) {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        return new FeatureHasher(18).index(utf8, 0, utf8.length) + " " + name;
    }

    @Test
    void shouldNameTheFeaturesOfAllKindsOfExamples(EngineDriver engine) {
        engine.send("n", "{\"label\":1,\"features\":{\"age\":0.5,\"city\":\"Rome\",\"none\":0}}", 1);
        engine.send("s", "{\"label\":[\"N\"],\"features\":{\"tokens\":[[\"w=the\",\"cap\"]]}}", 1);
        engine.send(
                "c",
                "{\"label\":\"b\",\"features\":{\"candidates\":[{\"output\":\"a\",\"features\":{\"f\":1,\"both\":1}},"
                        + "{\"output\":\"b\",\"features\":{\"g\":1,\"both\":1}}]}}",
                1);
        engine.send("i", "{\"label\":1,\"features\":{\"indices\":[3],\"values\":[1]}}", 1);

        assertThat(names(engine, snapshot(engine, "n"))).containsExactly(hashed("age"), hashed("city=Rome"));
        assertThat(names(engine, snapshot(engine, "s"))).containsExactly(hashed("w=the"), hashed("cap"));
        assertThat(names(engine, snapshot(engine, "c"))).containsExactly(hashed("f"), hashed("g"));
        assertThat(names(engine, snapshot(engine, "i"))).isEmpty();
    }

    @Test
    void shouldNameTheFeaturesOfAMistake(EngineDriver engine) {
        engine.send("n", "{\"action\":\"CONFIGURE\",\"settings\":{\"explain\":2,\"hash.bits\":1}}", 0);
        engine.send("n", "{\"label\":1,\"features\":{\"age\":0.5,\"city\":\"Rome\",\"b\":3,\"none\":0}}", 1);
        engine.send("n", "{\"label\":-1,\"features\":{\"age\":0.5,\"city\":\"Rome\"}}", 2);
        engine.send("x", "{\"action\":\"CONFIGURE\",\"settings\":{\"explain\":1,\"crosses\":\"u*i\"}}", 0);
        engine.send("x", "{\"label\":1,\"features\":{\"u^1\":3,\"i^2\":4}}", 1);
        engine.send("x", "{\"label\":-1,\"features\":{\"u^1\":3,\"i^2\":4}}", 2);
        engine.send("i", "{\"action\":\"CONFIGURE\",\"settings\":{\"explain\":1}}", 0);
        engine.send("i", "{\"label\":1,\"features\":[1,2]}", 1);
        engine.send("i", "{\"label\":-1,\"features\":[1,2]}", 2);

        List<String> evidence = new ArrayList<>();
        for (TestRecord<byte[], byte[]> each : engine.records(Topic.MISTAKES)) {
            for (Object part : (List<?>) engine.decode(each.value()).get("evidence")) {
                evidence.add(new String(each.key(), StandardCharsets.UTF_8) + " " + ((GenericRecord) part).get("name")
                        + " " + ((GenericRecord) part).get("contribution"));
            }
        }
        // with one bit, names share an index: both are given
        assertThat(evidence).containsExactlyInAnyOrder("n age|city=Rome -6.75", "x i^2*u^1 -144.0", "i null -4.0");
    }

    // With a heap of 1 byte every model is written and read back after each record.
    @Test
    void shouldKeepNamesInTheStore() {
        List<String> inMemory = learnAndShow("memory", Map.of());
        assertThat(inMemory).hasSize(600).contains(hashed("name 0-0"), hashed("name 199-2"));
        assertThat(learnAndShow("dropped", Map.of("store.heap.bytes", "1"))).isEqualTo(inMemory);
    }

    private List<String> learnAndShow(String folder, Map<String, String> settings) {
        try (EngineDriver engine = new EngineDriver(dir.resolve(folder), settings, 1)) {
            for (int k = 0; k < 200; k++) {
                String features = "{\"name " + k + "-0\":1,\"name " + k + "-1\":1,\"name " + k + "-2\":1}";
                engine.send("m", "{\"label\":" + (k % 2 * 2 - 1) + ",\"features\":" + features + "}", k);
                engine.send("other", "{\"label\":1,\"features\":[1]}", k);
                engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"h\":1000000}}", k);
            }
            return names(engine, snapshot(engine, "m"));
        }
    }

    @Test
    void shouldImportNamesInManyChunks() {
        for (String format : List.of("avro", "json")) {
            try (EngineDriver engine = new EngineDriver(dir.resolve(format), Map.of("output.format", format), 1)) {
                engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"h\":1000000}}", 0);
                for (int k = 0; k < 100; k++) {
                    StringBuilder features = new StringBuilder();
                    for (int i = 0; i < 30; i++) {
                        features.append(i == 0 ? "" : ",")
                                .append("\"")
                                .append("ü".repeat(120))
                                .append(k * 30 + i)
                                .append("\":1");
                    }
                    engine.send("m", "{\"label\":1,\"features\":{" + features + "}}", k);
                }
                List<byte[]> chunks = snapshot(engine, "m");
                assertThat(chunks).hasSizeGreaterThan(1);
                chunks.forEach(chunk -> engine.send("target".getBytes(StandardCharsets.UTF_8), chunk, 200));
                List<byte[]> imported = snapshot(engine, "target");
                if (format.equals("avro")) {
                    assertThat(names(engine, chunks)).hasSize(3000);
                    assertThat(names(engine, imported)).isEqualTo(names(engine, chunks));
                } else {
                    assertThat(imported).hasSameSizeAs(chunks);
                    assertThat(new String(imported.get(imported.size() - 1), StandardCharsets.UTF_8))
                            .contains("ü".repeat(120) + "2999");
                }
                assertThat(engine.reasons()).isEmpty();
            }
        }
    }

    @Test
    void shouldRemoveNamesFromTheStoreWithTheirEpoch(EngineDriver engine) {
        engine.send("m", "{\"label\":1,\"features\":{\"age\":1}}", 1);
        engine.checkpoint();
        assertThat(stored(engine, "age")).isEqualTo(1);
        engine.send("m", "{\"action\":\"RESET\"}", 2);
        engine.checkpoint();
        // the tombstone of the part
        assertThat(engine.changelog().stream().filter(record -> record.value() == null))
                .hasSize(1);
        assertThat(names(engine, snapshot(engine, "m"))).isEmpty();
    }

    private static long stored(EngineDriver engine, String text) {
        return engine.changelog().stream()
                .filter(record -> record.value() != null
                        && new String(record.value(), StandardCharsets.ISO_8859_1).contains(text))
                .count();
    }
}
