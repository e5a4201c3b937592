package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.model.Model;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Predictions by HTTP from models in this process. */
final class HttpReplicaTest {
    private static final String PREDICT = "/api/v1/models/m/predict";
    private static final String JSON = "Content-Type: application/json";
    private static final long MAX_AGE_MS = 1_000;
    private static final int MAX_ANSWER_BYTES = 1 << 20;

    private final Map<String, Model> models = new HashMap<>();
    private final Deque<Model> next = new ArrayDeque<>();
    private final AtomicInteger reads = new AtomicInteger();
    private final Semaphore waitingReads = new Semaphore(0);
    private CountDownLatch free = new CountDownLatch(0);
    private boolean isReady = true;
    private RuntimeException failure;
    private long ageMs = 12;
    private WriteLimits limits;
    private TestServer server;

    @BeforeEach
    void open() {
        limits = new WriteLimits(10, 10, 5_000, () -> 0, MAX_ANSWER_BYTES, 3 * MAX_ANSWER_BYTES);
        server = new TestServer(
                TestServer.config(),
                0,
                LoginDelay.SECOND,
                null,
                all -> new ReplicaPredictions(new Replica(), MAX_AGE_MS, all),
                limits);
        models.put("m", learned(Map.of()));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private final class Replica extends TestReplica {
        @Override
        public <T> T read(String name, Function<Held, T> function) {
            reads.incrementAndGet();
            waitingReads.release();
            try {
                free.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            if (!isReady) {
                throw new NotReadyException();
            }
            if (failure != null) {
                throw failure;
            }
            Model model = next.isEmpty() ? models.get(name) : next.poll();
            return function.apply(model == null ? null : new Held(model, 2, 7, ageMs));
        }

        @Override
        public boolean isReady() {
            return isReady;
        }
    }

    /** A model with the weights and bias of one update: x = (1, 2), y = +1. */
    private static Model learned(Map<String, String> settings) {
        Model model = new Model();
        model.configure(settings);
        Example example = new Example();
        example.vector().resetDense();
        example.vector().append(1);
        example.vector().append(2);
        example.setLabel(Label.PLUS_ONE);
        model.process(example, 0);
        return model;
    }

    /** 1,000 classes with names of 200 characters, whose scores have more than 200,000 bytes. */
    private static Model manyClasses(String scores) {
        Model model = new Model();
        model.configure(Map.of("algorithm", "multiclass", "predict.scores", scores));
        for (int k = 0; k < 1_000; k++) {
            Example example = new Example();
            example.vector().resetDense();
            example.vector().append(1);
            example.setLabel(new Label.ClassName("%04d".formatted(k) + "x".repeat(196)));
            model.process(example, 0);
        }
        return model;
    }

    private static String examples(int count) {
        return "[" + "{\"features\":[1]},".repeat(count - 1) + "{\"features\":[1]}]";
    }

    private String post(String path, String body) throws Exception {
        return server.send(TestServer.request("POST", path, body, JSON));
    }

    @Test
    void shouldPredictWithoutLearning() throws Exception {
        String expected =
                "{\"model\":\"m\",\"exampleId\":\"a\",\"label\":1,\"score\":3.5,\"scores\":null,\"updates\":1,"
                        + "\"epoch\":0,\"position\":{\"partition\":2,\"offset\":7},\"ageMs\":12,\"via\":\"replica\"}";
        for (int k = 0; k < 2; k++) {
            // 1 + 0.5 * 1 + 1 * 2
            assertThat(post(PREDICT, "{\"id\":\"a\",\"features\":[0.5,1]}"))
                    .startsWith("HTTP/1.1 200")
                    .contains("Cache-Control: no-store")
                    .endsWith("\r\n\r\n" + expected);
        }
        assertThat(models.get("m").counts().totals().examples()).isEqualTo(1);

        assertThat(post(PREDICT, "[{\"features\":[-9]},{\"features\":[]}]"))
                .contains("\r\n\r\n[{\"model\":\"m\",\"exampleId\":null,\"label\":-1,\"score\":-8.0,")
                .contains("},{\"model\":\"m\",\"exampleId\":null,\"label\":1,\"score\":1.0,");
    }

    @Test
    void shouldSayHowSureAPredictionIs() throws Exception {
        Map<String, String> sure = Map.of("calibrate", "platt", "coverage", "0.9");
        models.put("m", learned(sure));
        // the label +1 of a score 0, which predicts +1: a and c are 1/3 of the error 0.5, b is 3; mean size 0, then
        // 3.5/2: f = 2·3.5/(3.5 + 1.75) = 1.333, log-odds 4.667, p = 0.99068
        assertThat(post(PREDICT, "{\"features\":[0.5,1]}")).contains("\"probability\":0.99068", "\"labelSet\":[\"1\"]");

        Model several = new Model();
        several.configure(sure);
        several.configure(Map.of("predict.scores", "true"));
        for (String each : List.of("a", "b", "a", "c")) {
            Example example = new Example();
            example.vector().resetDense();
            example.vector().append(each.equals("a") ? 1 : -2);
            example.setLabel(new Label.ClassName(each));
            several.process(example, 0);
        }
        models.put("m", several);
        JsonNode answer = new ObjectMapper().readTree(TestServer.body(post(PREDICT, "{\"features\":[1]}")));
        assertThat(answer.get("probability").asDouble()).isBetween(0.01, 0.99);
        assertThat(answer.get("probabilities").properties())
                .extracting(Map.Entry::getKey)
                .containsExactly("a", "b", "c");
        assertThat(answer.get("probabilities")
                        .valueStream()
                        .mapToDouble(JsonNode::asDouble)
                        .sum())
                .isCloseTo(1, within(2e-6));
        assertThat(answer.get("probabilities").get(answer.get("label").asText()))
                .isEqualTo(answer.get("probability"));
        assertThat(answer.get("labelSet").isArray()).isTrue();
    }

    @Test
    void shouldPredictByAChallenger() throws Exception {
        Model model = models.get("m");
        model.challenge(Map.of("challenger", "next", "eta", "2"));
        Example example = new Example();
        example.vector().resetDense();
        example.vector().append(-1);
        example.setLabel(Label.MINUS_ONE);
        model.process(example, 0);

        // its score was 0, which predicts +1: weights of 2 * -1 * (-1, 1)
        assertThat(post(PREDICT + "?by=next", "{\"features\":[3]}"))
                .startsWith("HTTP/1.1 200")
                .contains("\"score\":4.0,", "\"updates\":1,\"epoch\":1,");
        assertThat(post(PREDICT + "?by=other", "{\"features\":[3]}"))
                .startsWith("HTTP/1.1 404")
                .contains("by must be the name of a challenger, got 'other' (model 'm' has next)");
        model.quarantine();
        assertThat(post(PREDICT + "?by=next", "{\"features\":[3]}")).startsWith("HTTP/1.1 200");
        assertThat(server.send(TestServer.request(
                        "POST", PREDICT + "?by=next", "{\"features\":[3]}", JSON, "Prefer: via=log")))
                .startsWith("HTTP/1.1 400")
                .contains("by must be asked of a replica");
    }

    @Test
    void shouldAnswerAsTheDescriptionSays() throws Exception {
        JsonNode described = HttpAnswersTest.description().at("/components/schemas/ReplicaAnswer");
        List<String> fields = new ArrayList<>();
        described.path("required").forEach(field -> fields.add(field.asText()));
        List<String> properties = new ArrayList<>();
        described.path("properties").fieldNames().forEachRemaining(properties::add);

        assertThat(answered()).containsExactlyInAnyOrderElementsOf(fields);
        // what is not required is there if the model says how sure it is
        models.put("m", learned(Map.of("calibrate", "platt", "coverage", "0.9", "predict.scores", "true")));
        assertThat(answered()).containsExactlyInAnyOrderElementsOf(properties);
    }

    private List<String> answered() throws Exception {
        List<String> answered = new ArrayList<>();
        new ObjectMapper()
                .readTree(TestServer.body(post(PREDICT, "{\"features\":[1]}")))
                .fieldNames()
                .forEachRemaining(answered::add);
        return answered;
    }

    @Test
    void shouldSayWhyThereIsNoPrediction() throws Exception {
        assertThat(post("/api/v1/models/nobody/predict", "{\"features\":[1]}"))
                .startsWith("HTTP/1.1 404")
                .contains("model must be known, got 'nobody'");
        assertThat(post("/api/v1/models/%20/predict", "{\"features\":[1]}")).startsWith("HTTP/1.1 400");
        assertThat(post(PREDICT, "{\"label\":1,\"features\":[1]}")).startsWith("HTTP/1.1 400");
        assertThat(post(PREDICT, "{\"features\":[1],}")).startsWith("HTTP/1.1 400");
        assertThat(post(PREDICT, "[{\"features\":[1]}" + ",{\"features\":[1]}".repeat(1_000) + "]"))
                .startsWith("HTTP/1.1 413");
        assertThat(post(PREDICT, "[{\"features\":[1]},{\"features\":{\"tokens\":[[\"a\"]]}}]"))
                .startsWith("HTTP/1.1 422")
                .contains("\"score\":2.0")
                .contains("\"reason\":\"UNSUPPORTED_FEATURES\"");
        models.get("m").quarantine();
        assertThat(post(PREDICT, "{\"features\":[1]}"))
                .startsWith("HTTP/1.1 409")
                .contains("perceptron models reset m");
    }

    @Test
    void shouldHaveClientsWaitForModelsAndForAReplicaThatIsTooOld() throws Exception {
        ageMs = MAX_AGE_MS + 1;
        assertThat(post(PREDICT, "{\"features\":[1]}"))
                .startsWith("HTTP/1.1 503")
                .contains("http.replica.age.max.ms = 1000")
                .contains("Retry-After: 1");
        isReady = false;
        assertThat(post(PREDICT, "{\"features\":[1]}"))
                .startsWith("HTTP/1.1 503")
                .contains("Retry-After: 1");
    }

    /** Otherwise the client would wait, and its request would count for ever. */
    @Test
    void shouldAnswerAlsoIfThePredictionFails() throws Exception {
        failure = new IllegalStateException("the secret cause");
        for (int k = 0; k < 11; k++) {
            assertThat(post(PREDICT, "{\"features\":[1]}"))
                    .startsWith("HTTP/1.1 500")
                    .contains("its log has the cause")
                    .doesNotContain("secret");
        }
        failure = null;
        assertThat(post(PREDICT, "{\"features\":[1]}")).startsWith("HTTP/1.1 200");
    }

    /** Names are hashed by the settings of the model, which may change before it predicts. */
    @Test
    void shouldDecodeAgainIfTheModelHasChanged() throws Exception {
        Model other = learned(Map.of("hash.bits", "10"));
        next.addAll(List.of(models.get("m"), other, other, other));
        assertThat(post(PREDICT, "{\"features\":[1,1]}"))
                .startsWith("HTTP/1.1 200")
                .contains("\"score\":4.0");
        assertThat(next).isEmpty();
    }

    @Test
    void shouldSendNothingToTheLog() throws Exception {
        for (String route : List.of("examples", "labels")) {
            assertThat(post("/api/v1/models/m/" + route, "{\"features\":[1]}"))
                    .startsWith("HTTP/1.1 404")
                    .contains("http.write=true only");
        }
        assertThat(server.send(
                        TestServer.request("POST", PREDICT, "{\"features\":[1]}", JSON, "Prefer: wait=3, Via=Log")))
                .startsWith("HTTP/1.1 404")
                .contains("http.write=true only");
        assertThat(server.get(PREDICT)).startsWith("HTTP/1.1 405");
        assertThat(server.get("/metrics"))
                .contains("perceptron_writes_seconds_count{route=\"labels\",status=\"404\",via=\"log\"} 1");
    }

    /** A model that is learning for long must not take the threads from all others. */
    @Test
    void shouldAnswerHealthChecksWhileManyRequestsWaitForAModel() throws Exception {
        free = new CountDownLatch(1);
        ExecutorService clients = Executors.newCachedThreadPool();
        try {
            List<Future<String>> answers = new ArrayList<>();
            for (int k = 0; k < 8; k++) {
                answers.add(clients.submit(() -> post(PREDICT, "{\"features\":[1]}")));
            }
            waitingReads.acquire(ReplicaPredictions.MAX_THREADS);

            assertThat(server.get("/healthz")).startsWith("HTTP/1.1 200");
            assertThat(waitingReads.availablePermits()).isZero();
            free.countDown();
            for (Future<String> answer : answers) {
                assertThat(answer.get()).startsWith("HTTP/1.1 200");
            }
        } finally {
            free.countDown();
            clients.shutdownNow();
        }
    }

    /** Eight requests of 19 KB, each with an answer of 210 MB, took all memory of the process. */
    @Test
    void shouldEndAnAnswerThatIsTooLarge() throws Exception {
        models.put("m", manyClasses("true"));
        String four = post(PREDICT, examples(4));
        assertThat(four).startsWith("HTTP/1.1 200").hasSizeBetween(800_000, MAX_ANSWER_BYTES);
        assertThat(new ObjectMapper().readTree(TestServer.body(four)).size()).isEqualTo(4);

        assertThat(post(PREDICT, examples(1_000)))
                .startsWith("HTTP/1.1 413")
                .contains("an answer must have at most " + MAX_ANSWER_BYTES + " bytes")
                .contains("ask for fewer examples; predict.scores=5");

        models.put("m", manyClasses("2"));
        assertThat(post(PREDICT, examples(1_000))).startsWith("HTTP/1.1 200").hasSizeLessThan(2_000_000);
    }

    @Test
    void shouldRefuseRequestsWhileTheAnswersOfOthersAreNotRead() throws Exception {
        models.put("m", manyClasses("true"));
        String body = examples(4);
        List<Socket> slow = new ArrayList<>();
        try {
            String answer = "";
            // the kernels of both sides hold some of the answers
            while (!answer.startsWith("HTTP/1.1 429") && slow.size() < 9) {
                Socket socket = new Socket();
                slow.add(socket);
                socket.setReceiveBufferSize(4_096);
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.http.port()));
                TestServer.write(
                        socket,
                        "POST " + PREDICT + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                + "Content-Length: " + body.length() + "\r\n\r\n" + body);
                answer = TestServer.readUntil(socket, "\r\n\r\n");
            }
            assertThat(answer).startsWith("HTTP/1.1 429").contains("Retry-After: 1");
            assertThat(slow).hasSizeGreaterThanOrEqualTo(4);
        } finally {
            TestServer.close(slow);
        }
        await().until(() -> post(PREDICT, body).startsWith("HTTP/1.1 200"));
        await().until(() -> limits.answerBytes() == 0);
    }

    @Test
    void shouldLimitExamplesPerSecond() throws Exception {
        for (int k = 0; k < 5; k++) {
            assertThat(post(PREDICT, examples(1_000))).startsWith("HTTP/1.1 200");
        }
        assertThat(post(PREDICT, examples(1)))
                .startsWith("HTTP/1.1 429")
                .contains("http.replica.rate.max = 5000")
                .contains("Retry-After: 1");
    }

    /** A kernel with a large support takes long for each example. */
    @Test
    void shouldLetOthersHaveTheModelBetweenTwoPartsOfALargeRequest() throws Exception {
        Model model = new Model();
        model.configure(Map.of("algorithm", "kernel", "kernel", "rbf(g=1)", "h", "9"));
        for (int k = 0; k < 2_000; k++) {
            Example example = new Example();
            example.vector().resetDense();
            example.vector().append(k);
            example.setLabel(Label.PLUS_ONE);
            model.process(example, 0);
        }
        models.put("m", model);

        String body = "[" + "{\"features\":[1.5]},".repeat(999) + "{\"features\":[1.5]}]";
        JsonNode answer = new ObjectMapper().readTree(TestServer.body(post(PREDICT, body)));

        assertThat(answer.size()).isEqualTo(1_000);
        assertThat(answer.findValuesAsText("score"))
                .hasSize(1_000)
                .containsOnly(answer.at("/0/score").asText());
        // one for the settings
        assertThat(reads.get()).isGreaterThan(2);
    }
}
