package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hosts, origins, methods, sizes and paths of requests. */
final class HttpAccessTest {
    private final TestServer server = TestServer.open();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void shouldForbidScriptsOfOthersFramesAndGuessing() throws Exception {
        assertThat(server.get("/"))
                .startsWith("HTTP/1.1 200")
                .contains("Content-Security-Policy: default-src 'none'; script-src 'self';")
                .contains("frame-ancestors 'none'")
                .contains("X-Content-Type-Options: nosniff")
                .contains("Referrer-Policy: no-referrer")
                .doesNotContain("unsafe-inline")
                .doesNotContain("Server:");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"localhost", "localhost:8080", "127.0.0.1:1", "[::1]:8080", "10.1.2.3", "monitor.example:443"})
    void shouldKnowItsOwnNames(String host) throws Exception {
        assertThat(server.get("/healthz", "Host: " + host)).startsWith("HTTP/1.1 200");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:8080", "999"})
    void shouldRefuseNamesThatAreNotItsOwn(String host) throws Exception {
        assertThat(server.get("/api/v1/models", "Host: " + host)).startsWith("HTTP/1.1 421");
        assertThat(server.get("/", "Host: " + host)).startsWith("HTTP/1.1 421");
    }

    @Test
    void shouldRefusePagesFromElsewhere() throws Exception {
        assertThat(server.get("/api/v1/models", "Origin: http://evil.example")).startsWith("HTTP/1.1 403");
        assertThat(server.get("/api/v1/stream/mistakes", "Origin: http://evil.example"))
                .startsWith("HTTP/1.1 403");
        assertThat(server.get("/api/v1/models", "Origin: null")).startsWith("HTTP/1.1 403");
        assertThat(server.get("/api/v1/models", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"))
                .startsWith("HTTP/1.1 403");
        assertThat(server.get("/api/v1/models", "Origin: http://localhost")).startsWith("HTTP/1.1 200");
    }

    @Test
    void shouldTakeNeitherOtherMethodsNorBodies() throws Exception {
        for (String method : List.of("POST", "PUT", "DELETE", "OPTIONS", "PATCH")) {
            assertThat(server.send(method + " /api/v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"))
                    .startsWith("HTTP/1.1 405");
        }
        assertThat(server.send("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\nx"))
                .startsWith("HTTP/1.1 413");
        assertThat(server.send(
                        "GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"))
                .startsWith("HTTP/1.1 413");
    }

    @Test
    void shouldRefuseLongHeadersAndAddresses() throws Exception {
        assertThat(server.get("/", "X-Long: " + "x".repeat(20_000)))
                .startsWith("HTTP/1.1 431")
                .contains("{\"error\":\"headers must be shorter");
        assertThat(server.get("/" + "x".repeat(20_000)))
                .startsWith("HTTP/1.1 414")
                .contains("{\"error\":\"address must be shorter");
    }

    /** "HTTP status 400" was once all that such an answer said. */
    @Test
    void shouldSayWhatIsWrongWithARequestThatNoHandlerSees() throws Exception {
        for (String request : List.of("GET /a%2fb HTTP/1.1\r\nHost: localhost", "GET / HTTP/1.1", "nonsense")) {
            assertThat(server.send(request + "\r\nConnection: close\r\n\r\n"))
                    .as(request)
                    .matches("(?s)HTTP/1.1 4.*")
                    .contains("{\"error\":\"")
                    .doesNotContain("HTTP status");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/../../etc/passwd",
                "/..%2f..%2fetc/passwd",
                "/%2e%2e/%2e%2e/etc/passwd",
                "/..;/etc/passwd",
                "//etc/passwd",
                "/..\\..\\etc\\passwd",
                "/%00/index.html",
                "/../schemas/Example.avsc",
                "/../perceptron-log4j2.properties",
                "/perceptron-log4j2.properties",
                "/.hidden",
                "/./index.html/../../schemas/Example.avsc",
                "/META-INF/MANIFEST.MF"
            })
    void shouldServeNothingButThePagesFiles(String path) throws Exception {
        String response = server.get(path);

        assertThat(response).matches("(?s)HTTP/1.1 (400|404).*");
        assertThat(response)
                .doesNotContain("root:")
                .doesNotContain("rootLogger")
                .doesNotContain("\"fields\"");
    }
}
