package io.perceptronstreams.format;

import static io.perceptronstreams.format.ExampleFormat.JSONL;
import static io.perceptronstreams.format.Texts.assertRefused;
import static io.perceptronstreams.format.Texts.features;
import static io.perceptronstreams.format.Texts.labels;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonlReaderTest {
    @Test
    void shouldReadTheFiveFormsOfFeatures() throws IOException {
        List<GenericRecord> examples = read("""
                {"features":[0.1,2]}
                {"features":{"indices":[3,9],"values":[0.5,1e-3]}}

                {"features":{"age":0.3,"indices":2}}
                {"features":{"tokens":[["w=the","c=T"],[]]}}
                {"features":{"candidates":[{"output":"a","features":{"f":1}}]}}
                """);

        assertThat(features(examples.get(0), "values")).isEqualTo(List.of(0.1, 2.0));
        assertThat(features(examples.get(1), "indices")).isEqualTo(List.of(3, 9));
        assertThat(features(examples.get(1), "values")).isEqualTo(List.of(0.5, 1e-3));
        assertThat(features(examples.get(2), "values")).isEqualTo(Map.of("age", 0.3, "indices", 2.0));
        assertThat(features(examples.get(3), "tokens")).isEqualTo(List.of(List.of("w=the", "c=T"), List.of()));
        assertThat(features(examples.get(4), "candidates"))
                .asString()
                .isEqualTo("[{\"output\": \"a\", \"features\": {\"f\": 1.0}}]");
        assertThat(examples)
                .extracting(example -> example.get("id"))
                .containsExactly("f:1", "f:2", "f:4", "f:5", "f:6");
    }

    @Test
    void shouldNoteNumbersThatAreSentAsText() throws IOException {
        String text = """
                {"features":{"a":"0.734","zip":"01067","note":"1.2.3","b":2}}
                {"features":{"a":"0.8","c":"-17","long":"1234567890123456"}}
                """;
        List<String> notes = new ArrayList<>();
        JsonlReader reader = new JsonlReader(
                new LineReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "f.jsonl"),
                "f.jsonl",
                new ExampleIds("f", 0),
                LabelType.AUTO,
                null,
                notes::add);

        // the words stay words
        assertThat(features(reader.next(), "values"))
                .isEqualTo(Map.of("a=0.734", 1.0, "zip=01067", 1.0, "note=1.2.3", 1.0, "b", 2.0));
        reader.next();
        assertThat(notes)
                .containsExactly(
                        "feature a is sent as text: \"0.734\" is a word of its own (send numbers without quotes;"
                                + " --numbers a reads them)",
                        "feature c is sent as text: \"-17\" is a word of its own (send numbers without quotes;"
                                + " --numbers c reads them)");
    }

    @Test
    void shouldReadNullAsMissing() throws IOException {
        List<GenericRecord> examples = read("""
                {"id":null,"label":1,"features":{"age":29,"fare":null},"weight":null,"timestamp":null}
                """);

        assertThat(examples.get(0).get("id")).isEqualTo("f:1");
        assertThat(examples.get(0).get("weight")).isEqualTo(1.0);
        assertThat(features(examples.get(0), "values")).isEqualTo(Map.of("age", 29.0));
    }

    @Test
    void shouldReadIdLabelAndWeight() throws IOException {
        List<GenericRecord> examples = read("""
                {"id":"7","label":-1,"features":[1],"weight":2.5}
                {"label":"ham","features":[1]}
                {"label":["D","N"],"features":{"tokens":[["a"],["b"]]}}
                {"label":null,"features":[1]}
                """);

        assertThat(examples.get(0).get("id")).isEqualTo("7");
        assertThat(examples.get(0).get("weight")).isEqualTo(2.5);
        assertThat(examples)
                .extracting(example -> example.get("label"))
                .containsExactly(-1, "ham", List.of("D", "N"), null);
    }

    // A label of true or 1.0 and a text as a feature's value were malformed.
    @Test
    void shouldTakeBooleansAndTextAsOtherToolsWriteThem() throws IOException {
        List<GenericRecord> examples = read("""
                {"label":true,"features":{"city":"Rome","age":30,"new":true,"old":false}}
                {"label":false,"features":[1]}
                {"label":1.0,"features":[1]}
                {"label":-1.0,"features":[1]}
                """);

        assertThat(features(examples.get(0), "values"))
                .isEqualTo(Map.of("city=Rome", 1.0, "age", 30.0, "new", 1.0, "old", 0.0));
        assertThat(examples).extracting(example -> example.get("label")).containsExactly(1, 0, 1, -1);
        assertThat(labels(JSONL, LabelType.STRING, "{\"label\":true,\"features\":[1]}"))
                .containsExactly("true");
    }

    @Test
    void shouldReadTheEventTime() throws IOException {
        try (ExampleReader reader = new ExampleSource("f.jsonl", JSONL, LabelType.AUTO, null, null, null)
                .open(new ByteArrayInputStream("""
                                {"timestamp":1700000000000,"features":[1]}
                                {"timestamp":"2023-11-14T23:13:20.5+01:00","features":[1]}
                                {"features":[1]}
                                """.getBytes(StandardCharsets.UTF_8)), 1)) {
            List<Long> timestamps = new ArrayList<>();
            while (reader.next() != null) {
                timestamps.add(reader.timestamp());
            }
            assertThat(timestamps).containsExactly(1_700_000_000_000L, 1_700_000_000_500L, null);
        }
    }

    @Test
    void shouldSpellNumbersAsNamesWhenTold() throws IOException {
        assertThat(labels(JSONL, LabelType.STRING, "{\"label\":7,\"features\":[1]}"))
                .containsExactly("7");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '!',
            value = {
                "{\"features\":[1]~ value must be one JSON object, got: Unexpected end-of-input: expected close marker for Object (character 15)",
                "{\"features\":[1]} {}~ value must be one JSON object, got: more text after the object…",
                "{\"exampleId\":\"1\",\"label\":1}~ fields must be of [id, label, features, weight, timestamp], got 'exampleId' (…",
                "{\"features\":[1],\"lable\":1}~ fields must be of [id, label, features, weight, timestamp], got 'lable'…",
                "{\"features\":[1],\"timestamp\":\"now\"}~ timestamp must be in ms since 1970 or as in 2026-01-31T12:00:00Z, got \"now\"",
                "{\"features\":[1],\"label\":[0,1]}~ tags must be strings, got 0 (a list is a tag for each token; of one-hot labels send the name or number of the class)",
                "{\"features\":[1],\"timestamp\":-1}~ timestamp must be in ms since 1970 or as in 2026-01-31T12:00:00Z, got -1"
            })
    void shouldRefuseABadLineWithItsNumber(String line, String message) {
        assertRefused(JSONL, "{\"features\":[1]}\n" + line + "\n", "f.jsonl:2: " + message);
    }

    // Once without file and line: bytes of zero look like UTF-32 to Jackson.
    @Test
    void shouldRefuseALineThatBeginsWithZeros() {
        assertRefused(
                JSONL,
                "{\"features\":[1]}\n\0\0\0{\"features\":[1]}\n",
                "f.jsonl:2: text must be UTF-8, got a byte of 0…");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "[{\"features\":[1]} ~ f.jsonl:1: array must end with ], got the end of the file",
                "[{\"features\":[1]},] ~ f.jsonl:2: array must have an object before each comma and before its end, got none",
                "[,{\"features\":[1]}] ~ f.jsonl:1: array must have an object before each comma and before its end, got none",
                "[{\"features\":[1]}] {} ~ f.jsonl:2: array must be the only value of the file, got '{' after it",
                "[{\"features\":[1]}, 7] ~ f.jsonl:2: value must be one JSON object, got 7",
            })
    void shouldRefuseAFaultyArray(String text, String message) {
        assertRefused(JSONL, text, message);
    }

    @Test
    void shouldRefuseAStringAsLabelWhereIntsAreWanted() {
        assertThatExceptionOfType(MalformedExampleException.class)
                .isThrownBy(() -> Texts.read(JSONL, LabelType.INT, "{\"label\":\"1\",\"features\":[1]}"))
                .withMessage("f.jsonl:1: label must be a whole number or a boolean (--label-type int), got \"1\"");
    }

    /** The brokers deleted the records of such a file within minutes, by their times of 1970. */
    @Test
    void shouldRefuseATimestampInSeconds() throws IOException {
        assertRefused(
                JSONL,
                "{\"features\":[1],\"timestamp\":1700000000}",
                "f.jsonl:1: timestamp must be in ms since 1970, got 1700000000, a time of 1970 (in seconds?"
                        + " then multiply it by 1000: 2023-11-14T22:13:20Z)");
        for (String time : List.of("1700000000000", "0", "86400000", "\"1970-01-02T00:00:00Z\"")) {
            assertThat(read("{\"features\":[1],\"timestamp\":" + time + "}")).hasSize(1);
        }
    }

    /** An array of records, as data frame libraries write it, was one line that was no object. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "[{\"label\":1,\"features\":[1]},{\"label\":0,\"features\":[2]}]",
                "\ufeff \n[\n  {\n    \"label\": 1,\n    \"features\": [\n 1]\n  },\r\n  {\"label\": 0, \"features\": [2]}\n]\n"
            })
    void shouldReadAnArrayOfExamples(String text) throws IOException {
        assertThat(read(text))
                .extracting(example -> example.get("id"), example -> example.get("label"))
                .containsExactly(tuple("f:1", 1), tuple("f:2", 0));
    }

    @Test
    void shouldNotTakeTextsInAnArrayForItsEnd() throws IOException {
        assertThat(read("[{\"id\":\"],\\\"]\",\"features\":{\"a,[\":\"]{\"}}]"))
                .singleElement()
                .satisfies(example -> {
                    assertThat(example.get("id")).isEqualTo("],\"]");
                });
        assertThat(read("[]")).isEmpty();
    }

    private static List<GenericRecord> read(String text) throws IOException {
        return Texts.read(JSONL, text);
    }
}
