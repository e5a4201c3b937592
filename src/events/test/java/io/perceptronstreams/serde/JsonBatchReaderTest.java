package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureText;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.serde.JsonBatchReader.Batch;
import io.perceptronstreams.serde.JsonBatchReader.Examples;
import io.perceptronstreams.serde.JsonBatchReader.Purpose;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Events that clients send in JSON. */
final class JsonBatchReaderTest {
    private static final String EXAMPLE = "{\"id\":\"7\",\"label\":1,\"features\":[0.1,-0.0]}";

    private static final FeatureHasher HASHER = new FeatureHasher(18);

    private final JsonBatchReader reader = new JsonBatchReader();

    private Batch read(String json, Purpose purpose) {
        return reader.read(json.getBytes(StandardCharsets.UTF_8), purpose);
    }

    @Test
    void shouldKeepTheBytesOfEachEvent() {
        String second = "{ \"features\" : {\"größe\":1e-300, \"x\":\"}]\"} ,\"weight\":2}";

        Batch batch = read(" [\n" + EXAMPLE + " , " + second + "]\n ", Purpose.LEARN);

        assertThat(batch.isArray()).isTrue();
        assertThat(batch.events())
                .extracting(event -> new String(event.value(), StandardCharsets.UTF_8))
                .containsExactly(EXAMPLE, second);
        assertThat(batch.events()).extracting(JsonBatchReader.Event::hasLabel).containsExactly(true, false);
    }

    @Test
    void shouldReadASingleEvent() {
        Batch batch = read("\n" + EXAMPLE + "\n", Purpose.LEARN);

        assertThat(batch.isArray()).isFalse();
        assertThat(batch.events()).hasSize(1);
        // the engine takes a value for JSON only if it starts with a brace
        assertThat(batch.events().get(0).value()).startsWith('{');
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "PREDICT | {\"label\":1,\"features\":[1]} | must have no label, got one",
                "PREDICT | {\"exampleId\":\"7\",\"label\":1} | …/labels",
                "LABEL | {\"id\":\"7\",\"label\":1,\"features\":[1]} | a label must have an exampleId, got id (an example with its label goes to …/examples)",
                "LABEL | {\"id\":\"mail-7\",\"label\":1} | a label must have an exampleId, got id ({\"exampleId\":\"7\",\"label\":1}: the id of the example",
                "LABEL | {\"id\":7,\"label\":1} | a label must have an exampleId, got id",
                "LABEL | {\"id\":\"7\",\"features\":\"x\"} | a label must have an exampleId, got id (an example with its label goes to …/examples)",
                "LABEL | {\"label\":1} | a label must have an exampleId, got none",
                "LABEL | {\"exampleId\":7.5,\"label\":1} | exampleId must be a text or a whole number, got 7.5",
                "LABEL | {\"label\":1.5,\"exampleId\":\"7\"} | label must be a whole number, got 1.5",
                "LABEL | {\"example_id\":\"7\",\"label\":1} | fields must be of [exampleId, label, weight, timestamp, source, knowableAt], got 'example_id' (the field of a label with the id of its example is exampleId)",
                "LABEL | {\"exampleId\":\"7\",\"label\":1,\"model\":\"m\"} | the address names the model",
                "LEARN | {\"exampleId\":7,\"label\":1} | an example must have no exampleId, got one (a label of an earlier example goes to …/labels)",
                "PREDICT | {\"label\":1.5,\"exampleId\":\"7\"} | label must be a whole number, got 1.5",
                "LABEL | {\"exampleId\":\"7\"} | label must be",
                "LABEL | {\"exampleId\":\"\",\"label\":1} | id",
                "LEARN | {\"action\":\"DELETE\"} | a command goes to …/commands",
                "LABEL | {\"action\":\"DELETE\"} | a command goes to …/commands",
                "LEARN | {\"vectors\":[]} | perceptron weights import sends weights",
                "LEARN | {\"model\":\"m\",\"features\":[1]} | the address names the model",
                "LEARN | {\"features\":[1],\"features\":[2]} | Duplicate field 'features'",
                "LEARN | {\"features\":[NaN]} | text must be JSON, got: NaN as feature 0, which JSON does not have (leave the feature out, or write null)",
                "LEARN | {\"features\":[1e999]} | finite",
                "LEARN | {\"features\":[1],\"timestamp\":1767225600} | got 1767225600, a time of 1970 (in seconds? then multiply it by 1000: 2026-01-01T00:00:00Z)",
                "LEARN | {\"features\":[1],\"timestamp\":\"today\"} | timestamp must be in ms since 1970",
                "LEARN | {\"features\":[1]} {\"features\":[1]} | as an array",
                "LEARN | {\"features\":[1]}] | text must be JSON",
                "LEARN | {\"features\":[1] | text must be JSON, got: Unexpected end-of-input",
                "LEARN | [{\"features\":[1]},7] | event 2 of the array: an event must be a JSON object",
                "LEARN | [{\"features\":[1]},{\"features\":[\"x\"]}] | event 2 of the array: feature values must be numbers",
                "LEARN | [] | at least one event",
                "LEARN | null | must be a JSON object",
                "LEARN | `` | must be a JSON object, got nothing",
            })
    void shouldRefuseWithPlaceRuleAndRemedy(Purpose purpose, String json, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(json, purpose))
                .withMessageContaining(message);
        if (purpose != Purpose.LABEL) {
            // with other words where the text is no JSON
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> reader.examples(json.getBytes(StandardCharsets.UTF_8), HASHER));
        }
    }

    @Test
    void shouldReadExamplesAsTheEngineDecodesThem() {
        List<String> events = List.of(
                "{\"id\":\"7\",\"features\":[0.1,-0.0,1e-300,123456789.123456789]}",
                "{\"features\":{\"größe\":1e-300,\"x\":\"}]\",\"y\":true,\"z\":-2.5},\"timestamp\":\"2026-01-31T12:00:00Z\"}",
                "{\"features\":{\"indices\":[3,70000],\"values\":[1,0.3333333333333333]},\"weight\":2,\"timestamp\":5}",
                "{\"features\":{\"tokens\":[[\"a\",\"b\"],[\"c\"]]}}",
                "{\"features\":{\"candidates\":[{\"output\":\"o\",\"features\":{\"a\":1}}]}}");

        Examples examples = reader.examples(events.toString().getBytes(StandardCharsets.UTF_8), HASHER);

        assertThat(examples.isArray()).isTrue();
        assertThat(examples.examples()).hasSameSizeAs(events);
        for (int k = 0; k < events.size(); k++) {
            Example expected = new Example();
            new InputDecoder(null).decode(events.get(k).getBytes(StandardCharsets.UTF_8), HASHER, expected);
            Example actual = examples.examples().get(k);
            assertThat(actual.id()).isEqualTo(expected.id());
            assertThat(actual.features()).hasSameClassAs(expected.features());
            assertThat(FeatureText.of(actual.features())).isEqualTo(FeatureText.of(expected.features()));
        }
        assertThat(reader.examples(events.get(0).getBytes(StandardCharsets.UTF_8), HASHER)
                        .isArray())
                .isFalse();
    }

    /** Jackson's fast parser for doubles must round as Java does. */
    @Test
    void shouldReadDoublesToTheirBits() {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int k = 0; k < 2_000; k++) {
            List<String> numbers = new ArrayList<>();
            for (int n = 0; n < 20; n++) {
                double value = Double.longBitsToDouble(random.nextLong());
                String digits =
                        new BigDecimal(BigInteger.valueOf(random.nextLong()), random.nextInt(620) - 310).toString();
                numbers.add(Double.isFinite(value) ? Double.toString(value) : "0.5");
                if (Double.isFinite(Double.parseDouble(digits))) {
                    numbers.add(digits);
                }
            }
            FeatureVector vector = (FeatureVector)
                    reader.examples(("{\"features\":" + numbers + "}").getBytes(StandardCharsets.UTF_8), HASHER)
                            .examples()
                            .get(0)
                            .features();
            for (int n = 0; n < numbers.size(); n++) {
                assertThat(Double.doubleToRawLongBits(vector.values()[n]))
                        .as(numbers.get(n))
                        .isEqualTo(Double.doubleToRawLongBits(Double.parseDouble(numbers.get(n))));
            }
        }
    }

    @Test
    void shouldRefuseDeepNestingAndLongNumbers() {
        String deep = "{\"features\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(deep, Purpose.LEARN))
                .withMessageContaining("nesting depth");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read("{\"features\":[1" + "0".repeat(5_000) + "]}", Purpose.LEARN))
                .withMessageContaining("Number value length");
    }

    @Test
    void shouldRefuseOtherEncodingsThanUtf8() {
        byte[] broken = EXAMPLE.replace('7', 'é').getBytes(StandardCharsets.ISO_8859_1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> reader.read(broken, Purpose.LEARN))
                .withMessageContaining("bytes that are not UTF-8");
        for (byte[] other : new byte[][] {
            EXAMPLE.getBytes(StandardCharsets.UTF_16),
            EXAMPLE.getBytes(StandardCharsets.UTF_16BE),
            EXAMPLE.getBytes(StandardCharsets.UTF_16LE),
            ("\ufeff" + EXAMPLE).getBytes(StandardCharsets.UTF_8)
        }) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> reader.read(other, Purpose.LEARN))
                    .withMessageContaining("without a byte order mark");
        }
    }

    @Test
    void shouldRefuseTooMuch() {
        String event = "{\"features\":[1]}";
        String most = "[" + String.join(",", Collections.nCopies(JsonBatchReader.MAX_EVENTS, event)) + "]";
        assertThat(read(most, Purpose.LEARN).events()).hasSize(JsonBatchReader.MAX_EVENTS);
        assertThatExceptionOfType(JsonBatchReader.TooLargeException.class)
                .isThrownBy(() -> read(most.replaceFirst("]$", "," + event + "]"), Purpose.LEARN))
                .withMessageContaining("at most 1000 events");
        String large = "{\"features\":[1" + ",1".repeat(JsonBatchReader.MAX_EVENT_BYTES / 2) + "]}";
        assertThatExceptionOfType(JsonBatchReader.TooLargeException.class)
                .isThrownBy(() -> read(large, Purpose.LEARN))
                .withMessageContaining("at most 524288 bytes");
    }
}
