package io.perceptronstreams.embedded;

import static io.perceptronstreams.embedded.RegistryExtension.body;
import static io.perceptronstreams.embedded.RegistryExtension.refused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import org.apache.avro.Schema;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Modes of the registry: read-only, and imports of ids and versions. */
final class SchemaModesIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    @RegisterExtension
    static final RegistryExtension registry = new RegistryExtension();

    private String name;

    @BeforeEach
    void nameTheSubject() {
        name = registry.name();
    }

    /** Id and version of an import were once ignored, and the answer had another id. */
    @Test
    void shouldImportIdsAndVersionsInModeImportOnly() throws Exception {
        String versions = "/subjects/" + name + "/versions";
        refused(registry.post(versions, imported(70_001, 3, registry.schema("a"))), 422, 42205);
        assertThat(registry.send("PUT", "/mode/" + name, "{\"mode\":\"IMPORT\"}")
                        .body())
                .hasToString("{\"mode\":\"IMPORT\"}");
        assertThat(registry.get("/mode/" + name).body()).hasToString("{\"mode\":\"IMPORT\"}");

        assertThat(registry.post(versions, imported(70_001, 3, registry.schema("a")))
                        .body())
                .hasToString("{\"id\":70001}");
        assertThat(registry.post(versions, imported(70_001, 3, registry.schema("a")))
                        .body())
                .hasToString("{\"id\":70001}");
        // not compatible with the former
        assertThat(registry.post(versions, imported(70_000, 7, registry.schema("b")))
                        .body())
                .hasToString("{\"id\":70000}");

        assertThat(registry.get(versions).body()).hasToString("[3,7]");
        assertThat(registry.get("/schemas/ids/70000").body().path("schema").asText())
                .isEqualTo(registry.schema("b").toString());
        refused(registry.post(versions, body(registry.schema("c"))), 422, 42205);
        refused(registry.post(versions, imported(70_001, 9, registry.schema("c"))), 422, 42205);
        refused(registry.post(versions, imported(70_002, 7, registry.schema("c"))), 422, 42205);
        assertThat(registry.send("DELETE", "/mode/" + name, "").body()).hasToString("{\"mode\":\"IMPORT\"}");
        refused(registry.send("DELETE", "/mode/" + name, ""), 404, 40401);
        refused(registry.post(versions, imported(70_003, 9, registry.schema("c"))), 422, 42205);
        // an id after the imported ones
        assertThat(registry.register(name, registry.schema())).isGreaterThan(70_001);
        refused(registry.send("PUT", "/mode/" + name, "{\"mode\":\"IMPORT\"}"), 422, 42205);
        assertThat(registry.send("PUT", "/mode/" + name + "?force=true", "{\"mode\":\"import\"}")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void shouldTakeTheNextVersionOnlyWhereAVersionIsGivenWithoutAnId() throws Exception {
        String versions = "/subjects/" + name + "/versions";
        refused(registry.post(versions, numbered(2, registry.schema("a"))), 422, 42201);
        assertThat(registry.post(versions, numbered(1, registry.schema("a"))).status())
                .isEqualTo(200);
        assertThat(registry.post(versions, numbered(2, registry.schema())).status())
                .isEqualTo(200);
        assertThat(registry.get(versions).body()).hasToString("[1,2]");
    }

    @Test
    void shouldWriteNothingInModeReadOnly() throws Exception {
        registry.register(name, registry.schema("a"));
        assertThat(registry.send("PUT", "/mode/" + name, "{\"mode\":\"READONLY\"}")
                        .status())
                .isEqualTo(200);

        refused(registry.post("/subjects/" + name + "/versions", body(registry.schema())), 422, 42205);
        refused(registry.send("DELETE", "/subjects/" + name, ""), 422, 42205);
        refused(registry.send("PUT", "/config/" + name, "{\"compatibility\":\"NONE\"}"), 422, 42205);
        assertThat(registry.get("/subjects/" + name + "/versions").body()).hasToString("[1]");
        // others are written as before
        registry.register(name + "-other", registry.schema("o"));
        registry.send("DELETE", "/mode/" + name, "");
        registry.register(name, registry.schema());
    }

    /** Registering an existing schema was once refused with 422/42205; clients register each schema at their start. */
    @Test
    void shouldReturnTheIdOfAnExistingSchemaInEveryMode() throws Exception {
        String versions = "/subjects/" + name + "/versions";
        int id = registry.register(name, registry.schema("a"));
        for (String mode : List.of("READONLY", "IMPORT")) {
            registry.send("PUT", "/mode/" + name + "?force=true", "{\"mode\":\"" + mode + "\"}");

            assertThat(registry.register(name, registry.schema("a"))).isEqualTo(id);
            assertThat(registry.post(versions, imported(id, 1, registry.schema("a")))
                            .body())
                    .hasToString("{\"id\":" + id + "}");
            refused(registry.post(versions, body(registry.schema())), 422, 42205);
        }
        assertThat(registry.get(versions).body()).hasToString("[1]");
    }

    @Test
    void shouldSetTheGlobalModeUnlessASubjectHasItsOwn() throws Exception {
        assertThat(registry.send("PUT", "/mode/" + name, "{\"mode\":\"READWRITE\"}")
                        .status())
                .isEqualTo(200);
        assertThat(registry.send("PUT", "/mode", "{\"mode\":\"READONLY\"}").body())
                .hasToString("{\"mode\":\"READONLY\"}");
        try {
            assertThat(registry.get("/mode").body()).hasToString("{\"mode\":\"READONLY\"}");
            refused(registry.post("/subjects/" + name + "-other/versions", body(registry.schema("a"))), 422, 42205);
            registry.register(name, registry.schema("a"));
        } finally {
            assertThat(registry.send("DELETE", "/mode", "").body()).hasToString("{\"mode\":\"READONLY\"}");
        }
        assertThat(registry.get("/mode").body()).hasToString("{\"mode\":\"READWRITE\"}");
    }

    private static String imported(int id, int version, Schema schema) throws IOException {
        return ((ObjectNode) JSON.readTree(numbered(version, schema)))
                .put("id", id)
                .toString();
    }

    private static String numbered(int version, Schema schema) throws IOException {
        return ((ObjectNode) JSON.readTree(body(schema)))
                .put("version", version)
                .toString();
    }
}
