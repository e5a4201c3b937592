package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.labels.LateState;
import io.perceptronstreams.log.ReplicaPartition;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.store.ModelKeys;
import io.perceptronstreams.store.StoredModels;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.errors.StreamsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A model with more waiting examples, or blocks, than are removed at once is deleted or reset, and used again before
 * all are gone.
 */
class LongRemovalTest {
    private static final int WAITING = 1_600;
    private static final String CONFIGURE =
            "{\"action\":\"CONFIGURE\",\"settings\":{\"await.labels.ms\":\"1000000\",\"dedupe.last\":\"100\"}}";

    private static final int MAX_REMOVED = 1_150;

    @TempDir
    Path dir;

    private KillableTask task;
    private Random random = new Random(1);

    @BeforeEach
    void open() {
        task = new KillableTask(dir, Map.of(), 1, any -> any);
    }

    @AfterEach
    void close() {
        task.close();
    }

    private void send(String json) {
        task.add("m", json);
    }

    private void example(int id) {
        send("{\"id\":\"" + id + "\",\"features\":[" + random.nextGaussian() + "," + random.nextGaussian() + "]}");
    }

    private void label(int id) {
        send("{\"exampleId\":\"" + id + "\",\"label\":" + (random.nextBoolean() ? 1 : -1) + "}");
    }

    /** Many examples wait; then the model is deleted and created again, with some of the same ids. */
    private int fill() {
        send(CONFIGURE);
        for (int id = 0; id < WAITING; id++) {
            example(id);
        }
        int deletion = task.records.size();
        send("{\"action\":\"DELETE\"}");
        send(CONFIGURE);
        for (int id = 0; id < 40; id++) {
            example(10 * id);
            if (id % 4 > 0) {
                label(10 * (id - id % 3));
            }
        }
        return deletion;
    }

    /** Number of stored records of what waited in the model that was deleted. */
    private long left() {
        return StoredModels.ofGeneration(task.store.entries(), 0);
    }

    @Test
    @Tag("full")
    void shouldRemoveInPortionsWhileTheModelIsUsedAgain() {
        int deletion = fill();
        task.start();
        task.steps(deletion);
        task.commitCheckpoint();
        long before = left();
        assertThat(before).isGreaterThanOrEqualTo(2 * WAITING);

        for (; !task.isAtEnd(); task.step()) {
            assertThat(before - left()).isLessThanOrEqualTo(MAX_REMOVED);
            before = left();
        }
        task.commit();
        assertThat(task.isTicking()).isTrue();
        assertThat(left()).isZero();
        assertExact();
        assertThat(StoredModels.waiting(task.store.entries())).isNotEmpty();
    }

    @Test
    void shouldRemoveTheRestWithoutFurtherRecords() {
        int deletion = fill();
        task.start();
        task.steps(deletion);
        task.checkpoint();
        task.steps(1);
        task.commit();
        assertThat(left()).isGreaterThan(1_000);
        task.kill();

        task.start();
        while (task.isTicking()) {
            task.tick();
        }
        assertThat(left()).isZero();
        assertThat(notes()).isZero();
    }

    private long notes() {
        return task.store.entries().keySet().stream()
                .filter(key -> key.get().length > 1 && key.get()[0] == 0)
                .count();
    }

    @SeededTest
    void shouldNotNoticeKills(long seed) {
        random = new Random(seed);
        fill();
        task.start();
        int kills = 0;
        int unfinished = 0;
        while (!task.isAtEnd()) {
            try {
                // most kills hit the removal
                long before = WAITING - Math.max(0, task.committedOffset);
                task.store.killAfterWrites(random.nextInt(3) == 0 ? random.nextInt(2_000) : -1);
                for (int left = before > 0 ? Math.min(random.nextInt(800), (int) before) : random.nextInt(15);
                        left > 0 && !task.isAtEnd();
                        left--) {
                    task.step();
                }
                if (random.nextBoolean()) {
                    task.checkpoint();
                }
                task.commit();
            } catch (UndoableStore.Killed | StreamsException e) {
                // in a checkpoint or in the writes of a record
            }
            if (!task.isAtEnd()) {
                task.kill();
                kills++;
                unfinished += notes() > 0 ? 1 : 0;
                task.start();
            }
        }
        System.out.println(
                "LongRemovalTest, seed " + seed + ": " + kills + " kills, " + unfinished + " of them in a removal");
        task.store.killAfterWrites(-1);
        task.commitCheckpoint();
        assertThat(unfinished).isPositive();
        assertExact();
    }

    /** Outputs and models equal those of one pass without a store. */
    private void assertExact() {
        task.commitCheckpoint();
        ReferenceEngine.compare(task);
    }

    /** A replica that begins in the middle of the removal, and one from before it. */
    @SeededTest
    void shouldBeTheSameInAReplica(long seed) {
        random = new Random(seed);
        int deletion = fill();
        task.start();
        task.steps(deletion);
        task.commitCheckpoint();
        try (ReplicaPartition early = replica("early")) {
            task.steps(3 + random.nextInt(8));
            task.commitCheckpoint();
            assertThat(notes()).isPositive();
            try (ReplicaPartition late = replica("late")) {
                task.stepToEnd();
                task.commitCheckpoint();
                for (ReplicaPartition each : List.of(early, late)) {
                    for (long offset = each.next(); offset < task.records.size(); offset++) {
                        ConsumerRecord<byte[], byte[]> record = task.records.get((int) offset);
                        each.learn(List.of(record), Long.MAX_VALUE, 1, 0);
                    }
                }
                assertThat(state(late)).isEqualTo(state(early));
                ReferenceEngine reference = new ReferenceEngine(task.registry, task.ids, 0, 1, (topic, record) -> {});
                task.records.forEach(reference::process);
                assertThat(state(early)).isEqualTo(state(reference.models().get("m")));
            }
        }
    }

    private ReplicaPartition replica(String name) {
        ReplicaPartition replica = task.replica(dir.resolve(name), task.registry, 600_000);
        task.store.changelog().forEach(each -> replica.restore(each.key.get(), each.value));
        assertThat(replica.begin()).isTrue();
        return replica;
    }

    private static String state(ReplicaPartition replica) {
        return replica.read(BadRecord.utf8("m"), held -> state(held.model()));
    }

    private static String state(Model model) {
        LateState late = model.late().state();
        return late.pending() + " wait, time " + late.streamTime() + ", ids " + late.firstId() + " to " + late.nextId()
                + ", delays " + late.delays() + ", " + model.counts().totals().examples() + " examples, "
                + model.counts().totals().labelled() + " labelled, numbers "
                + model.pipeline().learner().state().numbers() + ", epoch "
                + model.current().epoch();
    }

    @Test
    void shouldRemoveTheBlocksOfALargeModelInPortions() {
        StringBuilder indices = new StringBuilder();
        StringBuilder values = new StringBuilder();
        for (int k = 0; k < 9_000; k++) {
            indices.append(k == 0 ? "" : ",").append(128 * k);
            values.append(k == 0 ? "" : ",").append("1");
        }
        send("{\"id\":\"a\",\"label\":1,\"features\":{\"indices\":[" + indices + "],\"values\":[" + values + "]}}");
        send("{\"action\":\"RESET\"}");
        for (int k = 0; k < 90; k++) {
            send("{\"id\":\"" + k + "\",\"label\":-1,\"features\":{\"indices\":[" + 128 * k + "],\"values\":[1]}}");
        }
        task.start();
        task.steps(1);
        task.commitCheckpoint();
        int before = task.store.entries().size();
        assertThat(before).isGreaterThan(9_000);

        task.steps(1);
        task.commit();
        assertThat(before - task.store.entries().size()).isBetween(900, MAX_REMOVED);
        assertThat(notes()).isEqualTo(1);
        task.kill();
        task.start();
        task.steps(90);
        task.commit();
        assertThat(notes()).isZero();
        assertThat(task.store.entries().keySet().stream().filter(ModelKeys::isHeader))
                .hasSize(1);
        assertThat(task.store.entries()).hasSizeLessThan(10);
        assertExact();
    }
}
