package io.perceptronstreams.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.registry.RegistryRefusedException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.UnknownSchemaException;
import io.perceptronstreams.registry.http.SchemaRegistries;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs our client against Apicurio Registry, and compares the answers of our registry with those of Apicurio. */
@EnabledIfSystemProperty(
        named = ApicurioWireIT.DIRECTORY,
        matches = ".+",
        disabledReason = "needs Apicurio Registry, which the profile brings: ./mvnw verify -Papicurio")
final class ApicurioWireIT {
    static final String DIRECTORY = "apicurio.directory";

    enum Server {
        APICURIO,
        EMBEDDED
    }

    private static final int NEVER_GIVEN = 999_999;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    static Path directory;

    private static ApicurioServer apicurio;
    private static EmbeddedBroker broker;
    private static EmbeddedRegistry embedded;

    @BeforeAll
    static void start() throws IOException {
        apicurio = ApicurioServer.start(Path.of(System.getProperty(DIRECTORY)));
        broker = EmbeddedBroker.start(directory.resolve("broker"), 0);
        embedded = EmbeddedRegistry.start(broker.bootstrapServers(), 0);
    }

    @AfterAll
    static void stop() {
        Utils.closeQuietly(apicurio, "Apicurio Registry");
        Utils.closeQuietly(embedded, "embedded registry");
        Utils.closeQuietly(broker, "broker");
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindEveryEventOfTheProjectByItsId(Server server) throws IOException {
        try (var registry = client(server);
                var other = client(server);
                var events = Files.newDirectoryStream(Path.of("schemas"), "*.avsc")) {
            for (Path event : events) {
                Schema schema = new Schema.Parser().parse(event.toFile());
                int id = registry.register("events-" + schema.getName() + "-value", schema);
                assertThat(other.schema(id)).isEqualTo(schema);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepTheIdOfASchemaThatIsRegisteredTwice(Server server) {
        try (var registry = client(server);
                var other = client(server)) {
            int id = registry.register("twice-value", weather("twice"));
            assertThat(other.register("twice-value", weather("twice"))).isEqualTo(id);
            assertThat(other.register("twice-elsewhere-value", weather("twice")))
                    .isEqualTo(id);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldLookUpWithoutRegistering(Server server) {
        try (var registry = client(server);
                var lookUp = client(server, "auto.register.schemas", "false")) {
            int id = registry.register("look-up-value", weather("lookUp"));

            assertThat(lookUp.register("look-up-value", weather("lookUp"))).isEqualTo(id);
            assertThatThrownBy(() -> lookUp.register("look-up-value", windy("lookUp")))
                    .isInstanceOf(RegistryRefusedException.class)
                    .hasMessageContaining("auto.register.schemas=true");
            assertThatThrownBy(() -> lookUp.register("nobody-value", weather("lookUp")))
                    .isInstanceOf(RegistryRefusedException.class);
            assertThat(ask(server, "GET", "/subjects/look-up-value/versions", null))
                    .isEqualTo("200 [1]");
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldUseTheLatestVersion(Server server) {
        try (var registry = client(server);
                var latest = client(server, "auto.register.schemas", "false", "use.latest.version", "true")) {
            registry.register("latest-value", weather("latest"));
            int newest = registry.register("latest-value", windy("latest"));

            assertThat(latest.register("latest-value", windy("latest"))).isEqualTo(newest);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldTakeACompatibleVersionAndKeepTheOldOne(Server server) {
        holdToBackwardCompatibility(server, "compatible-value", weather("compatible"));
        try (var registry = client(server);
                var other = client(server)) {
            int old = registry.register("compatible-value", weather("compatible"));
            int added = registry.register("compatible-value", windy("compatible"));

            assertThat(added).isNotEqualTo(old);
            assertThat(other.schema(old)).isEqualTo(weather("compatible"));
            assertThat(other.schema(added)).isEqualTo(windy("compatible"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseAnIncompatibleVersion(Server server) {
        holdToBackwardCompatibility(server, "incompatible-value", weather("incompatible"));
        try (var registry = client(server)) {
            assertThatThrownBy(() -> registry.register("incompatible-value", renamed("incompatible")))
                    .isInstanceOf(RegistryRefusedException.class)
                    .hasMessageContaining("incompatible");
            assertThat(ask(server, "GET", "/subjects/incompatible-value/versions", null))
                    .isEqualTo("200 [1]");
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotKnowAnIdThatWasNeverGiven(Server server) {
        try (var registry = client(server)) {
            assertThatThrownBy(() -> registry.schema(NEVER_GIVEN))
                    .isInstanceOf(UnknownSchemaException.class)
                    .hasMessageContaining(String.valueOf(NEVER_GIVEN));
        }
    }

    @Test
    void shouldGiveTheAnswersThatApicurioGives() {
        assertThat(conversation(Server.EMBEDDED)).isEqualTo(conversation(Server.APICURIO));
    }

    /** Valid and invalid requests with the answers: status, error code and the parts without prose. */
    private static List<String> conversation(Server server) {
        String subject = "/subjects/talk-value";
        var talk = new ArrayList<String>();
        for (var call : List.of(
                get("/subjects/talk-value/versions"),
                get("/subjects/talk-value/versions/latest"),
                call("POST", subject, weather("talk")),
                call("POST", subject + "/versions", weather("talk")),
                call("POST", subject, weather("talk")),
                call("POST", subject, windy("talk")),
                new Call("PUT", "/config/talk-value", "{\"compatibility\":\"BACKWARD\"}"),
                get("/config/talk-value"),
                call("POST", "/compatibility" + subject + "/versions/latest", windy("talk")),
                call("POST", "/compatibility" + subject + "/versions/latest", renamed("talk")),
                call("POST", subject + "/versions", renamed("talk")),
                call("POST", subject + "/versions", windy("talk")),
                new Call("POST", subject + "/versions", "{\"schema\":\"{\\\"type\\\":\\\"nonsense\\\"}\"}"),
                get(subject + "/versions"),
                get(subject + "/versions/1"),
                get(subject + "/versions/latest"),
                get(subject + "/versions/7"),
                get("/schemas/ids/" + NEVER_GIVEN))) {
            talk.add(call.method + " " + call.path + " -> " + ask(server, call.method, call.path, call.body));
        }
        return talk;
    }

    private record Call(String method, String path, String body) {}

    private static Call get(String path) {
        return new Call("GET", path, null);
    }

    private static Call call(String method, String path, Schema schema) {
        return new Call(
                method,
                path,
                JSON.createObjectNode().put("schema", schema.toString()).toString());
    }

    private static String ask(Server server, String method, String path, String body) {
        var request = HttpRequest.newBuilder(URI.create(url(server) + path))
                .header("Content-Type", "application/vnd.schemaregistry.v1+json")
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            var response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
            return response.statusCode() + " " + withoutProse(JSON.readTree(response.body()));
        } catch (IOException e) {
            throw new AssertionError(request.toString(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Removes ids, which depend on earlier registrations, and messages and optional fields, which may differ. */
    private static String withoutProse(JsonNode answer) {
        if (answer.isArray()) {
            return answer.toString();
        }
        var kept = new ArrayList<String>();
        for (String field :
                List.of("error_code", "subject", "version", "compatibility", "compatibilityLevel", "is_compatible")) {
            if (answer.has(field)) {
                kept.add(field + "=" + answer.path(field).asText());
            }
        }
        if (answer.has("schema")) {
            kept.add("schema=" + new Schema.Parser().parse(answer.path("schema").asText()));
        }
        if (answer.has("id")) {
            kept.add("id");
        }
        return String.join(" ", kept);
    }

    /** Apicurio checks no compatibility by default; a level can be set only for an existing subject. */
    private static void holdToBackwardCompatibility(Server server, String subject, Schema first) {
        try (var registry = client(server)) {
            registry.register(subject, first);
        }
        assertThat(ask(server, "PUT", "/config/" + subject, "{\"compatibility\":\"BACKWARD\"}"))
                .startsWith("200 ");
    }

    private static SchemaRegistry client(Server server, String... settings) {
        var all = new HashMap<>(Map.of("schema.registry.url", url(server)));
        for (int i = 0; i < settings.length; i += 2) {
            all.put(settings[i], settings[i + 1]);
        }
        return SchemaRegistries.of(all);
    }

    private static String url(Server server) {
        return server == Server.APICURIO ? apicurio.url() : embedded.url();
    }

    /** A schema that no other test uses: equal schemas have the same id. */
    private static Schema weather(String test) {
        return SchemaBuilder.record("Weather")
                .namespace("io.perceptronstreams." + test)
                .fields()
                .requiredDouble("degrees")
                .endRecord();
    }

    private static Schema windy(String test) {
        return SchemaBuilder.record("Weather")
                .namespace("io.perceptronstreams." + test)
                .fields()
                .requiredDouble("degrees")
                .name("wind")
                .type()
                .doubleType()
                .doubleDefault(0)
                .endRecord();
    }

    /** Not readable with {@link #weather}: the field has another name and no default. */
    private static Schema renamed(String test) {
        return SchemaBuilder.record("Weather")
                .namespace("io.perceptronstreams." + test)
                .fields()
                .requiredDouble("celsius")
                .endRecord();
    }
}
