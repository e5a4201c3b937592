package io.perceptronstreams.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.registry.StubRegistry.Reply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HttpRegistryTest {

    private static final Schema SCHEMA =
            SchemaBuilder.record("R").fields().requiredInt("a").endRecord();
    private static final String STORED =
            "{\"schema\":\"{\\\"type\\\":\\\"record\\\",\\\"name\\\":\\\"R\\\",\\\"fields\\\":"
                    + "[{\\\"name\\\":\\\"a\\\",\\\"type\\\":\\\"int\\\"}]}\"}";
    private static final String UNKNOWN = "{\"error_code\":40403,\"message\":\"Schema 7 not found\"}";

    private StubRegistry stub;

    @BeforeEach
    void start() throws IOException {
        stub = StubRegistry.start();
    }

    @AfterEach
    void stop() {
        stub.close();
    }

    private SchemaRegistry client(String... settings) {
        var map = new HashMap<String, String>(Map.of(RegistryConfig.URL, stub.url()));
        for (int i = 0; i < settings.length; i += 2) {
            map.put(settings[i], settings[i + 1]);
        }
        return SchemaRegistry.of(map);
    }

    @Test
    void shouldAskOnceForASchemaHoweverOftenItIsWanted() {
        stub.on("GET /schemas/ids/7", 200, STORED);
        try (var registry = client()) {
            assertThat(registry.schema(7)).isEqualTo(SCHEMA);
            assertThat(registry.schema(7)).isSameAs(registry.schema(7));
        }
        assertThat(stub.asked()).hasSize(1);
    }

    @Test
    void shouldAskOnceWhenManyThreadsWantTheSameSchema() throws Exception {
        stub.on("GET /schemas/ids/7", 200, STORED);
        var threads = Executors.newFixedThreadPool(8);
        try (var registry = client()) {
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
        try (var registry = client()) {
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
        try (var registry = client()) {
            assertThat(registry.register("a/b c-value", SCHEMA)).isEqualTo(3);
        }
    }

    @Test
    void shouldKeepThePathOfTheAddress() {
        stub.on("GET /apis/ccompat/v7/schemas/ids/7", 200, STORED);
        try (var registry = client(RegistryConfig.URL, stub.url() + "/apis/ccompat/v7")) {
            assertThat(registry.schema(7)).isEqualTo(SCHEMA);
        }
    }

    @Test
    void shouldLookUpWithoutRegisteringWhenToldSo() {
        stub.on("POST /subjects/a-value", 200, "{\"subject\":\"a-value\",\"id\":5,\"version\":1}");
        try (var registry = client(RegistryConfig.AUTO_REGISTER, "false")) {
            assertThat(registry.register("a-value", SCHEMA)).isEqualTo(5);
        }
    }

    @Test
    void shouldSayWhatToDoWhenALookedUpSchemaIsMissing() {
        stub.on("POST /subjects/a-value", 404, UNKNOWN);
        try (var registry = client(RegistryConfig.AUTO_REGISTER, "false")) {
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
        try (var registry = client(RegistryConfig.AUTO_REGISTER, "false", RegistryConfig.USE_LATEST, "true")) {
            assertThat(registry.register("a-value", SCHEMA)).isEqualTo(7);
        }
    }

    @Test
    void shouldRefuseALatestVersionThatIsNotWhatIsWritten() {
        stub.on("GET /subjects/a-value/versions/latest", 200, "{\"id\":7,\"version\":2}");
        stub.on("GET /schemas/ids/7", 200, "{\"schema\":\"\\\"string\\\"\"}");
        try (var registry = client(RegistryConfig.AUTO_REGISTER, "false", RegistryConfig.USE_LATEST, "true")) {
            assertThatThrownBy(() -> registry.register("a-value", SCHEMA))
                    .isInstanceOf(RegistryRefusedException.class)
                    .hasMessageContaining(
                            "latest schema of a-value (id 7) must equal the one that this program writes");
        }
    }

    @Test
    void shouldTryAgainUntilTheRegistryAnswers() {
        stub.on(
                "GET /schemas/ids/7",
                new Reply(503, ""),
                new Reply(429, "{}"),
                new Reply(408, ""),
                new Reply(200, STORED));
        try (var registry = client()) {
            assertThat(registry.schema(7)).isEqualTo(SCHEMA);
        }
        assertThat(stub.asked()).hasSize(4);
    }

    @Test
    void shouldReportAnOutageAndRecoverFromIt() throws IOException {
        int port = stub.port();
        stub.close();
        try (var registry = client()) {
            assertThatThrownBy(() -> registry.schema(7))
                    .isInstanceOf(RegistryUnavailableException.class)
                    .hasMessageStartingWith("schema registry is unavailable: " + stub.url() + "/schemas/ids/7: ");
            stub = StubRegistry.start(port).on("GET /schemas/ids/7", 200, STORED);
            assertThat(registry.schema(7)).isEqualTo(SCHEMA);
        }
    }

    @Test
    void shouldReportAnOutageOfRegistration() {
        stub.on(
                "POST /subjects/a-value/versions",
                500,
                "{\"error_code\":50001,\"message\":\"Error in the\\n backend\"}");
        try (var registry = client()) {
            assertThatThrownBy(() -> registry.register("a-value", SCHEMA))
                    .isInstanceOf(RegistryUnavailableException.class)
                    .hasMessageContaining("answered 500: Error in the backend");
        }
    }

    @Test
    void shouldCallAnIdUnknownOnlyIfTheRegistrySaysSo() {
        stub.on("GET /schemas/ids/7", 404, UNKNOWN);
        try (var registry = client()) {
            assertThatThrownBy(() -> registry.schema(7))
                    .isInstanceOf(UnknownSchemaException.class)
                    .hasMessage("schema id 7 is unknown: " + stub.url()
                            + "/schemas/ids/7 answered 404: Schema 7 not found");
            // the stub does not have this id: its answer is the page of a proxy
            assertThatThrownBy(() -> registry.schema(8))
                    .isInstanceOf(RegistryRefusedException.class)
                    .hasMessageContaining("check that schema.registry.url is the address of a schema registry");
        }
    }

    /** Otherwise four bytes of a record would look like an outage that does not end. */
    @ParameterizedTest
    @ValueSource(ints = {400, 422})
    void shouldCallAnIdUnknownThatTheRegistryRefuses(int status) {
        stub.on("GET /schemas/ids/7", status, "{\"error_code\":" + status + ",\"message\":\"invalid id\"}");
        stub.on("GET /schemas/ids/8", status, "<html>bad request</html>");
        try (var registry = client()) {
            assertThatThrownBy(() -> registry.schema(7)).isInstanceOf(UnknownSchemaException.class);
            assertThatThrownBy(() -> registry.schema(8)).isInstanceOf(RegistryRefusedException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "<html>welcome</html>", "{}", "{\"schema\":7}", "{\"subject\":\"s\"}"})
    void shouldNotBlameTheRecordForAnAnswerWithoutASchema(String garbage) {
        stub.on("GET /schemas/ids/7", 200, garbage);
        stub.on(
                "GET /schemas/ids/8",
                200,
                STORED.replaceFirst("\\{", "{\"references\":[{\"subject\":\"s\",\"version\":1}],"));
        stub.on("GET /subjects/s/versions/1?deleted=true", 200, garbage);
        try (var registry = client()) {
            for (int id = 7; id <= 8; id++) {
                int asked = id;
                assertThatThrownBy(() -> registry.schema(asked))
                        .isInstanceOf(RegistryRefusedException.class)
                        .hasMessageContaining("check that schema.registry.url is the address of a schema registry");
            }
        }
    }

    @Test
    void shouldForgetThatAnIdWasUnknown() {
        stub.on("GET /schemas/ids/7", new Reply(404, UNKNOWN), new Reply(200, STORED));
        try (var registry = client()) {
            assertThatThrownBy(() -> registry.schema(7)).isInstanceOf(UnknownSchemaException.class);
            assertThat(registry.schema(7)).isEqualTo(SCHEMA);
        }
    }

    @Test
    void shouldRefuseSchemasThatAreNotAvro() {
        stub.on("GET /schemas/ids/7", 200, "{\"schemaType\":\"PROTOBUF\",\"schema\":\"syntax\"}");
        stub.on("GET /schemas/ids/8", 200, "{\"schema\":\"{\\\"type\\\":\\\"what\\\"}\"}");
        try (var registry = client()) {
            assertThatThrownBy(() -> registry.schema(7))
                    .isInstanceOf(UnknownSchemaException.class)
                    .hasMessage("schema id 7 must be of type AVRO, got PROTOBUF");
            assertThatThrownBy(() -> registry.schema(8))
                    .isInstanceOf(UnknownSchemaException.class)
                    .hasMessageStartingWith("schema id 8 cannot be read: ");
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
        try (var registry = client()) {
            assertThat(registry.schema(9)).isEqualTo(Schema.createArray(SCHEMA));
        }
    }

    @Test
    void shouldSayWhichCredentialsToCheckWhenRefused() {
        stub.on("POST /subjects/a-value/versions", 401, "{\"error_code\":401,\"message\":\"Unauthorized\"}");
        try (var registry = client()) {
            assertThatThrownBy(() -> registry.register("a-value", SCHEMA))
                    .isInstanceOf(RegistryRefusedException.class)
                    .hasMessage("schema registry refuses: " + stub.url()
                            + "/subjects/a-value/versions answered 401: Unauthorized; "
                            + "check basic.auth.user.info or bearer.auth.token and the permissions of that user");
        }
    }

    @Test
    void shouldRefuseAnIncompatibleSchemaAtOnce() {
        stub.on("POST /subjects/a-value/versions", 409, "{\"error_code\":409,\"message\":\"incompatible\"}");
        try (var registry = client()) {
            assertThatThrownBy(() -> registry.register("a-value", SCHEMA)).isInstanceOf(RegistryRefusedException.class);
        }
        assertThat(stub.asked()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 307, 308})
    void shouldFollowNoRedirectAndTakeNoCredentialsElsewhere(int status) throws IOException {
        try (var other = StubRegistry.start().on("GET /schemas/ids/7", 200, STORED);
                var registry =
                        client(RegistryConfig.BASIC_SOURCE, "USER_INFO", RegistryConfig.BASIC_USER_INFO, "me:secret")) {
            stub.on("GET /schemas/ids/7", status, other.url() + "/schemas/ids/7");
            assertThatThrownBy(() -> registry.schema(7))
                    .isInstanceOf(RegistryRefusedException.class)
                    .hasMessage("schema registry refuses: " + stub.url() + "/schemas/ids/7 answered " + status
                            + ", a redirect to " + other.url() + "/schemas/ids/7; redirects are not followed, as they"
                            + " could carry credentials elsewhere; set schema.registry.url to the final address if it"
                            + " is the right one");
            assertThat(other.asked()).isEmpty();
        }
    }

    @Test
    void shouldRefuseAnAnswerWithoutEnd() {
        String padding = " ".repeat(RegistryHttpClient.MAX_ANSWER_BYTES - STORED.length());
        stub.on("GET /schemas/ids/7", 200, STORED + padding);
        stub.on("GET /schemas/ids/8", 200, STORED + padding + " ");
        try (var registry = client()) {
            assertThat(registry.schema(7)).isEqualTo(SCHEMA);
            assertThatThrownBy(() -> registry.schema(8))
                    .isInstanceOf(RegistryUnavailableException.class)
                    .hasMessageContaining("an answer must have at most 4194304 bytes, got more");
        }
    }

    /** Avro's parser needs minutes for some ten thousand named types. */
    @Test
    void shouldNotParseLongSchemas() {
        String name = "\\\"" + "a".repeat(128 * 1024) + "\\\"";
        stub.on("GET /schemas/ids/7", 200, STORED.replace("\\\"a\\\"", name));
        try (var registry = client()) {
            assertThatThrownBy(() -> registry.schema(7))
                    .isInstanceOf(UnknownSchemaException.class)
                    .hasMessageContaining("a schema must have at most 131072 characters");
        }
    }

    @Test
    void shouldRefuseReferencesWithoutEnd() {
        for (int k = 1; k <= 200; k++) {
            stub.on(
                    "GET /subjects/s/versions/" + k + "?deleted=true",
                    200,
                    STORED.replaceFirst("\\{", "{\"references\":[{\"subject\":\"s\",\"version\":" + (k + 1) + "}],"));
        }
        stub.on(
                "GET /schemas/ids/7",
                200,
                STORED.replaceFirst("\\{", "{\"references\":[{\"subject\":\"s\",\"version\":1}],"));
        try (var registry = client()) {
            assertThatThrownBy(() -> registry.schema(7))
                    .isInstanceOf(UnknownSchemaException.class)
                    .hasMessageContaining("a schema must refer to at most 100 others");
        }
    }

    @Test
    void shouldSendUserAndPassword() {
        stub.on("GET /schemas/ids/7", 200, STORED);
        // echo -n me:secret | base64
        try (var registry =
                client(RegistryConfig.BASIC_SOURCE, "USER_INFO", RegistryConfig.BASIC_USER_INFO, "me:secret")) {
            registry.schema(7);
        }
        assertThat(stub.asked().get(0).authorization()).isEqualTo("Basic bWU6c2VjcmV0");
    }

    @Test
    void shouldTakeUserAndPasswordFromTheAddressAndNotShowThem() {
        stub.on("GET /schemas/ids/7", 404, UNKNOWN);
        try (var registry = client(RegistryConfig.URL, "http://me:s%65cret@localhost:" + stub.port())) {
            assertThatThrownBy(() -> registry.schema(7)).hasMessageNotContaining("cret");
        }
        assertThat(stub.asked().get(0).authorization()).isEqualTo("Basic bWU6c2VjcmV0");
    }

    @Test
    void shouldSendTheBearerToken() {
        stub.on("GET /schemas/ids/7", 200, STORED);
        try (var registry =
                client(RegistryConfig.BEARER_SOURCE, "STATIC_TOKEN", RegistryConfig.BEARER_TOKEN, "t0ken")) {
            registry.schema(7);
        }
        assertThat(stub.asked().get(0).authorization()).isEqualTo("Bearer t0ken");
    }

    @Test
    void shouldAskTheNextAddressWhenOneFailsAndStayThere() throws IOException {
        try (var second = StubRegistry.start()) {
            stub.on("GET /schemas/ids/7", 503, "");
            second.on("GET /schemas/ids/7", 200, STORED).on("GET /schemas/ids/8", 200, STORED);
            try (var registry = client(RegistryConfig.URL, stub.url() + ", " + second.url())) {
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
        try (var registry = client(RegistryConfig.REQUEST_TIMEOUT_MS, "500")) {
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
            var registry = client(RegistryConfig.REQUEST_TIMEOUT_MS, "600000");
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
