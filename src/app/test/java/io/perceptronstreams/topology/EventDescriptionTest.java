package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.perceptronstreams.cli.Events;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code docs/events.schema.json} describes the JSON that the engine reads and writes. */
class EventDescriptionTest {
    private static final Path FILE = Path.of("docs/events.schema.json");

    @TempDir
    Path dir;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ModelCommand",
                "Prediction",
                "Mistake",
                "MistakeCount",
                "ModelStatus",
                "WeightsSnapshot",
                "Alert"
            })
    void shouldDescribeEveryFieldOfAnEvent(String event) throws IOException {
        String text = EventJson.text(Events.filled(EventSchemas.schema(event)));

        assertThat(faults(event, text)).isEmpty();
        assertThat(faults(event, "{}")).isNotEmpty();
        JsonNode properties = new ObjectMapper().readTree(FILE.toFile()).at("/$defs/" + event + "/properties");
        assertThat(properties.fieldNames())
                .toIterable()
                .containsExactlyElementsOf(() -> read(text).fieldNames());
    }

    @Test
    void shouldDescribeWhatTheEngineWrites() throws IOException {
        try (EngineDriver engine = new EngineDriver(dir, Map.of("output.format", "json"), 1)) {
            engine.send("m", BadRecords.configure("window.ms", "10"), 1);
            engine.send("m", BadRecords.configure("snapshot.every", "2"), 1);
            List<String> csv = Files.readAllLines(Path.of("src/app/main/resources/demo/wdbc.csv"));
            for (String line : csv.subList(1, 101)) {
                String[] cells = line.split(",", -1);
                String numbers = String.join(",", List.of(cells).subList(1, cells.length - 1));
                engine.send(
                        "m",
                        "{\"id\":\"%s\",\"label\":%s,\"features\":[%s]}"
                                .formatted(cells[0], cells[cells.length - 1], numbers),
                        Integer.parseInt(cells[0]));
            }
            engine.send("n", "[{\"features\":[1],\"label\":1},{\"features\":[2],\"label\":\"-1\"}]", 200);
            engine.send("m", BadRecords.QUARANTINE[0], 201);
            engine.send("m", BadRecords.QUARANTINE[1], 202);
            for (Topic topic : Topic.values()) {
                if (topic != Topic.EXAMPLES && topic != Topic.DEAD_LETTERS) {
                    List<TestRecord<byte[], byte[]>> records = engine.records(topic);
                    assertThat(records).as(topic.suffix()).isNotEmpty();
                    for (TestRecord<byte[], byte[]> record : records) {
                        String value = new String(record.value(), StandardCharsets.UTF_8);
                        String event = value.startsWith("[") ? "PredictionBatch" : topic.event();
                        assertThat(faults(event, value)).as(value).isEmpty();
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"features\":[0.1,2]}",
                "{\"features\":{\"indices\":[3],\"values\":[0.5]},\"label\":-1}",
                "{\"features\":{\"age\":0.3,\"city\":\"Rome\",\"new\":false,\"gone\":null},\"label\":true}",
                "{\"features\":[1],\"label\":\"1\",\"timestamp\":1700000000000}",
                "{\"features\":[1],\"label\":1,\"id\":null,\"weight\":null,\"timestamp\":null}",
                "{\"label\":1}",
                "{\"features\":[\"a\"]}",
                "{\"features\":[1],\"other\":1}",
                "{\"features\":[1],\"weight\":0}",
                "{\"features\":[1],\"label\":{}}",
                "{\"features\":[1],\"label\":1.5}",
                "{\"features\":[1],\"id\":7}",
                "{\"features\":{\"indices\":[-1],\"values\":[1]}}",
                "{\"features\":{\"age\":[1]}}",
                "{\"features\":7}"
            })
    void shouldDescribeTheExamplesThatTheEngineTakes(String example) throws IOException {
        try (EngineDriver engine = new EngineDriver(dir)) {
            engine.send("m", example, 1_700_000_000_000L);

            boolean isTaken = engine.records(Topic.DEAD_LETTERS).isEmpty();
            assertThat(faults("Example", example).isEmpty()).isEqualTo(isTaken);
            assertThat(faults("ExampleBatch", "[" + example + "]").isEmpty()).isEqualTo(isTaken);
        }
    }

    @Test
    void shouldDescribeTheFormsInTheDocuments() throws IOException {
        Map<String, String> forms =
                Map.of("{\"id\":", "Example", "[{\"id\":", "ExampleBatch", "{\"exampleId\":", "Label");
        long count = 0;
        for (String page : List.of("docs/topics.md", "docs/labels.md")) {
            for (String line : Files.readAllLines(Path.of(page))) {
                String event = forms.entrySet().stream()
                        .filter(form -> line.strip().startsWith(form.getKey()))
                        .map(Map.Entry::getValue)
                        .findFirst()
                        .orElse(null);
                if (event != null) {
                    count++;
                    assertThat(faults(event, line.strip())).as(line).isEmpty();
                }
            }
        }
        assertThat(count).isEqualTo(5);
        for (String line : List.of(
                "{\"features\":{\"tokens\":[[\"w=the\"]]},\"label\":[\"DET\"]}",
                "{\"features\":{\"candidates\":[{\"output\":\"a\",\"features\":{\"f\":1}}]},\"label\":\"a\"}")) {
            assertThat(faults("Example", line)).as(line).isEmpty();
        }
    }

    @Test
    void shouldRequireTheAnswerOfALabel() throws IOException {
        assertThat(faults("Label", "{\"exampleId\":\"7\",\"label\":true}")).isEmpty();
        for (String wrong : List.of("{\"exampleId\":\"7\"}", "{\"label\":1}", "{\"exampleId\":\"7\",\"label\":null}")) {
            assertThat(faults("Label", wrong)).as(wrong).isNotEmpty();
        }
    }

    private static List<Error> faults(String event, String json) throws IOException {
        Schema schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(((ObjectNode) new ObjectMapper().readTree(FILE.toFile()))
                        .put("$ref", "#/$defs/" + event)
                        .toString());
        return schema.validate(json, InputFormat.JSON);
    }

    private static JsonNode read(String json) {
        try {
            return new ObjectMapper().readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
