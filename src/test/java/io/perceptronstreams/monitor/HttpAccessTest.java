package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hosts, origins, credentials and limits of requests. */
final class HttpAccessTest {
    private TestServer server = TestServer.open();

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
                "/../log4j2.properties",
                "/log4j2.properties",
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

    @Test
    void shouldAskForCredentialsInAllButTheHealthChecks() throws Exception {
        restart("basic:eve:s3:cret");
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
        restart("bearer:t0ken");

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
        server =
                new TestServer(TestServer.settings("bearer:t0ken", Map.of()), (request, answer) -> delayed.add(answer));
        List<Socket> guesses = new ArrayList<>();
        try {
            for (int k = 0; k < 2 * HttpServer.MAX_THREADS; k++) {
                Socket socket = server.connect();
                guesses.add(socket);
                socket.getOutputStream()
                        .write(("GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + k + "\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
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
                assertThat(new String(guess.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .startsWith("HTTP/1.1 401")
                        .contains("credentials must be those of http.auth");
            }
        } finally {
            for (Socket guess : guesses) {
                guess.close();
            }
        }
    }

    @Test
    void shouldNotListenToEverybodyWithoutCredentials() {
        HttpSettings open = new HttpSettings("0.0.0.0", 0, null, false, Map.of(), List.of(), 1, 1, 1);

        assertThatExceptionOfType(MonitorException.class)
                .isThrownBy(open::check)
                .withMessageContaining("--insecure");
        new HttpSettings("0.0.0.0", 0, null, true, Map.of(), List.of(), 1, 1, 1).check();
    }

    @Test
    void shouldNotSendCredentialsOverPlainHttpUnlessToldSo() {
        HttpSettings plain = new HttpSettings("0.0.0.0", 0, "bearer:x", false, Map.of(), List.of(), 1, 1, 1);

        assertThatExceptionOfType(MonitorException.class)
                .isThrownBy(plain::check)
                .withMessageContaining("without TLS")
                .withMessageContaining("--insecure");
        new HttpSettings("0.0.0.0", 0, "bearer:x", true, Map.of(), List.of(), 1, 1, 1).check();
        Map<String, String> tls = Map.of("ssl.keystore.location", "any");
        new HttpSettings("0.0.0.0", 0, "bearer:x", false, tls, List.of(), 1, 1, 1).check();
        new HttpSettings("127.0.0.1", 0, "bearer:x", false, Map.of(), List.of(), 1, 1, 1).check();
    }

    @ParameterizedTest
    @ValueSource(strings = {"user:s3cret", "basic:s3cret", "bearer:s3 cret", "digest:a:s3cret", "basic::s3cret"})
    void shouldRefuseCredentialsThatItCannotAskForWithoutPrintingThem(String auth) {
        HttpSettings settings = TestServer.settings(auth, Map.of());

        assertThatExceptionOfType(MonitorException.class)
                .isThrownBy(settings::check)
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("s3"));
        assertThat(settings.toString()).doesNotContain("s3");
    }

    @Test
    void shouldNameAPortThatIsInUse() {
        HttpSettings taken =
                new HttpSettings("127.0.0.1", server.http.port(), null, false, Map.of(), List.of(), 1, 10, 1);

        assertThatExceptionOfType(MonitorException.class)
                .isThrownBy(() -> new TestServer(taken))
                .withMessageContaining("http.port must be free, got " + server.http.port());
    }

    @Test
    void shouldEndAConnectionWhoseRequestNeverComesWhole() throws Exception {
        try (Socket slow = server.connect()) {
            slow.getOutputStream()
                    .write("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ".getBytes(StandardCharsets.US_ASCII));
            slow.getOutputStream().flush();
            // a first request on another connection: this one is known to the server by then
            server.get("/healthz");

            server.http.sweep(System.nanoTime() + TimeUnit.SECONDS.toNanos(15));
            assertThat(slow.isClosed()).isFalse();
            server.http.sweep(System.nanoTime() + TimeUnit.SECONDS.toNanos(30));

            assertThat(slow.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void shouldEndAConnectionWhoseNextRequestNeverComesWhole() throws Exception {
        try (Socket slow = server.connect()) {
            slow.getOutputStream()
                    .write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET".getBytes(StandardCharsets.US_ASCII));
            assertThat(TestServer.readUntil(slow, "}")).startsWith("HTTP/1.1 200");

            await().untilAsserted(() -> {
                server.http.sweep(System.nanoTime() + TimeUnit.SECONDS.toNanos(30));
                assertThat(slow.getInputStream().read()).isEqualTo(-1);
            });
        }
    }

    /** Clients that only wait would otherwise take all of the 100 connections that there are here. */
    @Test
    void shouldServePagesBesideMoreStreamsThanThereCanBe() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try {
            sockets.add(server.stream("mistakes"));
            TestServer.readUntil(sockets.get(0), "perceptron-mistakes");
            for (int k = 1; k < 300; k++) {
                sockets.add(server.stream("mistakes"));
            }
            assertThat(TestServer.readUntil(sockets.get(299), "http.streams.max"))
                    .startsWith("HTTP/1.1 503");

            assertThat(server.get("/healthz")).startsWith("HTTP/1.1 200");
            server.mistake(Fabricated.mistake("m", 0, 1));
            TestServer.readUntil(sockets.get(0), "\"model\":\"m\"");
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    /** Answers that do not fit the buffers of the sockets, to more clients than the server has threads. */
    @Test
    void shouldAnswerHealthChecksWhileNobodyReadsTheAnswers() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try {
            for (int k = 0; k < 40; k++) {
                Socket socket = new Socket();
                socket.setReceiveBufferSize(1_024);
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.http.port()));
                slow.add(socket);
                // several requests at once: the answers together fill the buffers of the sender, too
                socket.getOutputStream()
                        .write("GET /uplot/uPlot.esm.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                .repeat(60)
                                .getBytes(StandardCharsets.US_ASCII));
            }
            for (int k = 0; k < 5; k++) {
                assertThat(server.get("/healthz")).startsWith("HTTP/1.1 200");
            }
            server.http.sweep(System.nanoTime() + TimeUnit.SECONDS.toNanos(90));
            // they are closed, and others are served again
            await().untilAsserted(() -> {
                server.http.sweep(System.nanoTime() + TimeUnit.SECONDS.toNanos(90));
                assertThat(server.get("/api/v1/models")).startsWith("HTTP/1.1 200");
            });
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    @Test
    void shouldNotEndAStreamThatIsLongWithoutARequest() throws Exception {
        try (Socket stream = server.stream("mistakes")) {
            TestServer.readUntil(stream, "perceptron-mistakes");
            server.http.sweep(System.nanoTime() + TimeUnit.HOURS.toNanos(1));
            server.http.sweep(System.nanoTime() + TimeUnit.HOURS.toNanos(2));
            server.mistake(Fabricated.mistake("m", 0, 1));

            assertThat(TestServer.readUntil(stream, "}")).contains("\"model\":\"m\"");
        }
    }

    @Test
    void shouldSpeakTls(@TempDir Path directory) throws Exception {
        Path store = directory.resolve("monitor.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "monitor",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-storetype",
                        "PKCS12",
                        "-validity",
                        "2",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        "changeit")
                .redirectErrorStream(true)
                .start();
        assertThat(keytool.waitFor()).isZero();
        server.close();
        server = new TestServer(TestServer.settings(
                null,
                Map.of(
                        "ssl.keystore.location", store.toString(),
                        "ssl.keystore.password", "changeit",
                        "ssl.key.password", "changeit",
                        "ssl.keystore.type", "PKCS12")));

        SSLContext trusting = SSLContext.getInstance("TLS");
        trusting.init(null, new TrustManager[] {new TrustsAll()}, null);
        try (SSLSocket socket = (SSLSocket) trusting.getSocketFactory().createSocket("127.0.0.1", server.http.port())) {
            socket.getOutputStream()
                    .write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 200");
        }
        assertThat(server.http.url()).startsWith("https://");
        assertThat(server.get("/healthz")).doesNotContain("200");
    }

    @Test
    void shouldRefuseAKeystoreThatCannotBeReadWithoutPrintingThePassword() {
        HttpSettings missing = TestServer.settings(
                null, Map.of("ssl.keystore.location", "/nowhere.p12", "ssl.keystore.password", "s3cret"));

        assertThatExceptionOfType(MonitorException.class)
                .isThrownBy(() -> new TestServer(missing))
                .withMessageContaining("/nowhere.p12")
                .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("s3cret"));
    }

    private void restart(String auth) {
        server.close();
        server = new TestServer(TestServer.settings(auth, Map.of()));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static final class TrustsAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            // the test's own certificate
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
