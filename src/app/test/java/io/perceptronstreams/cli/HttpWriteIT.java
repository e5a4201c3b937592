package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EngineRunner;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Examples, labels and commands by HTTP, with a real engine. */
final class HttpWriteIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final SharedCluster CLUSTER = new SharedCluster("http-write");
    // of MonitorHttp.AUTH
    private static final String TOKENS =
            "all: {sha256: 9f9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f, roles: [read, send, command], models: '*'}";

    @TempDir
    private static Path directory;

    private static EngineRunner engine;
    private static RunningMonitor monitor;
    private static MonitorHttp http;

    @BeforeAll
    static void start() throws Exception {
        Files.writeString(directory.resolve("tokens.yaml"), TOKENS);
        startEngine();
        monitor = RunningMonitor.open(config(20_000), 0, null);
        monitor.start(null);
        http = new MonitorHttp(monitor.url());
        http.await200("readyz");
    }

    private static void startEngine() throws InterruptedException {
        engine = SharedCluster.startEngine(config(20_000));
    }

    private static void stopEngine() {
        engine.close();
        await().atMost(PATIENCE).until(() -> engine.streams().state().hasCompletedShutdown());
    }

    @AfterAll
    static void stop() {
        Utils.closeQuietly(monitor, "monitor");
        Utils.closeQuietly(engine, "engine");
    }

    private static EngineConfig config(int timeoutMs) {
        return CLUSTER.config(Map.of(
                "topics.partitions", "3",
                // otherwise a restarted engine waits for the end of the previous session
                "group.instance.id", "written",
                "http.tokens.file", directory.resolve("tokens.yaml").toString(),
                "commands.key", "the-key-of-the-operators",
                "http.write", "true",
                "http.write.timeout.ms", Integer.toString(timeoutMs)));
    }

    /** Creates a model with settings, and waits until the monitor knows it. */
    private static void configure(String model, String settings) throws IOException {
        http.post(model + "/commands?wait=status", "{\"action\":\"CONFIGURE\",\"settings\":" + settings + "}", 200);
        awaitModel(model);
    }

    private static void awaitModel(String model) {
        http.await200("api/v1/models/" + model);
    }

    /** Records of a model in a topic of the engine. */
    private static List<ConsumerRecord<byte[], byte[]>> records(Topic topic, String model) {
        List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
        try (TopicScan tail = TopicScan.open(config(20_000), CLUSTER.topic(topic))) {
            tail.readAll(record -> {
                if (new String(record.key(), StandardCharsets.UTF_8).equals(model)) {
                    found.add(record);
                }
            });
        }
        return found;
    }

    @Test
    void shouldAnswerWithThePredictionInTheTopicBitForBit() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        List<String> examples = new ArrayList<>();
        for (int k = 0; k < 100; k++) {
            examples.add("{\"label\":" + (random.nextBoolean() ? 1 : -1) + ",\"features\":" + features(random) + "}");
        }
        JsonNode positions = http.post("bits/examples", examples.toString(), 202);
        assertThat(positions).hasSize(100);
        assertThat(positions)
                .extracting(answer -> answer.at("/position/index").asInt(-1))
                .isEqualTo(IntStream.range(0, 100).boxed().toList());
        // one record
        assertThat(records(Topic.EXAMPLES, "bits")).hasSize(1);
        awaitModel("bits");

        List<JsonNode> answers = new ArrayList<>();
        for (int k = 0; k < 5; k++) {
            answers.add(http.post("bits/predict", "{\"features\":" + features(random) + "}", 200));
        }
        JsonNode array = http.post(
                "bits/predict",
                "[{\"id\":\"x\",\"features\":" + features(random) + "},{\"features\":" + features(random) + "}]",
                200);
        array.forEach(answers::add);

        Map<String, GenericRecord> predictions = new HashMap<>();
        try (SchemaRegistry registry = SchemaRegistries.of(config(20_000).registry())) {
            EventReader<GenericRecord> reader = EventReader.generic(EventSchemas.schema("Prediction"), registry);
            for (ConsumerRecord<byte[], byte[]> record : records(Topic.PREDICTIONS, "bits")) {
                for (GenericRecord prediction : reader.readAll(record.value())) {
                    predictions.put(prediction.get("exampleId").toString(), prediction);
                }
            }
        }
        assertThat(predictions).hasSize(107);
        List<ConsumerRecord<byte[], byte[]>> mistakes = records(Topic.MISTAKES, "bits");
        assertThat(mistakes)
                .isNotEmpty()
                .allSatisfy(record -> assertThat(new String(
                                record.headers()
                                        .lastHeader("perceptron-request")
                                        .value(),
                                StandardCharsets.UTF_8))
                        .matches("[0-9a-f]{32}-\\d+"));
        int partition = Utils.toPositive(Utils.murmur2("bits".getBytes(StandardCharsets.UTF_8))) % 3;
        for (JsonNode answer : answers) {
            GenericRecord prediction = predictions.get(answer.path("exampleId").asText());
            assertThat(Double.doubleToRawLongBits(answer.path("score").doubleValue()))
                    .isEqualTo(Double.doubleToRawLongBits((Double) prediction.get("score")));
            assertThat(answer.path("label").asInt()).isEqualTo(prediction.get("label"));
            assertThat(answer.path("updates").asLong()).isEqualTo(prediction.get("updates"));
            assertThat(answer.path("examples").asLong()).isEqualTo(prediction.get("examples"));
            assertThat(answer.at("/position/partition").asInt()).isEqualTo(partition);
            if (!answer.path("exampleId").asText().equals("x")) {
                JsonNode position = answer.path("position");
                String index =
                        position.has("index") ? "#" + position.path("index").asInt() : "";
                assertThat(answer.path("exampleId").asText())
                        .isEqualTo(partition + "@" + position.path("offset").asLong() + index);
            }
        }
        assertThat(answers)
                .extracting(answer -> answer.path("examples").asLong())
                .isSorted();
        assertThat(answers.get(0).path("updates").asLong()).isPositive();
    }

    private static String features(Random random) {
        return random.doubles(5)
                .mapToObj(value -> Double.toString(value - 0.5))
                .toList()
                .toString();
    }

    @Test
    void shouldGiveConcurrentRequestsTheirOwnAnswers() throws Exception {
        http.post("own/examples?wait=prediction", "{\"label\":1,\"features\":[1]}", 200);
        awaitModel("own");

        List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
        for (int k = 0; k < 100; k++) {
            responses.add(http.post("own/predict", "{\"id\":\"own-" + k + "\",\"features\":[" + (k - 50) + "]}"));
        }

        for (int k = 0; k < responses.size(); k++) {
            JsonNode answer = JSON.readTree(responses.get(k).join().body());
            assertThat(answer.path("exampleId").asText()).as(answer.toString()).isEqualTo("own-" + k);
            // one update with x = [1] and the bias: the score is x + 1
            assertThat(answer.path("score").doubleValue()).isEqualTo(k - 49);
        }
        // the same examples one after the other are the same predictions
        assertThat(records(Topic.PREDICTIONS, "own")).hasSize(101);
    }

    @Test
    void shouldNotCreateAModelBecauseOfAQuestion() throws Exception {
        assertThat(http.post("nobody/predict", "{\"features\":[1]}", 404)
                        .path("error")
                        .asText())
                .contains("model must be known, got 'nobody'");
        assertThat(http.post("nobody/labels", "{\"exampleId\":\"1\",\"label\":1}", 404)
                        .has("error"))
                .isTrue();
        assertThat(records(Topic.EXAMPLES, "nobody")).isEmpty();
    }

    @Test
    void shouldAnswerWithTheReasonOfTheDeadLetter() throws Exception {
        configure("once", "{\"dedupe.last\":\"10\"}");
        String example = "{\"id\":\"e\",\"label\":1,\"features\":[1]}";
        http.post("once/examples?wait=prediction", example, 200);

        JsonNode again = http.post("once/examples?wait=prediction", example, 422);
        assertThat(again.path("reason").asText()).isEqualTo("DUPLICATE_EXAMPLE");
        assertThat(again.path("error").asText()).isNotEmpty();
        assertThat(again.at("/position/offset").isIntegralNumber()).isTrue();

        JsonNode mixed = http.post(
                "once/examples?wait=prediction",
                "[{\"id\":\"f\",\"label\":\"text\",\"features\":[1]},{\"id\":\"g\",\"label\":-1,\"features\":[1]}]",
                422);
        assertThat(mixed.path(0).path("reason").asText()).isEqualTo("INVALID_LABEL");
        assertThat(mixed.path(1).path("exampleId").asText()).isEqualTo("g");
        assertThat(records(Topic.PREDICTIONS, "once")).hasSize(2);
    }

    // Of 1,000 dead letters each had room for 65 bytes of headers: less than that of the request.
    @Test
    void shouldAnswerForEachOfAThousandRefusedExamples() throws Exception {
        configure("again", "{\"dedupe.last\":\"2000\"}");
        List<String> examples = new ArrayList<>();
        for (int k = 0; k < 1_000; k++) {
            examples.add("{\"id\":\"e" + k + "\",\"label\":1,\"features\":[" + k + "]}");
        }
        JsonNode predictions = http.post("again/examples?wait=prediction", examples.toString(), 200);
        assertThat(predictions)
                .extracting(answer -> answer.path("exampleId").asText())
                .startsWith("e0", "e1")
                .endsWith("e999");

        examples.set(500, "{\"id\":\"new\",\"label\":1,\"features\":[1]}");
        JsonNode mixed = http.post("again/examples?wait=prediction", examples.toString(), 422);
        for (int k = 0; k < 1_000; k++) {
            assertThat(mixed.path(k).path(k == 500 ? "exampleId" : "reason").asText())
                    .as("example %d: %s", k, mixed.path(k))
                    .isEqualTo(k == 500 ? "new" : "DUPLICATE_EXAMPLE");
            assertThat(mixed.path(k).at("/position/index").asInt(-1)).isEqualTo(k);
        }
    }

    @Test
    void shouldUseACommandBetweenTwoRequests() throws Exception {
        String two = "[{\"label\":1,\"features\":[1]},{\"label\":1,\"features\":[1]}]";
        JsonNode before = http.post("between/examples?wait=prediction", two, 200);
        JsonNode written = http.post("between/commands", "{\"action\":\"RESET\"}", 202);
        assertThat(written.at("/position/offset").isIntegralNumber()).isTrue();
        JsonNode after = http.post("between/examples?wait=prediction", two, 200);

        assertThat(before.path(1).path("updates").asInt()).isEqualTo(1);
        assertThat(after.path(0).path("updates").asInt()).isZero();
        assertThat(after.path(0).path("epoch").asInt())
                .isGreaterThan(before.path(1).path("epoch").asInt());
        assertThat(after.path(1).path("examples").asInt()).isEqualTo(2);
    }

    @Test
    void shouldAnswerWithTheStatusAfterACommandOrWhyItWasRefused() throws Exception {
        String set = "{\"action\":\"CONFIGURE\",\"settings\":{\"h\":2}}";
        JsonNode status = http.post("ruled/commands?wait=status", set, 200);
        assertThat(status.path("cause").asText()).isEqualTo("CONFIGURE");
        assertThat(status.at("/settings/h").asText()).isEqualTo("2.0");
        assertThat(status.path("sourceOffset")).isEqualTo(status.at("/position/offset"));
        assertThat(records(Topic.EXAMPLES, "ruled").get(0).headers().lastHeader("perceptron-signature"))
                .isNotNull();

        JsonNode refused = http.post("never/commands?wait=status", "{\"action\":\"RESET\"}", 422);
        assertThat(refused.path("reason").asText()).isEqualTo("INVALID_COMMAND");
        assertThat(refused.path("error").asText())
                .isEqualTo("RESET must be for a model that exists, got none of this name");

        JsonNode defaults = http.post("*/commands?wait=status", "{\"action\":\"DEFAULTS\"}", 200);
        assertThat(defaults)
                .extracting(each -> each.at("/position/partition").asInt())
                .containsExactly(0, 1, 2);
        assertThat(defaults).extracting(each -> each.path("cause").asText()).containsOnly("DEFAULTS");
    }

    @Test
    void shouldLearnTheLabelsOfExamplesOfOneRecord() throws Exception {
        configure("later", "{\"await.labels.ms\":\"600000\"}");
        JsonNode answers = http.post("later/predict", "[{\"id\":\"e\",\"features\":[-1]},{\"features\":[-2]}]", 200);
        String second = answers.path(1).path("exampleId").asText();

        http.post(
                "later/labels",
                "[{\"exampleId\":\"e\",\"label\":-1},{\"exampleId\":\"" + second + "\",\"label\":1}]",
                202);

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(http.post("later/predict", "{\"features\":[-1]}", 200)
                                .path("updates")
                                .asLong())
                        .isEqualTo(2));
    }

    @Test
    void shouldLearnTheLabelOfAnExampleThatWasPredicted() throws Exception {
        configure("late", "{\"await.labels.ms\":\"600000\"}");
        JsonNode prediction = http.post("late/predict", "{\"id\":\"e\",\"features\":[-1]}", 200);
        assertThat(prediction.path("updates").asLong()).isZero();

        http.post("late/labels", "{\"exampleId\":\"e\",\"label\":-1}", 202);

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(http.post("late/predict", "{\"features\":[-1]}", 200)
                                .path("updates")
                                .asLong())
                        .isEqualTo(1));
    }

    @Test
    void shouldSayThatNobodyHasAnsweredAndProcessTheExampleOnceLater() throws Exception {
        http.post("patient/examples?wait=prediction", "{\"label\":1,\"features\":[1]}", 200);
        awaitModel("patient");
        stopEngine();
        JsonNode late;
        try (RunningMonitor hasty = RunningMonitor.open(config(1_000), 0, null)) {
            hasty.start(null);
            MonitorHttp hastyHttp = new MonitorHttp(hasty.url());
            hastyHttp.await200("api/v1/models/patient");
            HttpResponse<String> response = hastyHttp
                    .post("patient/predict", "{\"id\":\"late\",\"features\":[2]}")
                    .join();
            assertThat(response.statusCode()).as(response.body()).isEqualTo(504);
            late = JSON.readTree(response.body());
        }
        assertThat(late.path("error").asText()).contains("do not send it again");
        startEngine();

        // of a later example in the same partition: all before it are processed
        JsonNode next = http.post("patient/predict", "{\"id\":\"next\",\"features\":[3]}", 200);
        assertThat(next.path("examples").asLong()).isEqualTo(3);
        assertThat(next.at("/position/offset").asLong())
                .isGreaterThan(late.at("/position/offset").asLong());
        assertThat(records(Topic.PREDICTIONS, "patient")).hasSize(3);
    }
}
