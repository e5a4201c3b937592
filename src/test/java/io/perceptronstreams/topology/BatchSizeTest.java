package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BatchSizeTest {
    private long now;
    private final BatchSize size = new BatchSize(() -> now);

    /** The records of a poll take this time until the next one. */
    private void poll(int records, long nanos) {
        size.endPoll(records);
        now += nanos;
        size.beginPoll();
    }

    @Test
    void shouldBeginWithTheLargest() {
        size.beginPoll();
        assertThat(size.records()).isEqualTo(BatchSize.MAX_RECORDS);
    }

    @Test
    void shouldBeOneRecordWhereThatTakesLong() {
        poll(10, 10 * BatchSize.MAX_NANOS + 10);
        assertThat(size.records()).isEqualTo(1);
        poll(3, Long.MAX_VALUE / 2);
        assertThat(size.records()).isEqualTo(1);
    }

    @Test
    void shouldFillTheTime() {
        poll(1_000, 1_000 * (BatchSize.MAX_NANOS / 40));
        assertThat(size.records()).isEqualTo(40);
    }

    @Test
    void shouldGrowAgainWithFastRecords() {
        poll(10, 10 * BatchSize.MAX_NANOS);
        poll(1_000, 0);
        assertThat(size.records()).isEqualTo(BatchSize.MAX_RECORDS);
    }

    /** Which says nothing about records. */
    @Test
    void shouldNotChangeWithTheTimeOfAnEmptyPoll() {
        poll(1_000, 1_000 * (BatchSize.MAX_NANOS / 40));
        poll(0, Long.MAX_VALUE / 2);
        assertThat(size.records()).isEqualTo(40);
    }
}
