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
    void shouldBeDueUntilTheOldestChangeIsYoungerThanTheInterval() {
        timer.done(5_100 * MS, 5_110 * MS, 10 * MS, 5_010 * MS);
        assertThat(timer.isDue(5_299 * MS, false)).isFalse();
        assertThat(timer.isDue(5_300 * MS, false)).isTrue();
        timer.done(5_300 * MS, 5_310 * MS, 10 * MS, 210 * MS);
        assertThat(timer.isDue(10_099 * MS, false)).isFalse();
        assertThat(timer.isDue(10_100 * MS, false)).isTrue();
    }

    @Test
    void shouldGiveASliceATwentiethOfTheTime() {
        timer.done(5_000 * MS, 5_010 * MS, 10 * MS, 5_000 * MS);
        assertThat(timer.sliceNanos(5_010 * MS)).isEqualTo(MS);
        assertThat(timer.sliceNanos(5_200 * MS)).isEqualTo(10 * MS);
        assertThat(timer.sliceNanos(5_485 * MS)).isEqualTo(25 * MS);
        assertThat(timer.sliceNanos(6_000 * MS)).isEqualTo(25 * MS);
    }

    @Test
    void shouldTakeATwentiethOfTheTimeAtMost() {
        timer.done(3_000 * MS, 4_000 * MS, 0, 0);
        timer.done(5_000 * MS, 7_000 * MS, 0, 0);
        // the cheaper one, 1 s of 20 s
        assertThat(timer.isDue(25_999 * MS, true)).isFalse();
        assertThat(timer.isDue(25_999 * MS, false)).isFalse();
        assertThat(timer.isDue(26_000 * MS, true)).isTrue();
        assertThat(timer.isDue(26_000 * MS, false)).isTrue();
    }

    /** Many small models are written between the writes of a large one. */
    @Test
    void shouldCountTheProcessorTimeOfASingleLongOne() {
        timer.done(6_000 * MS, 6_001 * MS, MS, 0);
        timer.done(11_001 * MS, 13_001 * MS, 2_000 * MS, 0);
        assertThat(timer.isDue(51_000 * MS, false)).isFalse();
        assertThat(timer.isDue(51_001 * MS, false)).isTrue();
    }

    /** A checkpoint that waits for brokers lasts as long as their outage. */
    @Test
    void shouldNotSpaceCheckpointsByASingleLongOne() {
        timer.done(6_000 * MS, 6_010 * MS, 0, 0);
        timer.done(11_010 * MS, 20_000 * MS, 0, 0);
        assertThat(timer.isDue(24_999 * MS, false)).isFalse();
        assertThat(timer.isDue(25_000 * MS, false)).isTrue();
        assertThat(timer.isDue(20_189 * MS, true)).isFalse();
        assertThat(timer.isDue(20_190 * MS, true)).isTrue();
    }
}
