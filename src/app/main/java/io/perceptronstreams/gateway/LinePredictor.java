package io.perceptronstreams.gateway;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.client.ModelKey;
import io.perceptronstreams.client.StatusReader;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.ModelState;
import io.perceptronstreams.monitor.AnswerBudget;
import io.perceptronstreams.monitor.EventAnswer;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.Addresses;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.JsonBatchReader;
import io.perceptronstreams.serde.JsonBatchReader.Batch;
import io.perceptronstreams.serde.JsonBatchReader.Purpose;
import io.perceptronstreams.thread.DaemonThread;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;

/**
 * Sends each line of a text, an example in JSON without a label, to a model, and prints a line with its prediction.
 *
 * <p>Up to {@link #MAX_WAITING} examples are on their way; the predictions come in the order of the lines.
 */
public final class LinePredictor {
    private static final int MAX_WAITING = 500;

    /**
     * Answer to a line.
     *
     * @param isPrediction false for an error
     * @param json object in one line
     */
    private record Answer(boolean isPrediction, String json) {}

    /** Predicts one example; the result never fails. */
    @FunctionalInterface
    private interface Way {
        CompletableFuture<Answer> predict(Batch example);
    }

    /** Answer to a line; null at the end of the text. */
    private record Line(CompletableFuture<Answer> answer) {}

    private final String model;
    private final int timeoutMs;
    private final JsonBatchReader reader = new JsonBatchReader();
    private final BlockingQueue<Line> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private long unanswered;

    /** @param timeoutMs maximum time for the prediction of an example */
    public LinePredictor(String model, int timeoutMs) {
        this.model = model;
        this.timeoutMs = timeoutMs;
    }

    /**
     * Predicts all lines through the log; empty ones are left out.
     *
     * @throws CommandFailedException if the model does not exist, or at the end if a line has no prediction
     */
    public void viaLog(EngineConfig config, BufferedReader in, PrintWriter out)
            throws IOException, InterruptedException, ExecutionException {
        ModelKey.of(model);
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry())) {
            requireModel(config);
            try (LogGateway gateway = LogGateway.open(config, timeoutMs, registry)) {
                gateway.start();
                run(
                        example -> gateway.send(model, example.events(), true, AnswerBudget.UNLIMITED)
                                .thenApply(answers -> answer(answers.get(0))),
                        in,
                        out);
            }
        }
    }

    /**
     * Predicts like {@link #viaLog}, but by HTTP from a replica.
     *
     * @param url of the replica, such as {@code http://127.0.0.1:8080/}
     * @param auth value of {@code http.auth}; null for none
     */
    public void viaReplica(URI url, String auth, BufferedReader in, PrintWriter out)
            throws IOException, InterruptedException, ExecutionException {
        ModelKey.of(model);
        run(new Replica(url, auth, model, timeoutMs)::predict, in, out);
    }

    private void run(Way way, BufferedReader in, PrintWriter out)
            throws IOException, InterruptedException, ExecutionException {
        CompletableFuture<Void> printer =
                CompletableFuture.runAsync(() -> print(out), task -> new DaemonThread("predictions", task).start());
        long sent = sendAll(way, in);
        printer.get();
        if (unanswered > 0) {
            throw new CommandFailedException("all examples must get a prediction, got none for " + unanswered + " of "
                    + sent + " (their lines have the error)");
        }
    }

    private Answer answer(EventAnswer answer) {
        return new Answer(
                answer.outcome() == EventAnswer.Outcome.PREDICTED,
                EventFormat.json(json -> answer.writeFields(json, model)));
    }

    /** An example would create the model. */
    private void requireModel(EngineConfig config) {
        if (new StatusReader(config).require(model).status().getState() == ModelState.DELETED) {
            throw StatusReader.noModel(model);
        }
    }

    private long sendAll(Way way, BufferedReader in) throws IOException, InterruptedException {
        long sent = 0;
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (!line.isBlank()) {
                    waiting.put(new Line(predict(way, line)));
                    sent++;
                }
            }
        } finally {
            waiting.put(new Line(null));
        }
        return sent;
    }

    private CompletableFuture<Answer> predict(Way way, String line) {
        try {
            Batch batch = reader.read(line.getBytes(StandardCharsets.UTF_8), Purpose.PREDICT);
            if (batch.isArray()) {
                throw new IllegalArgumentException("a line must be one JSON object, got an array");
            }
            return way.predict(batch);
        } catch (IllegalArgumentException e) {
            return CompletableFuture.completedFuture(answer(EventAnswer.invalid(e.getMessage())));
        }
    }

    private void print(PrintWriter out) {
        try {
            for (Line line = waiting.take(); line.answer != null; line = waiting.take()) {
                Answer answer = line.answer.join();
                if (!answer.isPrediction()) {
                    unanswered++;
                }
                out.println(answer.json());
                out.flush();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Asks a replica for predictions by HTTP, a few requests at a time. */
    private static final class Replica {
        /** Far below the connections that a server accepts. */
        private static final int MAX_CONNECTIONS = 8;

        private final HttpClient http;
        private final HttpRequest.Builder template;
        private final Semaphore free = new Semaphore(MAX_CONNECTIONS);

        /**
         * @param url of the server
         * @param auth value of {@code http.auth}; null for none
         * @param timeoutMs maximum time for an answer
         */
        Replica(URI url, String auth, String model, int timeoutMs) {
            http = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofMillis(timeoutMs))
                    .build();
            String path = "api/v1/models/" + URLEncoder.encode(model, StandardCharsets.UTF_8) + "/predict";
            String base = url.toString().endsWith("/") ? url.toString() : url + "/";
            template = HttpRequest.newBuilder(URI.create(base + path))
                    .timeout(Duration.ofMillis(timeoutMs))
                    .header("Content-Type", "application/json");
            if (auth != null) {
                template.header("Authorization", authorization(auth));
            }
        }

        private static String authorization(String auth) {
            String secret = auth.substring(auth.indexOf(':') + 1);
            return auth.startsWith("basic:")
                    ? "Basic " + Base64.getEncoder().encodeToString(secret.getBytes(StandardCharsets.UTF_8))
                    : "Bearer " + secret;
        }

        CompletableFuture<Answer> predict(Batch example) {
            free.acquireUninterruptibly();
            HttpRequest request = template.copy()
                    .POST(HttpRequest.BodyPublishers.ofByteArray(
                            example.events().get(0).value()))
                    .build();
            return http.sendAsync(request, HttpResponse.BodyHandlers.ofString()).handle((response, failure) -> {
                free.release();
                return failure == null ? answer(response) : unreachable(request.uri(), failure);
            });
        }

        private static Answer answer(HttpResponse<String> response) {
            String json = response.body();
            boolean isJson = json.startsWith("{") && json.indexOf('\n') < 0;
            return isJson
                    ? new Answer(response.statusCode() == 200, json)
                    : error("the replica must answer in JSON, got status " + response.statusCode());
        }

        private static Answer unreachable(URI uri, Throwable failure) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            String address = uri.getScheme() + "://" + uri.getAuthority() + "/";
            return error("a replica must answer at " + Addresses.withoutSecrets(address + ", got: " + cause)
                    + " (start one with perceptron replica, or name another with --url)");
        }

        private static Answer error(String message) {
            return new Answer(false, EventFormat.json(json -> json.writeStringField("error", message)));
        }
    }
}
