package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.StandbyUpdateListener.SuspendReason;
import org.apache.kafka.streams.processor.TaskId;
import org.junit.jupiter.api.Test;

final class WarmCopiesTest {
    private static final String STORE = "models";
    private static final TopicPartition FIRST = new TopicPartition("changelog", 0);
    private static final TopicPartition SECOND = new TopicPartition("changelog", 1);

    private final AtomicLong nanos = new AtomicLong();
    private final WarmCopies copies = new WarmCopies(10, nanos::get);

    private void load(TopicPartition changelog, long last, long end) {
        copies.onBatchLoaded(changelog, STORE, new TaskId(0, changelog.partition()), last, 1, end);
    }

    @Test
    void shouldAskOnceWhenAllCopiesAreWarm() {
        copies.onUpdateStart(FIRST, STORE, 0);
        copies.onUpdateStart(SECOND, STORE, 0);
        load(FIRST, 88, 100);
        assertThat(copies.takeRequest()).as("11 records behind").isFalse();
        load(FIRST, 89, 100);
        assertThat(copies.takeRequest()).as("the second one has loaded nothing").isFalse();
        load(SECOND, 100, 110);
        assertThat(copies.takeRequest()).isTrue();
        assertThat(copies.takeRequest()).isFalse();
    }

    @Test
    void shouldNotAskAgainForACopyThatWasWarm() {
        copies.onUpdateStart(FIRST, STORE, 0);
        load(FIRST, 99, 100);
        assertThat(copies.takeRequest()).isTrue();
        load(FIRST, 100, 500);
        load(FIRST, 499, 500);
        assertThat(copies.takeRequest()).isFalse();
    }

    @Test
    void shouldAskAgainForACopyThatWasStartedAgain() {
        copies.onUpdateStart(FIRST, STORE, 0);
        load(FIRST, 99, 100);
        assertThat(copies.takeRequest()).isTrue();
        copies.onUpdateSuspended(FIRST, STORE, 99, 100, SuspendReason.MIGRATED);
        copies.onUpdateStart(FIRST, STORE, 99);
        load(FIRST, 100, 101);
        assertThat(copies.takeRequest()).isTrue();
    }

    @Test
    void shouldNotWaitForSlowCopiesForLong() {
        copies.onUpdateStart(FIRST, STORE, 0);
        copies.onUpdateStart(SECOND, STORE, 0);
        load(SECOND, 0, 1_000);
        load(FIRST, 99, 100);
        nanos.addAndGet(WarmCopies.PATIENCE_NANOS - 1);
        assertThat(copies.takeRequest()).isFalse();
        nanos.incrementAndGet();
        assertThat(copies.takeRequest()).isTrue();
        load(SECOND, 999, 1_000);
        assertThat(copies.takeRequest()).as("the slow one is warm, too").isTrue();
    }

    @Test
    void shouldNotWaitForACopyThatIsGone() {
        copies.onUpdateStart(FIRST, STORE, 0);
        copies.onUpdateStart(SECOND, STORE, 0);
        load(FIRST, 99, 100);
        copies.onUpdateSuspended(SECOND, STORE, 0, 100, SuspendReason.MIGRATED);
        assertThat(copies.takeRequest()).isTrue();
    }
}
