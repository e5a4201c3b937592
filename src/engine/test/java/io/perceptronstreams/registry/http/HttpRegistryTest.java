package io.perceptronstreams.registry.http;

import static io.perceptronstreams.registry.http.StubRegistry.SCHEMA;
import static io.perceptronstreams.registry.http.StubRegistry.STORED;
import static io.perceptronstreams.registry.http.StubRegistry.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.registry.RegistryRefusedException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests for schemas and registrations, each sent once. */
final class HttpRegistryTest {
    @RegisterExtension
    private final StubRegistry stub = new StubRegistry();

    @Test
    void shouldAskOnceForASchemaHoweverOftenItIsWanted() {
        stub.on("GET /schemas/ids/7", 200, STORED);
        try (var registry = stub.client()) {
            assertThat(registry.schema(7)).isEqualTo(SCHEMA);
            assertThat(registry.schema(7)).isSameAs(registry.schema(7));
        }
        assertThat(stub.asked()).hasSize(1);
    }

    @Test
    void shouldAskOnceWhenManyThreadsWantTheSameSchema() throws Exception {
        stub.on("GET /schemas/ids/7", 200, STORED);
        var threads = Executors.newFixedThreadPool(8);
        try (var registry = stub.client()) {
            Callable<Schema> want = () -> registry.schema(7);
            for (Future<Schema> schema : threads.invokeAll(List.of(want, want, want, want, want, want, want, want))) {
                assertThat(schema.get()).isEqualTo(SCHEMA);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(stub.asked()).hasSize(1);
    }

    @Test
    void shouldRegisterOncePerSubjectAndSchema() {
        stub.on("POST /subjects/a-value/versions", 200, "{\"id\":3}");
        stub.on("POST /subjects/b-value/versions", 200, "{\"id\":4}");
        try (var registry = stub.client()) {
            assertThat(registry.register("a-value", SCHEMA)).isEqualTo(3);
            assertThat(registry.register("a-value", SCHEMA)).isEqualTo(3);
            assertThat(registry.register("b-value", SCHEMA)).isEqualTo(4);
        }
        assertThat(stub.asked()).hasSize(2);
        assertThat(stub.asked().get(0).body()).contains("\\\"name\\\":\\\"R\\\"");
    }

    @Test
    void shouldEncodeTheSubjectInTheAddress() {
        stub.on("POST /subjects/a%2Fb%20c-value/versions", 200, "{\"id\":3}");
        try (var registry = stub.client()) {
            assertThat(registry.register("a/b c-value", SCHEMA)).isEqualTo(3);
        }
    }

    @Test
    void shouldKeepThePathOfTheAddress() {
        stub.on("GET /apis/ccompat/v7/schemas/ids/7", 200, STORED);
        try (var registry = stub.client(RegistryConfig.URL, stub.url() + "/apis/ccompat/v7")) {
            assertThat(registry.schema(7)).isEqualTo(SCHEMA);
        }
    }

    @Test
    void shouldLookUpWithoutRegisteringWhenToldSo() {
        stub.on("POST /subjects/a-value", 200, "{\"subject\":\"a-value\",\"id\":5,\"version\":1}");
        try (var registry = stub.client(RegistryConfig.AUTO_REGISTER, "false")) {
            assertThat(registry.register("a-value", SCHEMA)).isEqualTo(5);
        }
    }

    @Test
    void shouldSayWhatToDoWhenALookedUpSchemaIsMissing() {
        stub.on("POST /subjects/a-value", 404, UNKNOWN);
        try (var registry = stub.client(RegistryConfig.AUTO_REGISTER, "false")) {
            assertThatThrownBy(() -> registry.register("a-value", SCHEMA))
                    .isInstanceOf(RegistryRefusedException.class)
                    .hasMessage("schema registry refuses: " + stub.url()
                            + "/subjects/a-value answered 404: Schema 7 not found; "
                            + "register the schema, or set auto.register.schemas=true");
        }
    }

    @Test
    void shouldUseTheLatestVersionWhenToldSo() {
        stub.on("GET /subjects/a-value/versions/latest", 200, "{\"id\":7,\"version\":2}");
        stub.on("GET /schemas/ids/7", 200, STORED);
        try (var registry = stub.client(RegistryConfig.AUTO_REGISTER, "false", RegistryConfig.USE_LATEST, "true")) {
            assertThat(registry.register("a-value", SCHEMA)).isEqualTo(7);
        }
    }

    @Test
    void shouldRefuseALatestVersionThatIsNotWhatIsWritten() {
        stub.on("GET /subjects/a-value/versions/latest", 200, "{\"id\":7,\"version\":2}");
        stub.on("GET /schemas/ids/7", 200, "{\"schema\":\"\\\"string\\\"\"}");
        try (var registry = stub.client(RegistryConfig.AUTO_REGISTER, "false", RegistryConfig.USE_LATEST, "true")) {
            assertThatThrownBy(() -> registry.register("a-value", SCHEMA))
                    .isInstanceOf(RegistryRefusedException.class)
                    .hasMessageContaining(
                            "latest schema of a-value (id 7) must equal the one that this program writes");
        }
    }

    @Test
    void shouldResolveReferencesToOtherSubjects() {
        stub.on(
                "GET /schemas/ids/9",
                200,
                "{\"schema\":\"{\\\"type\\\":\\\"array\\\",\\\"items\\\":\\\"R\\\"}\","
                        + "\"references\":[{\"name\":\"R\",\"subject\":\"r\",\"version\":2}]}");
        stub.on("GET /subjects/r/versions/2?deleted=true", 200, STORED);
        try (var registry = stub.client()) {
            assertThat(registry.schema(9)).isEqualTo(Schema.createArray(SCHEMA));
        }
    }
}
