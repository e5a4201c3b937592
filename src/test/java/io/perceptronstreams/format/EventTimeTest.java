package io.perceptronstreams.format;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EventTimeTest {
    // date -u -d 2026-01-31T12:00:00Z +%s is 1769860800
    @ParameterizedTest
    @CsvSource({
        "2026-01-31,1769817600000",
        "2026-01-31T12:00:00Z,1769860800000",
        "2026-01-31 12:00:00,1769860800000",
        "2026-01-31T12:00,1769860800000",
        "2026-01-31 12:00:00.250,1769860800250",
        "2026-01-31 12:00:00+01:00,1769857200000",
        "1769860800,1769860800000",
        "1769860800.25,1769860800250",
        "1769860800000,1769860800000",
        "1.7698608e12,1769860800000"
    })
    void shouldParseDatesAndNumbers(String text, long time) {
        assertThat(EventTime.parse(text)).isEqualTo(time);
    }

    // 20260131 seconds would be in August 1970, nanoseconds far ahead
    @ParameterizedTest
    @ValueSource(
            strings = {"", "20260131", "17", "-1769860800", "1769860800000000000", "1969-12-31", "31.1.2026", "12:00"})
    void shouldRefuseOtherTexts(String text) {
        assertThat(EventTime.parse(text)).isNull();
    }
}
