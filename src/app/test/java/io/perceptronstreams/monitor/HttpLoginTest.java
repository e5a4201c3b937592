package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Credentials of requests. */
final class HttpLoginTest {
    private TestServer server = TestServer.open();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void shouldAskForCredentialsInAllButTheHealthChecks() throws Exception {
        restartWithoutDelay("basic:eve:s3:cret");
        for (String path : List.of("/", "/api/v1/models", "/api/v1/stream/mistakes", "/metrics", "/nothing")) {
            assertThat(server.get(path)).startsWith("HTTP/1.1 401").contains("WWW-Authenticate: Basic realm=");
            assertThat(server.get(path, "Authorization: Basic " + base64("eve:wrong")))
                    .startsWith("HTTP/1.1 401");
        }
        assertThat(server.get("/healthz")).startsWith("HTTP/1.1 200");
        assertThat(server.get("/", "Authorization: Basic " + base64("eve:s3:cret")))
                .startsWith("HTTP/1.1 200");
    }

    @Test
    void shouldTakeABearersToken() throws Exception {
        restartWithoutDelay("bearer:t0ken");

        assertThat(server.get("/metrics", "Authorization: bearer t0ken")).startsWith("HTTP/1.1 200");
        assertThat(server.get("/metrics", "Authorization: Bearer t0ke")).startsWith("HTTP/1.1 401");
        assertThat(server.get("/metrics", "Authorization: Basic t0ken")).startsWith("HTTP/1.1 401");
        assertThat(server.get("/metrics", "Authorization: ")).startsWith("HTTP/1.1 401");
    }

    @Test
    void shouldDelayTheAnswerToWrongCredentials() throws Exception {
        restart("bearer:t0ken");
        long start = System.nanoTime();

        assertThat(server.get("/metrics", "Authorization: Bearer wrong")).startsWith("HTTP/1.1 401");

        // the lower bound holds on a slow machine, too
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
    }

    @Test
    void shouldServeOthersWhileAnswersToWrongCredentialsAreDelayed() throws Exception {
        BlockingQueue<Runnable> delayed = new LinkedBlockingQueue<>();
        server.close();
        server = new TestServer(
                TestServer.config("http.auth=bearer:t0ken"),
                0,
                (request, answer) -> delayed.add(answer),
                null,
                null,
                null);
        List<Socket> guesses = new ArrayList<>();
        try {
            for (int k = 0; k < 2 * HttpServer.MAX_THREADS; k++) {
                Socket socket = server.connect();
                guesses.add(socket);
                TestServer.write(
                        socket, "GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + k + "\r\n\r\n");
            }
            await().until(() -> delayed.size() == guesses.size());

            // without credentials there is nothing to delay
            assertThat(server.get("/")).startsWith("HTTP/1.1 401");
            assertThat(server.get("/", "Authorization: Bearer t0ken")).startsWith("HTTP/1.1 200");
            assertThat(delayed).hasSameSizeAs(guesses);
            for (Socket guess : guesses) {
                assertThat(guess.getInputStream().available()).isZero();
            }
            delayed.forEach(Runnable::run);
            for (Socket guess : guesses) {
                assertThat(TestServer.rest(guess))
                        .startsWith("HTTP/1.1 401")
                        .contains("credentials must be those of http.auth");
            }
        } finally {
            TestServer.close(guesses);
        }
    }

    private void restart(String auth) {
        server.close();
        server = TestServer.open("http.auth=" + auth);
    }

    private void restartWithoutDelay(String auth) {
        server.close();
        server = new TestServer(
                TestServer.config("http.auth=" + auth), 0, (request, answer) -> answer.run(), null, null, null);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
