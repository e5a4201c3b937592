package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.event.Evidence;
import io.perceptronstreams.event.Mistake;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses of the API for fabricated events. */
final class HttpAnswersTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final TestServer server = TestServer.open();

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void shouldAnswerAsTheDescriptionSays() throws Exception {
        server.state.add(Fabricated.status("m", 10_000, Map.of("settings", Map.of("h", "0.0"))));
        server.state.add(Fabricated.count("m", 1, 5, 5));
        server.state.add(new DeadLetterView("m", 0, 0, 0, "R", "why", "t", 1L, 2L, 3));
        server.mistake(Fabricated.mistake("m", 0, 4));
        JsonNode paths = description().path("paths");
        JsonNode schemas = description().path("components").path("schemas");

        JsonNode model = json("/api/v1/models/m");
        assertThat(names(model)).containsExactlyInAnyOrderElementsOf(allRequired(schemas, "Model"));
        assertThat(names(json("/api/v1/models")))
                .containsExactlyInAnyOrderElementsOf(required(answer(paths, "/api/v1/models")));
        assertThat(names(json("/api/v1/models").path("models").path(0)))
                .containsExactlyInAnyOrderElementsOf(allRequired(schemas, "Row"));
        JsonNode history = json("/api/v1/models/m/history");
        assertThat(names(history.path("points").path(0)))
                .containsExactlyInAnyOrderElementsOf(allRequired(schemas, "Point"));
        conforms(json("/api/v1/engine"), schemas.path("EngineAnswer"));
        conforms(json("/api/v1/settings").path("settings").path(0), schemas.path("SettingDefinition"));
        conforms(json("/api/v1/dead-letters").path("latest").path(0), schemas.path("DeadLetterView"));
        conforms(history.path("marks").path(0), schemas.path("Mark"));
        conforms(model.path("changes").path(0), schemas.path("Mark"));
        server.state.addDefaults(Fabricated.status("*/0", 1, Map.of("settings", Map.of("h", "0.0", "eta", "0.5"))));
        JsonNode defaults = json("/api/v1/defaults").path("defaults").path(0);
        assertThat(names(defaults))
                .containsExactlyInAnyOrderElementsOf(required(answer(paths, "/api/v1/defaults")
                        .path("properties")
                        .path("defaults")
                        .path("items")));
        assertThat(defaults.path("settings").toString()).isEqualTo("{\"eta\":\"0.5\"}");
        assertThat(json("/api/v1/models").path("total").asInt()).isEqualTo(1);
        assertThat(names(json("/api/v1/mistakes").path("events").path(0)))
                .containsExactlyInAnyOrderElementsOf(allRequired(schemas, "MistakeEvent"))
                .contains("exampleId", "weightNorm");
    }

    @Test
    void shouldAnswerWhatWaitsAsTheDescriptionSays() throws Exception {
        server.state.add(Fabricated.status("m", 1, Map.of("examples", 1L)));
        JsonNode paths = description().path("paths");

        server.state.add(Fabricated.status("waiting", 1, Map.of("pending", 2L, "labelDelays", List.of(3L))));
        JsonNode pending = json("/api/v1/models/waiting/pending");
        assertThat(names(pending))
                .containsExactlyInAnyOrderElementsOf(required(answer(paths, "/api/v1/models/{model}/pending")));
        assertThat(pending.path("delays").toString()).isEqualTo("[{\"upToMs\":1,\"labels\":3}]");
        assertThat(pending.path("pending").asInt()).isEqualTo(2);
    }

    @Test
    void shouldAnswerWhatMistakesHaveInCommon() throws Exception {
        server.state.add(Fabricated.status("m", 1, Map.of("examples", 1L)));
        for (int k = 0; k < 3; k++) {
            Evidence part = new Evidence(k == 0 ? "a" : "b", null, null, 1.0, 1.0, -1.0 - k, 1.0);
            Map<String, Object> fields = Map.of(
                    "labelText",
                    "1",
                    "predictedText",
                    "-1",
                    "margin",
                    -2.0,
                    "evidence",
                    List.of(part),
                    "evidenceBias",
                    0.5);
            server.state.add(new Event<>(0, k, 1, "m", Fabricated.event(Mistake.class, fields)));
        }

        JsonNode features = json("/api/v1/models/m/causes?limit=1");
        conforms(features, description().at("/components/schemas/Causes"));
        assertThat(features.toString())
                .isEqualTo("{\"model\":\"m\",\"mistakes\":3,\"explained\":3,\"causes\":[{\"name\":\"b\","
                        + "\"mistakes\":2,\"pulledWrong\":2,\"meanContribution\":-2.5}]}");
        assertThat(json("/api/v1/models/m/causes?by=pair").path("causes").toString())
                .isEqualTo("[{\"name\":\"1 as -1\",\"mistakes\":3,\"pulledWrong\":3,\"meanContribution\":-2.0}]");
        assertThat(server.get("/api/v1/models/m/causes?by=label"))
                .startsWith("HTTP/1.1 400")
                .contains("by must be feature or pair");
    }

    @Test
    void shouldSortSearchAndPageAThousandModels() throws Exception {
        for (int k = 0; k < 1_000; k++) {
            server.state.add(Fabricated.status("Model-" + k, 1, Map.of("examples", (long) (k * 7 % 1_000))));
        }

        JsonNode page = json("/api/v1/models?q=mODEL-1&sort=examples&order=desc&offset=1&limit=2");

        // 111 names begin with 1: 1, 10 to 19, 100 to 199; most examples have 142 (994), 141 and 140
        assertThat(page.path("total").asInt()).isEqualTo(111);
        assertThat(page.path("models").findValuesAsText("examples")).containsExactly("987", "980");
        assertThat(json("/api/v1/models?state=FROZEN").path("total").asInt()).isZero();
    }

    @Test
    void shouldFindStatesInAnyCaseAndOneModelByItsName() throws Exception {
        for (String name : List.of("a", "ab")) {
            server.state.add(Fabricated.status(name, 1, Map.of("state", "LIVE")));
        }

        for (String state : List.of("live", "LIVE", "Live")) {
            assertThat(json("/api/v1/models?state=" + state).path("total").asInt())
                    .isEqualTo(2);
        }
        assertThat(json("/api/v1/models?name=a").path("models").findValuesAsText("model"))
                .containsExactly("a");
        assertThat(json("/api/v1/models?name=b").path("total").asInt()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/main.js",
                "/favicon.ico",
                "/docs/theory.md",
                "/api/v1",
                "/api/v1/models",
                "/api/v1/models/m",
                "/api/v1/models/m/history",
                "/api/v1/models/m/pending",
                "/api/v1/models/m/causes",
                "/api/v1/models/unknown",
                "/api/v1/settings",
                "/api/v1/defaults",
                "/api/v1/dead-letters",
                "/api/v1/openapi.yaml",
                "/api/v1/models?limit=0",
                "/healthz",
                "/readyz",
                "/startupz",
                "/nowhere"
            })
    void shouldAnswerHeadWithTheHeadersOfGet(String path) throws Exception {
        server.state.add(Fabricated.status("m", 1, Map.of()));
        String get = server.get(path);

        String head = server.send("HEAD " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

        assertThat(TestServer.body(head)).isEmpty();
        assertThat(head.lines().takeWhile(line -> !line.isEmpty()).toList())
                .hasSameElementsAs(
                        get.lines().takeWhile(line -> !line.isEmpty()).toList());
    }

    @Test
    void shouldAnswerHeadOfAStreamWithoutOpeningOne() throws Exception {
        String head =
                server.send("HEAD /api/v1/stream/mistakes HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

        assertThat(head).startsWith("HTTP/1.1 200").contains("Content-Type: text/event-stream");
        assertThat(json("/api/v1/engine").path("streams").asInt()).isZero();
    }

    @Test
    void shouldServeTheIconAndTheDocumentsThatThePageLinksTo() throws Exception {
        assertThat(server.get("/favicon.ico")).startsWith("HTTP/1.1 200").contains("Content-Type: image/svg+xml");
        assertThat(server.get("/docs/theory.md"))
                .startsWith("HTTP/1.1 200")
                .contains("Content-Type: text/plain")
                .contains("margin certificate");
        assertThat(server.get("/docs/asyncapi.json"))
                .startsWith("HTTP/1.1 200")
                .contains("Content-Type: application/json")
                .contains("\"asyncapi\" : \"3.0.0\"");
    }

    /** The build copied five of the pages, whose links to the others led nowhere. */
    @Test
    void shouldHaveAllDocumentsBesideThePage() throws Exception {
        assertThat(Files.readString(Path.of("src/app/pom.xml")))
                .containsPattern(
                        "<directory>\\$\\{root\\.directory\\}/docs</directory>\\s*<includes>\\s*<include>\\*\\.md</include>\\s*<include>\\*\\.json</include>");
        try (Stream<Path> files = Files.list(Path.of("src/app/main/resources/monitor"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Matcher links = Pattern.compile("/docs/[a-z.-]+\\.(?:md|json)").matcher(Files.readString(file));
                while (links.find()) {
                    assertThat(Path.of(links.group().substring(1)))
                            .as(file.toString())
                            .exists();
                }
            }
        }
    }

    @Test
    void shouldCompressLongAnswersForThoseWhoAcceptIt() throws Exception {
        String gzip = "Accept-Encoding: br, gzip;q=0.5";
        assertThat(server.get("/main.js", gzip))
                .contains("Content-Encoding: gzip")
                .doesNotContain("import ");
        assertThat(server.get("/main.js")).doesNotContain("Content-Encoding").contains("import ");
        assertThat(server.get("/healthz", gzip)).doesNotContain("Content-Encoding");
    }

    @Test
    void shouldBeStartedForEverOnceItWasReady() throws Exception {
        assertThat(server.get("/startupz")).startsWith("HTTP/1.1 503").contains("\"status\":\"starting\"");
        server.live();

        await().untilAsserted(() -> assertThat(server.get("/startupz")).startsWith("HTTP/1.1 200"));
    }

    @Test
    void shouldRefuseWrongParametersInOneLine() throws Exception {
        for (String query :
                List.of("state=alive", "sort=size", "order=up", "limit=0", "limit=201", "limit=x", "offset=-1")) {
            String response = server.get("/api/v1/models?" + query);
            assertThat(response).as(query).startsWith("HTTP/1.1 400").contains("{\"error\":\"");
        }
        assertThat(server.get("/api/v1/models/unknown")).startsWith("HTTP/1.1 404");
        assertThat(server.get("/api/v1/models/unknown/history")).startsWith("HTTP/1.1 404");
        assertThat(server.get("/api/v1/models/unknown/mistakes")).startsWith("HTTP/1.1 404");
    }

    @Test
    void shouldCarryHostileTextAsText() throws Exception {
        String hostile = "<script>alert(1)</script>\r\n\r\ndata: forged\u2028\"}";
        server.mistake(new Event<>(0, 0, 1, hostile, Fabricated.mistakeValue(hostile, 1)));

        String response = server.get("/api/v1/mistakes");
        assertThat(response).contains("Content-Type: application/json").contains("nosniff");
        JsonNode event = JSON.readTree(TestServer.body(response)).path("events").path(0);
        assertThat(event.path("model").asText()).isEqualTo(hostile);
        assertThat(event.path("exampleId").asText()).isEqualTo(hostile);
        try (Socket stream = server.stream("mistakes?lastEventId=perceptron-mistakes-1-1@")) {
            String text = TestServer.readUntil(stream, "}");
            assertThat(text.lines().filter(line -> line.startsWith("data:"))).hasSize(1);
        }
    }

    @Test
    void shouldFindThePredictionsOfAnExampleInTheLastRecords() throws Exception {
        server.state.add(Fabricated.status("m", 1, Map.of()));
        String[] ids = IntStream.range(0, 25).mapToObj(k -> "e" + k % 5).toArray(String[]::new);
        server.predicted("m", ids);

        // http.lookback.records is 10 here
        JsonNode found = json("/api/v1/models/m/predictions?id=e3");
        assertThat(names(found.path("events").path(0)))
                .containsExactlyInAnyOrderElementsOf(
                        allRequired(description().at("/components/schemas"), "PredictionEvent"));
        assertThat(found.path("searched").asInt()).isEqualTo(10);
        assertThat(found.findValuesAsText("offset")).containsExactly("23", "18");

        server.predicted("m", ids);
        assertThat(json("/api/v1/models/m/predictions?limit=2").findValuesAsText("exampleId"))
                .containsExactly("e4", "e3");
        assertThat(server.get("/api/v1/models/nobody/predictions")).startsWith("HTTP/1.1 404");
        server.predictions = new MockConsumer<>("none");
        assertThat(server.get("/api/v1/models/m/predictions"))
                .as("no such topic")
                .startsWith("HTTP/1.1 503");
    }

    @Test
    void shouldAnswerListsMapsAndMatricesAsCsv() throws Exception {
        Map<String, Object> fields = new TreeMap<>(Map.of("examples", 4L, "labelled", 4L, "errors", 1L));
        fields.put("settings", Map.of("h", "1.0"));
        fields.put("confusion", Fabricated.confusion(List.of("-1", "1"), 0, 2, 1, 0, 1));
        server.state.add(Fabricated.status("m", 1, fields));
        server.state.add(Fabricated.status("n", 1, Map.of("examples", 7L)));
        server.state.add(Fabricated.status("o", 1, Map.of()));

        String models = server.get("/api/v1/models?name=n&name=m&csv=models");
        assertThat(models).contains("Content-Type: text/csv; charset=utf-8");
        List<String> lines = TestServer.body(models).lines().toList();
        List<String> names = List.of(lines.get(0).split(","));
        assertThat(lines).hasSize(3);
        assertThat(List.of(lines.get(1).split(",")).get(names.indexOf("model"))).isEqualTo("m");
        assertThat(List.of(lines.get(2).split(",")).get(names.indexOf("examples")))
                .isEqualTo("7");
        assertThat(csv("/api/v1/models/m?csv=settings")).isEqualTo("name,value\r\nh,1.0\r\n");
        assertThat(csv("/api/v1/models/m?csv=confusion"))
                .isEqualTo("label,predicted -1,predicted 1\r\n-1,2,1\r\n1,0,1\r\n");
        assertThat(csv("/api/v1/models/m/weights?csv=snapshot.top")).isEqualTo("\r\n");
        assertThat(server.get("/api/v1/models/m?csv=nothing"))
                .startsWith("HTTP/1.1 400")
                .contains("csv must be a field");
    }

    /** A spreadsheet executes what begins with such a sign, also in a file that it opens. */
    @Test
    void shouldQuoteTextsInCsvAndLeaveNoFormula() throws Exception {
        server.mistake(new Event<>(0, 0, 1, "m", Fabricated.mistakeValue("=1+\"a\",b", 1)));

        assertThat(csv("/api/v1/mistakes?csv=events"))
                .contains(",\"'=1+\"\"a\"\",b\",")
                .contains(",-0.5,");
    }

    private String csv(String path) throws Exception {
        return TestServer.body(server.get(path));
    }

    @Test
    void shouldNotBeReadyWhileNothingIsRead() throws Exception {
        assertThat(server.get("/healthz")).startsWith("HTTP/1.1 200");
        assertThat(server.get("/readyz")).startsWith("HTTP/1.1 503");
    }

    @Test
    void shouldCapLabelsAndKeepTheSum() throws Exception {
        for (int k = 0; k < 500; k++) {
            server.state.add(Fabricated.status("m" + k, 1, Map.of("examples", (long) k)));
        }
        server.state.caughtUp();

        List<String> lines = TestServer.body(server.get("/metrics"))
                .lines()
                .filter(line -> line.startsWith("perceptron_examples_total{"))
                .toList();

        assertThat(lines).hasSize(MetricsEndpoint.MAX_LABELS + 1);
        assertThat(lines.stream()
                        .mapToDouble(line -> Double.parseDouble(line.split(" ", -1)[1]))
                        .sum())
                .isEqualTo(500 * 499 / 2.0);
        assertThat(lines).anyMatch(line -> line.contains("model=\"m499\"")).noneMatch(line -> line.contains("\"m0\""));
    }

    @Test
    void shouldRefuseStreamsBeyondTheCapAndTakeOneAgainWhenAnotherEnds() throws Exception {
        List<Socket> open = new ArrayList<>();
        for (int k = 0; k < 3; k++) {
            open.add(server.stream("mistakes"));
            TestServer.readUntil(open.get(k), "perceptron-mistakes");
        }
        assertThat(server.get("/api/v1/stream/mistakes"))
                .startsWith("HTTP/1.1 503")
                .contains("Retry-After:");
        assertThat(server.get("/")).startsWith("HTTP/1.1 200");

        open.get(0).close();
        int[] offset = {0};
        await().ignoreExceptions().untilAsserted(() -> {
            // the end of a connection is noticed when something is written
            server.mistake(Fabricated.mistake("m", 0, offset[0]++));
            try (Socket next = server.stream("mistakes")) {
                TestServer.readUntil(next, "HTTP/1.1 200");
            }
        });
        for (Socket socket : open) {
            socket.close();
        }
    }

    @Test
    void shouldServeOthersWhileStreamsAreNotRead() throws Exception {
        try (Socket stuck = server.stream("mistakes");
                Socket alsoStuck = server.stream("mistakes");
                Socket reader = server.stream("mistakes")) {
            TestServer.readUntil(reader, "perceptron-mistakes");
            for (int k = 0; k < 50_000; k++) {
                server.mistake(Fabricated.mistake("m", 0, k));
            }

            String text = TestServer.readUntil(reader, "\"exampleId\":\"e49999\"");
            assertThat(text).contains("event: dropped\ndata: {\"count\":");
            assertThat(server.get("/")).startsWith("HTTP/1.1 200");
            // one that wakes up goes on, and learns what it lost
            TestServer.readUntil(stuck, "event: dropped");
            TestServer.readUntil(stuck, "\"exampleId\":\"e49999\"");
            assertThat(alsoStuck.isClosed()).isFalse();
        }
    }

    @Test
    void shouldSendOnlyTheModelThatWasAskedFor() throws Exception {
        try (Socket stream = server.stream("mistakes?model=b")) {
            TestServer.readUntil(stream, "perceptron-mistakes");
            server.mistake(Fabricated.mistake("a", 0, 0));
            server.mistake(Fabricated.mistake("b", 1, 0));
            server.mistake(Fabricated.mistake("a", 0, 1));
            server.mistake(Fabricated.mistake("b", 1, 1));

            assertThat(TestServer.readUntil(stream, "\"exampleId\":\"e1\""))
                    .contains("\"model\":\"b\"")
                    .doesNotContain("\"model\":\"a\"");
        }
    }

    private JsonNode json(String path) throws Exception {
        String response = server.get(path);
        assertThat(response).startsWith("HTTP/1.1 200");
        return JSON.readTree(TestServer.body(response));
    }

    private static JsonNode answer(JsonNode paths, String path) {
        return paths.path(path)
                .path("get")
                .path("responses")
                .path("200")
                .path("content")
                .path("application/json")
                .path("schema");
    }

    private static List<String> required(JsonNode schema) {
        List<String> names = new ArrayList<>();
        schema.path("required").forEach(name -> names.add(name.asText()));
        assertThat(names).isNotEmpty();
        return names;
    }

    /** The required fields of a schema and of the schemas of which it consists. */
    static List<String> allRequired(JsonNode schemas, String name) {
        List<String> names = new ArrayList<>();
        List<JsonNode> parts = new ArrayList<>(List.of(schemas.path(name)));
        while (!parts.isEmpty()) {
            JsonNode part = parts.remove(0);
            part.path("required").forEach(each -> names.add(each.asText()));
            part.path("allOf").forEach(parts::add);
            if (part.has("$ref")) {
                parts.add(schemas.path(part.get("$ref").asText().replace("#/components/schemas/", "")));
            }
        }
        // the timestamp of a status is that of its record, too
        return names.stream().distinct().toList();
    }

    /** Requires that a value has the fields and the types of its schema, and its parts those of theirs. */
    private static void conforms(JsonNode value, JsonNode schema) {
        if (schema.has("oneOf")) {
            if (!value.isNull()) {
                conforms(value, schema.path("oneOf").path(0));
            }
            return;
        }
        boolean isOfType = switch (schema.path("type").asText()) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isTextual();
            case "boolean" -> value.isBoolean();
            case "integer" -> value.isIntegralNumber();
            default -> value.isNumber();
        };
        assertThat(isOfType).as(value + " as " + schema).isTrue();
        if (schema.has("enum")) {
            assertThat(schema.path("enum")).contains(value);
        }
        value.forEach(item -> {
            if (value.isArray()) {
                conforms(item, schema.path("items"));
            }
        });
        if (schema.has("required")) {
            assertThat(names(value)).containsExactlyInAnyOrderElementsOf(required(schema));
            names(value)
                    .forEach(name ->
                            conforms(value.path(name), schema.path("properties").path(name)));
        }
    }

    private static List<String> names(JsonNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** The description of the API in OpenAPI. */
    static JsonNode description() throws Exception {
        JsonFactory yaml = ServiceLoader.load(JsonFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(factory -> factory.getFormatName().equals("YAML"))
                .findFirst()
                .orElseThrow();
        return new ObjectMapper(yaml).readTree(OpenApi.yaml());
    }
}
