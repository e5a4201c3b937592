package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.serde.JsonBatchReader;
import io.perceptronstreams.serde.JsonBatchReader.Purpose;
import io.perceptronstreams.serde.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Records of other programs on the examples topic, and by HTTP, with the result of a separate perceptron in Python;
 * skipped without them.
 *
 * <p>The folder is {@code ../shared}, or {@code -Dshared.dir}.
 */
@ExtendWith(EngineExtension.class)
final class SharedRecordsTest {
    private static final Path CASES =
            Path.of(System.getProperty("shared.dir", "../shared")).resolve("cases");

    private final EngineDriver engine;

    SharedRecordsTest(EngineDriver engine) {
        this.engine = engine;
    }

    @BeforeEach
    void requireCases() {
        assumeTrue(Files.isDirectory(CASES), () -> "skipped: there is no " + CASES + " (set -Dshared.dir=FOLDER)");
    }

    private static List<String> lines(String file) throws IOException {
        return Files.readAllLines(CASES.resolve(file));
    }

    @ParameterizedTest
    @CsvSource({
        "json-null-feature/trips-absent.jsonl",
        "json-null-feature/trips-null.jsonl",
        "json-null-optional/trips-null-fields.jsonl"
    })
    void shouldReadNullsAsMissing(String file) throws IOException {
        for (String line : lines(file)) {
            engine.send("m", line, 5);
            assertThat(new JsonBatchReader()
                            .read(line.getBytes(StandardCharsets.UTF_8), Purpose.LEARN)
                            .events())
                    .hasSize(1);
        }
        assertThat(engine.reasons()).isEmpty();
        assertThat(engine.events(Topic.PREDICTIONS))
                .filteredOn(prediction -> Boolean.FALSE.equals(prediction.get("correct")))
                .hasSize(11);
        engine.send("m", "{\"features\":{}}", 5);
        engine.send("m", "{\"features\":{\"age\":1}}", 5);
        engine.send("m", "{\"features\":{\"fare\":1}}", 5);
        List<GenericRecord> predictions = engine.events(Topic.PREDICTIONS);
        // bias 4, age -68, fare 38.77 after 12 updates
        assertThat(predictions).extracting(each -> each.get("updates")).containsOnly(12L);
        assertThat((double) predictions.get(0).get("score")).isEqualTo(4);
        assertThat((double) predictions.get(1).get("score")).isEqualTo(4 - 68);
        assertThat((double) predictions.get(2).get("score")).isEqualTo(4 + 38.77, within(1e-9));
    }

    /** The rows of the table, as JSON: bias -1, open 2, wind -0.1 after them, as of the table itself. */
    @Test
    void shouldReadBooleansAsTheTableDoes() throws IOException {
        for (String row : lines("csv-json-booleans/doors.csv")) {
            String[] cells = row.toLowerCase(Locale.ROOT).split(",", -1);
            if (!cells[0].equals("open")) {
                engine.send(
                        "m",
                        "{\"label\":" + cells[2] + ",\"features\":{\"open\":" + cells[0] + ",\"wind\":" + cells[1]
                                + "}}",
                        5);
            }
        }
        engine.events(Topic.PREDICTIONS);
        for (String line : lines("csv-json-booleans/ask.jsonl")) {
            engine.send("m", line, 5);
        }
        List<GenericRecord> predictions = engine.events(Topic.PREDICTIONS);
        assertThat(predictions)
                .extracting(prediction -> prediction.get("label"))
                .containsExactly(1, 0);
        assertThat((double) predictions.get(0).get("score")).isEqualTo(-1 + 2 - 0.05, within(1e-9));
        assertThat((double) predictions.get(1).get("score")).isEqualTo(-1 - 0.05, within(1e-9));
    }

    /** Weights after the file: 2 of index 1, 0 of index 2. An array counts from 0, and names are no indices. */
    @Test
    void shouldKeepTheIndicesOfTheFile() throws IOException {
        for (String line : lines("index-base/sign.libsvm")) {
            String[] words = line.split("[ :]", -1);
            engine.send(
                    "m",
                    "{\"label\":" + words[0].replace("+", "") + ",\"features\":{\"indices\":[1,2],\"values\":["
                            + words[2] + "," + words[4] + "]}}",
                    5);
        }
        engine.events(Topic.PREDICTIONS);
        for (String features : List.of("{\"indices\":[1,2],\"values\":[-1,3]}", "[-1,3]", "{\"1\":-1,\"2\":3}")) {
            engine.send("m", "{\"features\":" + features + "}", 5);
        }
        assertThat(engine.events(Topic.PREDICTIONS))
                .extracting(prediction -> prediction.get("score"))
                .containsExactly(-2.0, 6.0, 0.0);
    }

    /** An advice that names the cause; before, only the average was advised, which cannot help. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            int64-texts/cents-texts.jsonl       | codes and ids are right as texts
            decimal-base64/fares-base64.jsonl   | decimal.handling.mode=double
            json-number-texts/sensor-texts.jsonl | send the number without quotes
            """)
    void shouldAdviseWhereNumbersAreTexts(String file, String remedy) throws IOException {
        for (String line : lines(file)) {
            engine.send("m", line, 5);
        }
        assertThat(engine.events(Topic.ALERTS))
                .filteredOn(alert -> "NUMBER_TEXTS".equals(String.valueOf(alert.get("advice"))))
                .singleElement()
                .satisfies(alert -> assertThat(alert.get("message").toString()).contains(remedy));
    }

    @Test
    void shouldReadWholeNumbersAsIds() throws IOException {
        for (String line : lines("json-int-id/loans.jsonl")) {
            engine.send("m", line, 5);
            assertThat(new JsonBatchReader()
                            .read(line.getBytes(StandardCharsets.UTF_8), Purpose.LEARN)
                            .events())
                    .hasSize(1);
        }
        Schema schema = new Schema.Parser().parse(Files.readString(CASES.resolve("json-int-id/long-id.avsc")));
        GenericRecord features =
                new GenericData.Record(schema.getField("features").schema());
        features.put("named", Map.of("age", 1.0));
        GenericRecord example = new GenericData.Record(schema);
        example.put("id", 19L);
        example.put("features", features);
        engine.send("m", engine.encode(example), 5);

        assertThat(engine.reasons()).isEmpty();
        assertThat(engine.events(Topic.PREDICTIONS))
                .extracting(prediction -> prediction.get("exampleId").toString())
                .containsExactly("17", "18", "19");
    }

    @ParameterizedTest
    @CsvSource({
        "value.hex, , got 0: ids of 8 bytes are the default of Apicurio Registry",
        "header-mode.hex, apicurio.value.globalId, got that of Apicurio Registry in header apicurio.value.globalId"
    })
    void shouldNameIdsOfAnotherRegistry(String file, String header, String message) throws IOException {
        byte[] value = HexFormat.of()
                .parseHex(String.join("", lines("apicurio-8-bytes/" + file)).replace(" ", ""));
        RecordHeaders headers = new RecordHeaders();
        if (header != null) {
            headers.add(header, new byte[8]);
        }
        engine.send(BadRecord.utf8("m"), value, headers, 5);

        assertThat(EngineDriver.message(engine.letter())).contains(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            json-nan/trips-nan.jsonl        | NaN as feature fare, which JSON does not have (leave the feature out, or write null)
            json-wrappers/connect.json      | (Kafka Connect has wrapped the record: set value.converter.schemas.enable=false)
            json-wrappers/upper-case.json   | names of fields are in lower case: 'id'
            json-wrappers/change-event.json | a change event of a database: send its field 'after' alone
            json-wrappers/cloud-event.json  | a CloudEvent: send its field 'data' alone
            """)
    void shouldSayWhatTheRecordIs(String file, String message) throws IOException {
        String record = lines(file).get(0);
        engine.send("m", record, 5);

        List<TestRecord<byte[], byte[]>> letters = engine.records(Topic.DEAD_LETTERS);
        assertThat(letters).extracting(each -> EngineDriver.reason(each)).containsExactly("MALFORMED_JSON");
        assertThat(EngineDriver.message(letters.get(0))).contains(message);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new JsonBatchReader().read(record.getBytes(StandardCharsets.UTF_8), Purpose.LEARN))
                .withMessageContaining(message);
    }

    @Test
    void shouldReadAvroOfOtherTypes() throws IOException {
        for (String line : lines("avro-types/values.jsonl")) {
            JsonNode written = new ObjectMapper().readTree(line);
            Schema schema = new Schema.Parser()
                    .parse(Files.readString(
                            CASES.resolve("avro-types/" + written.get("schema").asText() + ".avsc")));
            engine.send("m", engine.encode(record(written.get("value"), schema)), 5);
        }
        assertThat(engine.reasons()).isEmpty();
        // the first example is a mistake: its features are 34 and the bias
        assertThat(engine.events(Topic.PREDICTIONS))
                .extracting(prediction -> prediction.get("score"))
                .containsExactly(0.0, 34.0 * 34 + 1, 34.0 * 34 + 1, 34.0 * 34 + 1);
    }

    private static GenericRecord record(JsonNode json, Schema schema) {
        GenericRecord record = new GenericData.Record(schema);
        json.properties().forEach(field -> record.put(field.getKey(), value(field.getValue(), schema, field.getKey())));
        return record;
    }

    private static Object value(JsonNode json, Schema schema, String field) {
        if (field.equals("features")) {
            GenericRecord features =
                    new GenericData.Record(schema.getField(field).schema());
            features.put("named", new ObjectMapper().convertValue(json.get("named"), Map.class));
            return features;
        }
        if (json.isTextual() || json.isNull() || json.isBoolean()) {
            return json.isTextual() ? json.textValue() : json.isNull() ? null : (Object) json.booleanValue();
        }
        boolean isLong = schema.getField(field).schema().toString().contains("long");
        return isLong ? (Object) json.longValue() : (Object) json.intValue();
    }
}
