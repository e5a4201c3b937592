package io.perceptronstreams.embedded;

import static io.perceptronstreams.embedded.RegistryExtension.body;
import static io.perceptronstreams.embedded.RegistryExtension.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.registry.RegistryRefusedException;
import java.util.List;
import org.apache.avro.Schema;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Subjects and their versions: described, looked up, and compatible with each other. */
final class SchemaSubjectsIT {
    @RegisterExtension
    static final RegistryExtension registry = new RegistryExtension();

    private String name;

    @BeforeEach
    void nameTheSubject() {
        name = registry.name();
    }

    @Test
    void shouldDescribeSubjectsVersionsAndSchemas() throws Exception {
        int first = registry.register(name, registry.schema("a", "b"));
        int second = registry.register(name, registry.schema("a"));
        assertThat(registry.get("/subjects").body().toString()).contains("\"" + name + "\"");
        assertThat(registry.get("/subjects?subjectPrefix=" + name).body()).hasToString("[\"" + name + "\"]");
        assertThat(registry.get("/subjects/" + name + "/versions").body()).hasToString("[1,2]");
        var version = registry.get("/subjects/" + name + "/versions/1").body();
        assertThat(version.path("subject").asText()).isEqualTo(name);
        assertThat(version.path("version").asInt()).isEqualTo(1);
        assertThat(version.path("id").asInt()).isEqualTo(first);
        assertThat(version.path("schema").asText())
                .isEqualTo(registry.schema("a", "b").toString());
        assertThat(registry.get("/subjects/" + name + "/versions/latest")
                        .body()
                        .path("id")
                        .asInt())
                .isEqualTo(second);
        assertThat(registry.get("/schemas/ids/" + first).body().path("schema").asText())
                .isEqualTo(registry.schema("a", "b").toString());
        assertThat(registry.get("/").body()).hasToString("{}");
    }

    @Test
    void shouldLookUpWithoutRegistering() throws Exception {
        int id = registry.register(name, registry.schema("a"));
        var found = registry.post("/subjects/" + name + "?normalize=true", body(registry.schema("a")))
                .body();
        assertThat(found.path("id").asInt()).isEqualTo(id);
        assertThat(found.path("version").asInt()).isEqualTo(1);
        refused(registry.post("/subjects/" + name, body(registry.schema("z"))), 404, 40403);
        refused(registry.post("/subjects/" + name + "-other", body(registry.schema("a"))), 404, 40401);
    }

    @Test
    void shouldIgnoreTheOrderOfPropertiesWithNormalize() throws Exception {
        var ordered = new Schema.Parser().parse(record("\"a.b\":1,\"z\":{\"c\":2,\"y\":3}"));
        var other = new Schema.Parser().parse(record("\"z\":{\"y\":3,\"c\":2},\"a.b\":1"));
        int id = registry.register(name, ordered);
        refused(registry.post("/subjects/" + name, body(other)), 404, 40403);
        assertThat(registry.post("/subjects/" + name + "?normalize=true", body(other))
                        .body()
                        .path("id")
                        .asInt())
                .isEqualTo(id);
        assertThat(registry.post("/subjects/" + name + "/versions?normalize=true", body(other))
                        .body())
                .hasToString("{\"id\":" + id + "}");
        assertThat(registry.get("/subjects/" + name + "/versions").body()).hasToString("[1]");
    }

    /** Id and version of an import were once ignored, and the answer had another id. */
    @Test
    void shouldRefuseIdsAndVersionsOfAnotherRegistry() throws Exception {
        String versions = "/subjects/" + name + "/versions";
        String schema = body(registry.schema("a"));
        for (String imported : List.of("\"id\":70001,\"version\":3", "\"version\":1", "\"id\":70001")) {
            refused(registry.post(versions, schema.replaceFirst("\\{", "{" + imported + ",")), 422, 42205);
        }
        refused(registry.get(versions), 404, 40401);
        // clients without an import send these
        assertThat(registry.post(versions, schema.replaceFirst("\\{", "{\"id\":-1,\"version\":0,"))
                        .status())
                .isEqualTo(200);
    }

    /** A record whose default value, properties and aliases are not in alphabetical order. */
    private String record(String properties) {
        return "{\"type\":\"record\",\"name\":\"" + name + "\",\"namespace\":\"n\",\"aliases\":[\"z\",\"a\"],"
                + "\"fields\":[{\"name\":\"f\",\"type\":\"double\",\"default\":1.5," + properties + "}]," + properties
                + "}";
    }

    /** Confluent's clients ask with the subject of the topic's values, also for a record with a subject of its own. */
    @Test
    void shouldFindAnIdWithAnySubject() throws Exception {
        int id = registry.register(name + "-Label", registry.schema("a"));
        assertThat(registry.get("/schemas/ids/" + id + "?subject=" + name + "-value")
                        .body()
                        .path("schema")
                        .asText())
                .isEqualTo(registry.schema("a").toString());
    }

    @Test
    void shouldRefuseAnIncompatibleSchema() throws Exception {
        registry.register(name, registry.schema("a"));
        var refused = registry.post("/subjects/" + name + "/versions", body(registry.schema("a", "b")));
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.body().path("error_code").asInt()).isEqualTo(409);
        assertThat(refused.body().path("message").asText())
                .contains("incompatible with an earlier schema for subject \"" + name + "\" (compatibility BACKWARD)")
                .contains("READER_FIELD_MISSING_DEFAULT_VALUE");
        assertThat(registry.get("/subjects/" + name + "/versions").body()).hasToString("[1]");
        try (var client = registry.client()) {
            assertThatThrownBy(() -> client.register(name, registry.schema("a", "b")))
                    .isInstanceOf(RegistryRefusedException.class);
        }
    }

    @Test
    void shouldCheckCompatibilityWithoutRegistering() throws Exception {
        registry.register(name, registry.schema("a"));
        String route = "/compatibility/subjects/" + name + "/versions";
        assertThat(registry.post(route + "/latest", body(registry.schema())).body())
                .hasToString("{\"is_compatible\":true}");
        var verdict = registry.post(route + "/1?verbose=true", body(registry.schema("a", "b")))
                .body();
        assertThat(verdict.path("is_compatible").asBoolean(true)).isFalse();
        assertThat(verdict.path("messages")).hasSize(1);
        assertThat(registry.post(route, body(registry.schema("a", "b"))).body())
                .hasToString("{\"is_compatible\":false}");
        refused(registry.post(route + "/9", body(registry.schema("a"))), 404, 40402);
        assertThat(registry.post("/compatibility/subjects/" + name + "-new/versions/latest", body(registry.schema("a")))
                        .body())
                .hasToString("{\"is_compatible\":true}");
    }

    @Test
    void shouldObeyTheLevelOfASubject() throws Exception {
        registry.register(name, registry.schema("a"));
        refused(registry.get("/config/" + name), 404, 40408);
        assertThat(registry.get("/config").body()).hasToString("{\"compatibilityLevel\":\"BACKWARD\"}");
        assertThat(registry.get("/config/" + name + "?defaultToGlobal=true").body())
                .hasToString("{\"compatibilityLevel\":\"BACKWARD\"}");
        assertThat(registry.send("PUT", "/config/" + name, "{\"compatibility\":\"NONE\"}")
                        .body())
                .hasToString("{\"compatibility\":\"NONE\"}");
        assertThat(registry.get("/config/" + name).body()).hasToString("{\"compatibilityLevel\":\"NONE\"}");
        registry.register(name, registry.schema("a", "b"));
        refused(registry.send("PUT", "/config/" + name, "{\"compatibility\":\"SIDEWAYS\"}"), 422, 42203);
    }
}
