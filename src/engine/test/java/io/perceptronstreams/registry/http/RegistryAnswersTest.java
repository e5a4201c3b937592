package io.perceptronstreams.registry.http;

import static io.perceptronstreams.registry.http.StubRegistry.SCHEMA;
import static io.perceptronstreams.registry.http.StubRegistry.STORED;
import static io.perceptronstreams.registry.http.StubRegistry.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.registry.RegistryRefusedException;
import io.perceptronstreams.registry.RegistryUnavailableException;
import io.perceptronstreams.registry.UnknownSchemaException;
import io.perceptronstreams.registry.http.StubRegistry.Reply;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers without a usable schema: unknown ids, refusals, other pages, and sizes without end. */
final class RegistryAnswersTest {
    private static final String DENIED = "{\"error_code\":40301,\"message\":\"denied\"}";

    @RegisterExtension
    private final StubRegistry stub = new StubRegistry();

    @Test
    void shouldCallAnIdUnknownOnlyIfTheRegistrySaysSo() {
        stub.on("GET /schemas/ids/7", 404, UNKNOWN);
        try (var registry = stub.client()) {
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
        try (var registry = stub.client()) {
            assertThatThrownBy(() -> registry.schema(7)).isInstanceOf(UnknownSchemaException.class);
            assertThatThrownBy(() -> registry.schema(8)).isInstanceOf(RegistryRefusedException.class);
        }
    }

    // One id that the registry denied was an outage, which stopped all partitions without end.
    @ParameterizedTest
    @ValueSource(ints = {401, 403, 404, 200})
    void shouldCallAnIdUnknownThatIsDeniedWhileOthersAreAnswered(int status) {
        stub.on("GET /schemas/ids/7", status, "<html>no</html>").on("GET /schemas/ids/8", 200, STORED);
        try (var registry = stub.client()) {
            assertThat(registry.schema(8)).isEqualTo(SCHEMA);

            assertThatThrownBy(() -> registry.schema(7))
                    .isInstanceOf(UnknownSchemaException.class)
                    .hasMessageStartingWith("schema id 7 cannot be read, while the registry answers others: ")
                    .hasMessageContaining("/schemas/ids/7 answered " + status);
        }
    }

    @Test
    void shouldNotBlameTheRecordForCredentialsThatHaveExpired() {
        stub.on("GET /schemas/ids/8", new Reply(200, STORED), new Reply(401, DENIED))
                .on("GET /schemas/ids/7", 401, DENIED)
                // to whom it may concern
                .on("GET /subjects", 200, "[]");
        try (var registry = stub.client()) {
            registry.schema(8);

            assertThatThrownBy(() -> registry.schema(7))
                    .isInstanceOf(RegistryRefusedException.class)
                    .hasMessageContaining("check basic.auth.user.info or bearer.auth.token");
        }
    }

    @Test
    void shouldAskForTheSubjectsWhereNoIdWasAnsweredBefore() {
        stub.on("GET /schemas/ids/7", 403, DENIED);
        try (var registry = stub.client()) {
            stub.on("GET /subjects", 403, DENIED);
            assertThatThrownBy(() -> registry.schema(7)).isInstanceOf(RegistryRefusedException.class);
            stub.on("GET /subjects", 200, "[\"s\"]");
            assertThatThrownBy(() -> registry.schema(7)).isInstanceOf(UnknownSchemaException.class);
            // as a proxy welcomes everybody
            stub.on("GET /subjects", 200, "<html>welcome</html>");
            assertThatThrownBy(() -> registry.schema(7)).isInstanceOf(RegistryRefusedException.class);
        }
    }

    @Test
    void shouldAskForAnIdThatItWasGivenItself() {
        stub.on("POST /subjects/s/versions", 200, "{\"id\":3}")
                .on("GET /schemas/ids/3", 200, STORED)
                .on("GET /schemas/ids/7", 403, DENIED)
                .on("GET /subjects", 403, DENIED);
        try (var registry = stub.client()) {
            registry.register("s", SCHEMA);

            assertThatThrownBy(() -> registry.schema(7)).isInstanceOf(UnknownSchemaException.class);
        }
    }

    @Test
    void shouldTakeASchemaThatIsAllowedMeanwhile() {
        stub.on("GET /schemas/ids/7", new Reply(403, DENIED), new Reply(200, STORED))
                .on("GET /subjects", 200, "[]");
        try (var registry = stub.client()) {
            assertThat(registry.schema(7)).isEqualTo(SCHEMA);
        }
    }

    @Test
    void shouldCallAnIdUnknownThatRefersToADeniedSubject() {
        stub.on("GET /subjects/s/versions/1?deleted=true", 403, DENIED)
                .on("GET /subjects", 200, "[]")
                .on(
                        "GET /schemas/ids/8",
                        200,
                        STORED.replaceFirst("\\{", "{\"references\":[{\"subject\":\"s\",\"version\":1}],"));
        try (var registry = stub.client()) {
            assertThatThrownBy(() -> registry.schema(8))
                    .isInstanceOf(UnknownSchemaException.class)
                    .hasMessageContainingAll("/subjects/s/versions/1?", " answered 403");
        }
    }

    @Test
    void shouldForgetThatAnIdWasUnknown() {
        stub.on("GET /schemas/ids/7", new Reply(404, UNKNOWN), new Reply(200, STORED));
        try (var registry = stub.client()) {
            assertThatThrownBy(() -> registry.schema(7)).isInstanceOf(UnknownSchemaException.class);
            assertThat(registry.schema(7)).isEqualTo(SCHEMA);
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
        try (var registry = stub.client()) {
            for (int id = 7; id <= 8; id++) {
                int asked = id;
                assertThatThrownBy(() -> registry.schema(asked))
                        .isInstanceOf(RegistryRefusedException.class)
                        .hasMessageContaining("check that schema.registry.url is the address of a schema registry");
            }
        }
    }

    /** Avro throws four kinds of exceptions for them, one of them an Error. */
    @Test
    void shouldCallASchemaUnknownThatAvroCannotParse() {
        String record =
                "{\\\"type\\\":\\\"record\\\",\\\"name\\\":\\\"R\\\",\\\"fields\\\":[{\\\"name\\\":\\\"f\\\",\\\"type\\\":\\\"int\\\",\\\"order\\\":%s}]}";
        List<String> texts = List.of(
                String.format(record, "\\\"none\\\""),
                String.format(record, "1"),
                "{\\\"type\\\":\\\"fixed\\\",\\\"name\\\":\\\"F\\\",\\\"size\\\":2147483647}");
        try (var registry = stub.client()) {
            for (int k = 0; k < texts.size(); k++) {
                int id = 20 + k;
                stub.on("GET /schemas/ids/" + id, 200, "{\"schema\":\"" + texts.get(k) + "\"}");
                assertThatThrownBy(() -> registry.schema(id))
                        .isInstanceOf(UnknownSchemaException.class)
                        .hasMessageStartingWith("schema id " + id + " cannot be read: ");
            }
        }
    }

    @Test
    void shouldRefuseSchemasThatAreNotAvro() {
        stub.on("GET /schemas/ids/7", 200, "{\"schemaType\":\"PROTOBUF\",\"schema\":\"syntax\"}");
        stub.on("GET /schemas/ids/8", 200, "{\"schema\":\"{\\\"type\\\":\\\"what\\\"}\"}");
        try (var registry = stub.client()) {
            assertThatThrownBy(() -> registry.schema(7))
                    .isInstanceOf(UnknownSchemaException.class)
                    .hasMessage(
                            "schema id 7 must be of type AVRO, got PROTOBUF (use the Avro serializer of the registry)");
            assertThatThrownBy(() -> registry.schema(8))
                    .isInstanceOf(UnknownSchemaException.class)
                    .hasMessageStartingWith("schema id 8 cannot be read: ");
        }
    }

    @Test
    void shouldRefuseAnIncompatibleSchemaAtOnce() {
        stub.on("POST /subjects/a-value/versions", 409, "{\"error_code\":409,\"message\":\"incompatible\"}");
        try (var registry = stub.client()) {
            assertThatThrownBy(() -> registry.register("a-value", SCHEMA)).isInstanceOf(RegistryRefusedException.class);
        }
        assertThat(stub.asked()).hasSize(1);
    }

    @Test
    void shouldRefuseAnAnswerWithoutEnd() {
        String padding = " ".repeat(RegistryHttpClient.MAX_ANSWER_BYTES - STORED.length());
        stub.on("GET /schemas/ids/7", 200, STORED + padding);
        stub.on("GET /schemas/ids/8", 200, STORED + padding + " ");
        try (var registry = stub.client()) {
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
        try (var registry = stub.client()) {
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
        try (var registry = stub.client()) {
            assertThatThrownBy(() -> registry.schema(7))
                    .isInstanceOf(UnknownSchemaException.class)
                    .hasMessageContaining("a schema must refer to at most 100 others");
        }
    }
}
