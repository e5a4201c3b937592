package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.Fuzz;
import io.perceptronstreams.topology.LogLines;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Mutated requests are answered without an exception in the log, or the connection is closed. */
final class HttpFuzzTest {
    private static final int REQUESTS = 100;
    private static final String TOKEN = "Authorization: Bearer 0123456789abcdef\r\n";

    private static final List<String> REQUEST_LINES = List.of(
            "GET /api/v1/models?limit=20&sort=name&offset=0&prefix=m",
            "GET /api/v1/models/m",
            "GET /api/v1/models/m/history?points=10",
            "GET /api/v1/models/m/weights?top=5",
            "GET /api/v1/mistakes?model=m&limit=3",
            "GET /api/v1/dead-letters?limit=3&reason=INVALID_LABEL",
            "GET /api/v1/alerts?limit=3",
            "GET /api/v1/defaults",
            "GET /api/v1/engine",
            "GET /api/v1/stream/mistakes?model=m",
            "GET /metrics",
            "GET /readyz",
            "GET /docs/http.html",
            "GET /",
            "POST /api/v1/models/m/predict",
            "POST /api/v1/models/m/examples?wait=prediction",
            "POST /api/v1/models/m/labels");

    private static final List<String> BODIES = List.of(
            "{\"id\":\"7\",\"label\":1,\"features\":{\"a\":0.3,\"b\":true}}",
            "[{\"features\":[1,2]},{\"features\":{\"indices\":[3],\"values\":[1]}}]",
            "{\"exampleId\":\"7\",\"label\":\"x\"}");

    private final LogLines log = new LogLines();
    private TestServer server;

    static LongStream seeds() {
        return Fuzz.seeds("HTTP", 0.004, REQUESTS);
    }

    @BeforeEach
    void open() {
        server = new TestServer(
                TestServer.config("http.auth=bearer:0123456789abcdef"),
                0,
                (request, answer) -> answer.run(),
                (model, events, isWaiting, budget) -> CompletableFuture.completedFuture(events.stream()
                        .map(event -> EventAnswer.acknowledged(new EventAnswer.Place(0, 1, null)))
                        .toList()),
                null,
                new WriteLimits(1_000, 1_000_000, 1_000_000, System::nanoTime));
        server.state.caughtUp();
        server.state.add(Fabricated.status("m", 1, Map.of("state", "LIVE")));
    }

    @AfterEach
    void close() {
        server.close();
        log.close();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @Tag("fuzz")
    void shouldAnswerMutatedRequests(long seed) throws IOException {
        Random random = new Random(seed);
        int answered = 0;
        for (int k = 0; k < REQUESTS; k++) {
            byte[] request = request(random);
            String answer = answer(request);
            String shown = new String(request, StandardCharsets.ISO_8859_1);
            // 501 and 505 are answers to other methods and versions of HTTP
            assertThat(answer).as("seed %d: %s", seed, shown).doesNotMatch("(?s)HTTP/1.1 (500|502).*");
            answered += answer.startsWith("HTTP/1.1 2") ? 1 : 0;
        }
        assertThat(answered).as("seed %d", seed).isPositive();
        assertThat(log.lines()).as("seed %d", seed).isEmpty();
    }

    private static byte[] request(Random random) {
        String line = REQUEST_LINES.get(random.nextInt(REQUEST_LINES.size()));
        StringBuilder request =
                new StringBuilder(line).append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + TOKEN);
        if (line.startsWith("POST")) {
            String body = BODIES.get(random.nextInt(BODIES.size()));
            request.append("Content-Type: application/json\r\nContent-Length: ")
                    .append(body.length())
                    .append("\r\n\r\n")
                    .append(body);
        } else {
            request.append("\r\n");
        }
        byte[] bytes = request.toString().getBytes(StandardCharsets.ISO_8859_1);
        String likely = "%/?&=:;.\"{}[]0123456789-\r\n \t\0,e\u00ff";
        // most in the first line, others anywhere; some requests stay as they are
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            int at = random.nextInt(random.nextBoolean() ? line.length() : bytes.length);
            bytes[at] = random.nextInt(4) == 0
                    ? (byte) random.nextInt()
                    : (byte) likely.charAt(random.nextInt(likely.length()));
        }
        return bytes;
    }

    /** All that comes back, or of an event stream its headers. */
    private String answer(byte[] request) throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try (Socket socket = server.connect()) {
            // closed at once, so that ports are free again
            socket.setSoLinger(true, 0);
            socket.getOutputStream().write(request);
            socket.shutdownOutput();
            InputStream in = socket.getInputStream();
            byte[] part = new byte[65_536];
            for (int size = in.read(part); size >= 0; size = in.read(part)) {
                answer.write(part, 0, size);
                if (answer.toString(StandardCharsets.ISO_8859_1).contains("text/event-stream")) {
                    break;
                }
            }
        } catch (SocketException e) {
            // the server may reset a connection whose request it does not read to the end
            assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe).*");
        }
        return answer.toString(StandardCharsets.ISO_8859_1);
    }
}
