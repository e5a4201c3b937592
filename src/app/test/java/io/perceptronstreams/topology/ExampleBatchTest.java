package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.StoredModels;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records of several examples are used as if each example were a record. */
class ExampleBatchTest {
    private static final byte[] KEY = BadRecord.utf8("m");

    /** Settings with which every kind of event is sent: drift, late labels, duplicates, statuses by time. */
    private static final List<String> SETTINGS = List.of(
            "{}",
            "{\"predict\":\"averaged\",\"snapshot.every\":7,\"window.ms\":50}",
            "{\"drift\":\"ddm\",\"drift.action\":\"reset\"}",
            "{\"await.labels.ms\":40,\"label.default\":\"1\"}",
            "{\"dedupe.last\":5,\"await.labels.ms\":1000}",
            "{\"algorithm\":\"arow\",\"explain\":\"3\"}");

    @TempDir
    Path dir;

    private static String example(int id, int label, double x, double y) {
        return "{\"id\":\"" + id + "\"" + (label == 0 ? "" : ",\"label\":" + label) + ",\"features\":[" + x + "," + y
                + "]}";
    }

    private static List<String> stream(long seed, int count) {
        Random random = new Random(seed);
        List<String> examples = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            double x = random.nextGaussian();
            double y = random.nextGaussian();
            // in the second half chance decides: a detector of drift finds that in every stream
            boolean isPositive = k > count / 2 ? random.nextBoolean() : x + y > 0;
            int label = random.nextInt(6) == 0 ? 0 : isPositive ? 1 : -1;
            // some ids come again, some examples cannot be used
            int id = random.nextInt(10) == 0 ? k - 1 : k;
            examples.add(
                    random.nextInt(12) == 0
                            ? "{\"id\":\"" + k + "\",\"label\":" + (random.nextBoolean() ? "3" : "1,\"weight\":0")
                                    + ",\"features\":[1]}"
                            : example(id, label, x, y));
        }
        return examples;
    }

    /** Examples, each as a record; the times of those that share a record in the other log are equal. */
    private KillableTask task(String settings, List<byte[]> values, int size) {
        KillableTask task = new KillableTask(dir, Map.of(), 1, real -> real);
        task.add(
                0,
                KEY,
                BadRecord.utf8("{\"action\":\"CONFIGURE\",\"settings\":" + settings + "}"),
                new RecordHeaders());
        for (int k = 0; k < values.size(); k++) {
            task.add(1000 + k / size, KEY, values.get(k), new RecordHeaders());
        }
        return task;
    }

    private static byte[] array(List<String> examples) {
        return array(examples, " ,\n");
    }

    private static byte[] array(List<String> examples, String comma) {
        return BadRecord.utf8("[" + String.join(comma, examples) + "]");
    }

    private static byte[] avro(SchemaRegistry registry, List<String> examples) {
        Schema schema = EventSchemas.schema("ExampleBatch");
        EventReader<GenericRecord> reader = EventReader.generic(EventSchemas.schema("Example"), registry);
        GenericRecord batch = new GenericData.Record(schema);
        batch.put(
                "examples",
                examples.stream()
                        .map(each -> {
                            // as the JSON of events has it
                            String named =
                                    each.replaceFirst("\"features\":(\\[[^]]*])", "\"features\":{\"values\":$1}");
                            return reader.read(BadRecord.utf8(named));
                        })
                        .toList());
        return new EventWriter(schema, registry.register("ExampleBatch", schema)).write(batch);
    }

    @SeededTest
    void shouldLearnAndSendWhatTheExamplesOneByOneGive(long seed) {
        for (String settings : SETTINGS) {
            List<String> examples = stream(seed, 300);
            for (int size : List.of(1, 7, 300)) {
                for (boolean isJson : List.of(true, false)) {
                    compare(settings, examples, size, isJson);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"perceptron", "averaged", "alma", "scw"})
    void shouldLearnGoldenStreamsInRecordsOfAnySize(String name) throws IOException {
        requireEqualityOf(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"margin", "margin-inclusive", "hinge", "averaged-003", "pdm", "romma", "sgd"})
    @Tag("full")
    void shouldLearnOtherGoldenStreamsInRecordsOfAnySize(String name) throws IOException {
        requireEqualityOf(name);
    }

    /** A thousand examples, those of the trace again and again, also with each fourth one without its label. */
    private void requireEqualityOf(String name) throws IOException {
        Map<String, List<String>> inputs = new LinkedHashMap<>();
        List<String> current = null;
        for (String line : Files.readAllLines(Path.of("src/test/resources/golden", name + ".trace"))) {
            if (line.startsWith("settings ")) {
                current = inputs.computeIfAbsent(
                        line.substring("settings ".length())
                                .replaceAll("(\\S+?)=(\\S+)", "\"$1\":\"$2\"")
                                .replace(' ', ','),
                        any -> new ArrayList<>());
            } else if (!line.startsWith("#") && line.contains("|")) {
                current.add(line.substring(0, line.indexOf('|')).trim());
            }
        }
        assertThat(inputs).isNotEmpty();
        inputs.forEach((settings, lines) -> {
            List<String> examples = new ArrayList<>();
            List<String> late = new ArrayList<>();
            for (int k = 0; k < 1000; k++) {
                String line = lines.get(k % lines.size());
                examples.add(traced(k, line, true));
                late.add(traced(k, line, k % 4 > 0));
            }
            for (int size : List.of(1, 7, 1000)) {
                compare("{" + settings + "}", examples, size, true);
                compare("{" + settings + ",\"await.labels.ms\":20,\"label.default\":\"1\"}", late, size, true);
            }
        });
    }

    /** Converts {@code +1 0:2 1:-1 *0.5} to JSON. */
    private static String traced(int id, String line, boolean isLabelled) {
        StringBuilder example = new StringBuilder("{\"id\":\"" + id + "\"");
        List<String> indices = new ArrayList<>();
        List<String> values = new ArrayList<>();
        for (String each : line.split(" +", -1)) {
            String[] feature = each.split(":", -1);
            if (feature.length == 2) {
                indices.add(feature[0]);
                values.add(feature[1]);
            } else if (each.startsWith("*")) {
                example.append(",\"weight\":").append(each.substring(1));
            } else if (isLabelled) {
                example.append(",\"label\":").append(Integer.parseInt(each));
            }
        }
        return example.append(",\"features\":{\"indices\":" + indices + ",\"values\":" + values + "}}")
                .toString();
    }

    private void compare(String settings, List<String> examples, int size, boolean isJson) {
        try (KillableTask single =
                        task(settings, examples.stream().map(BadRecord::utf8).toList(), size);
                KillableTask several = task(settings, List.of(), size)) {
            for (int k = 0; k < examples.size(); k += size) {
                List<String> some = examples.subList(k, Math.min(examples.size(), k + size));
                several.add(
                        1000 + k / size, KEY, isJson ? array(some) : avro(several.registry, some), new RecordHeaders());
            }
            for (KillableTask task : List.of(single, several)) {
                task.add(3000, KEY, BadRecord.utf8("{\"action\":\"SNAPSHOT\"}"), new RecordHeaders());
                task.start();
                task.stepToEnd();
                task.commitCheckpoint();
            }
            assertThat(single.events(Topic.WEIGHTS)).isNotEmpty();
            assertThat(letters(single)).noneMatch(each -> each.startsWith("INVALID_COMMAND"));
            if (settings.contains("drift")) {
                assertThat(single.events(Topic.MODELS))
                        .extracting(each -> each.get("cause").toString())
                        .contains("DRIFT");
            }
            String what = settings + " in records of " + size + (isJson ? ", JSON" : ", Avro");
            assertThat(predictions(several)).as(what).isEqualTo(predictions(single));
            assertThat(several.committed(Topic.PREDICTIONS))
                    .hasSizeLessThanOrEqualTo((examples.size() + size - 1) / size);
            for (Topic topic : List.of(Topic.MISTAKES, Topic.COUNTS)) {
                assertThat(several.events(topic)).as(what).isEqualTo(single.events(topic));
            }
            assertThat(letters(several)).as(what).isEqualTo(letters(single));
            assertThat(withoutPlace(several)).as(what).isEqualTo(withoutPlace(single));
            several.kill();
            single.kill();
        }
    }

    private static List<GenericRecord> predictions(KillableTask task) {
        EventReader<GenericRecord> reader = EventReader.generic(EventSchemas.schema("Prediction"), task.registry);
        return task.committed(Topic.PREDICTIONS).stream()
                .flatMap(each -> reader.readAll(each.value()).stream())
                .toList();
    }

    private static List<String> letters(KillableTask task) {
        return task.committed(Topic.DEAD_LETTERS).stream()
                .map(each -> each.header("perceptron-reason") + " " + each.header("__streams.errors.message"))
                .toList();
    }

    /** Statuses and alerts, and the weights. */
    private static List<String> withoutPlace(KillableTask task) {
        List<String> events = new ArrayList<>();
        for (Topic topic : List.of(Topic.MODELS, Topic.ALERTS, Topic.WEIGHTS)) {
            task.events(topic).forEach(each -> events.add(each.toString().replaceAll("\"offset\": \\d+", "")));
        }
        return events;
    }

    @SeededTest
    void shouldNotNoticeKillsInAndAfterRecords(long seed) {
        for (String settings : SETTINGS) {
            List<String> examples = stream(seed, 600);
            try (KillableTask killed = task(settings, List.of(), 1);
                    KillableTask task = task(settings, List.of(), 1)) {
                Random random = new Random(seed);
                for (int k = 0; k < examples.size(); ) {
                    int size = 1 + random.nextInt(60);
                    List<String> some = examples.subList(k, Math.min(examples.size(), k + size));
                    byte[] value = random.nextBoolean() ? array(some) : avro(task.registry, some);
                    killed.add(1000 + k / 10, KEY, value, new RecordHeaders());
                    task.add(1000 + k / 10, KEY, value, new RecordHeaders());
                    k += size;
                }
                task.start();
                task.stepToEnd();
                task.commitCheckpoint();
                killed.start();
                while (!killed.isAtEnd()) {
                    boolean[] isCommitted = {false};
                    KillReplayTest.untilKilled(() -> {
                        killed.store.killAfterWrites(random.nextInt(3) == 0 ? random.nextInt(20) : -1);
                        killed.step();
                        killed.store.killAfterWrites(-1);
                        if (random.nextInt(5) == 0) {
                            killed.checkpoint();
                        }
                        killed.commit();
                        isCommitted[0] = true;
                    });
                    if (!isCommitted[0] || (!killed.isAtEnd() && random.nextBoolean())) {
                        killed.restart();
                    }
                }
                killed.commitCheckpoint();
                KillReplayTest.compareOutputs(killed.committed, task.committed);
                assertThat(StoredModels.waiting(killed.store.entries()))
                        .containsExactlyInAnyOrderElementsOf(StoredModels.waiting(task.store.entries()));
                killed.kill();
                task.kill();
            }
        }
    }

    /** The end of an epoch writes the model, at the position of the record: only when all of the record is learned. */
    @Test
    void shouldLearnTheExamplesBehindTheEndOfAnEpochAfterARestart() {
        String drift = "{\"drift\":\"ddm\",\"drift.action\":\"reset\"}";
        try (KillableTask restarted = task(drift, List.of(), 1);
                KillableTask task = task(drift, List.of(), 1)) {
            for (KillableTask each : List.of(restarted, task)) {
                for (int k = 0; k < 6; k++) {
                    each.add(1000, KEY, array(stream(k / 3, 600).subList(100 * k, 100 * k + 100)), new RecordHeaders());
                }
                each.start();
            }
            task.stepToEnd();
            task.commit();
            while (!restarted.isAtEnd()) {
                restarted.step();
                restarted.commit();
                restarted.restart();
            }
            assertThat(task.events(Topic.MODELS))
                    .extracting(each -> each.get("cause").toString())
                    .contains("DRIFT");
            KillReplayTest.compareOutputs(restarted.committed, task.committed);
            restarted.kill();
            task.kill();
        }
    }

    @Test
    void shouldRefuseEachExampleThatCannotBeUsedAlone() {
        List<String> bad = List.of(
                "7",
                "{\"exampleId\":\"1\",\"label\":1}",
                "{\"action\":\"RESET\"}",
                "{\"features\":[1],\"label\":{]}",
                "{\"features\":[1e999]}",
                "{\"features\":[1],\"timestamp\":\"yesterday\"}",
                "{\"features\":[\"\\\"],[{\"]}");
        for (String each : bad) {
            for (int place = 0; place < 3; place++) {
                try (EngineDriver engine = new EngineDriver(dir.resolve(each.hashCode() + "-" + place))) {
                    List<String> examples = new ArrayList<>(List.of(example(1, 1, 1, 2), example(2, -1, 2, 1)));
                    examples.add(place, each);
                    engine.send("m", array(examples), 1000);
                    var letter = engine.letter();
                    assertThat(letter.value()).isEqualTo(BadRecord.utf8(each));
                    assertThat(EngineDriver.header(letter, "perceptron-batch-index"))
                            .isEqualTo("" + place);
                    assertThat(EngineDriver.header(letter, "__streams.errors.offset"))
                            .isEqualTo("0");
                    assertThat((List<?>) engine.last(Topic.PREDICTIONS).get("predictions"))
                            .hasSize(2);
                }
            }
        }
    }

    @Test
    void shouldRefuseARecordThatCannotBeTakenApartAsAWhole() {
        List<byte[]> values = new ArrayList<>();
        for (String each : List.of(
                "[",
                "[]",
                "[ ]",
                "[{\"features\":[1]}",
                "[{\"features\":[1]}]x",
                "[{\"features\":[1]},]",
                "[,]",
                "[{\"features\":[1]}}]",
                "[\"",
                "[" + "1,".repeat(1000) + "1]")) {
            values.add(BadRecord.utf8(each));
        }
        try (EngineDriver engine = new EngineDriver(dir)) {
            byte[] good = avro(engine.registry, List.of(example(1, 1, 1, 2), example(2, -1, 2, 1)));
            for (int length = 5; length < good.length; length++) {
                values.add(Arrays.copyOf(good, length));
            }
            values.add(Arrays.copyOf(good, good.length + 1));
            for (byte[] value : values) {
                engine.send("m", value, 1000);
                var letter = engine.letter();
                assertThat(letter.value()).isEqualTo(value);
                assertThat(EngineDriver.reason(letter)).startsWith("MALFORMED_");
                assertThat(letter.headers().lastHeader("perceptron-batch-index"))
                        .isNull();
            }
            assertThat(engine.events(Topic.PREDICTIONS)).isEmpty();
        }
    }

    @Test
    void shouldRefuseTheExamplesBehindAQuarantine() {
        try (EngineDriver engine = new EngineDriver(dir)) {
            // its norm is not that of its weights, which only the update shows
            engine.send("q", BadRecords.QUARANTINE[0], 1);
            String good = "{\"id\":\"0\",\"features\":[1]}";
            engine.send("q", array(List.of(good, BadRecords.QUARANTINE[1], good, good)), 1000);
            var letters = engine.records(Topic.DEAD_LETTERS);
            assertThat(letters).extracting(EngineDriver::reason).containsOnly("MODEL_QUARANTINED");
            assertThat(letters)
                    .extracting(each -> EngineDriver.header(each, "perceptron-batch-index"))
                    .containsExactly("1", "2", "3");
            assertThat((List<?>) engine.last(Topic.PREDICTIONS).get("predictions"))
                    .hasSize(1);
        }
    }

    @Test
    void shouldBeginAModelWithTheDefaultsOfThePartition() {
        String refused = "{\"features\":[1],\"label\":7}";
        String used = "{\"id\":\"1\",\"label\":1,\"features\":{\"word\":1}}";
        try (EngineDriver engine = new EngineDriver(dir)) {
            engine.send("*", "{\"action\":\"DEFAULTS\",\"settings\":{\"hash.bits\":\"12\",\"h\":\"1\"}}", 0);
            engine.send("refused", array(List.of(refused, refused)), 1000);
            engine.send("first", array(List.of(refused, refused, used)), 1000);
            engine.send("m", array(List.of(used, used)), 1000);
            assertThat(engine.store().find(BadRecord.utf8("refused"))).isNull();
            for (String model : List.of("first", "m")) {
                Settings settings = engine.model(model).pipeline().settings();
                assertThat(settings.get(Settings.HASH_BITS)).isEqualTo(12);
                assertThat(settings.get(Settings.H)).isEqualTo(1);
            }
        }
    }

    @Test
    void shouldGiveIdsByPlaceAndTimesOfTheirOwn() {
        try (EngineDriver engine = new EngineDriver(dir, Map.of("output.format", "json"), 1)) {
            engine.send(
                    "m",
                    array(List.of(
                            "{\"features\":[1],\"label\":1,\"timestamp\":3000}",
                            "{\"features\":[1],\"label\":-1,\"timestamp\":2000}",
                            "{\"features\":[1],\"label\":-1}")),
                    2500);
            var batch = engine.records(Topic.PREDICTIONS).get(0);
            assertThat(batch.timestamp()).isEqualTo(3000);
            assertThat(new String(batch.value(), StandardCharsets.UTF_8))
                    .startsWith("[{\"exampleId\":\"0@0#0\"")
                    .contains("},{\"exampleId\":\"0@0#1\"")
                    .endsWith("}]");
            assertThat(engine.records(Topic.MISTAKES))
                    .extracting(each -> each.timestamp())
                    .containsExactly(3000L, 2000L, 2500L);
            assertThat(engine.store().streamTime()).isEqualTo(3000);
        }
    }

    @Test
    void shouldKeepARecordForAModelThatMayNotExistAsOneDeadLetter() {
        try (EngineDriver engine = new EngineDriver(dir, Map.of("models.auto.create", "false"), 1)) {
            byte[] value = array(List.of(example(1, 1, 1, 2), example(2, -1, 2, 1)));
            engine.send("m", value, 1000);
            var letter = engine.letter();
            assertThat(letter.value()).isEqualTo(value);
            assertThat(EngineDriver.reason(letter)).isEqualTo("UNKNOWN_MODEL");
        }
    }

    /** Whatever bytes are wrong: each example is predicted or a dead letter, or the record is one dead letter. */
    @SeededTest
    void shouldAnswerEachExampleOfADamagedRecordOnce(long seed) {
        Random random = new Random(seed);
        List<String> examples = stream(seed, 12);
        try (EngineDriver engine = new EngineDriver(dir)) {
            byte[] json = array(examples);
            byte[] avro = avro(engine.registry, examples);
            for (int k = 0; k < 1000; k++) {
                byte[] value = (random.nextBoolean() ? json : avro).clone();
                for (int j = 0; j <= random.nextInt(3); j++) {
                    value[5 + random.nextInt(value.length - 5)] =
                            (byte) (random.nextInt(4) == 0 ? random.nextInt() : value[random.nextInt(value.length)]);
                }
                engine.send("m", value, 1000);
                int predicted = engine.events(Topic.PREDICTIONS).stream()
                        .mapToInt(each -> ((List<?>) each.get("predictions")).size())
                        .sum();
                List<Integer> refused = new ArrayList<>();
                boolean isWhole = false;
                for (var letter : engine.records(Topic.DEAD_LETTERS)) {
                    isWhole |= letter.headers().lastHeader("perceptron-batch-index") == null;
                    if (!isWhole) {
                        refused.add(Integer.valueOf(EngineDriver.header(letter, "perceptron-batch-index")));
                    }
                }
                if (isWhole) {
                    assertThat(predicted + refused.size()).isZero();
                } else {
                    // a damaged comma or length may join two of them
                    assertThat(refused).doesNotHaveDuplicates();
                    assertThat(predicted + refused.size()).isBetween(1, 3 * examples.size());
                }
            }
        }
    }

    /**
     * Two refused examples of a thousand would otherwise copy the headers of the record twice, a thousand a thousand
     * times.
     */
    @Test
    void shouldNotRepeatLargeHeadersForEachRefusedExample() {
        try (EngineDriver engine = new EngineDriver(dir)) {
            List<String> examples = new ArrayList<>(List.of(example(1, 1, 1, 2)));
            for (int k = 0; k < 50; k++) {
                examples.add("7");
            }
            var headers = new RecordHeaders().add("trace", new byte[10_000]);
            engine.send(KEY, array(examples), headers, 1000);
            var letters = engine.records(Topic.DEAD_LETTERS);
            assertThat(letters).hasSize(50).allSatisfy(each -> {
                assertThat(each.headers().lastHeader("trace")).isNull();
                assertThat(EngineDriver.header(each, "perceptron-omitted-bytes"))
                        .isNotNull();
                assertThat(each.value()).isEqualTo(BadRecord.utf8("7"));
            });
        }
    }

    /** 2 kB with one example that can be read would otherwise become 999 dead letters with their headers. */
    @Test
    void shouldGatherTheUnreadableExamplesBeyondAHundredInOneDeadLetter() {
        try (KillableTask task = new KillableTask(dir, Map.of(), 1, real -> real)) {
            List<String> examples = new ArrayList<>(Collections.nCopies(999, "7"));
            examples.add(120, example(1, 1, 1, 2));
            examples.set(500, "{\"features\":[1],\"weight\":0}");
            task.add(1001, KEY, array(examples), new RecordHeaders().add("trace", new byte[] {1}));
            // each example once more, in Avro
            List<String> small =
                    new ArrayList<>(Collections.nCopies(300, "{\"id\":\"1\",\"features\":[1],\"weight\":0}"));
            small.set(200, example(2, 1, 1, 2));
            task.add(1002, KEY, avro(task.registry, small), new RecordHeaders());
            task.start();
            task.stepToEnd();
            task.commitCheckpoint();
            List<SentRecord> letters = task.committed(Topic.DEAD_LETTERS);
            assertThat(letters).hasSize(203);
            assertThat(letters.subList(0, 100))
                    .extracting(each -> each.header("perceptron-batch-index"))
                    .startsWith("0", "1")
                    .endsWith("98", "99");
            SentRecord json = letters.get(100);
            assertThat(json.header("perceptron-batch-index"))
                    .startsWith("100,101,")
                    .contains(",119,121,")
                    .contains(",499,501,")
                    .endsWith(",999");
            assertThat(json.header("perceptron-reason")).isEqualTo("MALFORMED_JSON");
            assertThat(json.header("__streams.errors.message"))
                    .startsWith(
                            "898 examples, after the first 100 of the record that cannot be read; the first of them: ");
            assertThat(json.header("trace")).isEqualTo("\u0001");
            assertThat(json.timestamp()).isEqualTo(1001);
            assertThat(json.value()).isEqualTo(array(Collections.nCopies(898, "7"), ","));
            assertThat(letters.get(101).header("perceptron-batch-index")).isEqualTo("500");
            assertThat(letters.get(101).header("perceptron-reason")).isEqualTo("INVALID_WEIGHT");
            SentRecord avro = letters.get(202);
            assertThat(avro.header("perceptron-batch-index")).startsWith("100,").endsWith(",299");
            assertThat(avro.value()).isEqualTo(avro(task.registry, small.subList(0, 199)));
            ReferenceEngine.compare(task);
            task.kill();
        }
    }

    @Test
    void shouldSendOneDeadLetterIfNoExampleCanBeRead() {
        try (EngineDriver engine = new EngineDriver(dir)) {
            byte[] value = array(Collections.nCopies(1000, "7"));
            engine.send("m", value, 1000);
            var letter = engine.letter();
            assertThat(letter.value()).isEqualTo(value);
            assertThat(EngineDriver.reason(letter)).isEqualTo("MALFORMED_JSON");
            assertThat(letter.headers().lastHeader("perceptron-batch-index")).isNull();
        }
    }

    /** The times of the parts are not in the order of the examples: a consumer of the topic would see time go back. */
    @Test
    void shouldGiveAllPredictionsOfARecordItsLatestTime() {
        try (EngineDriver engine = new EngineDriver(dir)) {
            List<String> examples = new ArrayList<>();
            for (int k = 0; k < 700; k++) {
                examples.add(
                        "{\"id\":\"" + "x".repeat(1000) + k + "\",\"features\":[1],\"timestamp\":" + (2000 - k) + "}");
            }
            engine.send("m", array(examples), 1000);
            assertThat(engine.records(Topic.PREDICTIONS))
                    .hasSize(2)
                    .extracting(each -> each.timestamp())
                    .containsOnly(2000L);
        }
    }

    @Test
    void shouldSendPredictionsOneByOneIfTheRegistryRefusesTheirSchema() {
        try (SchemaRegistry admin = SchemaRegistries.of(Map.of("schema.registry.url", "mock://" + dir))) {
            for (Topic topic : List.of(
                    Topic.PREDICTIONS, Topic.MISTAKES, Topic.COUNTS, Topic.MODELS, Topic.WEIGHTS, Topic.ALERTS)) {
                admin.register("perceptron-" + topic.suffix() + "-value", EventSchemas.schema(topic));
            }
            try (EngineDriver engine = new EngineDriver(dir, Map.of("auto.register.schemas", "false"), 1)) {
                engine.send("m", array(List.of(example(1, 1, 1, 2), example(2, -1, 2, 1))), 1000);
                assertThat(engine.events(Topic.PREDICTIONS))
                        .extracting(each -> each.get("exampleId").toString())
                        .containsExactly("1", "2");
            }
        }
    }

    /** A thousand times the limits of a record would outlast its transaction. */
    @Test
    void shouldResolveWhatIsDueOncePerRecord() {
        try (EngineDriver engine = new EngineDriver(dir)) {
            engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"await.labels.ms\":10}}", 1000);
            for (int k = 0; k < 3; k++) {
                List<String> examples = new ArrayList<>();
                for (int j = 0; j < 500; j++) {
                    examples.add("{\"id\":\"" + k + "-" + j + "\",\"features\":[1]}");
                }
                engine.send("m", array(examples), 1000);
            }
            engine.send("m", array(List.of(example(1, 1, 1, 2), example(2, -1, 2, 1))), 5000);
            assertThat(engine.model("m").late().pending()).isEqualTo(500);
        }
    }

    /** Each record adds a thousand that wait: if it resolved no more than that, labels would be ever later. */
    @Test
    void shouldResolveMoreThanARecordAdds() {
        try (EngineDriver engine = new EngineDriver(dir)) {
            engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"await.labels.ms\":10}}", 1000);
            List<Long> pending = new ArrayList<>();
            for (int time : List.of(1000, 1000, 1000, 2000, 3000, 4000)) {
                List<String> examples = new ArrayList<>();
                for (int j = 0; j < 1000; j++) {
                    examples.add("{\"features\":[1]}");
                }
                engine.send("m", array(examples), time);
                pending.add(engine.model("m").late().pending());
            }
            // the three records of the first time are due at the fourth, which resolves two for each of its own
            assertThat(pending).containsExactly(1000L, 2000L, 3000L, 2000L, 1000L, 1000L);
        }
    }

    /** Where examples are large, they are read much longer than they are learned. */
    @Test
    void shouldCountTheBytesAndFeaturesOfExamplesAsWork() {
        String example = "{" + " ".repeat(250_000) + "\"features\":[1]}";
        try (EngineDriver engine = new EngineDriver(dir)) {
            engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"await.labels.ms\":10}}", 1000);
            engine.send("m", array(Collections.nCopies(140, example)), 1000);
            // 2^29 steps, of which 16 are for each byte
            assertThat(engine.model("m").counts().totals().examples()).isEqualTo(135);
            assertThat(engine.reasons()).hasSize(5).containsOnly("TOO_MUCH_WORK");
        }
    }

    /** A record of 1 MB could make 280 million crosses that overflow: only examples that could be read were counted. */
    @Test
    void shouldCountTheCrossesOfRefusedExamplesAsWork() {
        List<String> named = new ArrayList<>();
        for (int k = 0; k < 101; k++) {
            for (String namespace : List.of("a", "b", "c")) {
                named.add("\"" + namespace + "^" + k + "\":1e200");
            }
        }
        List<String> examples =
                new ArrayList<>(Collections.nCopies(40, "{\"features\":{" + String.join(",", named) + "}}"));
        examples.add(0, "{\"features\":{\"a^1\":1}}");
        try (EngineDriver engine = new EngineDriver(dir)) {
            engine.send(
                    "m",
                    "{\"action\":\"CONFIGURE\",\"settings\":{\"crosses\":\"a*b*c\",\"crosses.max\":1048576}}",
                    1000);
            engine.send("m", array(examples), 1000);
            // 2^29 steps, of which 16 are for each of 101^3 crosses and 303 features
            List<String> expected = new ArrayList<>(Collections.nCopies(33, "NON_FINITE_VALUE"));
            expected.addAll(Collections.nCopies(7, "TOO_MUCH_WORK"));
            assertThat(engine.reasons()).isEqualTo(expected);
        }
    }

    @Test
    void shouldRefuseTheExamplesAfterThoseThatTakeTooMuchWork() {
        try (KillableTask task = new KillableTask(dir, Map.of(), 1, real -> real)) {
            task.add("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"kernel\":\"rbf(g=0.5)\"}}");
            Random random = new Random(5);
            for (int k = 0; k < 10; k++) {
                List<String> examples = new ArrayList<>();
                for (int j = 0; j < 1000; j++) {
                    examples.add("{\"label\":" + (random.nextBoolean() ? 1 : -1) + ",\"features\":["
                            + (float) random.nextGaussian() + "]}");
                }
                task.add("m", new String(array(examples), StandardCharsets.UTF_8));
            }
            task.start();
            task.stepToEnd();
            task.commitCheckpoint();
            List<SentRecord> letters = task.committed(Topic.DEAD_LETTERS);
            assertThat(letters)
                    .isNotEmpty()
                    .extracting(each -> each.header("perceptron-reason"))
                    .containsOnly("TOO_MUCH_WORK");
            assertThat(predictions(task)).hasSize(10_000 - letters.size());
            // the last of the record: those before it are learned
            assertThat(letters.get(letters.size() - 1).header("perceptron-batch-index"))
                    .isEqualTo("999");
            task.kill();
        }
    }

    /** A record of 17 kB could make 260 MB of predictions in one transaction. */
    @Test
    void shouldRefuseTheExamplesAfterThoseWithTooLargeOutputsAndInAReplayToo() {
        requireRefusals("avro");
    }

    @Test
    @Tag("full")
    void shouldRefuseTheSameExamplesWhereOutputsAreJson() {
        requireRefusals("json");
    }

    private void requireRefusals(String format) {
        try (KillableTask task = new KillableTask(dir, Map.of("output.format", format), 1, real -> real)) {
            task.add("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"algorithm\":\"multiclass\"}}");
            List<String> labelled = new ArrayList<>();
            for (int k = 0; k < 1000; k++) {
                labelled.add("{\"label\":\"" + k + "c".repeat(240) + "\",\"features\":[1]}");
            }
            task.add("m", new String(array(labelled), StandardCharsets.UTF_8));
            task.add("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"predict.scores\":true}}");
            task.start();
            task.stepToEnd();
            task.commitCheckpoint();
            assertThat(letters(task)).isEmpty();
            // a prediction has 1,000 names of 241 to 243 characters, with two bytes for the length of each and eight
            // for its score
            task.add("m", new String(array(Collections.nCopies(400, "{\"features\":[1]}")), StandardCharsets.UTF_8));
            task.stepToEnd();
            task.commit();
            List<String> refused = letters(task);
            int used = 400 - refused.size();
            assertThat(refused)
                    .hasSize(400 - 133)
                    .containsOnly("TOO_MUCH_WORK predictions, mistakes and counts of the examples of a record must have"
                            + " less than 33554432 bytes as Avro, got more (send fewer examples in a record)");

            task.restart();
            task.add("m", "{\"features\":[1]}");
            task.stepToEnd();
            task.commitCheckpoint();

            List<GenericRecord> sent = predictions(task);
            assertThat(sent.get(sent.size() - 1).get("examples")).isEqualTo(1000L + used + 1);
            task.ticks(6);
            task.commitCheckpoint();
            assertThat(VerificationTest.verify(task, "m", 0).predictions()).isEqualTo(sent.size());
        }
    }

    @Test
    void shouldSendFewSnapshotsInARecordAndTheLastOne() {
        try (KillableTask task = new KillableTask(dir, Map.of(), 1, real -> real)) {
            task.add("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"snapshot.every\":1}}");
            List<String> examples = new ArrayList<>();
            for (int k = 0; k < 300; k++) {
                examples.add(example(k, k % 2 == 0 ? 1 : -1, 1, 1));
            }
            task.add("m", new String(array(examples), StandardCharsets.UTF_8));
            task.start();
            task.stepToEnd();
            task.commit();
            List<GenericRecord> sent = task.events(Topic.WEIGHTS);
            assertThat(sent).hasSize(65);
            assertThat(sent.get(64).get("updates")).isEqualTo(300L);
            task.kill();
        }
    }

    /**
     * A batch of another schema is converted example by example: one that cannot be converted takes the others with it
     * no more.
     */
    @Test
    void shouldRefuseOneExampleOfAForeignSchemaAlone() {
        Schema foreign = new Schema.Parser().parse("""
                {"type":"record","name":"ExampleBatch","namespace":"io.perceptronstreams.event","fields":[
                  {"name":"source","type":"string"},
                  {"name":"examples","type":["null",{"type":"array","items":{"type":"record","name":"E","fields":[
                    {"name":"id","type":["null","string"]},
                    {"name":"holes","type":{"type":"array","items":"null"}},
                    {"name":"label","type":["null","long"]},
                    {"name":"features","type":{"type":"record","name":"DenseVector","fields":[
                      {"name":"values","type":{"type":"array","items":"float"}}]}}]}}]},
                  {"name":"end","type":"int"}]}""");
        try (KillableTask task = new KillableTask(dir, Map.of(), 1, real -> real)) {
            task.add("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"await.labels.ms\":1000}}");
            int id = task.registry.register("foreign", foreign);
            List<GenericRecord> examples = new ArrayList<>();
            Long[] labels = {1L, 1L, 1L << 40, null, -1L};
            for (int k = 0; k < labels.length; k++) {
                // in the batch the bytes of the others are enough for the nulls of the first
                examples.add(foreign(foreign, "" + k, labels[k], k == 0 ? 60 : 3));
            }
            GenericRecord batch = new GenericData.Record(foreign);
            batch.put("source", "a shop");
            batch.put("examples", examples);
            batch.put("end", 7);
            byte[] value = new EventWriter(foreign, id).write(batch);
            task.add(1001, KEY, value, new RecordHeaders());
            // the label of an example that waits in the foreign schema
            task.add("m", "{\"exampleId\":\"3\",\"label\":1}");
            task.start();
            while (!task.isAtEnd()) {
                task.step();
                task.commitCheckpoint();
                task.restart();
            }
            assertThat(task.committed(Topic.DEAD_LETTERS))
                    .extracting(each -> each.header("perceptron-reason") + " " + each.header("perceptron-batch-index"))
                    .containsExactly("MALFORMED_AVRO 0", "INVALID_LABEL 2");
            assertThat(predictions(task))
                    .extracting(each -> each.get("exampleId").toString())
                    .containsExactly("1", "3", "4");
            assertThat(task.events(Topic.MISTAKES))
                    .extracting(each -> each.get("exampleId").toString())
                    .contains("3");
            task.kill();
        }
    }

    private static GenericRecord foreign(Schema batch, String id, Long label, int holes) {
        Schema schema = batch.getField("examples").schema().getTypes().get(1).getElementType();
        GenericRecord example = new GenericData.Record(schema);
        GenericRecord features =
                new GenericData.Record(schema.getField("features").schema());
        features.put("values", List.of(1f, 2f));
        example.put("id", id);
        example.put("holes", Collections.nCopies(holes, null));
        example.put("label", label);
        example.put("features", features);
        return example;
    }
}
