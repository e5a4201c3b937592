package io.perceptronstreams.serde;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTimestampTest {
    private static final String ESCAPED = "{\"time\\u0073tamp\":123,\"features\":[1]}";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"timestamp\":123,\"features\":[1]}",
                ESCAPED,
                "{\"id\":\"\\\"\",\"features\":{\"timestamp\":5},\"timestamp\":123}"
            })
    void shouldFindTheFieldHoweverItIsWritten(String json) {
        assertThat(JsonTimestamp.of(json.getBytes(UTF_8), 999)).isEqualTo(123);
        assertThat(JsonTimestamp.of(json.getBytes(UTF_16LE), 999)).isEqualTo(123);
    }

    @Test
    void shouldNotTakeAnotherFieldForIt() {
        for (String json : new String[] {
            "{\"features\":{\"timestamp\":5}}", "{\"id\":\"timestamp\"}", "{\"id\":\"\\n\"}", "{\"x\":\"timestamp", "{"
        }) {
            assertThat(JsonTimestamp.of(json.getBytes(UTF_8), 999)).as(json).isEqualTo(999);
        }
    }
}
