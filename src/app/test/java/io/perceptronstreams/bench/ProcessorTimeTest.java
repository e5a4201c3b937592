package io.perceptronstreams.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcessorTimeTest {
    @Test
    void shouldCountWhatWasStolenOnceAndGuestsNotAtAll() {
        ProcessorTime then = ProcessorTime.parse("cpu  100 1 50 800 10 2 7 30 90 9");
        ProcessorTime now = ProcessorTime.parse("cpu  150 1 70 900 10 2 7 60 140 9");

        assertThat(then).isEqualTo(new ProcessorTime(1000, 30));
        assertThat(now.stolenPercentSince(then)).isEqualTo(100.0 * 30 / 200);
    }

    @Test
    void shouldTellNothingOfNoTime() {
        ProcessorTime now = ProcessorTime.now();

        assertThat(now.stolenPercentSince(now)).isZero();
    }
}
