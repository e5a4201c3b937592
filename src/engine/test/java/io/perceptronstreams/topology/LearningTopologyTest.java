package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.log.EngineServices;
import io.perceptronstreams.serde.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(EngineExtension.class)
class LearningTopologyTest {
    private static final Path GOLDEN = Path.of("src/test/resources/topology.txt");

    @TempDir
    Path dir;

    private final EngineDriver engine;

    LearningTopologyTest(EngineDriver engine) {
        this.engine = engine;
    }

    @Test
    void shouldPredictBeforeItLearns() {
        engine.send("m", "{\"id\":\"1\",\"label\":-1,\"features\":[1,2]}", 5);
        engine.send("m", "{\"id\":\"2\",\"features\":[1,2]}", 6);

        List<GenericRecord> predictions = engine.events(Topic.PREDICTIONS);
        assertThat(predictions).hasSize(2);
        // w = 0: score 0 predicts +1, which is wrong
        assertThat(predictions.get(0).get("label")).isEqualTo(1);
        assertThat(predictions.get(0).get("score")).isEqualTo(0.0);
        assertThat(predictions.get(0).get("correct")).isEqualTo(false);
        assertThat(predictions.get(0).get("updates")).isEqualTo(0L);
        // w = -(1, 2), bias -1: -(1 + 4) - 1
        assertThat(predictions.get(1).get("label")).isEqualTo(-1);
        assertThat(predictions.get(1).get("score")).isEqualTo(-6.0);
        assertThat(predictions.get(1).get("correct")).isNull();
        assertThat(predictions.get(1).get("updates")).isEqualTo(1L);
        assertThat(predictions.get(1).get("examples")).isEqualTo(2L);
        assertThat(engine.records(Topic.DEAD_LETTERS)).isEmpty();
    }

    @Test
    void shouldCountTheHeapOfStatusesThatWait() {
        int models = 600;
        sendToEach(models, 0);
        sendToEach(models, 1);
        long ofModels = engine.counters.heapBytes();

        engine.tick(1);
        assertThat(engine.counters.heapBytes()).isBetween(ofModels + models * 150L, ofModels + models * 250L);
        engine.tick(10);
        assertThat(engine.counters.heapBytes()).isBetween(ofModels, ofModels + models * 100L);
    }

    // A stop published the statuses of all models, each read from the store, and then wrote all models. That took
    // longer than shutdown.timeout.ms, and the next start restored everything.
    @ParameterizedTest
    @CsvSource({"PT0S, 1000, false", "PT1H, 3000, true"})
    void shouldWriteBeforeAStopWhatThereIsTimeFor(Duration patience, int statuses, boolean isComplete) {
        sendToEach(3_000, 0);
        engine.checkpoint();
        sendToEach(3_000, 1);
        var unused = engine.records(Topic.MODELS);
        engine.stop.request(patience);

        engine.tick(1);

        assertThat(engine.records(Topic.MODELS)).hasSize(statuses);
        if (isComplete) {
            assertThat(engine.position()).isEqualTo(6_000);
            assertThat(engine.stop.await()).isTrue();
        } else {
            assertThat(engine.position()).isLessThan(6_000);
            assertThat(engine.stop.await()).isFalse();
        }
    }

    private void sendToEach(int models, int round) {
        for (int k = 0; k < models; k++) {
            engine.send("m" + k, "{\"id\":\"" + round + "\",\"label\":-1,\"features\":[1,2]}", 5);
        }
    }

    @Test
    void shouldHaveANameForEveryNodeAndStore() throws IOException {
        EngineConfig config =
                EngineConfig.of(Map.of("schema.registry.url", "mock://topology"), Map.of(), null, Map.of());
        EngineServices services = new EngineServices(
                config,
                null,
                new EngineServices.Limits(1, 1, 0, false),
                null,
                null,
                null,
                null,
                null,
                null,
                System::nanoTime);
        String description = LearningTopology.build(config, 0, () -> new LearnProcessor(services))
                .describe()
                .toString();
        if (Boolean.getBoolean("golden.write")) {
            Files.writeString(GOLDEN, description);
        }
        assertThat(description).isEqualTo(Files.readString(GOLDEN));
    }

    @Test
    void shouldGiveEveryOutputTheKeyAndTimeOfItsExample() {
        engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"snapshot.every\":1,\"window.ms\":10}}", 3);
        engine.records(Topic.MODELS);
        engine.send("m", "{\"id\":\"1\",\"label\":1,\"features\":[1]}", 5);
        engine.send("m", "{\"id\":\"1\",\"label\":-1,\"features\":[1]}", 25);
        engine.send("m", BadRecords.QUARANTINE[0], 26);
        engine.send("m", BadRecords.QUARANTINE[1], 27);

        assertThat(times(Topic.PREDICTIONS)).containsExactly(5L, 25L);
        assertThat(times(Topic.MISTAKES)).containsExactly(5L, 25L);
        assertThat(times(Topic.WEIGHTS)).containsExactly(5L, 25L);
        assertThat(times(Topic.COUNTS)).containsExactly(25L, 26L);
        // first example, window, import, quarantine
        assertThat(times(Topic.MODELS)).containsExactly(5L, 25L, 26L, 27L);
        assertThat(times(Topic.ALERTS)).containsExactly(27L);
        assertThat(times(Topic.DEAD_LETTERS)).containsExactly(27L);
    }

    private List<Long> times(Topic topic) {
        List<TestRecord<byte[], byte[]>> records = engine.records(topic);
        assertThat(records).allSatisfy(record -> assertThat(record.key()).isEqualTo(BadRecord.utf8("m")));
        return records.stream().map(TestRecord::timestamp).toList();
    }

    @Test
    void shouldTellMistakesWithTheCountsAfterThem() {
        engine.send("m", "{\"id\":\"0\",\"features\":[1]}", 4);
        engine.send("m", "{\"id\":\"a\",\"label\":1,\"features\":[3,4],\"weight\":2}", 5);
        engine.send("m", "{\"id\":\"b\",\"label\":-1,\"features\":[1]}", 6);

        List<GenericRecord> mistakes = engine.events(Topic.MISTAKES);
        assertThat(mistakes).hasSize(2);
        GenericRecord first = mistakes.get(0);
        assertThat(first.get("exampleId")).hasToString("a");
        assertThat(first.get("kind")).hasToString("MISTAKE");
        assertThat(first.get("label")).isEqualTo(1);
        assertThat(first.get("predicted")).isEqualTo(1);
        assertThat(first.get("score")).isEqualTo(0.0);
        assertThat(first.get("margin")).isEqualTo(0.0);
        assertThat(first.get("mistakes")).isEqualTo(1L);
        assertThat(first.get("updates")).isEqualTo(1L);
        assertThat(first.get("labelled")).isEqualTo(1L);
        assertThat(first.get("examples")).isEqualTo(2L);
        // w = 2·(3, 4), bias 2
        assertThat(first.get("weightNorm")).isEqualTo(Math.sqrt(104));
        assertThat(first.get("radius")).isEqualTo(Math.sqrt(26));
        GenericRecord second = mistakes.get(1);
        assertThat(second.get("predicted")).isEqualTo(1);
        assertThat(second.get("score")).isEqualTo(8.0);
        assertThat(second.get("margin")).isEqualTo(-8.0);
        assertThat(second.get("mistakes")).isEqualTo(2L);
        assertThat(second.get("marginMistakes")).isEqualTo(0L);
    }

    @Test
    void shouldCountInWindowsOfEventTime() {
        engine.send("m", BadRecords.configure("window.ms", "10000"), 0);
        var unused = engine.events(Topic.MODELS);
        engine.send("m", "{\"id\":\"1\",\"label\":1,\"features\":[1]}", 12_000);
        engine.send("m", "{\"id\":\"2\",\"features\":[1]}", 19_999);
        // late, counts in the open window
        engine.send("m", "{\"id\":\"3\",\"label\":-1,\"features\":[1]}", 1_000);
        assertThat(engine.records(Topic.COUNTS)).isEmpty();
        // the windows from 20 s to 50 s are empty and left out
        engine.send("m", "{\"id\":\"4\",\"label\":1,\"features\":[1]}", 55_000);

        List<GenericRecord> counts = engine.events(Topic.COUNTS);
        assertThat(counts).hasSize(1);
        GenericRecord count = counts.get(0);
        assertThat(count.get("windowStart")).isEqualTo(10_000L);
        assertThat(count.get("windowEnd")).isEqualTo(20_000L);
        assertThat(count.get("examples")).isEqualTo(3L);
        assertThat(count.get("labelled")).isEqualTo(2L);
        assertThat(count.get("errors")).isEqualTo(1L);
        assertThat(count.get("mistakes")).isEqualTo(2L);
        assertThat(count.get("hingeLoss")).isEqualTo(2.0);
        assertThat(count.get("totalExamples")).isEqualTo(3L);
        assertThat(count.get("totalUpdates")).isEqualTo(2L);
        assertThat(engine.events(Topic.MODELS))
                .extracting(status -> status.get("cause").toString(), status -> status.get("examples"))
                .containsExactly(
                        tuple("FIRST_EXAMPLE", 1L),
                        // the example that closes the window is seen already
                        tuple("WINDOW", 4L));
        engine.send("m", "{\"id\":\"5\",\"features\":[1]}", 60_000);
        GenericRecord next = engine.events(Topic.COUNTS).get(0);
        assertThat(next.get("windowStart")).isEqualTo(50_000L);
        assertThat(next.get("examples")).isEqualTo(1L);
        assertThat(next.get("totalExamples")).isEqualTo(4L);
    }

    @Test
    void shouldQuarantineAModelWhoseStateIsCorrupt() {
        engine.send("q", BadRecords.QUARANTINE[0], 1);
        engine.send("q", BadRecords.QUARANTINE[1], 2);
        engine.send("q", "{\"id\":\"2\",\"label\":1,\"features\":[1]}", 3);
        engine.send("m", "{\"id\":\"3\",\"features\":[1]}", 4);

        assertThat(engine.reasons()).containsExactly("MODEL_QUARANTINED", "MODEL_QUARANTINED");
        GenericRecord alert = engine.events(Topic.ALERTS).get(0);
        assertThat(alert.get("kind")).hasToString("QUARANTINED");
        assertThat(alert.get("message").toString()).contains("a score must be at most |w|·|x|");
        assertThat(alert.get("offset")).isEqualTo(1L);
        assertThat(alert.get("updates")).isEqualTo(1L);
        List<GenericRecord> statuses = engine.events(Topic.MODELS);
        assertThat(statuses.get(1).get("state")).hasToString("QUARANTINED");
        assertThat(statuses.get(1).get("cause")).hasToString("QUARANTINED");
        assertThat(statuses.get(1).get("examples")).isEqualTo(0L);
        assertThat(((GenericRecord) statuses.get(1).get("ofWeights")).get("examples"))
                .isEqualTo(1L);
        assertThat(engine.records(Topic.PREDICTIONS)).hasSize(1);

        engine.send("q", "{\"action\":\"RESET\"}", 5);
        engine.send("q", "{\"id\":\"4\",\"features\":[1]}", 6);
        assertThat(engine.events(Topic.PREDICTIONS).get(0).get("score")).isEqualTo(0.0);
        assertThat(engine.records(Topic.DEAD_LETTERS)).isEmpty();
    }

    @Test
    void shouldTakeAndGiveTheNamesOfItsLabels() {
        engine.send("m", BadRecords.configure("labels", "ham,spam"), 1);
        engine.send("m", "{\"id\":\"1\",\"label\":\"ham\",\"features\":[1]}", 2);
        engine.send("m", "{\"id\":\"2\",\"features\":[1]}", 3);
        GenericRecord mistake = engine.events(Topic.MISTAKES).get(0);
        assertThat(mistake.get("label")).hasToString("ham");
        assertThat(mistake.get("predicted")).hasToString("spam");
        assertThat(engine.events(Topic.PREDICTIONS))
                .extracting(event -> event.get("label").toString())
                .containsExactly("spam", "ham");
    }

    @Test
    void shouldTakeIntsThatSpellTheNamesOfItsLabels() {
        engine.send("m", BadRecords.configure("labels", "0,1"), 1);
        engine.send("m", "{\"id\":\"1\",\"label\":0,\"features\":[1]}", 2);
        engine.send("m", "{\"id\":\"2\",\"label\":\"1\",\"features\":[1]}", 3);
        assertThat(engine.events(Topic.PREDICTIONS))
                .extracting(event -> event.get("label").toString(), event -> event.get("correct"))
                .containsExactly(tuple("1", false), tuple("0", false));
    }

    @Test
    void shouldWriteJsonWhereOutputFormatSaysSo() throws IOException {
        try (EngineDriver json = new EngineDriver(dir.resolve("json"), Map.of("output.format", "json"), 1)) {
            json.send("m", "{\"id\":\"1\",\"label\":-1,\"features\":[0.1]}", 5);
            json.send("m", "{\"id\":\"2\",\"features\":[0.1]}", 6);
            json.send("m", "{\"action\":\"SNAPSHOT\"}", 7);
            List<TestRecord<byte[], byte[]>> predictions = json.records(Topic.PREDICTIONS);
            assertThat(new String(predictions.get(0).value(), StandardCharsets.UTF_8))
                    .isEqualTo("{\"exampleId\":\"1\",\"label\":1,\"score\":0.0,\"scores\":null,\"correct\":false,"
                            + "\"updates\":0,\"examples\":1,\"labelText\":\"1\",\"epoch\":0,\"probability\":null,"
                            + "\"probabilities\":null,\"labelSet\":null,\"decision\":null,\"withheld\":false}");
            JsonNode weights = new ObjectMapper()
                    .readTree(json.records(Topic.WEIGHTS).get(0).value());
            assertThat(weights.at("/vectors/0/weights/0").asDouble()).isEqualTo(-0.1);
            assertThat(new ObjectMapper()
                            .readTree(json.records(Topic.MISTAKES).get(0).value())
                            .get("kind")
                            .asText())
                    .isEqualTo("MISTAKE");
        }
    }

    /** It was there until the next restart, and with it the answers to later commands. */
    @Test
    void shouldNotMakeAModelOfARefusedRecord() {
        engine.send("m", "{\"id\":\"1\",\"label\":7,\"features\":[1]}", 5);
        engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"eta\":-1}}", 6);
        engine.send("m", "{\"action\":\"FREEZE\"}", 7);

        assertThat(engine.reasons()).containsExactly("INVALID_LABEL", "INVALID_COMMAND", "INVALID_COMMAND");
        assertThat(engine.records(Topic.MODELS)).isEmpty();
    }
}
