package io.perceptronstreams.embedded;

import static io.perceptronstreams.embedded.RegistryExtension.body;
import static io.perceptronstreams.embedded.RegistryExtension.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.perceptronstreams.serde.CollidingNames;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that the registry refuses: wrong ones, and those of web pages. */
final class RegistryRequestsIT {
    @RegisterExtension
    static final RegistryExtension registry = new RegistryExtension();

    private String name;

    @BeforeEach
    void nameTheSubject() {
        name = registry.name();
    }

    @Test
    void shouldRefuseWrongRequests() throws Exception {
        String versions = "/subjects/" + name + "/versions";
        refused(registry.post(versions, "{\"schema\":\"{\\\"type\\\":\\\"what\\\"}\"}"), 422, 42201);
        refused(registry.post(versions, "{\"schema\":7}"), 422, 42201);
        refused(registry.post(versions, "{\"schemaType\":\"PROTOBUF\",\"schema\":\"syntax\"}"), 422, 42201);
        refused(registry.post(versions, "{\"schema\":\"\\\"R\\\"\",\"references\":[{\"name\":\"R\"}]}"), 422, 42201);
        refused(registry.post(versions, ""), 422, 42201);
        refused(registry.post(versions, "{"), 400, 400);
        refused(
                registry.post(versions, "{\"schema\":\"" + "x".repeat(RegistryRequest.MAX_BODY_BYTES) + "\"}"),
                413,
                413);
        refused(registry.get(versions), 404, 40401);
        registry.register(name, registry.schema("a"));
        refused(registry.get(versions + "/first"), 422, 42202);
        refused(registry.get(versions + "/1/what"), 404, 404);
        refused(registry.get("/what"), 404, 404);
        refused(registry.get("/schemas/ids/x"), 404, 40403);
        refused(registry.send("PUT", versions, "{}"), 405, 405);
        refused(registry.send("DELETE", versions + "/1", ""), 405, 405);
        refused(registry.send("DELETE", "/subjects/" + name, ""), 405, 405);
        assertThat(registry.get("/subjects/" + name + "/versions").body()).hasToString("[1]");
    }

    /** Avro's parser throws different exceptions for these; the answer was once 500, which clients retry. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'type':'record','name':'R','fields':[{'name':'f','type':'int','order':'none'}]}",
                "{'type':'record','name':'R','fields':[{'name':'f','type':'int','order':1}]}",
                "{'type':'fixed','name':'F','size':2147483647}"
            })
    void shouldRefuseSchemasThatAvroCannotParse(String invalid) throws Exception {
        String body = JsonNodeFactory.instance
                .objectNode()
                .put("schema", invalid.replace('\'', '"'))
                .toString();
        refused(registry.post("/subjects/" + name + "/versions", body), 422, 42201);
    }

    /**
     * Jackson's table of names refused them as no JSON, and a table that has refused a name may fail for later
     * requests.
     */
    @Test
    void shouldAnswerAfterRequestsWhoseNamesHaveEqualHashes() throws Exception {
        String versions = "/subjects/" + name + "/versions";
        Random random = new Random(5);
        for (int k = 0; k < 8; k++) {
            refused(registry.post(versions, fields(CollidingNames.of(300, random))), 422, 42201);
        }
        for (int k = 0; k < 100; k++) {
            List<String> others =
                    random.ints(20).mapToObj(number -> "some name " + number).toList();
            refused(registry.post(versions, fields(others)), 422, 42201);
        }
    }

    private static String fields(List<String> names) {
        return names.stream().map(each -> "\"" + each + "\":1").collect(Collectors.joining(",", "{", "}"));
    }

    @Test
    void shouldRefuseSchemasThatAreNestedTooDeeplyForTheStack() throws Exception {
        // the maximum of Avro's JSON parser is 1,000
        int depth = 990;
        String deep = "{\"type\":\"array\",\"items\":".repeat(depth) + "\"int\"" + "}".repeat(depth);
        var parse = new FutureTask<>(() -> SchemaParser.parse(deep));
        new Thread(null, parse, "small stack", 192 << 10).start();
        assertThatThrownBy(parse::get)
                .cause()
                .isInstanceOf(RegistryError.class)
                .hasMessage("Invalid schema: java.lang.StackOverflowError");
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
        refused(registry.get("/subjects/" + name + "/versions"), 404, 40401);
        for (String host : List.of("127.0.0.1", "[::1]:8081", "LOCALHOST")) {
            assertThat(raw("POST", "Host: " + host + "\r\nSec-Fetch-Site: none\r\n" + json))
                    .isEqualTo(200);
        }
    }

    /** Registers a schema by a request with these headers, also those that HttpClient does not send. */
    private int raw(String method, String headers) throws IOException {
        byte[] body = body(registry.schema("a")).getBytes(StandardCharsets.UTF_8);
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
}
