package io.perceptronstreams.topology;

import static io.perceptronstreams.topology.Snapshots.SOURCE;
import static io.perceptronstreams.topology.Snapshots.TARGET;
import static io.perceptronstreams.topology.Snapshots.block;
import static io.perceptronstreams.topology.Snapshots.configure;
import static io.perceptronstreams.topology.Snapshots.only;
import static io.perceptronstreams.topology.Snapshots.send;
import static io.perceptronstreams.topology.Snapshots.snapshot;
import static io.perceptronstreams.topology.Snapshots.state;
import static io.perceptronstreams.topology.Snapshots.states;
import static io.perceptronstreams.topology.Snapshots.wideSnapshot;
import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Models from snapshots: they continue bit for bit, and replace what was there. */
@ExtendWith(EngineExtension.class)
class WeightsImportTest {
    @TempDir
    Path dir;

    @SeededTest
    void shouldGoOnBitForBitFromAnImportedSnapshot(long seed) {
        for (String settings : List.of(
                "{\"predict\":\"averaged\",\"h\":0.5}",
                "{\"scale\":\"standard\",\"eta\":0.3}",
                "{\"algorithm\":\"multiclass\",\"h\":1}",
                "{\"algorithm\":\"arow\"}",
                "{\"algorithm\":\"scw\"}",
                "{\"algorithm\":\"sgd\",\"rate\":\"adagrad\",\"normalised\":true,\"predict\":\"averaged\"}",
                "{\"kernel\":\"poly(c=1,k=2)\",\"budget\":20,\"explain\":3}",
                "{\"predict\":\"voted\"}",
                "{\"comparator\":30}",
                "{\"algorithm\":\"sequence\",\"predict\":\"averaged\"}",
                "{\"algorithm\":\"structured\"}",
                "{\"labels\":\"-1,1\",\"bias\":false,\"survival.start\":0}",
                "{\"calibrate\":\"platt\",\"coverage\":0.9,\"threshold\":\"cost:1:5\",\"predict.scores\":true}",
                "{\"algorithm\":\"multiclass\",\"calibrate\":\"platt\",\"coverage\":0.8}")) {
            Random random = new Random(seed);
            try (EngineDriver engine = new EngineDriver(dir.resolve(seed + "-" + settings.hashCode()))) {
                configure(engine, "source", settings);
                for (int k = 0; k < 200; k++) {
                    engine.send("source", example(random, settings), k);
                }
                List<byte[]> chunks = snapshot(engine);
                send(engine, chunks);
                assertThat(states(snapshot(engine, "target"), engine)).isEqualTo(states(chunks, engine));
                engine.records(Topic.PREDICTIONS);
                engine.records(Topic.MISTAKES);

                for (int k = 0; k < 100; k++) {
                    String next = example(random, settings);
                    engine.send("source", next, 1000 + k);
                    engine.send("target", next, 1000 + k);
                }
                for (Topic topic : List.of(Topic.PREDICTIONS, Topic.MISTAKES)) {
                    List<TestRecord<byte[], byte[]>> records = engine.records(topic);
                    assertThat(values(engine, records, TARGET))
                            .as("seed %d, %s", seed, topic)
                            .isEqualTo(values(engine, records, SOURCE));
                }
                assertThat(states(snapshot(engine, "target"), engine)).isEqualTo(states(snapshot(engine), engine));
            }
        }
    }

    @Test
    @EngineSettings("output.format=json")
    void shouldImportChunksInJson(EngineDriver engine) {
        List<byte[]> chunks = wideSnapshot(engine);
        assertThat(chunks).hasSizeGreaterThan(2);
        send(engine, chunks);
        List<byte[]> imported = snapshot(engine, "target");
        assertThat(imported).hasSameSizeAs(chunks);
        for (int k = 0; k < chunks.size(); k++) {
            assertThat(state(imported.get(k))).isEqualTo(state(chunks.get(k)));
        }
    }

    @Test
    void shouldReplaceTheModelAtTheLastChunkAndNotBefore(EngineDriver engine) {
        List<byte[]> chunks = wideSnapshot(engine);
        engine.send("target", "{\"id\":\"1\",\"label\":-1,\"features\":[1]}", 1);
        engine.records(Topic.MODELS);
        engine.records(Topic.COUNTS);
        engine.records(Topic.PREDICTIONS);
        for (byte[] chunk : chunks.subList(0, chunks.size() - 1)) {
            engine.send(TARGET, chunk, 20_000);
            // as after a crash: what is gathered must not be in memory only
            engine.reload();
            engine.send("target", "{\"id\":\"2\",\"label\":-1,\"features\":[1]}", 2);
            assertThat(only(engine.events(Topic.PREDICTIONS)).get("score")).isEqualTo(-2.0);
        }
        assertThat(engine.records(Topic.MODELS)).isEmpty();

        engine.send(TARGET, chunks.get(chunks.size() - 1), 20_000);

        GenericRecord status = only(engine.events(Topic.MODELS));
        assertThat(status.get("cause")).hasToString("IMPORT");
        assertThat(status.get("epoch")).isEqualTo(1L);
        assertThat(status.get("examples")).as("what was emitted counts on").isEqualTo((long) chunks.size());
        assertThat(((GenericRecord) status.get("ofWeights")).get("examples")).isEqualTo(1L);
        assertThat(status.get("state")).hasToString("LIVE");
        assertThat(engine.records(Topic.COUNTS))
                .as("the window of the old model")
                .hasSize(1);
        engine.reload();
        engine.send("target", "{\"id\":\"3\",\"features\":{\"indices\":[44999],\"values\":[1e100]}}", 20_001);
        engine.send("source", "{\"id\":\"3\",\"features\":{\"indices\":[44999],\"values\":[1e100]}}", 20_001);
        List<GenericRecord> predictions = engine.events(Topic.PREDICTIONS);
        assertThat(predictions.get(0).get("score")).isEqualTo(predictions.get(1).get("score"));
        assertThat(engine.reasons()).isEmpty();
    }

    @Test
    void shouldLeaveNothingOfTheOldModelAndOfTheChunksInTheStore(EngineDriver engine) {
        List<byte[]> chunks = wideSnapshot(engine);
        engine.send("target", "{\"id\":\"1\",\"label\":-1,\"features\":{\"indices\":[9000000],\"values\":[1]}}", 1);
        send(engine, chunks);

        Map<String, Integer> kept = new TreeMap<>();
        for (TestRecord<byte[], byte[]> record : engine.changelog()) {
            if (new String(record.key(), StandardCharsets.ISO_8859_1).startsWith("target")) {
                String key = HexFormat.of().formatHex(record.key());
                if (record.value() == null) {
                    kept.remove(key);
                } else {
                    kept.put(key, record.value().length);
                }
            }
        }
        // the header, and 45,000 weights in blocks of 128
        assertThat(kept).hasSize(1 + 352);
    }

    @Test
    @EngineSettings("models.auto.create=false")
    void shouldMakeAModelThatWasNotThere(EngineDriver engine) {
        configure(engine, "source", "{}");
        engine.send("source", "{\"id\":\"1\",\"label\":1,\"features\":[1]}", 1);
        send(engine, snapshot(engine));
        engine.send("target", "{\"id\":\"2\",\"features\":[1]}", 2);
        assertThat(engine.reasons()).isEmpty();
    }

    @Test
    void shouldBringBackAModelThatWasDeletedOrQuarantined(EngineDriver engine) {
        engine.send("source", "{\"id\":\"1\",\"label\":1,\"features\":[1]}", 1);
        List<byte[]> chunks = snapshot(engine);
        engine.send("target", "{\"id\":\"1\",\"label\":1,\"features\":[1]}", 2);
        engine.send("target", "{\"action\":\"DELETE\"}", 3);
        send(engine, chunks);
        engine.send("target", BadRecords.QUARANTINE[0], 4);
        engine.send("target", BadRecords.QUARANTINE[1], 5);
        assertThat(engine.reasons()).containsExactly("MODEL_QUARANTINED");
        engine.events(Topic.MODELS);
        send(engine, chunks);
        engine.send("target", "{\"id\":\"2\",\"features\":[1]}", 6);
        assertThat(engine.reasons()).isEmpty();
        assertThat(engine.events(Topic.MODELS).get(0).get("epoch")).isEqualTo(4L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"avro", "json"})
    void shouldKeepTheSignOfZero(String format) {
        try (EngineDriver engine = new EngineDriver(dir, Map.of("output.format", format), 1)) {
            GenericRecord chunk;
            try (EngineDriver other = new EngineDriver(dir.resolve("other"))) {
                other.send("source", "{\"id\":\"1\",\"label\":1,\"features\":[1]}", 1);
                chunk = other.decode(snapshot(other).get(0));
            }
            block(chunk).put("values", List.of(-0.0));
            engine.send(TARGET, engine.encode(chunk), 2);
            List<byte[]> first = snapshot(engine, "target");
            // exported and imported again in this format
            engine.send(TARGET, first.get(0), 2);
            String state = state(snapshot(engine, "target").get(0));
            if (format.equals("json")) {
                assertThat(state).contains("\"positions\":[0],\"values\":[-0.0]");
            } else {
                assertThat(block(engine.decode(first.get(0))).get("values")).hasToString("[-0.0]");
            }
        }
    }

    /** Events without the epoch, which an import begins, and without the counts of what the model has emitted. */
    private static List<String> values(EngineDriver engine, List<TestRecord<byte[], byte[]>> records, byte[] key) {
        return records.stream()
                .filter(record -> Arrays.equals(record.key(), key))
                .map(record -> {
                    GenericRecord event = engine.decode(record.value());
                    for (String field : List.of("epoch", "examples", "labelled", "mistakes", "marginMistakes")) {
                        if (event.hasField(field)) {
                            event.put(field, 0L);
                        }
                    }
                    return HexFormat.of().formatHex(engine.encode(event));
                })
                .toList();
    }

    private static String example(Random random, String settings) {
        if (settings.contains("sequence") || settings.contains("structured")) {
            return HostileImports.example(settings, random);
        }
        return "{\"id\":\"" + random.nextInt() + "\",\"label\":" + (random.nextBoolean() ? 1 : -1)
                + ",\"features\":{\"indices\":[" + random.nextInt(100) + "," + (100 + random.nextInt(100_000))
                + "],\"values\":[" + random.nextGaussian() + "," + random.nextGaussian() * 100 + "]}}";
    }
}
