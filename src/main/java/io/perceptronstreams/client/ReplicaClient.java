package io.perceptronstreams.client;

import io.perceptronstreams.client.LinePredictor.Answer;
import io.perceptronstreams.client.LinePredictor.Way;
import io.perceptronstreams.serde.JsonBatchReader.Batch;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/** Asks a replica for predictions by HTTP, a few requests at a time. */
final class ReplicaClient implements Way {
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
    ReplicaClient(URI url, String auth, String model, int timeoutMs) {
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

    @Override
    public CompletableFuture<Answer> predict(Batch example) {
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
        return error("a replica must answer at " + address + ", got: " + cause
                + " (start one with perceptron replica, or name another with --url)");
    }

    private static Answer error(String message) {
        return new Answer(false, EventFormat.json(json -> json.writeStringField("error", message)));
    }
}
