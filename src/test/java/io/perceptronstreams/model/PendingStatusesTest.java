package io.perceptronstreams.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PendingStatusesTest {
    private final PendingStatuses statuses = new PendingStatuses();
    private final List<Long> published = new ArrayList<>();
    private long offset;

    private void changed(PendingStatuses of) {
        byte[] name = ("m" + offset).getBytes(StandardCharsets.UTF_8);
        of.changed(new LiveModel(name, new Model(), offset, 0), new InputRecord(name, offset, 0, 0, false));
        offset++;
    }

    private void tick(boolean isLast) {
        statuses.tick(isLast, record -> published.add(record.offset()));
    }

    @Test
    void shouldCatchUpHoweverManyModelsFallSilentAtEveryTick() {
        int largest = 0;
        for (int tick = 0; tick < 60; tick++) {
            for (int k = 0; k < 3_000; k++) {
                changed(statuses);
            }
            tick(false);
            largest = Math.max(largest, (int) offset - published.size());
        }
        // 3,000 for each of the five ticks of silence, and as many again that wait for their turn
        assertThat(largest).isLessThan(30_000);
        for (int tick = 0; tick < 30; tick++) {
            tick(false);
        }
        assertThat(statuses.isEmpty()).isTrue();
        assertThat(published).hasSize((int) offset).doesNotHaveDuplicates();
    }

    @Test
    void shouldPublishAllAtTheEnd() {
        for (int k = 0; k < 3_000; k++) {
            changed(statuses);
        }
        tick(true);
        assertThat(published).hasSize(3_000);
        assertThat(statuses.isEmpty()).isTrue();
    }

    @Test
    void shouldKeepNothingWhereNothingIsPublished() {
        PendingStatuses unpublished = PendingStatuses.unpublished();
        changed(unpublished);
        assertThat(unpublished.isEmpty()).isTrue();
    }
}
