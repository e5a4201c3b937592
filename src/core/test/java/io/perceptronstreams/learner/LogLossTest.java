package io.perceptronstreams.learner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LogLossTest {
    @Test
    void shouldBeThatOfTheLibraryForEveryMillionth() {
        for (int p = 1; p <= Outcome.UNIT; p++) {
            long expected = Math.round(-Outcome.UNIT * StrictMath.log((double) p / Outcome.UNIT));
            // not by an assertion for each, which would take seconds
            if (LogLoss.millionths(p) != expected) {
                assertThat(LogLoss.millionths(p)).as("%d millionths", p).isEqualTo(expected);
            }
        }
        // ln 2 = 0.693147 and ln 1,000,000 = 13.815511
        assertThat(LogLoss.millionths(500_000)).isEqualTo(693_147);
        assertThat(LogLoss.millionths(1)).isEqualTo(13_815_511);
        assertThat(Outcome.logLossMillionths(300_000, true)).isEqualTo(LogLoss.millionths(700_000));
    }
}
