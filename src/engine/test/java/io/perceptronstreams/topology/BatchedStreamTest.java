package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.serde.Topic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Batches of any size give the outputs of single records, in each topic in the same order. */
class BatchedStreamTest {
    private static final int PARTITIONS = 4;

    @TempDir
    Path dir;

    @SeededTest
    void shouldGiveTheOutputsOfSingleRecords(long seed) {
        List<KillableTask.Output> single = outputs(seed, 1);
        // commands, refusals, rerouted records and late labels are among the examples
        assertThat(single)
                .extracting(KillableTask.Output::topic)
                .contains(
                        Topic.EXAMPLES,
                        Topic.PREDICTIONS,
                        Topic.MISTAKES,
                        Topic.COUNTS,
                        Topic.MODELS,
                        Topic.WEIGHTS,
                        Topic.DEAD_LETTERS);
        for (int size : List.of(7, 256)) {
            KillReplayTest.compareOutputs(outputs(seed, size), single);
        }
    }

    private List<KillableTask.Output> outputs(long seed, int size) {
        try (KillableTask task = new KillableTask(dir, Map.of(), PARTITIONS, real -> real)) {
            KillReplayTest.fill(task, seed, new Random(seed));
            task.start();
            while (!task.isAtEnd()) {
                task.batch(size);
            }
            task.commitCheckpoint();
            task.kill();
            return new ArrayList<>(task.committed);
        }
    }

    @Test
    void shouldBeginABatchAgainWhicheverRecordItIsKilledAt() {
        int records = 8;
        try (KillableTask task = new KillableTask(dir, Map.of(), 1, real -> real);
                KillableTask singly = new KillableTask(dir, Map.of(), 1, real -> real)) {
            for (int k = 0; k < 2 * records; k++) {
                task.add("m", "{\"id\":\"" + k + "\",\"label\":" + (k % 2 * 2 - 1) + ",\"features\":[1]}");
            }
            task.start();
            task.batch(records);
            task.commitCheckpoint();
            int committed = task.committed.size();
            for (task.killAt = records; task.killAt < 2L * records; task.killAt++) {
                KillReplayTest.untilKilled(() -> task.batch(records));
                assertThat(task.forwarded()).isZero();
                task.restart();
            }
            assertThat(task.committed).hasSize(committed);
            task.stepToEnd();
            task.commit();
            singly.records.addAll(task.records);
            singly.start();
            singly.stepToEnd();
            singly.commit();
            KillReplayTest.compareOutputs(task.committed, singly.committed);
        }
    }
}
