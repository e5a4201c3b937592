package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Limits of requests with events. */
final class WriteLimitsTest {
    private long now;
    private final WriteLimits limits = new WriteLimits(2, 10, () -> now);

    @Test
    void shouldLimitRequestsAndTheirBytes() {
        assertThat(limits.begin(WriteLimits.MAX_BYTES - 1)).isNull();
        assertThat(limits.begin(2)).contains("bytes");
        assertThat(limits.begin(1)).isNull();
        assertThat(limits.begin(0)).contains("http.write.requests.max = 2");
        limits.end(1);
        assertThat(limits.begin(1)).isNull();
        assertThat(limits.requests()).isEqualTo(2);
    }

    @Test
    void shouldLimitEventsPerSecond() {
        assertThat(limits.take(10)).isNull();
        assertThat(limits.take(1)).contains("http.write.rate.max = 10");
        now += TimeUnit.MILLISECONDS.toNanos(100);
        assertThat(limits.take(1)).isNull();
        assertThat(limits.take(1)).isNotNull();
        // never more than those of a second
        now += TimeUnit.HOURS.toNanos(1);
        assertThat(limits.take(10)).isNull();
        assertThat(limits.take(1)).isNotNull();
    }

    @Test
    void shouldTakeMoreEventsThanThoseOfASecondAtOnceButPayForThem() {
        assertThat(limits.take(30)).isNull();
        now += TimeUnit.MILLISECONDS.toNanos(2_050);
        assertThat(limits.take(1)).isNotNull();
        now += TimeUnit.MILLISECONDS.toNanos(100);
        assertThat(limits.take(1)).isNull();
    }
}
