package io.perceptronstreams.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A registry on a broker, for all tests of a class, and requests to it.
 *
 * <p>Each test uses its own subject and record name, as the tests share the registry.
 */
final class RegistryExtension implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    record Answer(int status, JsonNode body) {}

    private Path directory;
    private EmbeddedBroker broker;
    private EmbeddedRegistry registry;
    private String name;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        directory = Files.createTempDirectory("registry");
        broker = EmbeddedBroker.start(directory, 0);
        registry = EmbeddedRegistry.start(broker.bootstrapServers(), 0);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        name = context.getRequiredTestMethod().getName();
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        Utils.closeQuietly(registry, "registry");
        Utils.closeQuietly(broker, "broker");
        Utils.delete(directory.toFile());
    }

    /** The name of the test, for its subject. */
    String name() {
        return name;
    }

    int port() {
        return registry.port();
    }

    String bootstrapServers() {
        return broker.bootstrapServers();
    }

    void restart() {
        registry.close();
        registry = EmbeddedRegistry.start(broker.bootstrapServers(), 0);
    }

    SchemaRegistry client() {
        return SchemaRegistries.of(Map.of("schema.registry.url", registry.url()));
    }

    /** A record with these int fields, none with a default. */
    Schema schema(String... fields) {
        var record = SchemaBuilder.record(name).fields();
        for (String field : fields) {
            record = record.requiredInt(field);
        }
        return record.endRecord();
    }

    static String body(Schema schema) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("schema", schema.toString())
                .toString();
    }

    int register(String subject, Schema schema) throws IOException, InterruptedException {
        var answer = post("/subjects/" + subject.replace("/", "%2F") + "/versions", body(schema));
        assertThat(answer.status()).as("%s", answer.body()).isEqualTo(200);
        return answer.body().path("id").asInt();
    }

    Answer get(String path) throws IOException, InterruptedException {
        return send("GET", path, "");
    }

    Answer post(String path, String body) throws IOException, InterruptedException {
        return send("POST", path, body);
    }

    Answer send(String method, String path, String body) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(registry.url() + path))
                .header("Content-Type", "application/vnd.schemaregistry.v1+json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        var response = HTTP.send(request, HttpResponse.BodyHandlers.ofByteArray());
        return new Answer(response.statusCode(), JSON.readTree(response.body()));
    }

    /** Asserts the status and error code of a refusal. */
    static void refused(Answer answer, int status, int code) {
        assertThat(answer.status()).as("%s", answer.body()).isEqualTo(status);
        assertThat(answer.body().path("error_code").asInt()).isEqualTo(code);
        assertThat(answer.body().path("message").asText()).isNotEmpty();
    }
}
