package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CheckpointTimerTest {
    private static final long MS = 1_000_000;

    private final CheckpointTimer timer = new CheckpointTimer(5_000, 100 * MS);

    @Test
    void shouldBeDueAfterTheInterval() {
        assertThat(timer.isDue(5_099 * MS, false)).isFalse();
        assertThat(timer.isDue(5_100 * MS, false)).isTrue();
    }

    @Test
    void shouldBeDueAtOnceWhenNoRecordsCome() {
        assertThat(timer.isDue(101 * MS, true)).isTrue();
    }

    @Test
    void shouldTakeATwentiethOfTheTimeAtMost() {
        timer.done(6_000 * MS, 7_000 * MS);
        // 1 s of 20 s
        assertThat(timer.isDue(25_999 * MS, true)).isFalse();
        assertThat(timer.isDue(25_999 * MS, false)).isFalse();
        assertThat(timer.isDue(26_000 * MS, true)).isTrue();
        assertThat(timer.isDue(26_000 * MS, false)).isTrue();
    }
}
