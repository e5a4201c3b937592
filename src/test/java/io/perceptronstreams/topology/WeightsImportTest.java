package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Seeds;
import io.perceptronstreams.serde.DeadLetter;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WeightsImportTest {
    private static final byte[] SOURCE = utf8("source");
    private static final byte[] TARGET = utf8("target");

    @TempDir
    Path dir;

    static LongStream seeds() {
        return Seeds.all();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldGoOnBitForBitFromAnImportedSnapshot(long seed) {
        for (String settings : List.of(
                "{\"predict\":\"averaged\",\"h\":0.5}",
                "{\"scale\":\"standard\",\"eta\":0.3}",
                "{\"algorithm\":\"multiclass\",\"h\":1}",
                "{\"algorithm\":\"arow\"}",
                "{\"kernel\":\"poly(c=1,k=2)\",\"budget\":20}",
                "{\"predict\":\"voted\"}",
                "{\"comparator\":30}",
                "{\"algorithm\":\"sequence\",\"predict\":\"averaged\"}",
                "{\"algorithm\":\"structured\"}",
                "{\"labels\":\"-1,1\",\"bias\":false,\"survival.start\":0}")) {
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
                    assertThat(values(records, TARGET))
                            .as("seed %d, %s", seed, topic)
                            .isEqualTo(values(records, SOURCE));
                }
                assertThat(states(snapshot(engine, "target"), engine)).isEqualTo(states(snapshot(engine), engine));
            }
        }
    }

    @Test
    void shouldImportChunksInJson() {
        try (EngineDriver engine = new EngineDriver(dir, Map.of("output.format", "json"), 1)) {
            List<byte[]> chunks = wideSnapshot(engine);
            assertThat(chunks).hasSizeGreaterThan(2);
            send(engine, chunks);
            List<byte[]> imported = snapshot(engine, "target");
            assertThat(imported).hasSameSizeAs(chunks);
            for (int k = 0; k < chunks.size(); k++) {
                assertThat(state(imported.get(k))).isEqualTo(state(chunks.get(k)));
            }
        }
    }

    @Test
    void shouldReplaceTheModelAtTheLastChunkAndNotBefore() {
        try (EngineDriver engine = new EngineDriver(dir)) {
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
            assertThat(status.get("seen")).isEqualTo(1L);
            assertThat(status.get("state")).hasToString("LIVE");
            assertThat(engine.records(Topic.COUNTS))
                    .as("the window of the old model")
                    .hasSize(1);
            engine.reload();
            engine.send("target", "{\"id\":\"3\",\"features\":{\"indices\":[44999],\"values\":[1e100]}}", 20_001);
            engine.send("source", "{\"id\":\"3\",\"features\":{\"indices\":[44999],\"values\":[1e100]}}", 20_001);
            List<GenericRecord> predictions = engine.events(Topic.PREDICTIONS);
            assertThat(predictions.get(0).get("score"))
                    .isEqualTo(predictions.get(1).get("score"));
            assertThat(engine.reasons()).isEmpty();
        }
    }

    @Test
    void shouldLeaveNothingOfTheOldModelAndOfTheChunksInTheStore() {
        try (EngineDriver engine = new EngineDriver(dir)) {
            List<byte[]> chunks = wideSnapshot(engine);
            engine.send("target", "{\"id\":\"1\",\"label\":-1,\"features\":{\"indices\":[9000000],\"values\":[1]}}", 1);
            send(engine, chunks);

            Map<String, Integer> kept = new java.util.TreeMap<>();
            for (TestRecord<byte[], byte[]> record : engine.changelog()) {
                if (new String(record.key(), StandardCharsets.ISO_8859_1).startsWith("target")) {
                    String key = java.util.HexFormat.of().formatHex(record.key());
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
    }

    @Test
    void shouldCompareTheModelWithWeightsFromElsewhere() {
        try (EngineDriver engine = new EngineDriver(dir)) {
            // u = (2, 0), bias 1
            engine.send("source", "{\"id\":\"1\",\"label\":1,\"features\":[2,0]}", 1);
            List<byte[]> chunks = snapshot(engine);
            engine.send("target", "{\"id\":\"1\",\"label\":-1,\"features\":[0,1]}", 2);
            engine.events(Topic.MODELS);
            for (byte[] chunk : chunks) {
                engine.send(TARGET, chunk, importAs("comparator"), 3);
            }
            GenericRecord status = only(engine.events(Topic.MODELS));
            assertThat(status.get("cause")).hasToString("COMPARATOR");
            assertThat(status.get("epoch")).isEqualTo(0L);
            assertThat(status.get("seen")).as("the model stays").isEqualTo(1L);
            assertThat(((Map<?, ?>) status.get("settings")).entrySet())
                    .anyMatch(each -> each.toString().equals("comparator=imported"));

            // as after a crash; then u·x + 1 = 2, and y = -1: a loss of 3
            engine.reload();
            engine.send("target", "{\"id\":\"2\",\"label\":-1,\"features\":[0.5,0]}", 4);
            engine.send("target", "{\"action\":\"CONFIGURE\"}", 5);
            GenericRecord comparator =
                    (GenericRecord) engine.events(Topic.MODELS).get(0).get("comparator");
            assertThat(comparator.get("labelled")).isEqualTo(1L);
            assertThat((double) comparator.get("norm")).isEqualTo(Math.sqrt(5));
            assertThat(comparator.get("hingeLoss")).isEqualTo(3.0);
            assertThat(engine.reasons()).isEmpty();
        }
    }

    private static Headers importAs(String purpose) {
        return new RecordHeaders().add("perceptron-import-as", utf8(purpose));
    }

    @Test
    void shouldRefuseToCompareWithWhatIsNoSuchWeights() {
        try (EngineDriver engine = new EngineDriver(dir)) {
            configure(engine, "source", "{\"algorithm\":\"multiclass\"}");
            engine.send("source", "{\"id\":\"1\",\"label\":\"a\",\"features\":[2,0]}", 1);
            engine.send("source", "{\"id\":\"2\",\"label\":\"b\",\"features\":[0,2]}", 1);
            byte[] several = snapshot(engine).get(0);
            engine.send("source", "{\"action\":\"DELETE\"}", 1);
            configure(engine, "source", "{\"hash.bits\":\"9\"}");
            engine.send("source", "{\"id\":\"1\",\"label\":1,\"features\":[2,0]}", 1);
            byte[] hashed = snapshot(engine).get(0);
            configure(engine, "target", "{}");
            for (byte[] chunk : List.of(several, hashed)) {
                engine.send(TARGET, chunk, importAs("comparator"), 3);
            }
            engine.send(TARGET, hashed, importAs("rival"), 3);
            engine.send(utf8("nobody"), hashed, importAs("comparator"), 3);
            assertThat(engine.records(Topic.DEAD_LETTERS))
                    .extracting(letter -> EngineDriver.header(letter, "__streams.errors.message"))
                    .satisfiesExactly(
                            message -> assertThat(message).contains("must be one vector"),
                            message -> assertThat(message).contains("must have hash.bits = 18"),
                            message -> assertThat(message).contains("must be model or comparator, got 'rival'"),
                            message -> assertThat(message).contains("must be for a model that exists"));
            assertThat(engine.events(Topic.MODELS))
                    .noneMatch(status -> status.get("cause").toString().matches("IMPORT|COMPARATOR"));
        }
    }

    @Test
    void shouldMakeAModelThatWasNotThere() {
        try (EngineDriver engine = new EngineDriver(dir, Map.of("models.auto.create", "false"), 1)) {
            configure(engine, "source", "{}");
            engine.send("source", "{\"id\":\"1\",\"label\":1,\"features\":[1]}", 1);
            send(engine, snapshot(engine));
            engine.send("target", "{\"id\":\"2\",\"features\":[1]}", 2);
            assertThat(engine.reasons()).isEmpty();
        }
    }

    @Test
    void shouldBringBackAModelThatWasDeletedOrQuarantined() {
        try (EngineDriver engine = new EngineDriver(dir)) {
            engine.send("source", "{\"id\":\"1\",\"label\":1,\"features\":[1]}", 1);
            List<byte[]> chunks = snapshot(engine);
            engine.send("target", "{\"id\":\"1\",\"label\":1,\"features\":[1]}", 2);
            engine.send("target", "{\"action\":\"DELETE\"}", 3);
            send(engine, chunks);
            engine.send("target", "{\"action\":\"CONFIGURE\",\"settings\":{\"eta\":\"1e308\"}}", 4);
            engine.send("target", "{\"id\":\"1\",\"label\":-1,\"features\":[1e10]}", 5);
            assertThat(engine.reasons()).containsExactly("MODEL_QUARANTINED");
            engine.events(Topic.MODELS);
            send(engine, chunks);
            engine.send("target", "{\"id\":\"2\",\"features\":[1]}", 6);
            assertThat(engine.reasons()).isEmpty();
            assertThat(engine.events(Topic.MODELS).get(0).get("epoch")).isEqualTo(3L);
        }
    }

    @Test
    void shouldTakeTheImportThatBeganLast() {
        try (EngineDriver engine = new EngineDriver(dir)) {
            List<byte[]> first = wideSnapshot(engine);
            engine.send("source", "{\"id\":\"1\",\"label\":-1,\"features\":[1,2]}", 3);
            List<byte[]> second = snapshot(engine);
            engine.send(TARGET, first.get(0), 4);
            engine.send(TARGET, first.get(1), 4);
            send(engine, second);
            assertThat(engine.reasons()).isEmpty();
            assertThat(states(snapshot(engine, "target"), engine)).isEqualTo(states(second, engine));
        }
    }

    @ParameterizedTest
    @MethodSource("interruptions")
    void shouldEndAnImportThatIsInterrupted(String what, Consumer<Sender> interruption) {
        try (EngineDriver engine = new EngineDriver(dir)) {
            List<byte[]> chunks = wideSnapshot(engine);
            engine.send("target", "{\"id\":\"1\",\"label\":-1,\"features\":[1]}", 1);
            engine.send(TARGET, chunks.get(0), 2);
            interruption.accept(new Sender(engine, chunks));
            engine.reasons();
            for (byte[] chunk : chunks.subList(1, chunks.size())) {
                engine.send(TARGET, chunk, 4);
            }
            assertThat(engine.reasons()).hasSize(chunks.size() - 1).containsOnly("INVALID_WEIGHTS");
            assertThat(engine.events(Topic.MODELS))
                    .noneMatch(status -> "IMPORT".equals(status.get("cause").toString()));
        }
    }

    private record Sender(EngineDriver engine, List<byte[]> chunks) {
        void send(String json) {
            engine.send("target", json, 3);
        }
    }

    static Stream<Arguments> interruptions() {
        return Stream.of(
                interruption("reset", sender -> sender.send("{\"action\":\"RESET\"}")),
                interruption("delete", sender -> sender.send("{\"action\":\"DELETE\"}")),
                interruption("repeated chunk 1", sender -> {
                    sender.engine.send(TARGET, sender.chunks.get(1), 3);
                    sender.engine.send(TARGET, sender.chunks.get(1), 3);
                }),
                interruption("left out chunk", sender -> sender.engine.send(TARGET, sender.chunks.get(2), 3)),
                interruption("other header", sender -> {
                    GenericRecord chunk = sender.engine.decode(sender.chunks.get(1));
                    chunk.put("mistakes", 0L);
                    sender.engine.send(TARGET, sender.engine.encode(chunk), 3);
                }));
    }

    private static Arguments interruption(String what, Consumer<Sender> interruption) {
        return Arguments.of(what, interruption);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void shouldRefuseWeightsThatCannotBeAModelAndKeepTheOldOne(
            String what, Consumer<GenericRecord> fault, String message) {
        try (EngineDriver engine = new EngineDriver(dir)) {
            engine.send("source", "{\"id\":\"1\",\"label\":1,\"features\":{\"indices\":[3,300],\"values\":[1,-1]}}", 1);
            engine.send("target", "{\"id\":\"1\",\"label\":-1,\"features\":[1]}", 1);
            GenericRecord chunk = engine.decode(snapshot(engine).get(0));
            List<byte[]> before = snapshot(engine, "target");
            engine.records(Topic.MODELS);
            fault.accept(chunk);
            engine.send(TARGET, engine.encode(chunk), 2);

            List<TestRecord<byte[], byte[]>> letters = engine.records(Topic.DEAD_LETTERS);
            assertThat(letters).hasSize(1);
            assertThat(EngineDriver.header(letters.get(0), DeadLetter.REASON)).isEqualTo("INVALID_WEIGHTS");
            assertThat(EngineDriver.header(letters.get(0), "__streams.errors.message"))
                    .contains(message);
            assertThat(engine.records(Topic.MODELS)).isEmpty();
            assertThat(states(snapshot(engine, "target"), engine)).isEqualTo(states(before, engine));
        }
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                fault("readable only", chunk -> chunk.put("state", null), "exact state"),
                fault("chunk -1", chunk -> chunk.put("chunk", -1), "from 0 to chunks - 1"),
                fault("no chunks", chunk -> chunk.put("chunks", 0), "from 0 to chunks - 1"),
                fault("unknown algorithm", chunk -> chunk.put("algorithm", "magic"), "algorithm must be one of"),
                fault("no algorithm", chunk -> chunk.put("algorithm", "auto"), "must have 0 numbers"),
                fault("wrong setting", chunk -> chunk.put("settings", Map.of("h", "-1")), "h must be"),
                fault("unknown setting", chunk -> chunk.put("settings", Map.of("speed", "1")), "unknown setting"),
                fault("too many chunks", chunk -> chunk.put("chunks", 1 << 30), "chunks must be at most"),
                fault("labelled > seen", chunk -> chunk.put("labelled", 2L), "counts must be possible"),
                fault("negative count", chunk -> chunk.put("mistakes", -1L), "counts must be possible"),
                fault("NaN loss", chunk -> state(chunk).put("hingeLoss", Double.NaN), "counts must be possible"),
                fault(
                        "numbers",
                        chunk -> state(chunk).put("numbers", List.of("1")),
                        "at position 1, got only 1 numbers"),
                fault(
                        "infinite number",
                        chunk -> state(chunk).put("numbers", List.of("Infinity", "0", "0", "0", "0")),
                        "finite"),
                fault(
                        "negative square",
                        chunk -> state(chunk).put("numbers", List.of("0", "0", "0", "-1", "0")),
                        "a finite number >= 0 at position 3, got -1.0"),
                fault("no number", chunk -> state(chunk).put("numbers", List.of("one")), "must be doubles"),
                fault("names", chunk -> state(chunk).put("names", List.of("a")), "no names"),
                fault("NaN weight", chunk -> block(chunk).put("values", List.of(Double.NaN)), "finite"),
                fault("values", chunk -> block(chunk).put("values", List.of()), "as many values"),
                fault("position", chunk -> block(chunk).put("positions", List.of(256)), "positions"),
                fault("negative position", chunk -> block(chunk).put("positions", List.of(-1)), "positions"),
                fault("length", chunk -> block(chunk).put("length", 4), "256"),
                fault("huge length", chunk -> block(chunk).put("length", Integer.MAX_VALUE), "at most 384 numbers"),
                fault("vector", chunk -> block(chunk).put("vector", 1), "vector"),
                fault("number", chunk -> block(chunk).put("number", -1), "ascend"),
                fault("order", chunk -> block(chunk).put("number", 3), "ascend"));
    }

    private static Arguments fault(String what, Consumer<GenericRecord> fault, String message) {
        return Arguments.of(what, fault, message);
    }

    @Test
    void shouldRefuseAChunkThatContradictsTheOneBeforeIt() {
        try (EngineDriver engine = new EngineDriver(dir)) {
            List<byte[]> chunks = wideSnapshot(engine);
            GenericRecord other = engine.decode(chunks.get(1));
            other.put("mistakes", 0L);
            engine.send(TARGET, chunks.get(0), 2);
            engine.send(TARGET, engine.encode(other), 2);
            assertThat(engine.reasons()).containsExactly("INVALID_WEIGHTS");
        }
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
            // out and in once more, in the format in question
            engine.send(TARGET, first.get(0), 2);
            String state = state(snapshot(engine, "target").get(0));
            if (format.equals("json")) {
                assertThat(state).contains("\"positions\":[0],\"values\":[-0.0]");
            } else {
                assertThat(block(engine.decode(first.get(0))).get("values")).hasToString("[-0.0]");
            }
        }
    }

    @Test
    void shouldRefuseAChunkTooLargeToBePutAside() {
        try (EngineDriver engine = new EngineDriver(dir)) {
            engine.send("source", "{\"id\":\"1\",\"label\":1,\"features\":[1]}", 1);
            GenericRecord chunk = engine.decode(snapshot(engine).get(0));
            state(chunk).put("names", List.of("x".repeat(600_000)));
            engine.send(TARGET, engine.encode(chunk), 2);
            assertThat(engine.reasons()).containsExactly("INVALID_WEIGHTS");
        }
    }

    private static GenericRecord state(GenericRecord chunk) {
        return (GenericRecord) chunk.get("state");
    }

    private static GenericRecord block(GenericRecord chunk) {
        return (GenericRecord) ((List<?>) state(chunk).get("blocks")).get(0);
    }

    /** Of a chunk in JSON, from the state on. */
    private static String state(byte[] json) {
        String text = new String(json, StandardCharsets.UTF_8);
        return text.substring(Math.max(0, text.indexOf("\"state\"")));
    }

    /** Settings, counts and state of chunks: everything but the place in the log and the epoch. */
    private static List<String> states(List<byte[]> chunks, EngineDriver engine) {
        List<String> states = new ArrayList<>();
        for (byte[] value : chunks) {
            GenericRecord chunk = new GenericData.Record((GenericData.Record) engine.decode(value), true);
            chunk.put("epoch", 0L);
            chunk.put("offset", 0L);
            // doubles are written in full
            states.add(chunk.toString());
        }
        return states;
    }

    private static List<String> values(List<TestRecord<byte[], byte[]>> records, byte[] key) {
        return records.stream()
                .filter(record -> java.util.Arrays.equals(record.key(), key))
                .map(record -> java.util.HexFormat.of().formatHex(record.value()))
                .toList();
    }

    private static void send(EngineDriver engine, List<byte[]> chunks) {
        chunks.forEach(chunk -> engine.send(TARGET, chunk, 2));
    }

    private static void configure(EngineDriver engine, String model, String settings) {
        engine.send(model, "{\"action\":\"CONFIGURE\",\"settings\":" + settings + "}", 0);
    }

    private static List<byte[]> snapshot(EngineDriver engine) {
        return snapshot(engine, "source");
    }

    private static List<byte[]> snapshot(EngineDriver engine, String model) {
        engine.records(Topic.WEIGHTS);
        engine.send(model, "{\"action\":\"SNAPSHOT\"}", 2);
        return engine.records(Topic.WEIGHTS).stream()
                .map(TestRecord::value)
                .filter(value -> value != null)
                .toList();
    }

    private static List<byte[]> wideSnapshot(EngineDriver engine) {
        double[] weights =
                new Random(3).doubles(45_000).map(value -> -value * 1e-100).toArray();
        engine.send(SOURCE, Wire.example(engine.id("Example"), Wire.dense(weights)), 1);
        return snapshot(engine);
    }

    private static GenericRecord only(List<GenericRecord> events) {
        assertThat(events).hasSize(1);
        return events.get(0);
    }

    private static String example(Random random, String settings) {
        String id = "{\"id\":\"" + random.nextInt() + "\",\"label\":";
        if (settings.contains("sequence")) {
            return id + "[\"" + (char) ('A' + random.nextInt(3)) + "\",\"B\"],\"features\":{\"tokens\":[[\"b\",\"w="
                    + random.nextInt(50) + "\"],[\"b\"]]}}";
        } else if (settings.contains("structured")) {
            return id + "\"" + (char) ('a' + random.nextInt(2)) + "\",\"features\":{\"candidates\":["
                    + "{\"output\":\"a\",\"features\":{\"x" + random.nextInt(50) + "\":" + random.nextGaussian()
                    + "}},{\"output\":\"b\",\"features\":{\"y\":1}}]}}";
        }
        return "{\"id\":\"" + random.nextInt() + "\",\"label\":" + (random.nextBoolean() ? 1 : -1)
                + ",\"features\":{\"indices\":[" + random.nextInt(100) + "," + (100 + random.nextInt(100_000))
                + "],\"values\":[" + random.nextGaussian() + "," + random.nextGaussian() * 100 + "]}}";
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
