package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.perceptronstreams.serde.JsonBatchReader.Batch;
import io.perceptronstreams.serde.JsonBatchReader.Purpose;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Events that clients send in JSON. */
final class JsonBatchReaderTest {
    private static final String EXAMPLE = "{\"id\":\"7\",\"label\":1,\"features\":[0.1,-0.0]}";

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
                "LABEL | {\"id\":\"7\",\"label\":1,\"features\":[1]} | must have an exampleId, got none",
                "LABEL | {\"exampleId\":\"7\"} | label must be",
                "LABEL | {\"exampleId\":\"\",\"label\":1} | id",
                "LEARN | {\"action\":\"DELETE\"} | perceptron models and weights send",
                "LABEL | {\"action\":\"DELETE\"} | perceptron models and weights send",
                "LEARN | {\"vectors\":[]} | perceptron models and weights send",
                "LEARN | {\"model\":\"m\",\"features\":[1]} | the address names the model",
                "LEARN | {\"features\":[1],\"features\":[2]} | Duplicate field 'features'",
                "LEARN | {\"features\":{\"a\":1,\"a\":2}} | Duplicate field 'a'",
                "LEARN | {\"features\":[NaN]} | text must be JSON, got: Non-standard token 'NaN'",
                "LEARN | {\"features\":[1e999]} | finite",
                "LEARN | {\"features\":{\"a\":1e400}} | finite",
                "LEARN | {\"feature\":[1]} | fields must be of",
                "LEARN | {\"features\":[1],\"weight\":-1} | weight",
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
                .withMessageContaining("Invalid UTF-8");
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
