package io.perceptronstreams.labels;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class DelayHistogramTest {
    private final DelayHistogram histogram = new DelayHistogram();

    @Test
    void shouldCountADelayInTheFirstBucketWhoseLimitItDoesNotExceed() {
        // limits: 1, 3, 10, 30, 100
        for (long delay : new long[] {-5, 0, 1, 3, 4, 31, 100}) {
            histogram.add(delay);
        }

        assertThat(histogram.counts()).containsExactly(3L, 1L, 1L, 0L, 2L);
    }

    @Test
    void shouldCountDelaysAboveTheLastLimit() {
        assertThat(new DelayHistogram().counts()).isEmpty();
        assertThat(DelayHistogram.limits()).hasSize(20).startsWith(1L, 3L).endsWith(1_000_000_000L, 3_000_000_000L);

        histogram.add(3_000_000_000L);
        histogram.add(3_000_000_001L);
        histogram.add(Long.MAX_VALUE);

        assertThat(histogram.counts()).hasSize(21).endsWith(0L, 1L, 2L);
    }

    @Test
    void shouldContinueFromStoredCounts() {
        histogram.restore(List.of(4L, 0L, 7L));
        histogram.add(3);

        assertThat(histogram.counts()).containsExactly(4L, 1L, 7L);
    }
}
