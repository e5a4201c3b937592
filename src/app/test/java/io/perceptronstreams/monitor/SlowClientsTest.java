package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients that send or read slowly, or not at all: others are served, and their connections end. */
final class SlowClientsTest {
    private final TestServer server = TestServer.open();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void shouldEndAConnectionWhoseRequestNeverComesWhole() throws Exception {
        try (Socket slow = server.connect()) {
            TestServer.write(slow, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
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
            TestServer.write(slow, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET");
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
            TestServer.close(sockets);
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
                TestServer.write(socket, "GET /uplot/uPlot.esm.js HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(60));
            }
            await().atMost(Duration.ofMinutes(1)).until(() -> server.http.waitingRequests() > 0);
            try (Socket page = server.connect()) {
                TestServer.write(page, "GET /api/v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n");

                for (int k = 0; k < 5; k++) {
                    assertThat(server.get("/healthz")).startsWith("HTTP/1.1 200");
                }

                // what shares the threads or the limit of the slow clients would have been answered in turn, after this
                // one
                assertThat(page.getInputStream().available()).isZero();
            }
            server.http.sweep(System.nanoTime() + TimeUnit.SECONDS.toNanos(90));
            // they are closed, and others are served again
            await().untilAsserted(() -> {
                server.http.sweep(System.nanoTime() + TimeUnit.SECONDS.toNanos(90));
                assertThat(server.get("/api/v1/models")).startsWith("HTTP/1.1 200");
            });
        } finally {
            TestServer.close(slow);
        }
    }

    /** The kernel took 1.6 MB for it, and a stream was written until that was full. */
    @Test
    void shouldNotBufferMegabytesForAClientThatDoesNotRead() throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/net/tcp6")), "skipped: needs Linux");
        try (Socket slow = new Socket()) {
            slow.setReceiveBufferSize(1_024);
            slow.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.http.port()));
            TestServer.write(slow, "GET /uplot/uPlot.esm.js HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(60));

            AtomicLong before = new AtomicLong();
            long full = await().pollInterval(Duration.ofMillis(200))
                    .until(this::unsentBytes, queued -> queued > 0 && queued == before.getAndSet(queued));

            assertThat(full).isLessThan(500_000);
        }
    }

    /** Bytes that the kernel holds for clients, the first half of the fifth field of each connection. */
    private long unsentBytes() throws IOException {
        String port = String.format(":%04X", server.http.port());
        long bytes = 0;
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            for (String line : Files.readAllLines(Path.of(table))) {
                String[] fields = line.strip().split(" +", -1);
                if (fields[1].endsWith(port)) {
                    bytes += Long.parseLong(fields[4], 0, fields[4].indexOf(':'), 16);
                }
            }
        }
        return bytes;
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
}
