package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.Topic;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Alerts leave the system at least once, over failures of the receiver and restarts of the monitor. */
final class AlertWebhookIT {
    private static final String KEY = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    private final SharedCluster cluster = new SharedCluster("alert-webhook");
    private final List<Received> received = new CopyOnWriteArrayList<>();
    private volatile int status = 200;
    private SchemaRegistry registry;
    private HttpServer receiver;
    private String address;

    /** A request, and the status of its answer. */
    private record Received(int status, String id, String second, String signature, String body) {
        String message() {
            try {
                return EventJson.MAPPER.readTree(body).path("message").asText();
            } catch (IOException e) {
                throw new AssertionError(body, e);
            }
        }
    }

    // promises a body in the answer and never sends it
    private volatile boolean isWithoutBody;

    @BeforeEach
    void start() throws IOException {
        assertThat(cluster.run("topics", "create", "--partitions", "1")).isZero();
        registry = SchemaRegistries.of(config(Map.of()).registry());
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/hook", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            List<String> headers = Stream.of("webhook-id", "webhook-timestamp", "webhook-signature")
                    .map(exchange.getRequestHeaders()::getFirst)
                    .toList();
            int answer = body.contains("unacceptable") ? 400 : status;
            received.add(new Received(answer, headers.get(0), headers.get(1), headers.get(2), body));
            exchange.sendResponseHeaders(answer, isWithoutBody ? 10 : -1);
            if (!isWithoutBody) {
                exchange.close();
            }
        });
        receiver.start();
        address = "http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook";
    }

    @AfterEach
    void stop() {
        receiver.stop(0);
        registry.close();
    }

    private EngineConfig config(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(more);
        if (address != null) {
            settings.put("alerts.webhook.url", address);
            settings.put("alerts.webhook.key", "whsec_" + KEY);
        }
        return cluster.config(settings);
    }

    /** Starts to send and returns when it has a place from which to go on. */
    private AlertWebhook open() throws Exception {
        EngineConfig config = config(Map.of());
        AlertWebhook webhook =
                new AlertWebhook(config, () -> TopicScan.consumer(config, AlertWebhook.group(config)), registry);
        webhook.start();
        try (Admin admin = Admin.create(config.admin())) {
            await().until(() -> !admin.listConsumerGroupOffsets(AlertWebhook.group(config))
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .isEmpty());
        }
        return webhook;
    }

    private void alert(String kind, String message) throws ExecutionException, InterruptedException, IOException {
        byte[] json = EventJson.MAPPER.writeValueAsBytes(
                Event.json(Fabricated.alert("m", 1, Map.of("kind", kind, "message", message))
                        .value()));
        try (Producer<byte[], byte[]> producer = KafkaClients.producer(cluster.config(Map.of()))) {
            producer.send(new ProducerRecord<>(cluster.topic(Topic.ALERTS), "m".getBytes(StandardCharsets.UTF_8), json))
                    .get();
        }
    }

    private List<String> accepted() {
        return received.stream()
                .filter(each -> each.status() == 200)
                .map(Received::message)
                .toList();
    }

    @Test
    @Tag("full")
    void shouldSendAgainWhatHasHalfAnAnswer() throws Exception {
        try (AlertWebhook webhook = open()) {
            isWithoutBody = true;
            alert("DRIFT", "one");
            await().until(() -> webhook.failed() >= 1);
            isWithoutBody = false;
            await().until(() -> webhook.sent() == 1);
            assertThat(received)
                    .hasSizeGreaterThan(1)
                    .allMatch(each -> each.message().equals("one"));
        }
    }

    @Test
    void shouldSendEachAlertUntilItIsAcceptedAndGoOnAfterARestart() throws Exception {
        alert("DRIFT", "before the first start");
        status = 503;
        try (AlertWebhook webhook = open()) {
            alert("DRIFT", "one");
            await().until(() -> webhook.failed() >= 1);
            status = 200;
            await().until(() -> accepted().equals(List.of("one")));
            assertThat(webhook.sent()).isEqualTo(1);

            status = 500;
            alert("QUARANTINED", "two");
            await().until(() ->
                    received.stream().anyMatch(each -> each.message().equals("two")));
        }
        alert("TRIAL", "three");
        status = 200;
        try (AlertWebhook webhook = open()) {
            await().until(() -> accepted().equals(List.of("one", "two", "three")));
            await().until(() -> webhook.sent() == 2);
        }

        // each attempt has the id of its alert, by which a receiver knows it again
        assertThat(received.stream()
                        .filter(each -> each.message().equals("two"))
                        .map(Received::id)
                        .distinct())
                .containsExactly(cluster.topic(Topic.ALERTS) + "-0@2");
        Received last = received.get(received.size() - 1);
        assertThat(last.signature())
                .isEqualTo(
                        AlertWebhook.signature(Base64.getDecoder().decode(KEY), last.id(), last.second(), last.body()));
    }

    /** The receiver in docs/monitoring.md refuses what is not signed with its key. */
    @Test
    @EnabledIf("hasPython")
    void shouldBeUnderstoodByTheReceiverOfTheDocumentation() throws Exception {
        Matcher script =
                Pattern.compile("(?s)```python\n(.*?)```").matcher(Files.readString(Path.of("docs/monitoring.md")));
        assertThat(script.find()).isTrue();
        int port = freePort();
        Process python = new ProcessBuilder("python3", "-c", script.group(1), "whsec_" + KEY, Integer.toString(port))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        address = "http://127.0.0.1:" + port + "/";
        try (AlertWebhook webhook = open();
                BufferedReader lines = python.inputReader()) {
            alert("DRIFT", "understood");
            assertThat(lines.readLine()).isEqualTo("understood");
            await().until(() -> webhook.sent() == 1);
        } finally {
            python.destroy();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    static boolean hasPython() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(directory -> new File(directory, "python3").canExecute());
    }

    @Test
    void shouldLeaveOutOtherKindsAndWhatTheReceiverRefuses() throws Exception {
        try (AlertWebhook webhook = open()) {
            alert("ADVICE", "a setting may help");
            alert("DRIFT", "unacceptable");
            alert("DRIFT", "last");
            await().until(() -> accepted().equals(List.of("last")));

            assertThat(webhook.refused()).isEqualTo(1);
            assertThat(received).hasSize(2);
        }
    }
}
