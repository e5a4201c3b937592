package io.perceptronstreams.monitor;

import static io.perceptronstreams.monitor.TestServer.EXAMPLE;
import static io.perceptronstreams.monitor.TestServer.JSON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hostile requests to the routes that send events or predict, which go to the log or to a replica. */
final class HttpWriteAccessTest {
    private static final String PREDICT = "/api/v1/models/m/predict";
    private static final String TOKEN = "Authorization: Bearer 0123456789abcdef";

    // models of requests that the replica or the gateway got
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private CountDownLatch free = new CountDownLatch(0);

    @TempDir
    private Path directory;

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        open(40);
    }

    private void open(int maxRequests) throws Exception {
        if (server != null) {
            server.close();
        }
        server = TestServer.writing(
                TestServer.withTokens(directory, TestServer.token("0123456789abcdef", "[read, send, command]", "'*'")),
                (model, events, isWaiting, budget) ->
                        CompletableFuture.runAsync(() -> answer(model)).thenCompose(done -> TestServer.acknowledged()),
                TestReplica.ofAny(this::answer),
                new WriteLimits(maxRequests, 10, 1_000_000, () -> 0));
        server.state.caughtUp();
        server.state.add(Fabricated.status("m", 1, Map.of("state", "LIVE")));
    }

    @AfterEach
    void close() {
        free.countDown();
        server.close();
    }

    private void answer(String model) {
        asked.add(model);
        try {
            free.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String post(String path, String body, String... headers) throws Exception {
        return server.send(TestServer.request("POST", path, body, headers));
    }

    @Test
    void shouldPredictForItsOwnPages() throws Exception {
        assertThat(post(PREDICT, EXAMPLE, JSON, TOKEN, "Origin: http://localhost"))
                .startsWith("HTTP/1.1 200");
        assertThat(asked).contains("m");
    }

    @ParameterizedTest
    @ValueSource(strings = {"predict", "examples", "labels", "commands"})
    void shouldRefuseForeignPagesNamesMethodsAndForms(String route) throws Exception {
        String path = "/api/v1/models/m/" + route;
        for (String credentials : List.of("X: y", "Authorization: Bearer wrong")) {
            assertThat(post(path, EXAMPLE, JSON, credentials))
                    .startsWith("HTTP/1.1 401")
                    .doesNotContain("0123456789abcdef");
        }
        for (String page : List.of("Origin: http://evil.example", "Sec-Fetch-Site: cross-site")) {
            assertThat(post(path, EXAMPLE, JSON, TOKEN, page)).startsWith("HTTP/1.1 403");
        }
        assertThat(server.send(TestServer.request("POST", path, EXAMPLE, JSON, TOKEN)
                        .replace("Host: localhost", "Host: rebound.example:80")))
                .startsWith("HTTP/1.1 421");
        for (String method : List.of("GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS")) {
            assertThat(server.send(TestServer.request(method, path, "", JSON, TOKEN)))
                    .as(method)
                    .startsWith("HTTP/1.1 405")
                    .contains("Allow: POST")
                    .doesNotContain("Access-Control");
        }
        for (String type : List.of(
                "X: y",
                "Content-Type: text/plain",
                "Content-Type: application/x-www-form-urlencoded",
                "Content-Type: multipart/form-data",
                "Content-Type: application/json; charset=utf-16",
                "Content-Type: application/jsonp",
                JSON + "\r\nContent-Encoding: gzip")) {
            assertThat(post(path, EXAMPLE, TOKEN, type)).startsWith("HTTP/1.1 415");
        }
        assertThat(post("/api/v1/models/m", EXAMPLE, TOKEN, JSON)).startsWith("HTTP/1.1 405");
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
        String answer = post("/api/v1/models/" + name + "/predict", EXAMPLE, JSON, TOKEN);
        assertThat(answer).matches("(?s)HTTP/1.1 4\\d\\d .*").doesNotContain("\nX-Injected");
        assertThat(TestServer.body(answer))
                .doesNotContainPattern("[\\x00-\\x1f]")
                .doesNotContain("<script>");
        assertThat(asked).isEmpty();
    }

    @Test
    void shouldAnswerControlCharactersEscaped() throws Exception {
        String id = "a\\u001b[31m\\r\\n\\u0000";
        String body = TestServer.body(post(PREDICT, "{\"id\":\"" + id + "\",\"features\":[1]}", JSON, TOKEN));
        assertThat(body).contains("\"exampleId\":\"a\\u001B[31m\\r\\n\\u0000\"").doesNotContainPattern("[\\x00-\\x1f]");
        for (String wrong :
                List.of("{\"\\u001b[31m\":1}", "\u001b[31m", "{\"features\":{\"a\":\"\\r\\n\"},\"x\\r\":1}")) {
            String refusal = post(PREDICT, wrong, JSON, TOKEN);
            assertThat(refusal).startsWith("HTTP/1.1 400");
            assertThat(TestServer.body(refusal)).doesNotContainPattern("[\\x00-\\x1f]");
        }
    }

    @ParameterizedTest
    @CsvSource({"predict, 200", "examples, 202"})
    void shouldRefuseTooManyRequestsAtTheSameTime(String route, int status) throws Exception {
        String path = "/api/v1/models/m/" + route;
        open(2);
        free = new CountDownLatch(1);
        List<Socket> waiting = new ArrayList<>();
        try {
            for (int k = 0; k < 2; k++) {
                waiting.add(server.start(TestServer.request("POST", path, EXAMPLE, JSON, TOKEN)));
            }
            awaitInFlight(2);
            assertThat(post(path, EXAMPLE, JSON, TOKEN))
                    .startsWith("HTTP/1.1 429")
                    .contains("Retry-After: 1")
                    .contains("http.write.requests.max");
            free.countDown();
            for (Socket socket : waiting) {
                assertThat(TestServer.rest(socket)).startsWith("HTTP/1.1 " + status);
            }
            awaitInFlight(0);
        } finally {
            TestServer.close(waiting);
        }
    }

    private void awaitInFlight(int requests) {
        await().until(() -> server.get("/metrics", TOKEN).contains("perceptron_writes_in_flight " + requests + ".0"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"predict", "examples"})
    void shouldRefuseLargeBodiesAndEndSlowOnes(String route) throws Exception {
        String head =
                "POST /api/v1/models/m/" + route + " HTTP/1.1\r\nHost: localhost\r\n" + TOKEN + "\r\n" + JSON + "\r\n";
        assertThat(server.send(head + "Content-Length: 99999999\r\n\r\n{")).startsWith("HTTP/1.1 413");
        String chunk = "10000\r\n" + " ".repeat(0x10000) + "\r\n";
        try (Socket socket =
                server.start(head + "Transfer-Encoding: chunked\r\n\r\n" + chunk.repeat(16) + "1\r\nx\r\n")) {
            assertThat(TestServer.readUntil(socket, "}")).startsWith("HTTP/1.1 413");
        }
        assertThat(server.send(head + "X-Long: " + "x".repeat(10_000) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 431");
        try (Socket slow = server.connect()) {
            TestServer.write(slow, head + "Content-Length: 100\r\n\r\n{");
            awaitInFlight(1);
            server.http.sweep(System.nanoTime() + TimeUnit.SECONDS.toNanos(11));
            awaitInFlight(0);
        }
        assertThat(asked).isEmpty();
        assertThat(server.send(head + "Content-Length: 0\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 400");
    }
}
