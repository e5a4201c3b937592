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
    void shouldPublishAtMostAThousandPerSecondWhileRecordsArriveTheLongestPendingFirst() {
        for (int tick = 0; tick < 60; tick++) {
            for (int k = 0; k < 3_000; k++) {
                changed(statuses);
            }
            tick(false);
        }
        // the models of the first tick are silent after the fifth
        assertThat(published).hasSize(56 * PendingStatuses.MAX_BUSY).isSorted();
    }

    @Test
    void shouldCatchUpWhenNoRecordsArrive() {
        for (int k = 0; k < 100_000; k++) {
            changed(statuses);
        }
        for (int tick = 0; tick < 30; tick++) {
            tick(false);
        }
        assertThat(statuses.isEmpty()).isTrue();
        assertThat(published).hasSize((int) offset).doesNotHaveDuplicates();
    }

    // A model that is dropped from memory between its records had a pending status for each.
    @Test
    void shouldHaveOnePendingStatusOfAModelThatIsReadBack() {
        byte[] name = {'m'};
        for (int copy = 0; copy < 10; copy++) {
            statuses.changed(
                    new LiveModel(name.clone(), new Model(), copy, 0), new InputRecord(name, copy, 0, 0, false));
        }
        statuses.restore(new InputRecord(name, 5, 0, 0, false));
        tick(true);
        assertThat(published).containsExactly(9L);
    }

    @Test
    void shouldPublishAllAtTheEnd() {
        for (int k = 0; k < 3_000; k++) {
            changed(statuses);
        }
        assertThat(statuses.heapBytes()).isBetween(3_000 * 150L, 3_000 * 250L);
        tick(true);
        assertThat(published).hasSize(PendingStatuses.MAX_SILENT);
        tick(true);
        tick(true);
        assertThat(statuses.heapBytes()).isZero();
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
