package io.perceptronstreams.registry.http;

import static io.perceptronstreams.registry.http.StubRegistry.SCHEMA;
import static io.perceptronstreams.registry.http.StubRegistry.STORED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.RegistryUnavailableException;
import io.perceptronstreams.registry.http.StubRegistry.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Outages: a registry that does not answer, answers late or asks to try again. */
final class RegistryOutageTest {
    @RegisterExtension
    private final StubRegistry stub = new StubRegistry();

    @Test
    void shouldTryAgainUntilTheRegistryAnswers() {
        stub.on(
                "GET /schemas/ids/7",
                new Reply(503, ""),
                new Reply(429, "{}"),
                new Reply(408, ""),
                new Reply(200, STORED));
        try (var registry = stub.client()) {
            assertThat(registry.schema(7)).isEqualTo(SCHEMA);
        }
        assertThat(stub.asked()).hasSize(4);
    }

    @Test
    void shouldReportAnOutageAndRecoverFromIt() throws IOException {
        stub.stop();
        try (var registry = stub.client()) {
            assertThatThrownBy(() -> registry.schema(7))
                    .isInstanceOf(RegistryUnavailableException.class)
                    .hasMessageStartingWith("schema registry is unavailable: " + stub.url() + "/schemas/ids/7: ");
            stub.on("GET /schemas/ids/7", 200, STORED).restart();
            assertThat(registry.schema(7)).isEqualTo(SCHEMA);
        }
    }

    @Test
    void shouldReportAnOutageOfRegistration() {
        stub.on(
                "POST /subjects/a-value/versions",
                500,
                "{\"error_code\":50001,\"message\":\"Error in the\\n backend\"}");
        try (var registry = stub.client()) {
            assertThatThrownBy(() -> registry.register("a-value", SCHEMA))
                    .isInstanceOf(RegistryUnavailableException.class)
                    .hasMessageContaining("answered 500: Error in the backend");
        }
    }

    @Test
    void shouldAskTheNextAddressWhenOneFailsAndStayThere() throws IOException {
        try (var second = StubRegistry.start()) {
            stub.on("GET /schemas/ids/7", 503, "");
            second.on("GET /schemas/ids/7", 200, STORED).on("GET /schemas/ids/8", 200, STORED);
            try (var registry = stub.client(RegistryConfig.URL, stub.url() + ", " + second.url())) {
                assertThat(registry.schema(7)).isEqualTo(SCHEMA);
                assertThat(registry.schema(8)).isEqualTo(SCHEMA);
            }
            assertThat(stub.asked()).hasSize(1);
            assertThat(second.asked()).hasSize(2);
        }
    }

    @Test
    void shouldNotWaitForEverForAnAnswer() {
        stub.on("GET /schemas/ids/7", 0, "");
        try (var registry = stub.client(RegistryConfig.REQUEST_TIMEOUT_MS, "500")) {
            assertThatThrownBy(() -> registry.schema(7))
                    .isInstanceOf(RegistryUnavailableException.class)
                    .hasMessageContaining("no answer within 500 ms");
        }
    }

    @Test
    void shouldEndARequestUnderWayWhenClosed() throws Exception {
        stub.on("GET /schemas/ids/7", 0, "");
        var thread = Executors.newSingleThreadExecutor();
        try {
            var registry = stub.client(RegistryConfig.REQUEST_TIMEOUT_MS, "600000");
            var failures = new ArrayList<Throwable>();
            var waiting = thread.submit(() -> {
                try {
                    registry.schema(7);
                } catch (RegistryException e) {
                    failures.add(e);
                }
            });
            await().until(() -> !stub.asked().isEmpty());
            registry.close();
            waiting.get();
            assertThat(failures).singleElement().isInstanceOf(RegistryUnavailableException.class);
            assertThatThrownBy(() -> registry.schema(8)).isInstanceOf(RegistryUnavailableException.class);
        } finally {
            thread.shutdownNow();
        }
    }
}
