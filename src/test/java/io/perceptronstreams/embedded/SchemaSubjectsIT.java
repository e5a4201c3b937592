package io.perceptronstreams.embedded;

import static io.perceptronstreams.embedded.RegistryExtension.body;
import static io.perceptronstreams.embedded.RegistryExtension.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.registry.RegistryRefusedException;
import java.util.List;
import org.apache.avro.Schema;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Subjects and their versions: described, looked up, deleted, and compatible with each other. */
final class SchemaSubjectsIT {
    private static final ObjectMapper JSON = new ObjectMapper();

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
        assertThat(registry.get("/subjects/" + name + "/versions/latest/schema").body())
                .isEqualTo(JSON.readTree(registry.schema("a").toString()));
        assertThat(registry.get("/subjects/" + name + "/versions/1/referencedby")
                        .body())
                .hasToString("[]");
        assertThat(registry.get("/schemas/ids/" + first).body().path("schema").asText())
                .isEqualTo(registry.schema("a", "b").toString());
        assertThat(registry.get("/schemas/ids/" + second + "/schema").body())
                .isEqualTo(JSON.readTree(registry.schema("a").toString()));
        assertThat(registry.get("/schemas?subjectPrefix=" + name).body()).hasSize(2);
        assertThat(registry.get("/schemas?latestOnly=true&subjectPrefix=" + name)
                        .body()
                        .findValuesAsText("version"))
                .containsExactly("2");
        assertThat(registry.get("/schemas/types").body()).hasToString("[\"AVRO\"]");
        assertThat(registry.get("/").body()).hasToString("{}");
        assertThat(registry.get("/mode").body()).hasToString("{\"mode\":\"READWRITE\"}");
        refused(registry.get("/mode/" + name), 404, 40409);
        assertThat(registry.get("/mode/" + name + "?defaultToGlobal=true").body())
                .hasToString("{\"mode\":\"READWRITE\"}");
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
    void shouldListPages() throws Exception {
        for (String subject : List.of(name + "-1", name + "-2", name + "-3")) {
            registry.register(subject, registry.schema("a"));
        }
        registry.register(name + "-2", registry.schema());
        String subjects = "/subjects?subjectPrefix=" + name;
        assertThat(registry.get(subjects + "&limit=2").body()).hasToString("[\"" + name + "-1\",\"" + name + "-2\"]");
        assertThat(registry.get(subjects + "&offset=2&limit=2").body()).hasToString("[\"" + name + "-3\"]");
        assertThat(registry.get(subjects + "&offset=3").body()).hasToString("[]");
        assertThat(registry.get(subjects + "&offset=-1&limit=0").body()).hasSize(3);
        assertThat(registry.get("/subjects/" + name + "-2/versions?offset=1").body())
                .hasToString("[2]");
        assertThat(registry.get("/schemas?subjectPrefix=" + name + "&offset=1&limit=2")
                        .body()
                        .findValuesAsText("subject"))
                .containsExactly(name + "-2", name + "-2");
        refused(registry.get(subjects + "&limit=two"), 404, 404);
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
    void shouldHideDeletedVersionsUntilTheyAreDeletedForGood() throws Exception {
        int id = registry.register(name, registry.schema("a"));
        registry.register(name, registry.schema());
        refused(registry.send("DELETE", "/subjects/" + name + "/versions/1?permanent=true", ""), 404, 40407);
        assertThat(registry.send("DELETE", "/subjects/" + name + "/versions/1", "")
                        .body())
                .hasToString("1");
        refused(registry.send("DELETE", "/subjects/" + name + "/versions/1", ""), 404, 40406);
        refused(registry.get("/subjects/" + name + "/versions/1"), 404, 40402);
        assertThat(registry.get("/subjects/" + name + "/versions?deleted=true").body())
                .hasToString("[1,2]");
        // records of that schema may still exist
        assertThat(registry.get("/schemas/ids/" + id).status()).isEqualTo(200);
        assertThat(registry.send("DELETE", "/subjects/" + name + "/versions/1?permanent=true", "")
                        .status())
                .isEqualTo(200);
        refused(registry.get("/schemas/ids/" + id), 404, 40403);
    }

    @Test
    void shouldDeleteSubjectsInTwoSteps() throws Exception {
        registry.register(name, registry.schema("a"));
        refused(registry.send("DELETE", "/subjects/" + name + "?permanent=true", ""), 404, 40405);
        assertThat(registry.send("DELETE", "/subjects/" + name, "").body()).hasToString("[1]");
        refused(registry.send("DELETE", "/subjects/" + name, ""), 404, 40404);
        refused(registry.get("/subjects/" + name + "/versions"), 404, 40401);
        assertThat(registry.get("/subjects?deleted=true&subjectPrefix=" + name).body())
                .hasSize(1);
        assertThat(registry.send("DELETE", "/subjects/" + name + "?permanent=true", "")
                        .body())
                .hasToString("[1]");
        assertThat(registry.get("/subjects?deleted=true&subjectPrefix=" + name).body())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/versions/1"})
    void shouldDeleteLevelAndModeWithTheLastVersion(String which) throws Exception {
        String subject = name + which.length();
        String first = "/subjects/" + subject + "/versions/1";
        registry.register(subject, registry.schema("a"));
        registry.register(subject, registry.schema());
        registry.send("PUT", "/config/" + subject, "{\"compatibility\":\"NONE\"}");
        registry.send("PUT", "/mode/" + subject, "{\"mode\":\"READWRITE\"}");
        registry.send("DELETE", "/subjects/" + subject + "/versions/2", "");
        registry.send("DELETE", "/subjects/" + subject + "/versions/2?permanent=true", "");
        registry.send("DELETE", first, "");
        // kept while a version is only hidden
        assertThat(registry.get("/config/" + subject).body()).hasToString("{\"compatibilityLevel\":\"NONE\"}");

        assertThat(registry.send("DELETE", "/subjects/" + subject + which + "?permanent=true", "")
                        .status())
                .isEqualTo(200);

        for (int start = 0; start < 2; start++) {
            refused(registry.get("/config/" + subject), 404, 40408);
            refused(registry.get("/mode/" + subject), 404, 40409);
            registry.restart();
        }
    }

    /** With {@code deleted=true}, the latest version was once a deleted one. */
    @Test
    void shouldNotTakeADeletedVersionForTheLatest() throws Exception {
        String versions = "/subjects/" + name + "/versions";
        registry.register(name, registry.schema("a"));
        registry.register(name, registry.schema());
        registry.send("DELETE", versions + "/2", "");
        assertThat(registry.get(versions + "/latest?deleted=true")
                        .body()
                        .path("version")
                        .asInt())
                .isEqualTo(1);
        assertThat(registry.get(versions + "/2?deleted=true").status()).isEqualTo(200);
        registry.send("DELETE", versions + "/latest", "");
        refused(registry.get(versions + "/latest?deleted=true"), 404, 40402);
        refused(registry.get(versions + "/latest"), 404, 40401);
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
        assertThat(registry.send("DELETE", "/config/" + name, "").body())
                .hasToString("{\"compatibilityLevel\":\"NONE\"}");
        refused(registry.post("/subjects/" + name + "/versions", body(registry.schema("a", "b", "c"))), 409, 409);
        refused(registry.send("PUT", "/config/" + name, "{\"compatibility\":\"SIDEWAYS\"}"), 422, 42203);
    }
}
