package io.perceptronstreams.monitor;

import static io.perceptronstreams.monitor.TestServer.EXAMPLE;
import static io.perceptronstreams.monitor.TestServer.JSON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.monitor.EventAnswer.Place;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.JsonBatchReader.Event;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that send examples and labels, up to the gateway. */
final class HttpWriteTest {
    private static final String TOKEN = "Authorization: Bearer 0123456789abcdef";
    private static final String PREDICT = "/api/v1/models/m/predict";

    private final BlockingQueue<Sent> sent = new LinkedBlockingQueue<>();

    @TempDir
    private Path directory;

    private TestServer server;

    /** What the gateway got, and the answer that a test gives. */
    private record Sent(
            String model, List<Event> events, boolean isWaiting, CompletableFuture<List<EventAnswer>> answer) {}

    @BeforeEach
    void start() throws Exception {
        server = open(2, 10);
        server.state.caughtUp();
        server.state.add(Fabricated.status("m", 1, Map.of("state", "LIVE")));
    }

    private TestServer open(int maxRequests, int maxRate) throws Exception {
        return TestServer.writing(
                TestServer.withTokens(directory, TestServer.token("0123456789abcdef", "[read, send, command]", "'*'")),
                (model, events, isWaiting, budget) -> {
                    CompletableFuture<List<EventAnswer>> answer = new CompletableFuture<>();
                    sent.add(new Sent(model, events, isWaiting, answer));
                    return answer;
                },
                null,
                new WriteLimits(maxRequests, maxRate, 10, () -> 0));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private String post(String path, String body) throws Exception {
        return server.send(TestServer.request("POST", path, body, TOKEN, JSON));
    }

    /** Sends a request that reaches the gateway, and gives an answer to each of its events. */
    private String post(String path, String body, EventAnswer... answers) throws Exception {
        try (Socket socket = server.start(TestServer.request("POST", path, body, TOKEN, JSON))) {
            take().answer().complete(List.of(answers));
            return TestServer.rest(socket);
        }
    }

    private Sent take() throws InterruptedException {
        return sent.poll(1, TimeUnit.MINUTES);
    }

    private static EventAnswer prediction(long offset) {
        return EventAnswer.predicted(
                new Place(1, offset, null),
                EventJson.text(Fabricated.event(
                        Prediction.class,
                        Map.of("exampleId", "1@" + offset, "label", 1, "score", 0.1, "updates", 3L))));
    }

    @Test
    void shouldAnswerWithThePredictionAndItsPlace() throws Exception {
        assertThat(post(PREDICT, EXAMPLE, prediction(7)))
                .startsWith("HTTP/1.1 200")
                .contains("Content-Type: application/json")
                .contains("{\"model\":\"m\",\"exampleId\":\"1@7\",\"label\":1,\"score\":0.1,\"scores\":null,")
                .contains("\"updates\":3,")
                .endsWith("\"position\":{\"partition\":1,\"offset\":7},\"via\":\"log\"}");
        assertThat(post(PREDICT, "[" + EXAMPLE + "," + EXAMPLE + "]", prediction(7), prediction(8)))
                .contains("\r\n\r\n[{")
                .endsWith("\"offset\":8},\"via\":\"log\"}]");
        EventAnswer several = EventAnswer.acknowledged(new Place(1, 8, 3));
        assertThat(post(PREDICT, "[" + EXAMPLE + "," + EXAMPLE + "]", prediction(7), several))
                .endsWith("\"position\":{\"partition\":1,\"offset\":8,\"index\":3},\"via\":\"log\"}]");
    }

    @Test
    void shouldAnswerAsTheDescriptionSays() throws Exception {
        JsonNode description = HttpAnswersTest.description();
        for (String route : List.of("predict", "examples", "labels", "commands")) {
            JsonNode post = description
                    .path("paths")
                    .path("/api/v1/models/{model}/" + route)
                    .path("post");
            assertThat(post.has("requestBody")).isTrue();
            assertThat(post.path("responses").has(route.equals("predict") ? "200" : "202"))
                    .isTrue();
            for (int status : List.of(400, 404, 409, 413, 415, 422, 429, 503, 504)) {
                boolean isPossible = switch (route) {
                    case "examples" -> status != 404;
                    case "labels" -> status != 422 && status != 504;
                    case "commands" -> status != 409;
                    default -> true;
                };
                assertThat(post.path("responses").has(Integer.toString(status)))
                        .as(route + " " + status)
                        .isEqualTo(isPossible);
            }
        }
        JsonNode schemas = description.path("components").path("schemas");
        JsonNode answer = new ObjectMapper().readTree(TestServer.body(post(PREDICT, EXAMPLE, prediction(7))));
        List<String> names = new ArrayList<>();
        answer.fieldNames().forEachRemaining(names::add);
        assertThat(names)
                .containsExactlyInAnyOrderElementsOf(HttpAnswersTest.allRequired(schemas, "Answer"))
                .contains("label", "score", "scores", "correct", "labelText", "updates", "position", "via");
    }

    @Test
    void shouldAnswerWithTheWorstStatusOfItsEvents() throws Exception {
        EventAnswer dead = EventAnswer.rejected(
                new Place(0, 2, null), new DeadLetter("INVALID_LABEL", "label must be \"a\"", "t", 0L, 2L, null));
        assertThat(post(PREDICT, "[" + EXAMPLE + "," + EXAMPLE + "]", prediction(7), dead))
                .startsWith("HTTP/1.1 422")
                .contains("\"score\":0.1")
                .contains("{\"error\":\"label must be \\\"a\\\"\",\"reason\":\"INVALID_LABEL\",\"model\":\"m\",");
        assertThat(post(PREDICT, EXAMPLE, EventAnswer.unanswered(new Place(0, 2, null), "late")))
                .startsWith("HTTP/1.1 504")
                .contains("\"offset\":2");
        assertThat(post(PREDICT, EXAMPLE, EventAnswer.notAcknowledged("no broker")))
                .startsWith("HTTP/1.1 503")
                .contains("Retry-After: 1");
    }

    @Test
    void shouldWaitForPredictionsOfExamplesOnlyIfAsked() throws Exception {
        EventAnswer written = EventAnswer.acknowledged(new Place(0, 5, null));
        String labelled = "{\"label\":1,\"features\":[1]}";
        for (String route : List.of("examples", "examples?wait=prediction", "labels")) {
            String body = route.equals("labels") ? "{\"exampleId\":\"7\",\"label\":1}" : labelled;
            try (Socket socket =
                    server.start(TestServer.request("POST", "/api/v1/models/m/" + route, body, TOKEN, JSON))) {
                Sent got = take();
                assertThat(got.isWaiting()).as(route).isEqualTo(route.contains("wait"));
                assertThat(got.model()).isEqualTo("m");
                assertThat(new String(got.events().get(0).value(), StandardCharsets.UTF_8))
                        .isEqualTo(body);
                got.answer().complete(List.of(written));
                assertThat(TestServer.rest(socket))
                        .startsWith("HTTP/1.1 202")
                        .endsWith("{\"model\":\"m\",\"position\":{\"partition\":0,\"offset\":5},\"via\":\"log\"}");
            }
        }
        assertThat(post("/api/v1/models/m/labels?wait=prediction", "{}")).startsWith("HTTP/1.1 400");
        assertThat(post("/api/v1/models/m/examples?wait=1", EXAMPLE)).startsWith("HTTP/1.1 400");
    }

    @ParameterizedTest
    @ValueSource(strings = {"predict", "examples", "labels", "commands"})
    void shouldBeOffByDefault(String route) throws Exception {
        server.close();
        server = TestServer.open();

        assertThat(server.send(TestServer.request("POST", "/api/v1/models/m/" + route, EXAMPLE, JSON)))
                .startsWith("HTTP/1.1 404")
                .contains("http.write=true");
        assertThat(server.get("/api/v1/models/m/" + route)).startsWith("HTTP/1.1 404");
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("monitor-writes", "gateway-sender", "gateway-answers");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "m/predict | {\"label\":1,\"features\":[1]} | 400 | no label",
                "m/predict | [1] | 400 | event 1 of the array",
                "m/predict | {\"features\":[NaN]} | 400 | NaN",
                "no%20name/predict | {\"features\":[1]} | 400 | model name must be",
                "unknown/predict | {\"features\":[1]} | 404 | its first example creates it",
                "unknown/labels | {\"exampleId\":\"7\",\"label\":1} | 404 | must be known",
                "deleted/predict | {\"features\":[1]} | 404 | must be known",
                "frozen/examples | {\"label\":1,\"features\":[1]} | 409 | models thaw frozen",
                "frozen/labels | {\"exampleId\":\"7\",\"label\":1} | 409 | which is frozen",
                "ill/predict | {\"features\":[1]} | 409 | models reset ill",
                "m/examples | {\"action\":\"RESET\"} | 400 | a command goes to …/commands",
                "m/commands | {\"action\":\"EXPLODE\"} | 400 | action must be one of [CONFIGURE, RESET,",
                "m/commands | {\"action\":\"CONFIGURE\",\"settings\":{\"etaa\":\"1\"}} | 400 | did you mean eta",
                "m/commands | {\"action\":\"RESET\",\"settings\":{\"h\":\"-1\"}} | 400 | h must be a number >= 0.0",
                "m/commands | {\"action\":\"RESET\",\"settings\":[]} | 400 | settings must be an object",
                "m/commands | {\"action\":\"RESET\",\"when\":1} | 400 | when",
                "m/commands | {\"action\":\"RESET\",\"model\":\"n\"} | 400 | the address names the model",
                "m/commands | {\"action\":\"CHALLENGE\"} | 400 | challenger must be a name",
                "m/commands | {\"action\":\"CHALLENGE\",\"settings\":{\"challenger\":\"c\",\"x\":\"1\"}} | 400 | 'x'",
                "m/commands | {\"action\":\"PROMOTE\"} | 400 | must have the key challenger",
                "m/commands | {\"action\":\"SNAPSHOT\",\"settings\":{\"name\":\"/\"}} | 400 | name must be",
                "m/commands | {\"action\":\"DEFAULTS\"} | 400 | must be sent to …/models/*/commands",
                "*/commands | {\"action\":\"RESET\"} | 400 | must be DEFAULTS, got RESET",
                "*/examples | {\"features\":[1]} | 400 | model name must be",
                "m/commands | [{\"action\":\"RESET\"}] | 400 | must have one command, got an array",
                "m/commands | {\"action\":\"RESET\"}{\"action\":\"RESET\"} | 400 | each command in a request of its own",
                "m/commands | {\"vectors\":[]} | 400 | perceptron weights import sends weights",
                "m/commands | {\"features\":[1]} | 400 | a command must have an action, got none",
                "m/commands | {} | 400 | a command must have an action, got none",
                "m/commands | 7 | 400 | JSON object",
                "m/commands?wait=prediction | {\"action\":\"RESET\"} | 400 | wait must be status",
                "m/commands?by=c | {\"action\":\"RESET\"} | 400 | by must be asked of a replica",
            })
    void shouldRefuseBeforeAnythingIsSent(String path, String body, int status, String message) throws Exception {
        server.state.add(Fabricated.status("deleted", 1, Map.of("state", "DELETED")));
        server.state.add(Fabricated.status("frozen", 1, Map.of("state", "FROZEN")));
        server.state.add(Fabricated.status("ill", 1, Map.of("state", "QUARANTINED")));

        assertThat(post("/api/v1/models/" + path, body))
                .startsWith("HTTP/1.1 " + status)
                .contains("{\"error\":\"")
                .contains(message);
        assertThat(sent).isEmpty();
    }

    @Test
    void shouldAnswerACommandWithTheStatusAfterItIfAsked() throws Exception {
        String reset = "{ \"action\" : \"reset\", \"settings\" : {\"h\":1} }";
        EventAnswer written = EventAnswer.acknowledged(new Place(1, 5, null));
        try (Socket socket = server.start(
                TestServer.request("POST", "/api/v1/models/m/commands", " " + reset + "\n", TOKEN, JSON))) {
            Sent got = take();
            assertThat(got.isWaiting()).isFalse();
            assertThat(got.model()).isEqualTo("m");
            assertThat(new String(got.events().get(0).value(), StandardCharsets.UTF_8))
                    .isEqualTo(reset);
            assertThat(got.events().get(0).isExample()).isFalse();
            got.answer().complete(List.of(written));
            assertThat(TestServer.rest(socket))
                    .startsWith("HTTP/1.1 202")
                    .endsWith("{\"model\":\"m\",\"position\":{\"partition\":1,\"offset\":5},\"via\":\"log\"}");
        }
        EventAnswer status = EventAnswer.executed(new Place(1, 6, null), "{\"state\":\"LIVE\",\"cause\":\"RESET\"}");
        try (Socket socket =
                server.start(TestServer.request("POST", "/api/v1/models/m/commands?wait=status", reset, TOKEN, JSON))) {
            Sent got = take();
            assertThat(got.isWaiting()).isTrue();
            got.answer().complete(List.of(status));
            assertThat(TestServer.rest(socket))
                    .startsWith("HTTP/1.1 200")
                    .endsWith("{\"model\":\"m\",\"state\":\"LIVE\",\"cause\":\"RESET\","
                            + "\"position\":{\"partition\":1,\"offset\":6},\"via\":\"log\"}");
        }
    }

    /** Whether the model exists, learns or is quarantined is no reason not to send a command. */
    @Test
    void shouldSendCommandsForModelsInAnyState() throws Exception {
        server.state.add(Fabricated.status("ill", 1, Map.of("state", "QUARANTINED")));
        server.state.add(Fabricated.status("frozen", 1, Map.of("state", "FROZEN")));
        EventAnswer written = EventAnswer.acknowledged(new Place(0, 5, null));

        for (String model : List.of("ill", "frozen", "new")) {
            assertThat(post("/api/v1/models/" + model + "/commands", "{\"action\":\"RESET\"}", written))
                    .startsWith("HTTP/1.1 202");
        }
    }

    @Test
    void shouldAnswerForEachPartitionToACommandForAllModelsToCome() throws Exception {
        String defaults = "{\"action\":\"DEFAULTS\",\"settings\":{\"h\":\"1\"}}";
        EventAnswer dead = EventAnswer.rejected(
                new Place(1, 9, null), new DeadLetter("NOT_AUTHORISED", "command must be signed", "t", 1L, 9L, null));
        String answer =
                post("/api/v1/models/*/commands", defaults, EventAnswer.acknowledged(new Place(0, 5, null)), dead);
        assertThat(answer)
                .startsWith("HTTP/1.1 422")
                .contains("[{\"model\":\"*\",\"position\":{\"partition\":0,\"offset\":5},\"via\":\"log\"}")
                .contains("\"reason\":\"NOT_AUTHORISED\"");
    }

    @Test
    void shouldLetAnExampleCreateItsModelAndAFrozenOnePredict() throws Exception {
        EventAnswer written = EventAnswer.acknowledged(new Place(0, 5, null));
        assertThat(post("/api/v1/models/new/examples", EXAMPLE, written)).startsWith("HTTP/1.1 202");
        server.state.add(Fabricated.status("m", 2, Map.of("state", "FROZEN")));
        assertThat(post(PREDICT, EXAMPLE, prediction(1))).startsWith("HTTP/1.1 200");
    }

    @Test
    void shouldNotCallAModelUnknownBeforeAllStatusesAreRead() throws Exception {
        server.close();
        server = open(2, 10);

        assertThat(post(PREDICT, EXAMPLE)).startsWith("HTTP/1.1 503").contains("Retry-After: 1");
    }

    @Test
    void shouldRefuseTooManyEventsAndCountRequests() throws Exception {
        for (int k = 0; k < 2; k++) {
            assertThat(post(PREDICT, EXAMPLE, prediction(k))).startsWith("HTTP/1.1 200");
        }
        // ten events a second, and the clock stands still
        assertThat(post(PREDICT, "[" + EXAMPLE + ("," + EXAMPLE).repeat(8) + "]"))
                .startsWith("HTTP/1.1 429")
                .contains("http.write.rate.max");
        // a request is counted after its answer was sent
        await().untilAsserted(() -> assertThat(server.get("/metrics", TOKEN))
                .contains("perceptron_writes_seconds_count{route=\"predict\",status=\"200\",via=\"log\"} 2")
                .contains("perceptron_writes_seconds_count{route=\"predict\",status=\"429\",via=\"log\"} 1"));
    }

    @Test
    void shouldCloseConnectionsWhoseBodyComesSlowlyWithoutAThreadForThem() throws Exception {
        server.close();
        server = open(90, 10);
        server.state.caughtUp();
        String start = "POST " + PREDICT + " HTTP/1.1\r\nHost: localhost\r\n" + TOKEN + "\r\n" + JSON
                + "\r\nContent-Length: 100\r\n\r\n{";
        List<Socket> slow = new ArrayList<>();
        try {
            // more than there are threads
            for (int k = 0; k < 40; k++) {
                slow.add(server.start(start));
            }
            await().until(() -> server.get("/metrics", TOKEN).contains("perceptron_writes_in_flight 40.0"));
            assertThat(server.get("/api/v1/models", TOKEN)).startsWith("HTTP/1.1 200");

            server.http.sweep(System.nanoTime() + TimeUnit.SECONDS.toNanos(5));
            assertThat(server.get("/metrics", TOKEN)).contains("perceptron_writes_in_flight 40.0");
            server.http.sweep(System.nanoTime() + TimeUnit.SECONDS.toNanos(11));

            await().until(() -> server.get("/metrics", TOKEN).contains("perceptron_writes_in_flight 0.0"));
            await().untilAsserted(() -> assertThat(server.get("/metrics", TOKEN))
                    .contains("perceptron_writes_seconds_count{route=\"predict\",status=\"aborted\",via=\"log\"} 40"));
        } finally {
            TestServer.close(slow);
        }
    }
}
