package io.perceptronstreams.relearn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.ModelVersion;
import io.perceptronstreams.log.ModelInput;
import io.perceptronstreams.log.NamedSnapshot;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.model.WeightsChunk;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which named snapshots a run can start from. */
class RunStartTest {
    private static RunStart start(long oldest) {
        ModelStatus status = new ModelStatus();
        status.setVersions(List.of(
                new ModelVersion("a", 0L, 5L, 10L),
                new ModelVersion("b", 0L, 8L, 20L),
                new ModelVersion("c", 1L, 3L, 30L)));
        ModelInput input = new ModelInput(
                "m",
                "examples",
                null,
                2,
                null,
                Map.of(),
                Set.of(),
                0,
                (partition, from, to, sink) -> {},
                List.of(),
                null);
        return new RunStart(input, status, oldest);
    }

    private static NamedSnapshot snapshot(int partition, long offset) {
        WeightsChunk.Header header =
                new WeightsChunk.Header(0, 5, partition, offset, 1, 9, 9, 5, "perceptron", Map.of(), 5, 0, 0, null);
        return new NamedSnapshot(
                "a",
                List.of(new WeightsChunk(header, 0, new double[0], List.of(), new double[0], List.of(), List.of())),
                Versions.NONE);
    }

    @Test
    void shouldNameTheSnapshotsSinceWhichTheLogIsThere() {
        assertThat(start(11).cut("verify m"))
                .isEqualTo(
                        "examples-2 must have all records of m, got 11 as its first offset, before which they were deleted"
                                + " (perceptron verify m --from-tag a starts from a named snapshot; later ones: b, c)");
        assertThat(start(12).cut()).endsWith(" (--from-tag b starts from a named snapshot; later ones: c)");
        assertThat(start(31).cut()).endsWith(" (--from-tag c starts from a named snapshot)");
        assertThat(start(32).cut())
                .endsWith(" (a named snapshot made from now on lets later runs start from it: perceptron versions tag m"
                        + " NAME)");
    }

    /** One of 0.1.0 does not have when the counts began. */
    @Test
    void shouldNameWhatASnapshotLacks() {
        assertThat(Verification.lacked(snapshot(2, 10)))
                .containsExactlyInAnyOrder(
                        "rerouted",
                        "comparator",
                        "confusion",
                        "pending",
                        "pendingLabels",
                        "unlabelled",
                        "defaulted",
                        "late",
                        "duplicates",
                        "lastExample",
                        "streamTime",
                        "oldestPending",
                        "nextDue",
                        "labelDelays",
                        "metrics",
                        "tags",
                        "tagErrors",
                        "abstained",
                        "forecasts",
                        "decisions",
                        "estimates",
                        "corrections",
                        "countsSince");
    }

    @Test
    void shouldReadTheLogFromTheCommandOn() {
        assertThat(start(0).isCut()).isFalse();
        assertThat(start(3).isCut()).isTrue();
        assertThat(start(3).first()).isEqualTo(3);
        assertThat(start(3).from(snapshot(2, 10), 100).first()).isEqualTo(10);
        assertThat(start(11).from(snapshot(2, 10), 100).first()).isEqualTo(11);
        assertThat(start(11).from(snapshot(2, 10), 100).isCut()).isFalse();
    }

    @Test
    void shouldRefuseASnapshotWithoutTheRecordsSince() {
        assertThatThrownBy(() -> start(12).from(snapshot(2, 10), 100))
                .isInstanceOf(CommandFailedException.class)
                .hasMessage("examples-2 must still have all records since offset 10 of m@a, got 12 as its first offset"
                        + " (--from-tag b starts from a named snapshot; later ones: c)");
        String fault = "a named snapshot must be of a record of examples-2 before offset 100, got m@a of partition ";
        assertThatThrownBy(() -> start(0).from(snapshot(1, 10), 100)).hasMessageStartingWith(fault + "1 and offset 10");
        assertThatThrownBy(() -> start(0).from(snapshot(2, 100), 100))
                .hasMessageStartingWith(fault + "2 and offset 100");
    }
}
