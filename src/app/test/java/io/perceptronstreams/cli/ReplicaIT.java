package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.embedded.EmbeddedCluster;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.topology.EngineProcess;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Asks a replica while engines, other processes, learn. {@code -Dreplica.kills} times (default 3) the first is killed;
 * a second one comes and goes meanwhile, so that partitions move between them. {@code -Dreplica.answers}: minimum
 * number of answers (default 1,000).
 */
@Tag("full")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ReplicaIT {
    private static final int KILLS = Integer.getInteger("replica.kills", 3);
    private static final int ANSWERS = Integer.getInteger("replica.answers", 1_000);
    private static final int MODELS = 4;

    private static final int MILLIS_OF_LIFE = 3_000;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Examples that every model predicts again and again. */
    private static final List<String> PROBES = new Random(1)
            .doubles(50, -1, 1)
            .boxed()
            .collect(Collectors.collectingAndThen(
                    Collectors.toList(),
                    all -> IntStream.range(0, 10)
                            .mapToObj(k -> all.subList(5 * k, 5 * k + 5).toString())
                            .toList()));

    private static final String PROBE = PROBES.get(0);

    @TempDir
    static Path directory;

    private static EmbeddedCluster cluster;
    private static EngineProcess engine;
    private static EngineProcess other;
    private static RunningMonitor monitor;

    /** An answer of the replica. */
    private record Answer(int model, int probe, long epoch, long version, long offset, long scoreBits, int label) {}

    @BeforeAll
    static void start() throws Exception {
        cluster = EmbeddedCluster.start(directory.resolve("cluster"), 0, 0);
        Map<String, String> settings = Map.of(
                "topics.create",
                "true",
                "models.defaults",
                "",
                "topics.partitions",
                "3",
                "checkpoint.interval.ms",
                "1000");
        engine = engine("engine", settings);
        other = engine("other", settings);
        engine.start();
        monitor = open(Map.of());
    }

    private static EngineProcess engine(String name, Map<String, String> settings) {
        return new EngineProcess(
                cluster.bootstrapServers(),
                cluster.registryUrl(),
                directory.resolve(name),
                directory.resolve(name + ".log"),
                settings);
    }

    private static RunningMonitor open(Map<String, String> further) {
        RunningMonitor opened = RunningMonitor.open(config(further), 0, null);
        opened.start(null);
        return opened;
    }

    private static EngineConfig config(Map<String, String> further) {
        Map<String, String> settings = new HashMap<>(cluster.addresses());
        settings.put("data.dir", directory.resolve("replica").toString());
        settings.put("http.replica", "true");
        settings.put("http.write", "true");
        settings.put("http.auth", MonitorHttp.AUTH);
        settings.putAll(further);
        return EngineConfig.of(settings, Map.of(), null, Map.of());
    }

    @AfterAll
    static void stop() {
        Utils.closeQuietly(monitor, "monitor");
        Utils.closeQuietly(engine, "engine");
        Utils.closeQuietly(other, "other engine");
        Utils.closeQuietly(cluster, "cluster");
    }

    private static HttpResponse<String> predict(RunningMonitor at, String model, String body, String... headers) {
        return new MonitorHttp(at.url()).post(model + "/predict", body, headers).join();
    }

    @Test
    @Order(1)
    void shouldSayWhatTheEngineHasSaidAlsoWhileItIsKilled() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("ReplicaIT, seed " + seed);
        ReplicaLoad load = new ReplicaLoad(config(Map.of()), MODELS, PROBES, seed);
        load.start();
        new MonitorHttp(monitor.url()).await200("readyz");
        for (int k = 0; k < MODELS; k++) {
            String model = "m" + k;
            await().atMost(PATIENCE)
                    .until(() -> predict(monitor, model, "{\"features\":" + PROBE + "}")
                                    .statusCode()
                            == 200);
        }

        List<Answer> answers = new ArrayList<>();
        long maxAge = 0;
        for (int kill = 0; kill <= KILLS || answers.size() < ANSWERS; kill++) {
            // it takes over partitions, and gives them back: by SIGTERM, or because it is killed
            if (kill % 3 == 0) {
                other.start();
            } else if (kill % 3 == 2) {
                if (kill % 2 == 0) {
                    other.stop(20);
                }
                other.close();
            }
            long end = System.nanoTime() + MILLIS_OF_LIFE * 1_000_000L;
            boolean isKilled = false;
            while (System.nanoTime() < end) {
                maxAge = Math.max(maxAge, ask(answers));
                if (!isKilled && kill < KILLS && System.nanoTime() > end - MILLIS_OF_LIFE * 300_000L) {
                    engine.kill();
                    isKilled = true;
                }
            }
            if (isKilled) {
                engine.start();
            }
        }
        // a member of the group that is killed keeps its partitions for the time of a session
        other.stop(20);
        other.close();
        // the last engine has restored, and learns again, in every partition
        Map<Integer, Long> versions = versions(answers);
        await().atMost(PATIENCE).until(() -> {
            ask(answers);
            return versions(answers).entrySet().stream()
                    .allMatch(each -> each.getValue() > versions.get(each.getKey()) + 100);
        });
        load.interrupt();
        load.join();
        await().atMost(PATIENCE).until(() -> ask(answers) < 2_000);

        compare(answers);
        // it grows while the engine is dead, and recovers
        assertThat(maxAge).isGreaterThan(MILLIS_OF_LIFE * 3 / 10 / 2);
    }

    /** Version of each model in the last answers. */
    private static Map<Integer, Long> versions(List<Answer> answers) {
        return answers.subList(answers.size() - MODELS * PROBES.size(), answers.size()).stream()
                .collect(Collectors.toMap(Answer::model, Answer::version, Math::max));
    }

    /** Asks all models; returns the greatest age. */
    private static long ask(List<Answer> answers) throws Exception {
        long age = 0;
        String body =
                PROBES.stream().map(probe -> "{\"features\":" + probe + "}").collect(Collectors.joining(",", "[", "]"));
        for (int k = 0; k < MODELS; k++) {
            HttpResponse<String> response = predict(monitor, "m" + k, body);
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            int probe = 0;
            for (JsonNode answer : JSON.readTree(response.body())) {
                assertThat(answer.path("via").asText()).isEqualTo("replica");
                answers.add(new Answer(
                        k,
                        probe++,
                        answer.path("epoch").asLong(),
                        answer.path("updates").asLong(),
                        answer.at("/position/offset").asLong(),
                        Double.doubleToRawLongBits(answer.path("score").doubleValue()),
                        answer.path("label").asInt()));
                age = Math.max(age, answer.path("ageMs").asLong());
            }
        }
        return age;
    }

    private static void compare(List<Answer> answers) {
        // by model and probe, then by version
        Map<String, Map<Long, GenericRecord>> predictions = new HashMap<>();
        try (SchemaRegistry registry = SchemaRegistries.of(config(Map.of()).registry());
                TopicScan tail = TopicScan.open(config(Map.of()), "perceptron-predictions")) {
            EventReader<GenericRecord> reader = EventReader.generic(EventSchemas.schema("Prediction"), registry);
            tail.readAll(record -> {
                GenericRecord prediction = reader.read(record.value());
                String id = prediction.get("exampleId").toString();
                if (id.startsWith("probe")) {
                    predictions
                            .computeIfAbsent((record.key()[1] - '0') + id, any -> new TreeMap<>())
                            .put((Long) prediction.get("updates"), prediction);
                }
            });
        }
        int compared = 0;
        Map<Integer, Answer> last = new HashMap<>();
        for (Answer answer : answers) {
            Answer before = last.put(answer.model(), answer);
            if (before != null) {
                assertThat(answer.epoch()).isEqualTo(before.epoch());
                assertThat(answer.version()).isGreaterThanOrEqualTo(before.version());
                assertThat(answer.offset()).isGreaterThanOrEqualTo(before.offset());
            }
            GenericRecord prediction =
                    predictions.get(answer.model() + "probe" + answer.probe()).get(answer.version());
            if (prediction != null) {
                assertThat(answer.scoreBits()).as("score of %s", answer).isEqualTo(Double.doubleToRawLongBits((Double)
                        prediction.get("score")));
                assertThat(answer.label()).isEqualTo(prediction.get("label"));
                compared++;
            }
        }
        System.out.println("ReplicaIT: " + KILLS + " kills, " + answers.size() + " answers, " + compared
                + " of them with a version of a prediction");
        assertThat(compared).isGreaterThan(answers.size() / 20).isGreaterThan(20);
    }

    @Test
    @Order(2)
    void shouldAnswerAsTheLog() throws Exception {
        String body = "[{\"id\":\"a\",\"features\":" + PROBE + "},{\"features\":[1,2,3,4,5]}]";
        // a member that has left may keep its partitions for the time of a session, until which nothing answers
        await().atMost(PATIENCE)
                .until(() -> predict(monitor, "m1", body, "Prefer", "via=log").statusCode() == 200);
        HttpResponse<String> fromLog = predict(monitor, "m1", body, "Prefer", "via=log");
        assertThat(fromLog.statusCode()).as(fromLog.body()).isEqualTo(200);
        JsonNode log = JSON.readTree(fromLog.body());
        // a replica reads the changelog after its commit: an answer may be of some examples before
        JsonNode replica = await().atMost(PATIENCE)
                .until(
                        () -> JSON.readTree(predict(monitor, "m1", body).body()),
                        answer -> answer.at("/0/updates").equals(log.at("/0/updates")));
        assertThat(log)
                .hasSize(2)
                .allSatisfy(answer -> assertThat(answer.path("via").asText()).isEqualTo("log"));
        for (int k = 0; k < 2; k++) {
            for (String field : List.of("model", "label", "score", "scores", "updates")) {
                assertThat(replica.path(k).path(field))
                        .as(field)
                        .isEqualTo(log.path(k).path(field));
            }
        }
        assertThat(replica.at("/0/exampleId").asText()).isEqualTo("a");
        assertThat(replica.at("/1/exampleId").isNull()).isTrue();
    }

    @Test
    @Order(3)
    void shouldPredictLinesOnTheCommandLine() throws Exception {
        Path file = Files.writeString(
                directory.resolve("lines.jsonl"),
                ("{\"id\":\"a\",\"features\":" + PROBE + "}\n").repeat(500) + "{\"label\":1,\"features\":[1]}\n");
        Path settings =
                Files.writeString(directory.resolve("settings.properties"), "http.auth=" + MonitorHttp.AUTH + "\n");
        Commands commands = new Commands();
        String command = "predict m1 " + file + " --via replica --config " + settings + " --url ";
        assertThat(commands.failure(1, command + monitor.url())).contains("got none for 1 of 501");
        List<JsonNode> lines = commands.objects();
        assertThat(lines).hasSize(501);
        assertThat(lines.get(500).path("error").asText()).contains("must have no label");
        JsonNode one = JSON.readTree(predict(monitor, "m1", "{\"id\":\"a\",\"features\":" + PROBE + "}")
                .body());
        for (JsonNode line : lines.subList(0, 500)) {
            assertThat(line.path("score")).isEqualTo(one.path("score"));
            assertThat(line.path("via").asText()).isEqualTo("replica");
        }

        commands.failure(1, command + "http://127.0.0.1:1/");
        assertThat(commands.output()).contains("a replica must answer at http://127.0.0.1:1/");
        commands.failure(2, command + "127.0.0.1");
    }

    @Test
    @Order(4)
    void shouldRefuseWhatItCannotPredict() throws Exception {
        assertThat(predict(monitor, "nobody", "{\"features\":[1]}").statusCode())
                .isEqualTo(404);
        assertThat(predict(monitor, "m1", "{\"features\":[1],\"label\":1}").statusCode())
                .isEqualTo(400);
        HttpResponse<String> wrong = predict(
                monitor,
                "m1",
                "[{\"features\":[1]},{\"features\":{\"candidates\":[]}},{\"features\":{\"tokens\":[[\"x\"]]}}]");
        assertThat(wrong.statusCode()).isEqualTo(422);
        assertThat(JSON.readTree(wrong.body()).path(0).has("score")).isTrue();
        assertThat(JSON.readTree(wrong.body()).path(2).path("reason").asText()).isEqualTo("UNSUPPORTED_FEATURES");
        assertThat(new MonitorHttp(monitor.url()).text("metrics"))
                .contains("perceptron_replica_ready 1.0")
                .contains("perceptron_replica_models_live 4.0")
                .contains("perceptron_replica_age_seconds ")
                .contains("perceptron_replica_lag ")
                .contains("perceptron_replica_heap_bytes ")
                .contains("perceptron_writes_seconds_count{route=\"predict\",status=\"404\",via=\"replica\"} ");
    }

    @Test
    @Order(5)
    void shouldAnswerWithoutAnEngine() throws Exception {
        engine.kill();
        monitor.close();
        try (RunningMonitor alone = open(Map.of("http.write", "false", "http.replica.age.max.ms", "3600000"))) {
            new MonitorHttp(alone.url()).await200("readyz");
            HttpResponse<String> response = predict(alone, "m1", "{\"features\":" + PROBE + "}");
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            assertThat(predict(alone, "m1", "{\"features\":" + PROBE + "}", "Prefer", "via=log")
                            .statusCode())
                    .isEqualTo(404);
            JsonNode second = null;
            try {
                RunningMonitor.open(config(Map.of()), 0, null).close();
            } catch (RuntimeException e) {
                assertThat(e).hasMessageContaining("data.dir must be used by one replica");
                second = JSON.nullNode();
            }
            assertThat(second).as("a second replica in the same directory").isNotNull();
        }
    }

    /** Neither a thread nor a consumer nor a file. */
    @Test
    @Order(6)
    void shouldCostNothingWhenItIsOff() throws Exception {
        Path data = directory.resolve("off");
        Map<String, String> off = Map.of("http.replica", "false", "http.write", "false", "data.dir", data.toString());
        try (RunningMonitor without = open(off)) {
            new MonitorHttp(without.url()).await200("readyz");
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .doesNotContain("replica", "monitor-writes", "gateway-sender", "gateway-answers");
            assertThat(new MonitorHttp(without.url()).text("metrics"))
                    .doesNotContain("perceptron_replica", "perceptron_writes");
            assertThat(predict(without, "m1", "{\"features\":" + PROBE + "}").statusCode())
                    .isEqualTo(404);
        }
        assertThat(data).doesNotExist();
        assertThat(config(off).engineHeapBytes()).isEqualTo(config(off).get(EngineConfigDef.STORE_HEAP_BYTES));
    }
}
