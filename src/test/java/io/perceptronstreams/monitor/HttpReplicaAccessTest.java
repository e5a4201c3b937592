package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelReplica;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hostile requests to the routes of examples, labels and predictions where a replica predicts. */
final class HttpReplicaAccessTest {
    private static final String PREDICT = "/api/v1/models/m/predict";
    private static final String JSON = "Content-Type: application/json";
    private static final String EXAMPLE = "{\"features\":[1]}";
    private static final String TOKEN = "Authorization: Bearer 0123456789abcdef";

    private final List<String> asked = new ArrayList<>();
    private CountDownLatch free = new CountDownLatch(0);
    private TestServer server;

    @BeforeEach
    void open() {
        open(null, 40);
    }

    private void open(String auth, int maxRequests) {
        if (server != null) {
            server.close();
        }
        server = new TestServer(
                auth == null ? TestServer.config() : TestServer.config("http.auth=" + auth),
                0,
                LoginDelay.SECOND,
                null,
                limits -> new ReplicaPredictions(new Replica(), 0, limits),
                new WriteLimits(maxRequests, 10, 1_000_000, () -> 0));
    }

    @AfterEach
    void close() {
        free.countDown();
        server.close();
    }

    private final class Replica implements ModelReplica {
        @Override
        public <T> T read(String name, Function<Held, T> function) {
            synchronized (asked) {
                asked.add(name);
            }
            try {
                free.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return function.apply(new Held(MODEL, 0, 7, 1));
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public List<State> states() {
            return List.of();
        }

        @Override
        public long liveModels() {
            return 1;
        }

        @Override
        public long heapBytes() {
            return 0;
        }
    }

    private static final Model MODEL = new Model();

    private static String request(String method, String path, String body, String... headers) {
        return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + String.join("\r\n", headers) + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    @Test
    void shouldPredictForItsOwnPages() throws Exception {
        assertThat(server.send(request("POST", PREDICT, EXAMPLE, JSON, "Origin: http://localhost")))
                .startsWith("HTTP/1.1 200");
        assertThat(asked).contains("m");
    }

    @ParameterizedTest
    @ValueSource(strings = {"predict", "examples", "labels"})
    void shouldRefuseForeignPagesNamesMethodsAndForms(String route) throws Exception {
        String path = "/api/v1/models/m/" + route;
        assertThat(server.send(request("POST", path, EXAMPLE, JSON, "Origin: http://evil.example")))
                .startsWith("HTTP/1.1 403");
        assertThat(server.send(request("POST", path, EXAMPLE, JSON, "Sec-Fetch-Site: cross-site")))
                .startsWith("HTTP/1.1 403");
        assertThat(server.send(
                        request("POST", path, EXAMPLE, JSON).replace("Host: localhost", "Host: rebound.example:80")))
                .startsWith("HTTP/1.1 421");
        for (String method : List.of("GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS")) {
            assertThat(server.send(request(method, path, "", JSON)))
                    .as(method)
                    .startsWith("HTTP/1.1 405")
                    .contains("Allow: POST")
                    .doesNotContain("Access-Control");
        }
        for (String type : List.of("text/plain", "application/x-www-form-urlencoded", "multipart/form-data")) {
            assertThat(server.send(request("POST", path, EXAMPLE, "Content-Type: " + type)))
                    .startsWith("HTTP/1.1 415");
        }
        assertThat(asked).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../m",
                "..",
                "%2e%2e",
                "%252e%252e",
                "..%2f..%2fetc%2fpasswd",
                "..%5c..%5c",
                "m%00",
                "m;x=1/..",
                "m%0d%0aX-Injected:%201",
                "%1b%5b31m",
                "%ff%fe",
                "%3Cscript%3E"
            })
    void shouldTakeOnlyValidNamesOfModels(String name) throws Exception {
        String answer = server.send(request("POST", "/api/v1/models/" + name + "/predict", EXAMPLE, JSON));
        assertThat(answer).matches("(?s)HTTP/1.1 4\\d\\d .*").doesNotContain("\nX-Injected");
        assertThat(TestServer.body(answer))
                .doesNotContainPattern("[\\x00-\\x1f]")
                .doesNotContain("<script>");
        assertThat(asked).isEmpty();
    }

    @Test
    void shouldAnswerControlCharactersEscaped() throws Exception {
        String id = "a\\u001b[31m\\r\\n\\u0000";
        String body = TestServer.body(
                server.send(request("POST", PREDICT, "{\"id\":\"" + id + "\",\"features\":[1]}", JSON)));
        assertThat(body).contains("\"exampleId\":\"a\\u001B[31m\\r\\n\\u0000\"").doesNotContainPattern("[\\x00-\\x1f]");
        for (String wrong :
                List.of("{\"\\u001b[31m\":1}", "\u001b[31m", "{\"features\":{\"a\":\"\\r\\n\"},\"x\\r\":1}")) {
            String refusal = server.send(request("POST", PREDICT, wrong, JSON));
            assertThat(refusal).startsWith("HTTP/1.1 400");
            assertThat(TestServer.body(refusal)).doesNotContainPattern("[\\x00-\\x1f]");
        }
    }

    @Test
    void shouldAskForTheTokenIfThereIsOne() throws Exception {
        open("bearer:0123456789abcdef", 2);
        assertThat(server.send(request("POST", PREDICT, EXAMPLE, JSON)))
                .startsWith("HTTP/1.1 401")
                .doesNotContain("0123456789abcdef");
        assertThat(asked).isEmpty();
        assertThat(server.send(request("POST", PREDICT, EXAMPLE, JSON, TOKEN))).startsWith("HTTP/1.1 200");
    }

    @Test
    void shouldRefuseTooManyRequestsAtTheSameTime() throws Exception {
        open(null, 2);
        free = new CountDownLatch(1);
        List<Socket> waiting = new ArrayList<>();
        try {
            for (int k = 0; k < 2; k++) {
                Socket socket = server.connect();
                waiting.add(socket);
                socket.getOutputStream()
                        .write(request("POST", PREDICT, EXAMPLE, JSON).getBytes(StandardCharsets.US_ASCII));
            }
            await().until(() -> server.get("/metrics").contains("perceptron_writes_in_flight 2.0"));
            assertThat(server.send(request("POST", PREDICT, EXAMPLE, JSON)))
                    .startsWith("HTTP/1.1 429")
                    .contains("Retry-After: 1");
            free.countDown();
            for (Socket socket : waiting) {
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .startsWith("HTTP/1.1 200");
            }
            await().until(() -> server.get("/metrics").contains("perceptron_writes_in_flight 0.0"));
        } finally {
            for (Socket socket : waiting) {
                socket.close();
            }
        }
    }

    @Test
    void shouldRefuseLargeBodiesAndEndSlowOnes() throws Exception {
        String head = "POST " + PREDICT + " HTTP/1.1\r\nHost: localhost\r\n" + JSON + "\r\n";
        assertThat(server.send(head + "Content-Length: 99999999\r\n\r\n{")).startsWith("HTTP/1.1 413");
        String chunk = "10000\r\n" + " ".repeat(0x10000) + "\r\n";
        try (Socket socket = server.connect()) {
            socket.getOutputStream()
                    .write((head + "Transfer-Encoding: chunked\r\n\r\n" + chunk.repeat(16) + "1\r\nx\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(TestServer.readUntil(socket, "}")).startsWith("HTTP/1.1 413");
        }
        assertThat(server.send(head + "X-Long: " + "x".repeat(10_000) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 431");
        try (Socket slow = server.connect()) {
            slow.getOutputStream().write((head + "Content-Length: 100\r\n\r\n{").getBytes(StandardCharsets.US_ASCII));
            await().until(() -> server.get("/metrics").contains("perceptron_writes_in_flight 1.0"));
            server.http.sweep(System.nanoTime() + TimeUnit.SECONDS.toNanos(11));
            await().until(() -> server.get("/metrics").contains("perceptron_writes_in_flight 0.0"));
        }
        assertThat(asked).isEmpty();
    }
}
