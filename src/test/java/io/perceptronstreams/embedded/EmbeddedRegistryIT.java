package io.perceptronstreams.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.registry.RegistryRefusedException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.UnknownSchemaException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

/** Each test uses its own subject and record name, as the tests share the registry. */
final class EmbeddedRegistryIT {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    static Path directory;

    private static EmbeddedBroker broker;
    private static EmbeddedRegistry registry;

    private String name;

    private record Answer(int status, JsonNode body) {}

    @BeforeAll
    static void start() {
        broker = EmbeddedBroker.start(directory, 0);
        registry = EmbeddedRegistry.start(broker.bootstrapServers(), 0);
    }

    @AfterAll
    static void stop() {
        registry.close();
        broker.close();
    }

    @BeforeEach
    void nameTheSubject(TestInfo test) {
        name = test.getTestMethod().orElseThrow().getName();
    }

    @Test
    void shouldServeOurOwnClient() {
        try (var client = client()) {
            int id = client.register(name, schema("a"));
            assertThat(client().schema(id)).isEqualTo(schema("a"));
            assertThatThrownBy(() -> client.schema(999_999)).isInstanceOf(UnknownSchemaException.class);
        }
    }

    @Test
    void shouldRefuseAnIncompatibleSchema() throws Exception {
        register(name, schema("a"));
        var refused = post("/subjects/" + name + "/versions", body(schema("a", "b")));
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.body().path("error_code").asInt()).isEqualTo(409);
        assertThat(refused.body().path("message").asText())
                .contains("incompatible with an earlier schema for subject \"" + name + "\" (compatibility BACKWARD)")
                .contains("READER_FIELD_MISSING_DEFAULT_VALUE");
        assertThat(get("/subjects/" + name + "/versions").body()).hasToString("[1]");
        try (var client = client()) {
            assertThatThrownBy(() -> client.register(name, schema("a", "b")))
                    .isInstanceOf(RegistryRefusedException.class);
        }
    }

    @Test
    void shouldGiveOneSchemaOneIdInAllSubjects() throws Exception {
        int id = register(name, schema("a"));
        assertThat(register(name + "/2", schema("a"))).isEqualTo(id);
        assertThat(register(name, schema("a"))).isEqualTo(id);
        assertThat(get("/schemas/ids/" + id + "/subjects").body()).hasToString("[\"" + name + "\",\"" + name + "/2\"]");
        assertThat(get("/schemas/ids/" + id + "/versions").body().get(1))
                .isEqualTo(JSON.readTree("{\"subject\":\"" + name + "/2\",\"version\":1}"));
    }

    @Test
    void shouldGiveOneIdToASchemaThatManyRegisterAtOnce() throws Exception {
        var threads = Executors.newFixedThreadPool(8);
        try {
            Callable<Integer> each = () -> register(name, schema("a"));
            var ids = threads.invokeAll(Collections.nCopies(32, each));
            for (Future<Integer> id : ids) {
                assertThat(id.get()).isEqualTo(ids.get(0).get());
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(get("/subjects/" + name + "/versions").body()).hasToString("[1]");
    }

    @Test
    void shouldDescribeSubjectsVersionsAndSchemas() throws Exception {
        int first = register(name, schema("a", "b"));
        int second = register(name, schema("a"));
        assertThat(get("/subjects").body().toString()).contains("\"" + name + "\"");
        assertThat(get("/subjects?subjectPrefix=" + name).body()).hasToString("[\"" + name + "\"]");
        assertThat(get("/subjects/" + name + "/versions").body()).hasToString("[1,2]");
        var version = get("/subjects/" + name + "/versions/1").body();
        assertThat(version.path("subject").asText()).isEqualTo(name);
        assertThat(version.path("version").asInt()).isEqualTo(1);
        assertThat(version.path("id").asInt()).isEqualTo(first);
        assertThat(version.path("schema").asText()).isEqualTo(schema("a", "b").toString());
        assertThat(get("/subjects/" + name + "/versions/latest")
                        .body()
                        .path("id")
                        .asInt())
                .isEqualTo(second);
        assertThat(get("/subjects/" + name + "/versions/latest/schema").body())
                .isEqualTo(JSON.readTree(schema("a").toString()));
        assertThat(get("/subjects/" + name + "/versions/1/referencedby").body()).hasToString("[]");
        assertThat(get("/schemas/ids/" + first).body().path("schema").asText())
                .isEqualTo(schema("a", "b").toString());
        assertThat(get("/schemas/ids/" + second + "/schema").body())
                .isEqualTo(JSON.readTree(schema("a").toString()));
        assertThat(get("/schemas?subjectPrefix=" + name).body()).hasSize(2);
        assertThat(get("/schemas?latestOnly=true&subjectPrefix=" + name).body().findValuesAsText("version"))
                .containsExactly("2");
        assertThat(get("/schemas/types").body()).hasToString("[\"AVRO\"]");
        assertThat(get("/").body()).hasToString("{}");
        assertThat(get("/mode").body()).hasToString("{\"mode\":\"READWRITE\"}");
        refused(get("/mode/" + name), 404, 40409);
        assertThat(get("/mode/" + name + "?defaultToGlobal=true").body()).hasToString("{\"mode\":\"READWRITE\"}");
    }

    @Test
    void shouldLookUpWithoutRegistering() throws Exception {
        int id = register(name, schema("a"));
        var found =
                post("/subjects/" + name + "?normalize=true", body(schema("a"))).body();
        assertThat(found.path("id").asInt()).isEqualTo(id);
        assertThat(found.path("version").asInt()).isEqualTo(1);
        refused(post("/subjects/" + name, body(schema("z"))), 404, 40403);
        refused(post("/subjects/" + name + "-other", body(schema("a"))), 404, 40401);
    }

    @Test
    void shouldHideDeletedVersionsUntilTheyAreDeletedForGood() throws Exception {
        int id = register(name, schema("a"));
        register(name, schema());
        refused(send("DELETE", "/subjects/" + name + "/versions/1?permanent=true", ""), 404, 40407);
        assertThat(send("DELETE", "/subjects/" + name + "/versions/1", "").body())
                .hasToString("1");
        refused(send("DELETE", "/subjects/" + name + "/versions/1", ""), 404, 40406);
        refused(get("/subjects/" + name + "/versions/1"), 404, 40402);
        assertThat(get("/subjects/" + name + "/versions?deleted=true").body()).hasToString("[1,2]");
        // records of that schema may still exist
        assertThat(get("/schemas/ids/" + id).status()).isEqualTo(200);
        assertThat(send("DELETE", "/subjects/" + name + "/versions/1?permanent=true", "")
                        .status())
                .isEqualTo(200);
        refused(get("/schemas/ids/" + id), 404, 40403);
    }

    @Test
    void shouldDeleteSubjectsInTwoSteps() throws Exception {
        register(name, schema("a"));
        refused(send("DELETE", "/subjects/" + name + "?permanent=true", ""), 404, 40405);
        assertThat(send("DELETE", "/subjects/" + name, "").body()).hasToString("[1]");
        refused(send("DELETE", "/subjects/" + name, ""), 404, 40404);
        refused(get("/subjects/" + name + "/versions"), 404, 40401);
        assertThat(get("/subjects?deleted=true&subjectPrefix=" + name).body()).hasSize(1);
        assertThat(send("DELETE", "/subjects/" + name + "?permanent=true", "").body())
                .hasToString("[1]");
        assertThat(get("/subjects?deleted=true&subjectPrefix=" + name).body()).isEmpty();
    }

    @Test
    void shouldCheckCompatibilityWithoutRegistering() throws Exception {
        register(name, schema("a"));
        String route = "/compatibility/subjects/" + name + "/versions";
        assertThat(post(route + "/latest", body(schema())).body()).hasToString("{\"is_compatible\":true}");
        var verdict = post(route + "/1?verbose=true", body(schema("a", "b"))).body();
        assertThat(verdict.path("is_compatible").asBoolean(true)).isFalse();
        assertThat(verdict.path("messages")).hasSize(1);
        assertThat(post(route, body(schema("a", "b"))).body()).hasToString("{\"is_compatible\":false}");
        refused(post(route + "/9", body(schema("a"))), 404, 40402);
        assertThat(post("/compatibility/subjects/" + name + "-new/versions/latest", body(schema("a")))
                        .body())
                .hasToString("{\"is_compatible\":true}");
    }

    @Test
    void shouldObeyTheLevelOfASubject() throws Exception {
        register(name, schema("a"));
        refused(get("/config/" + name), 404, 40408);
        assertThat(get("/config").body()).hasToString("{\"compatibilityLevel\":\"BACKWARD\"}");
        assertThat(get("/config/" + name + "?defaultToGlobal=true").body())
                .hasToString("{\"compatibilityLevel\":\"BACKWARD\"}");
        assertThat(send("PUT", "/config/" + name, "{\"compatibility\":\"NONE\"}")
                        .body())
                .hasToString("{\"compatibility\":\"NONE\"}");
        assertThat(get("/config/" + name).body()).hasToString("{\"compatibilityLevel\":\"NONE\"}");
        register(name, schema("a", "b"));
        assertThat(send("DELETE", "/config/" + name, "").body()).hasToString("{\"compatibilityLevel\":\"NONE\"}");
        refused(post("/subjects/" + name + "/versions", body(schema("a", "b", "c"))), 409, 409);
        refused(send("PUT", "/config/" + name, "{\"compatibility\":\"SIDEWAYS\"}"), 422, 42203);
    }

    /** Id and version of an import were once ignored, and the answer had another id. */
    @Test
    void shouldImportIdsAndVersionsInModeImportOnly() throws Exception {
        String versions = "/subjects/" + name + "/versions";
        refused(post(versions, imported(70_001, 3, schema("a"))), 422, 42205);
        assertThat(send("PUT", "/mode/" + name, "{\"mode\":\"IMPORT\"}").body()).hasToString("{\"mode\":\"IMPORT\"}");
        assertThat(get("/mode/" + name).body()).hasToString("{\"mode\":\"IMPORT\"}");

        assertThat(post(versions, imported(70_001, 3, schema("a"))).body()).hasToString("{\"id\":70001}");
        assertThat(post(versions, imported(70_001, 3, schema("a"))).body()).hasToString("{\"id\":70001}");
        // not compatible with the former
        assertThat(post(versions, imported(70_000, 7, schema("b"))).body()).hasToString("{\"id\":70000}");

        assertThat(get(versions).body()).hasToString("[3,7]");
        assertThat(get("/schemas/ids/70000").body().path("schema").asText())
                .isEqualTo(schema("b").toString());
        refused(post(versions, body(schema("c"))), 422, 42205);
        refused(post(versions, imported(70_001, 9, schema("c"))), 422, 42205);
        refused(post(versions, imported(70_002, 7, schema("c"))), 422, 42205);
        assertThat(send("DELETE", "/mode/" + name, "").body()).hasToString("{\"mode\":\"IMPORT\"}");
        refused(send("DELETE", "/mode/" + name, ""), 404, 40401);
        refused(post(versions, imported(70_003, 9, schema("c"))), 422, 42205);
        // an id after the imported ones
        assertThat(register(name, schema())).isGreaterThan(70_001);
        refused(send("PUT", "/mode/" + name, "{\"mode\":\"IMPORT\"}"), 422, 42205);
        assertThat(send("PUT", "/mode/" + name + "?force=true", "{\"mode\":\"import\"}")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void shouldTakeTheNextVersionOnlyWhereAVersionIsGivenWithoutAnId() throws Exception {
        String versions = "/subjects/" + name + "/versions";
        refused(post(versions, numbered(2, schema("a"))), 422, 42201);
        assertThat(post(versions, numbered(1, schema("a"))).status()).isEqualTo(200);
        assertThat(post(versions, numbered(2, schema())).status()).isEqualTo(200);
        assertThat(get(versions).body()).hasToString("[1,2]");
    }

    @Test
    void shouldWriteNothingInModeReadOnly() throws Exception {
        register(name, schema("a"));
        assertThat(send("PUT", "/mode/" + name, "{\"mode\":\"READONLY\"}").status())
                .isEqualTo(200);

        refused(post("/subjects/" + name + "/versions", body(schema())), 422, 42205);
        refused(send("DELETE", "/subjects/" + name, ""), 422, 42205);
        refused(send("PUT", "/config/" + name, "{\"compatibility\":\"NONE\"}"), 422, 42205);
        assertThat(get("/subjects/" + name + "/versions").body()).hasToString("[1]");
        // others are written as before
        register(name + "-other", schema("o"));
        send("DELETE", "/mode/" + name, "");
        register(name, schema());
    }

    @Test
    void shouldSetTheGlobalModeUnlessASubjectHasItsOwn() throws Exception {
        assertThat(send("PUT", "/mode/" + name, "{\"mode\":\"READWRITE\"}").status())
                .isEqualTo(200);
        assertThat(send("PUT", "/mode", "{\"mode\":\"READONLY\"}").body()).hasToString("{\"mode\":\"READONLY\"}");
        try {
            assertThat(get("/mode").body()).hasToString("{\"mode\":\"READONLY\"}");
            refused(post("/subjects/" + name + "-other/versions", body(schema("a"))), 422, 42205);
            register(name, schema("a"));
        } finally {
            assertThat(send("DELETE", "/mode", "").body()).hasToString("{\"mode\":\"READONLY\"}");
        }
        assertThat(get("/mode").body()).hasToString("{\"mode\":\"READWRITE\"}");
    }

    @Test
    void shouldRefuseWrongRequests() throws Exception {
        String versions = "/subjects/" + name + "/versions";
        refused(post(versions, "{\"schema\":\"{\\\"type\\\":\\\"what\\\"}\"}"), 422, 42201);
        refused(post(versions, "{\"schema\":7}"), 422, 42201);
        refused(post(versions, "{\"schemaType\":\"PROTOBUF\",\"schema\":\"syntax\"}"), 422, 42201);
        refused(post(versions, "{\"schema\":\"\\\"R\\\"\",\"references\":[{\"name\":\"R\"}]}"), 422, 42201);
        refused(post(versions, ""), 422, 42201);
        refused(post(versions, "{"), 400, 400);
        refused(post(versions, "{\"schema\":\"" + "x".repeat(RegistryRequest.MAX_BODY_BYTES) + "\"}"), 413, 413);
        refused(get(versions), 404, 40401);
        register(name, schema("a"));
        refused(get(versions + "/first"), 422, 42202);
        refused(get(versions + "/1/what"), 404, 404);
        refused(get("/what"), 404, 404);
        refused(get("/schemas/ids/x"), 404, 40403);
        refused(send("PUT", versions, "{}"), 405, 405);
        refused(send("PUT", "/mode", "{\"mode\":\"SIDEWAYS\"}"), 422, 42204);
        refused(post("/mode", "{\"mode\":\"READONLY\"}"), 405, 405);
        assertThat(get("/subjects/" + name + "/versions").body()).hasToString("[1]");
    }

    @Test
    void shouldRefuseWhatAWebPageCanSend() throws Exception {
        String own = "Host: localhost:" + registry.port() + "\r\n";
        String json = "Content-Type: application/json\r\n";
        // a form, or a Blob without a type, needs no preflight
        assertThat(raw("POST", own)).isEqualTo(415);
        assertThat(raw("POST", own + "Content-Type: text/plain;x=json\r\n")).isEqualTo(415);
        assertThat(raw("POST", own + "Content-Type: text/plain\r\n")).isEqualTo(415);
        assertThat(raw("PUT", own)).isEqualTo(415);
        // DNS rebinding
        for (String method : List.of("GET", "POST", "PUT", "DELETE")) {
            assertThat(raw(method, "Host: evil.example:" + registry.port() + "\r\n" + json))
                    .isEqualTo(421);
            assertThat(raw(method, own + json + "Origin: http://evil.example\r\n"))
                    .isEqualTo(403);
            assertThat(raw(method, own + json + "Origin: null\r\n")).isEqualTo(403);
            assertThat(raw(method, own + json + "Sec-Fetch-Site: cross-site\r\n"))
                    .isEqualTo(403);
        }
        refused(get("/subjects/" + name + "/versions"), 404, 40401);
        for (String host : List.of("127.0.0.1", "[::1]:8081", "LOCALHOST")) {
            assertThat(raw("POST", "Host: " + host + "\r\nSec-Fetch-Site: none\r\n" + json))
                    .isEqualTo(200);
        }
    }

    /** Registers a schema by a request with these headers, also those that HttpClient does not send. */
    private int raw(String method, String headers) throws IOException {
        byte[] body = body(schema("a")).getBytes(StandardCharsets.UTF_8);
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), registry.port())) {
            socket.getOutputStream()
                    .write((method + " /subjects/" + name + "/versions HTTP/1.1\r\n" + headers + "Content-Length: "
                                    + body.length + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().write(body);
            String line = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
            return Integer.parseInt(line.substring(9, 12));
        }
    }

    @Test
    void shouldKeepSchemasIdsAndLevelsOverARestart() throws Exception {
        int kept = register(name, schema("a"));
        int removed = register(name + "-removed", schema("r"));
        send("PUT", "/config/" + name, "{\"compatibility\":\"FULL\"}");
        send("PUT", "/mode/" + name, "{\"mode\":\"READONLY\"}");
        send("DELETE", "/subjects/" + name + "-removed", "");
        send("DELETE", "/subjects/" + name + "-removed?permanent=true", "");
        registry.close();
        registry = EmbeddedRegistry.start(broker.bootstrapServers(), 0);
        assertThat(get("/subjects/" + name + "/versions/1").body().path("id").asInt())
                .isEqualTo(kept);
        assertThat(get("/config/" + name).body()).hasToString("{\"compatibilityLevel\":\"FULL\"}");
        assertThat(get("/mode/" + name).body()).hasToString("{\"mode\":\"READONLY\"}");
        refused(get("/schemas/ids/" + removed), 404, 40403);
        // a record with the removed id must never be read with another schema
        assertThat(register(name + "-new", schema("n"))).isGreaterThan(removed);
    }

    @Test
    void shouldRefuseAPortInUse() {
        assertThatThrownBy(() -> EmbeddedRegistry.start(broker.bootstrapServers(), registry.port()))
                .isInstanceOf(EmbeddedException.class)
                .hasMessage("port " + registry.port() + " is in use; choose another with --registry-port");
    }

    @Test
    void shouldRefuseATopicThatForgets(@TempDir Path other) throws Exception {
        try (var forgetful = EmbeddedBroker.start(other, 0);
                var admin = Admin.create(Map.of("bootstrap.servers", forgetful.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(SchemaTopic.NAME, 1, (short) 1)))
                    .all()
                    .get();
            assertThatThrownBy(() -> EmbeddedRegistry.start(forgetful.bootstrapServers(), 0))
                    .isInstanceOf(EmbeddedException.class)
                    .hasMessage(
                            "topic _schemas must have 1 partition and cleanup.policy=compact, has 1 and delete; change it or "
                                    + "delete it");
        }
    }

    private static SchemaRegistry client() {
        return SchemaRegistry.of(Map.of("schema.registry.url", registry.url()));
    }

    /** A record with these int fields, none with a default. */
    private Schema schema(String... fields) {
        var record = SchemaBuilder.record(name).fields();
        for (String field : fields) {
            record = record.requiredInt(field);
        }
        return record.endRecord();
    }

    private static String body(Schema schema) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("schema", schema.toString())
                .toString();
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

    private static int register(String subject, Schema schema) throws IOException, InterruptedException {
        var answer = post("/subjects/" + subject.replace("/", "%2F") + "/versions", body(schema));
        assertThat(answer.status()).as("%s", answer.body()).isEqualTo(200);
        return answer.body().path("id").asInt();
    }

    private static Answer get(String path) throws IOException, InterruptedException {
        return send("GET", path, "");
    }

    private static Answer post(String path, String body) throws IOException, InterruptedException {
        return send("POST", path, body);
    }

    private static Answer send(String method, String path, String body) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(registry.url() + path))
                .header("Content-Type", "application/vnd.schemaregistry.v1+json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        var response = HTTP.send(request, HttpResponse.BodyHandlers.ofByteArray());
        return new Answer(response.statusCode(), JSON.readTree(response.body()));
    }

    private static void refused(Answer answer, int status, int code) {
        assertThat(answer.status()).as("%s", answer.body()).isEqualTo(status);
        assertThat(answer.body().path("error_code").asInt()).isEqualTo(code);
        assertThat(answer.body().path("message").asText()).isNotEmpty();
    }
}
