package io.perceptronstreams.monitor;

import static io.perceptronstreams.monitor.TestServer.EXAMPLE;
import static io.perceptronstreams.monitor.TestServer.JSON;
import static io.perceptronstreams.monitor.TestServer.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.perceptronstreams.access.Role;
import io.perceptronstreams.access.TestIssuer;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.LogLines;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.PathItem.HttpMethod;
import io.swagger.v3.parser.OpenAPIV3Parser;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Roles and models of clients, on every route. */
final class HttpRightsTest {
    private static final String RESET = "{\"action\":\"RESET\"}";
    private static final Pattern ROLE = Pattern.compile("(?m)^\\| `(\\w+)` \\| (.*) \\|$");

    /** As in docs/security.md. */
    private static final Set<String> OPEN = Set.of("/healthz", "/readyz", "/startupz");

    @TempDir
    private Path directory;

    private TestServer server;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.writing(
                TestServer.withTokens(
                        directory,
                        token("reader", "read", "'*'"),
                        token("sender", "send", "'*'"),
                        token("operator", "command", "'*'"),
                        token("team", "[read, send, command]", "alpha*"),
                        token("nobody", "send", "none")),
                (model, events, isWaiting, budget) -> TestServer.acknowledged(),
                null,
                new WriteLimits(40, 1_000, 1_000, () -> 0));
        server.state.caughtUp();
        server.live();
        for (String model : List.of("alpha", "beta")) {
            server.state.add(Fabricated.status(model, 1, Map.of("state", "LIVE")));
            server.mistake(Fabricated.mistake(model, 0, 4));
            server.state.add(Fabricated.count(model, 1, 5, 5));
            server.state.add(Fabricated.alert(model, 1, Map.of()));
            server.state.add(new DeadLetterView(model, 0, 0, 0, "OF_" + model, "why", "t", 1L, 2L, 3));
        }
        server.predicted("alpha", "a17");
    }

    @AfterEach
    void close() {
        server.close();
    }

    private String request(String method, String path, String client) throws IOException {
        String header = "Authorization: Bearer " + client;
        return method.equals("POST")
                ? server.send(
                        TestServer.request("POST", path, path.endsWith("/commands") ? RESET : EXAMPLE, JSON, header))
                : server.send(TestServer.request(method, path, "", header));
    }

    /** HEAD, because a stream has no end. */
    private String read(String path, String client) throws IOException {
        return request(path.contains("/stream/") ? "HEAD" : "GET", path, client);
    }

    /** Every route of the program with its method: those in the code, and those in the description of the API. */
    private static Map<String, Set<String>> routes() throws IOException {
        Map<String, Set<String>> routes = new TreeMap<>();
        GetHandler answers = new GetHandler();
        new Api(null, null, null, null, null, null).addTo(answers);
        answers.paths()
                .forEach(path ->
                        routes.computeIfAbsent(path, key -> new TreeSet<>()).add("GET"));
        for (String file : List.of("/", "/nothing", "/favicon.ico")) {
            routes.put(file, new TreeSet<>(Set.of("GET")));
        }
        for (Topic topic : SseBroadcaster.TOPICS) {
            routes.put("/api/v1/stream/" + topic.suffix(), new TreeSet<>(Set.of("GET")));
        }
        for (EventRequests.Route route : EventRequests.Route.values()) {
            routes.put("/api/v1/models/{model}/" + route.text(), new TreeSet<>(Set.of("POST")));
        }
        OpenAPI api = new OpenAPIV3Parser()
                .readContents(new String(OpenApi.yaml(), StandardCharsets.UTF_8))
                .getOpenAPI();
        api.getPaths().forEach((path, item) -> {
            for (HttpMethod method : item.readOperationsMap().keySet()) {
                routes.computeIfAbsent(path, key -> new TreeSet<>()).add(method.name());
            }
        });
        return routes;
    }

    /**
     * The role that docs/security.md demands for a request: a row of its table has {@code GET} or the end of a path.
     */
    private static Role role(String path, String method) throws IOException {
        String request =
                method.equals("GET") ? "`GET`" : "`" + method + " …" + path.substring(path.lastIndexOf('/')) + "`";
        List<Role> roles = new ArrayList<>();
        Matcher row = ROLE.matcher(Files.readString(Path.of("docs/security.md")));
        while (row.find()) {
            if (row.group(2).contains(request)) {
                roles.add(Role.valueOf(row.group(1).toUpperCase(Locale.ROOT)));
            }
        }
        assertThat(roles).as("roles of %s in docs/security.md", request).hasSize(1);
        return roles.get(0);
    }

    @Test
    void shouldDemandARoleOnEveryRoute() throws Exception {
        Map<Role, String> clients = Map.of(Role.READ, "reader", Role.SEND, "sender", Role.COMMAND, "operator");
        Map<String, Set<String>> routes = routes();
        assertThat(routes).hasSizeGreaterThan(25);
        for (Map.Entry<String, Set<String>> route : routes.entrySet()) {
            for (String method : route.getValue()) {
                String path = route.getKey().replace("{model}", "alpha");
                String name = method + " " + path;
                Role needed = role(path, method);
                for (Role role : Role.values()) {
                    String answer = method.equals("GET")
                            ? read(path, clients.get(role))
                            : request(method, path, clients.get(role));
                    if (role == needed || OPEN.contains(path)) {
                        assertThat(answer)
                                .as(name)
                                .doesNotStartWith("HTTP/1.1 401")
                                .doesNotStartWith("HTTP/1.1 403");
                    } else {
                        assertThat(answer).as(name).startsWith("HTTP/1.1 403");
                    }
                }
                if (!OPEN.contains(path)) {
                    assertThat(server.send(TestServer.request(method, path, "")))
                            .as(name)
                            .startsWith("HTTP/1.1 401");
                }
            }
        }
    }

    @Test
    void shouldShowNothingOfOtherModelsOnAnyRoute() throws Exception {
        for (Map.Entry<String, Set<String>> route : routes().entrySet()) {
            for (String method : route.getValue()) {
                String path = route.getKey();
                String own = path.replace("{model}", "alpha");
                String answer = method.equals("GET") ? read(own, "team") : request(method, own, "team");
                assertThat(answer).as(own).doesNotContain("beta");
                if (!path.equals("/metrics")) {
                    assertThat(answer).as(own).doesNotStartWith("HTTP/1.1 403");
                }
                if (path.contains("{model}")) {
                    assertThat(request(method, path.replace("{model}", "beta"), "team"))
                            .as(path)
                            .startsWith("HTTP/1.1 403")
                            .contains("model must match alpha*, the models of client 'team'")
                            .doesNotContain("beta");
                }
            }
        }
        for (String path : List.of("mistakes", "counts", "alerts", "stream/mistakes")) {
            assertThat(read("/api/v1/" + path + "?model=beta", "team")).startsWith("HTTP/1.1 403");
            assertThat(read("/api/v1/" + path + "?model=alpha", "team")).startsWith("HTTP/1.1 200");
        }
        assertThat(read("/metrics", "team")).startsWith("HTTP/1.1 403");
    }

    @Test
    void shouldCountOwnModelsOnly() throws Exception {
        assertThat(read("/api/v1/models", "reader")).contains("\"total\":2");
        assertThat(read("/api/v1/models", "team")).contains("\"total\":1").contains("\"model\":\"alpha\"");
        assertThat(read("/api/v1/models?name=beta", "team")).contains("\"total\":0");
        assertThat(read("/api/v1/engine", "reader")).contains("\"models\":2", "\"deadLetters\":2");
        assertThat(read("/api/v1/engine", "team")).contains("\"models\":1", "\"deadLetters\":1");
        assertThat(read("/api/v1/dead-letters", "reader")).contains("\"total\":2", "OF_alpha", "OF_beta");
        assertThat(read("/api/v1/dead-letters", "team")).contains("\"total\":1", "\"byReason\":{\"OF_alpha\":1}");
    }

    @Test
    void shouldStreamOwnModelsOnly() throws Exception {
        try (Socket stream = stream("team")) {
            TestServer.readUntil(stream, "retry");
            server.mistake(Fabricated.mistake("beta", 0, 5));
            server.mistake(Fabricated.mistake("alpha", 0, 6));

            assertThat(TestServer.readUntil(stream, "\"alpha\"")).doesNotContain("beta");
        }
    }

    @Test
    void shouldEndStreamsOfClientsThatMayNoLongerRead() throws Exception {
        try (Socket stays = stream("reader");
                Socket ends = stream("team")) {
            TestServer.readUntil(stays, "retry");
            TestServer.readUntil(ends, "retry");
            TestServer.withTokens(directory, token("reader", "read", "alpha"));

            // the last chunk
            TestServer.readUntil(ends, "\r\n0\r\n\r\n");
            await().until(() ->
                    server.get("/api/v1/models", "Authorization: Bearer team").startsWith("HTTP/1.1 401"));
            await().until(() -> read("/api/v1/models", "reader").contains("\"total\":1"));
            server.mistake(Fabricated.mistake("alpha", 0, 7));
            TestServer.readUntil(stays, "\"alpha\"");
        }
    }

    private Socket stream(String client) throws IOException {
        return server.start("GET /api/v1/stream/mistakes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + client
                + "\r\n\r\n");
    }

    @Test
    void shouldKeepTheCredentialsOfHttpAuthBesideTheFile() throws Exception {
        server.close();
        server = TestServer.open(
                "http.tokens.file=" + directory.resolve("tokens.yaml"), "http.auth=bearer:0123456789abcdef");

        assertThat(read("/api/v1/models", "0123456789abcdef")).startsWith("HTTP/1.1 200");
        assertThat(read("/api/v1/models", "reader")).startsWith("HTTP/1.1 200");
        assertThat(read("/api/v1/models", "wrong"))
                .startsWith("HTTP/1.1 401")
                .contains("WWW-Authenticate: Basic realm=", "WWW-Authenticate: Bearer realm=")
                .contains("credentials must be those of http.auth or http.tokens.file");
    }

    /** Without keys of the issuer its tokens cannot be checked: the others can, and nothing waits. */
    @Test
    void shouldTakeTokensOfAnIssuer() throws Exception {
        try (TestIssuer issuer = new TestIssuer()) {
            String[] settings = {
                "http.tokens.file=" + directory.resolve("tokens.yaml"),
                "http.oidc.issuer=" + issuer.url(),
                "http.oidc.audience=perceptron",
                "http.oidc.models.claim=models"
            };
            server.close();
            server = TestServer.open(settings);
            server.state.add(Fabricated.status("alpha", 1, Map.of()));
            server.state.add(Fabricated.status("beta", 1, Map.of()));
            String token = issuer.token(Map.of("roles", List.of("read"), "models", List.of("beta")));

            await().until(() -> read("/api/v1/models", token).startsWith("HTTP/1.1 200"));
            assertThat(read("/api/v1/models", token)).contains("\"total\":1");
            assertThat(read("/api/v1/models/alpha", token))
                    .startsWith("HTTP/1.1 403")
                    .contains("client 'ann'");
            assertThat(read("/api/v1/models", issuer.token(Map.of()))).startsWith("HTTP/1.1 403");
            assertThat(read("/api/v1/models", "a.b.c")).startsWith("HTTP/1.1 401");
            assertThat(read("/api/v1/models", "reader")).contains("\"total\":2");
        }
    }

    @Test
    void shouldAnswerThatKeysOfTheIssuerAreMissing() throws Exception {
        try (TestIssuer issuer = new TestIssuer()) {
            String token = issuer.token(Map.of("roles", List.of("read")));
            server.close();
            // the discovery document names the issuer by its address
            server = TestServer.open("http.oidc.issuer=" + issuer.url() + "/", "http.oidc.audience=perceptron");

            assertThat(read("/api/v1/models", token))
                    .startsWith("HTTP/1.1 503")
                    .contains("Retry-After: 1", "keys of http.oidc.issuer must be read");
            assertThat(server.get("/healthz")).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void shouldAskNobodyForARoleWithoutCredentials() throws Exception {
        server.close();
        server = TestServer.writing(
                TestServer.config(), null, TestReplica.ofAny(name -> {}), new WriteLimits(1, 10, 10, () -> 0));

        assertThat(server.get("/api/v1/models")).startsWith("HTTP/1.1 200");
        assertThat(server.send(TestServer.request("POST", "/api/v1/models/m/predict", EXAMPLE, JSON)))
                .startsWith("HTTP/1.1 200");
    }

    /** Who has switched on examples before there were commands must not accept commands now. */
    @Test
    void shouldTakeNoCommandsFromASingleToken() throws Exception {
        for (String auth : List.of("bearer:0123456789abcdef", "basic:ann:0123456789abcdef")) {
            server.close();
            server = TestServer.writing(
                    TestServer.config("http.auth=" + auth),
                    (model, events, isWaiting, budget) -> TestServer.acknowledged(),
                    null,
                    new WriteLimits(1, 10, 10, () -> 0));
            String header = auth.startsWith("basic")
                    ? "Authorization: Basic YW5uOjAxMjM0NTY3ODlhYmNkZWY="
                    : "Authorization: Bearer 0123456789abcdef";

            assertThat(server.send(TestServer.request("POST", "/api/v1/models/m/examples", EXAMPLE, JSON, header)))
                    .startsWith("HTTP/1.1 202");
            assertThat(server.send(TestServer.request("POST", "/api/v1/models/m/commands", RESET, JSON, header)))
                    .startsWith("HTTP/1.1 403")
                    .contains("client must have the role command, got '")
                    .contains("http.tokens.file and http.oidc.issuer give roles");
        }
    }

    @Test
    void shouldTakeDefaultsFromClientsOfAllModelsOnly() throws Exception {
        String defaults = "{\"action\":\"DEFAULTS\",\"settings\":{\"h\":\"1\"}}";
        for (String client : List.of("operator", "team")) {
            String answer = server.send(TestServer.request(
                    "POST", "/api/v1/models/*/commands", defaults, JSON, "Authorization: Bearer " + client));
            assertThat(answer).startsWith(client.equals("team") ? "HTTP/1.1 403" : "HTTP/1.1 202");
        }
    }

    @Test
    void shouldLogWhoHasSentWhatWithoutTheToken() throws Exception {
        try (LogLines log = new LogLines("io.perceptronstreams.audit")) {
            request("POST", "/api/v1/models/logged/examples", "sender");
            request("POST", "/api/v1/models/logged%22/labels", "team");
            request("POST", "/api/v1/models/logged/commands", "operator");
            request("POST", "/api/v1/models/logged/commands", "sender");
            request("GET", "/api/v1/models/logged", "reader");

            // a line follows its answer, so that they come in any order, and after those of an earlier test
            List<String> lines = await().until(
                            () -> log.lines().stream()
                                    .filter(line -> line.contains("\"logged"))
                                    .toList(),
                            found -> found.size() >= 4);
            assertThat(lines)
                    .containsExactlyInAnyOrder(
                            "INFO io.perceptronstreams.audit: {\"client\":\"sender\",\"address\":\"127.0.0.1\","
                                    + "\"action\":\"examples\",\"model\":\"logged\",\"status\":\"202\"}",
                            "INFO io.perceptronstreams.audit: {\"client\":\"operator\",\"address\":\"127.0.0.1\","
                                    + "\"action\":\"commands\",\"model\":\"logged\",\"command\":\"RESET\",\"status\":\"202\"}",
                            "INFO io.perceptronstreams.audit: {\"client\":\"sender\",\"address\":\"127.0.0.1\","
                                    + "\"action\":\"commands\",\"model\":\"logged\",\"status\":\"403\"}",
                            "INFO io.perceptronstreams.audit: {\"client\":\"team\",\"address\":\"127.0.0.1\","
                                    + "\"action\":\"labels\",\"model\":\"logged%22\",\"status\":\"403\"}");
        }
    }
}
