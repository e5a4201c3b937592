package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.EngineRunner;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The monitor with a real engine. */
final class MonitorIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final HttpClient http = HttpClient.newHttpClient();
    private final SharedCluster cluster = new SharedCluster("monitor");
    private EngineConfig config;
    private EngineRunner runner;
    private RunningMonitor monitor;
    private MonitorHttp pages;
    private Producer<byte[], byte[]> producer;

    // start of a window; recent, or retention would delete the output
    private final long start = System.currentTimeMillis() / 10_000 * 10_000;
    private long sent;

    @BeforeEach
    void start() throws Exception {
        // with a name as in `run`; otherwise the restarted engine waits for the end of the previous session
        config = cluster.config(Map.of("topics.partitions", "2", "group.instance.id", "monitored"));
        producer = KafkaClients.producer(config);
        startEngine();
    }

    private void startEngine() throws InterruptedException {
        runner = new EngineRunner(config);
        monitor = RunningMonitor.open(config, 0, runner);
        runner.start();
        monitor.start(runner.streams());
        pages = new MonitorHttp(monitor.url());
        runner.awaitRunning();
    }

    private void stopEngine() {
        monitor.close();
        runner.close();
        // close() has a time-out, after which the engine may still hold its directory
        await().until(() -> runner.streams().state().hasCompletedShutdown());
    }

    @AfterEach
    void stop() {
        stopEngine();
        producer.close();
    }

    @Test
    void shouldShowWhatTheEngineLearnsAndResumeStreamsOverItsRestart() throws Exception {
        // events before that are not counted
        await().atMost(PATIENCE).until(() -> pages.text("metrics").contains("perceptron_examples_total"));
        send(50);
        send("m0", "{\"id\":\"bad\",\"label\":1,\"features\":[1e999]}");

        await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> {
            assertThat(pages.json("api/v1/models/m0").at("/examples").asLong()).isEqualTo(50);
            assertThat(pages.json("api/v1/dead-letters").path("total").asLong()).isEqualTo(1);
            // labels alternate: all predictions are mistakes
            assertThat(pages.json("api/v1/models/m1/mistakes?limit=200").path("events"))
                    .hasSize(50);
            // one example per second of event time: windows of ten examples, the fewest, end just before those of 10 s
            JsonNode points = pages.json("api/v1/models/m1/history").path("points");
            assertThat(points.findValues("examples").stream()
                            .mapToLong(JsonNode::asLong)
                            .sum())
                    .isEqualTo(50);
            assertThat(points.get(3).path("totalMistakes").asLong()).isEqualTo(40);
            assertThat(points.get(3).path("weightNorm").isNumber()).isTrue();
            assertThat(pages.status("readyz")).isEqualTo(200);
            assertThat(pages.text("metrics"))
                    .contains("perceptron_examples_total{model=\"m0\"} 50.0")
                    .contains("perceptron_rejected_total{reason=")
                    .contains("kafka_stream_thread_commit_total")
                    .contains("perceptron_store_flushes_total");
        });
        await().atMost(PATIENCE).untilAsserted(() -> {
            JsonNode partitions = pages.json("api/v1/engine").at("/engine/progress/partitions");
            assertThat(partitions.findValues("committed").stream()
                            .mapToLong(JsonNode::asLong)
                            .sum())
                    .isGreaterThanOrEqualTo(101);
        });

        JsonNode predictions = pages.json("api/v1/models/m1/predictions?id=17").path("events");
        assertThat(predictions).hasSize(1);
        assertThat(predictions.at("/0/model").asText()).isEqualTo("m1");
        assertThat(predictions.at("/0/examples").asLong()).isEqualTo(18);

        List<String> ids = new ArrayList<>();
        String last = read(cluster.topic(Topic.MISTAKES) + "-0-0@", 30, ids);
        stopEngine();
        startEngine();
        send(25);
        read(last, 150 - 1 - 30, ids);

        assertThat(ids).hasSize(149).doesNotHaveDuplicates().doesNotContain(cluster.topic(Topic.MISTAKES) + "-0-0");
        // the last five are in the status of a silent model
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                pages.json("api/v1/models/m0").at("/examples").asLong())
                        .isEqualTo(75));
    }

    /** Reads a number of events after an id, adds their topic-partition-offset to a list and returns the last id. */
    private String read(String lastEventId, int count, List<String> ids) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(monitor.url() + "api/v1/stream/mistakes"))
                .header("Last-Event-ID", lastEventId)
                .build();
        HttpResponse<Stream<String>> response = http.send(request, HttpResponse.BodyHandlers.ofLines());
        String last = lastEventId;
        try (Stream<String> lines = response.body()) {
            Iterator<String> each = lines.iterator();
            String id = lastEventId;
            for (int read = 0; read < count; ) {
                String line = each.next();
                assertThat(line).isNotEqualTo("event: gap");
                if (line.startsWith("id: ")) {
                    id = line.substring(4);
                } else if (line.startsWith("data: ")) {
                    read++;
                    last = id;
                    ids.add(id.split("@", -1)[0]);
                }
            }
        }
        return last;
    }

    /** Two models on different partitions, with one second of event time between examples. */
    private void send(int examples) {
        for (int k = 0; k < examples; k++) {
            int label = sent % 2 == 0 ? 1 : -1;
            for (String model : List.of("m0", "m1")) {
                send(model, "{\"id\":\"" + sent + "\",\"label\":" + label + ",\"features\":[1]}");
            }
            sent++;
        }
        producer.flush();
    }

    private void send(String model, String json) {
        var unused = producer.send(new ProducerRecord<>(
                cluster.topic(Topic.EXAMPLES),
                null,
                start + 1_000 * sent,
                model.getBytes(StandardCharsets.UTF_8),
                json.getBytes(StandardCharsets.UTF_8)));
    }
}
