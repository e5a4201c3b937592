package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.perceptronstreams.cluster.DeadLetter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/events.schema.json} and {@code docs/asyncapi.json} describe the events in JSON; they are made of {@code
 * schemas/}, and {@code -Ddocs.write=true} writes them.
 */
final class EventDescriptionsTest {
    private static final Path SCHEMA = Path.of("docs/events.schema.json");
    private static final Path ASYNC_API = Path.of("docs/asyncapi.json");
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final Map<String, List<String>> MESSAGES = new TreeMap<>(Map.of(
            "examples", List.of("Example", "ExampleBatch", "Label", "ModelCommand"),
            "predictions", List.of("Prediction", "PredictionBatch"),
            "mistakes", List.of("Mistake"),
            "counts", List.of("MistakeCount"),
            "models", List.of("ModelStatus"),
            "weights", List.of("WeightsSnapshot"),
            "alerts", List.of("Alert")));

    @Test
    void shouldDescribeTheEventsOfTheSchemas() throws IOException {
        ObjectNode schema = JSON.createObjectNode()
                .put("$schema", "https://json-schema.org/draft/2020-12/schema")
                .put("title", "Events of perceptron-streams in JSON")
                .put("description", "Use the definition of an event, such as events.schema.json#/$defs/Prediction.");
        schema.set("$defs", definitions("#/$defs/"));
        assertWritten(SCHEMA, schema);
    }

    @Test
    void shouldDescribeTheTopics() throws IOException {
        Matcher version = Pattern.compile("<version>(.*?)</version>").matcher(Files.readString(Path.of("pom.xml")));
        assertThat(version.find()).isTrue();
        ObjectNode api = JSON.createObjectNode().put("asyncapi", "3.0.0");
        api.putObject("info")
                .put("title", "perceptron-streams")
                .put("version", version.group(1))
                .put(
                        "description",
                        "The topics of an engine, with the prefix perceptron. The key of a record is the name of the model."
                                + " Values are JSON as described here, or Avro in the Confluent wire format.");
        api.put("defaultContentType", "application/json");
        ObjectNode channels = api.putObject("channels");
        ObjectNode operations = api.putObject("operations");
        ObjectNode components = api.putObject("components");
        ObjectNode messages = components.putObject("messages");
        MESSAGES.forEach((suffix, events) -> {
            ObjectNode channel = channels.putObject(suffix).put("address", "perceptron-" + suffix);
            ObjectNode ofChannel = channel.putObject("messages");
            boolean isInput = suffix.equals("examples");
            ObjectNode operation = operations
                    .putObject((isInput ? "learn-" : "publish-") + suffix)
                    .put("action", isInput ? "receive" : "send");
            operation.putObject("channel").put("$ref", "#/channels/" + suffix);
            ArrayNode ofOperation = operation.putArray("messages");
            for (String event : events) {
                ofChannel.putObject(event).put("$ref", "#/components/messages/" + event);
                ofOperation.addObject().put("$ref", "#/channels/" + suffix + "/messages/" + event);
                ObjectNode message = messages.putObject(event)
                        .put("name", event)
                        .put("summary", EventSchemas.schema(event).getDoc());
                message.putObject("payload").put("$ref", "#/components/schemas/" + event);
                message.putObject("bindings")
                        .putObject("kafka")
                        .put("bindingVersion", "0.5.0")
                        .putObject("key")
                        .put("type", "string");
            }
        });
        addDeadLetters(channels, operations, messages);
        components.set("schemas", definitions("#/components/schemas/"));
        assertWritten(ASYNC_API, api);
    }

    /** Their values are those of the refused records, of any form. */
    private static void addDeadLetters(ObjectNode channels, ObjectNode operations, ObjectNode messages) {
        String suffix = Topic.DEAD_LETTERS.suffix();
        channels.putObject(suffix)
                .put("address", "perceptron-" + suffix)
                .putObject("messages")
                .putObject("DeadLetter")
                .put("$ref", "#/components/messages/DeadLetter");
        ObjectNode operation = operations.putObject("publish-" + suffix).put("action", "send");
        operation.putObject("channel").put("$ref", "#/channels/" + suffix);
        ObjectNode message = messages.putObject("DeadLetter")
                .put("name", "DeadLetter")
                .put("summary", "A record that could not be used, with key, value and headers unchanged.");
        ObjectNode headers = message.putObject("headers").put("type", "object");
        ObjectNode properties = headers.putObject("properties");
        properties.set(DeadLetter.REASON, described("Such as INVALID_LABEL.").put("type", "string"));
        for (String field : List.of("message", "topic", "partition", "offset")) {
            properties.putObject("__streams.errors." + field).put("type", "string");
        }
        properties.set(
                DeadLetter.OMITTED,
                described("Bytes of key and value where these were too large to copy.")
                        .put("type", "string"));
        properties.set(
                DeadLetter.BATCH_INDEX,
                described("Number from 0 of the example in a record of several.")
                        .put("type", "string"));
        headers.putArray("required").add(DeadLetter.REASON);
    }

    @Test
    void shouldNameEveryTopicOfEvents() {
        assertThat(Arrays.stream(Topic.values()).filter(topic -> topic.event() != null))
                .allSatisfy(topic -> assertThat(MESSAGES.get(topic.suffix())).contains(topic.event()))
                .hasSameSizeAs(MESSAGES.keySet());
        assertThat(Path.of("schemas").toFile().list())
                .extracting(file -> file.replace(".avsc", ""))
                .containsExactlyInAnyOrderElementsOf(
                        MESSAGES.values().stream().flatMap(List::stream).toList());
    }

    @Test
    void shouldBeValidByTheSchemaOfAsyncApi() throws IOException {
        var asyncApi = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7)
                .getSchema(Files.readString(Path.of("src/test/resources/asyncapi/3.0.0.json")));
        String api = Files.readString(ASYNC_API);

        assertThat(asyncApi.validate(api, InputFormat.JSON)).isEmpty();
        assertThat(asyncApi.validate(api.replace("\"action\"", "\"axtion\""), InputFormat.JSON))
                .isNotEmpty();
    }

    /** The schema of AsyncAPI says nothing of what a reference points to. */
    @Test
    void shouldReferToWhatIsThere() throws IOException {
        for (Path file : List.of(SCHEMA, ASYNC_API)) {
            JsonNode description = JSON.readTree(file.toFile());
            assertThat(description.findValuesAsText("$ref"))
                    .as(file.toString())
                    .isNotEmpty()
                    .allSatisfy(reference -> assertThat(description.at(reference.substring(1)))
                            .as(reference)
                            .isNotInstanceOf(MissingNode.class));
        }
    }

    private static void assertWritten(Path file, ObjectNode description) throws IOException {
        DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
        printer.indentObjectsWith(new DefaultIndenter("  ", "\n"));
        String expected = JSON.writer(printer).writeValueAsString(description) + "\n";
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(file, expected);
        }
        assertThat(Files.readString(file))
                .as("%s (-Ddocs.write=true writes it)", file)
                .isEqualTo(expected);
    }

    private static ObjectNode definitions(String prefix) {
        JsonSchemas events = new JsonSchemas(prefix);
        MESSAGES.values().stream().flatMap(List::stream).forEach(event -> events.add(EventSchemas.schema(event)));
        Map<String, ObjectNode> definitions = new TreeMap<>(events.definitions());
        // in JSON a batch is an array
        for (String each : List.of("Example", "Prediction")) {
            ObjectNode batch = described(EventSchemas.schema(each + "Batch").getDoc());
            batch.put("type", "array").put("minItems", 1).put("maxItems", 1000);
            batch.putObject("items").put("$ref", prefix + each);
            definitions.put(each + "Batch", batch);
        }
        // their forms are among those of the features of an Example
        definitions
                .keySet()
                .removeAll(List.of(
                        "DenseVector",
                        "SparseVector",
                        "NamedFeatures",
                        "Sequence",
                        "Candidates",
                        "Candidate",
                        "FeatureMap"));
        ObjectNode all = JSON.createObjectNode();
        definitions.forEach(all::set);
        return all;
    }

    private static ObjectNode described(String text) {
        ObjectNode node = JSON.createObjectNode();
        return text == null ? node : node.put("description", text);
    }
}
