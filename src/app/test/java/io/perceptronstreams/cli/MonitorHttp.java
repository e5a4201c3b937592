package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Requests to a monitor.
 *
 * @param url of the monitor, with a slash at its end
 */
record MonitorHttp(String url) {
    /** Setting of a monitor that wants the login of these requests. */
    static final String AUTH = "bearer:0123456789abcdef";

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final ObjectMapper JSON = new ObjectMapper();

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path))
                .header("Authorization", "Bearer " + AUTH.substring("bearer:".length()));
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return HTTP.send(request(path).build(), HttpResponse.BodyHandlers.ofString());
    }

    int status(String path) throws IOException, InterruptedException {
        return get(path).statusCode();
    }

    String text(String path) throws IOException, InterruptedException {
        return get(path).body();
    }

    JsonNode json(String path) throws IOException, InterruptedException {
        return JSON.readTree(text(path));
    }

    /** Waits until a page is there. */
    void await200(String path) {
        await().atMost(PATIENCE).until(() -> status(path) == 200);
    }

    /**
     * Sends events of a model.
     *
     * @param path behind {@code api/v1/models/}
     */
    CompletableFuture<HttpResponse<String>> post(String path, String body, String... headers) {
        HttpRequest.Builder request = request("api/v1/models/" + path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Sends events of a model and returns the body of the answer, which must have a status. */
    JsonNode post(String path, String body, int status) throws IOException {
        HttpResponse<String> response = post(path, body).join();
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return JSON.readTree(response.body());
    }
}
