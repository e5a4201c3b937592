package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.perceptronstreams.log.Changes;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Command-line values of {@code what-if}. */
class WhatIfReportTest {
    @ParameterizedTest
    @CsvSource({
        "2026-11-01T08:00..10:00, 2026-11-01T08:00:00Z, 2026-11-01T10:00:00Z",
        "2026-11-01T08:00..2026-11-02T01:30, 2026-11-01T08:00:00Z, 2026-11-02T01:30:00Z",
        "2026-11-01T08:00Z..10:00:30, 2026-11-01T08:00:00Z, 2026-11-01T10:00:30Z",
        "2026-11-01T08:00+02:00..10:00, 2026-11-01T06:00:00Z, 2026-11-01T08:00:00Z",
        "2026-11-01T08:00+02:00..10:00+01:00, 2026-11-01T06:00:00Z, 2026-11-01T09:00:00Z"
    })
    void shouldReadTimesWithTheZoneOfTheFirst(String text, Instant from, Instant to) {
        assertThat(WhatIfReport.times(text)).isEqualTo(new Changes.Times(from.toEpochMilli(), to.toEpochMilli()));
    }

    @Test
    void shouldRefuseSettingsThatNoModelCanHaveTogether() {
        WhatIfReport report = new WhatIfReport("m", new PrintWriter(Writer.nullWriter()));
        Map<String, String> settings = Map.of("algorithm", "pa-i", "h", "1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> report.read(settings, null, List.of(), List.of(), null, null, false))
                .withMessageContaining("h must be 0.0 with algorithm=pa-i");
    }

    @ParameterizedTest
    @CsvSource({
        "--without-time, 2026-11-01T10:00..08:00",
        "--without-time, 2026-11-01T10:00..10:00",
        "--without-time, 2026-11-01..2026-11-02",
        "--without, 0@180..120",
        "--without, 180..190"
    })
    void shouldRefuseAnOmissionOfNothing(String option, String text) throws IOException {
        WhatIfReport report = new WhatIfReport("m", new PrintWriter(Writer.nullWriter()));
        List<String> given = List.of(text);
        boolean isTime = option.equals("--without-time");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> report.read(
                        Map.of(), null, isTime ? List.of() : given, isTime ? given : List.of(), null, null, false))
                .withMessageStartingWith(option + " must ")
                .withMessageContaining("got '" + text + "'");
    }
}
