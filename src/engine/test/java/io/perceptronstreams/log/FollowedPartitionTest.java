package io.perceptronstreams.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.log.ReplicaLog.Progress;
import io.perceptronstreams.model.ModelReplica.NotReadyException;
import io.perceptronstreams.registry.LateRegistry;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.store.DiskStore;
import io.perceptronstreams.store.ModelKeys;
import io.perceptronstreams.store.StoreCounters;
import io.perceptronstreams.topology.EmptyLog;
import io.perceptronstreams.topology.KillableTask;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.avro.Schema;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a replica of one partition learns and answers, and when it restores again. */
class FollowedPartitionTest {
    private static final int UNKNOWN_ID = 77;

    @TempDir
    Path dir;

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answers = new CountDownLatch(1);
    private final List<ConsumerRecord<byte[], byte[]>> changelog = new ArrayList<>();
    private KillableTask task;
    private FollowedPartition partition;
    private volatile Thread reader;

    /**
     * Ten examples of two models in turn, all committed; a checkpoint after three of them. There is room for one model,
     * so that the changelog has later states of both.
     */
    @BeforeEach
    void learn() {
        task = new KillableTask(dir, Map.of("store.heap.bytes", "1"), 1, any -> any);
        for (int k = 0; k < 10; k++) {
            task.add(k % 2 == 0 ? "a" : "b", "{\"label\":1,\"features\":[" + k + "]}");
        }
        task.start();
        task.steps(3);
        task.checkpoint();
        task.steps(7);
        task.commit();
        for (KeyValue<Bytes, byte[]> each : task.store.changelog()) {
            changelog.add(new ConsumerRecord<>("changelog", 0, changelog.size(), each.key.get(), each.value));
        }
        partition = follow(task.topicId, changelog.size());
    }

    @AfterEach
    void close() {
        answers.countDown();
        partition.close();
        task.close();
    }

    private FollowedPartition follow(Uuid topicId, long restoreTo) {
        DiskStore store = new DiskStore(dir.resolve("replica-" + topicId + restoreTo), 1 << 20);
        return new FollowedPartition(models(topicId, store, new SlowRegistry()), 1, restoreTo, 0);
    }

    private static ReplicaPartition models(Uuid topicId, DiskStore store, SchemaRegistry registry) {
        return new ReplicaPartition(
                "perceptron-examples",
                topicId,
                0,
                store,
                new InputDecoder(registry),
                new RegistryRetry(0),
                new EmptyLog(),
                new StoreCounters(),
                1 << 20);
    }

    /** Does not answer before the test allows it. */
    private final class SlowRegistry extends LateRegistry {
        SlowRegistry() {
            super(task.registry, UNKNOWN_ID, new int[1]);
        }

        @Override
        public Schema schema(int id) {
            asked.countDown();
            await(answers);
            return super.schema(id);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Reads a model until the test allows the answer, and holds up the others meanwhile. */
    private CompletableFuture<Void> readSlowly() throws InterruptedException {
        CompletableFuture<Void> reading =
                CompletableFuture.runAsync(() -> partition.models().read("a".getBytes(UTF_8), held -> {
                    asked.countDown();
                    await(answers);
                    return null;
                }));
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
        return reading;
    }

    private boolean restore() {
        changelog.forEach(partition::changelog);
        return partition.begin(changelog.size());
    }

    /** An answer of the brokers: the log has a marker of a transaction behind the records. */
    private Progress at(long committed) {
        return new Progress(11, committed, changelog.size(), changelog.size());
    }

    private void readExamples() {
        assertThat(partition.models().next()).isEqualTo(3);
        task.records.subList(3, 10).forEach(partition::add);
    }

    private static ConsumerRecord<byte[], byte[]> record(String model, byte[] value) {
        return KillableTask.record(3, 1_003, model.getBytes(UTF_8), value, new RecordHeaders());
    }

    private void learnAll() {
        partition.learn(changelog.size(), 1_000);
        partition.note(11);
    }

    private Long nextOffset(String model) {
        return partition.models().read(model.getBytes(UTF_8), held -> held == null ? null : held.next());
    }

    /** The changelog can be read before the brokers know of the commit. */
    @Test
    void shouldBeReadyOnceItHasLearnedAllThatTheChangelogMayContain() {
        assertThat(restore()).isTrue();
        readExamples();
        partition.answered(at(5), 1);
        learnAll();
        assertThat(partition.models().next()).isEqualTo(5);
        long through = partition.models().restoredThrough();
        assertThat(through).isBetween(7L, 9L);
        assertThat(partition.isReady()).isFalse();

        partition.answered(at(through), 2);
        learnAll();
        assertThat(partition.models().next()).isEqualTo(through);
        assertThat(partition.isReady()).isFalse();

        partition.answered(at(10), 3);
        learnAll();
        assertThat(partition.isReady()).isTrue();
        assertThat(nextOffset("a")).isEqualTo(10);
        partition.close();
        assertThat(partition.isReady()).isFalse();
    }

    @Test
    void shouldLearnOnlyWhatIsCommittedAndWhoseChangelogIsRead() {
        restore();
        readExamples();
        partition.answered(new Progress(11, 9, changelog.size() + 1, changelog.size()), 1);
        learnAll();
        assertThat(partition.models().next()).isEqualTo(3);
        partition.learn(changelog.size() + 1, 1_000);
        assertThat(partition.models().next()).isEqualTo(9);
    }

    @Test
    void shouldLearnNoMoreAtOnceThanItIsTold() {
        restore();
        readExamples();
        partition.answered(at(10), 1);
        assertThat(partition.learn(changelog.size(), 2)).isEqualTo(2);
        assertThat(partition.models().next()).isEqualTo(5);
        partition.note(11);
        assertThat(partition.lag()).isEqualTo(6);
        assertThat(partition.isReady()).isFalse();
        assertThat(partition.learn(changelog.size(), 1_000)).isEqualTo(5);
        assertThat(partition.learn(changelog.size(), 1_000)).isZero();
    }

    /** Until its first commit the engine has no models, so that nothing is missing. */
    @Test
    void shouldBeReadyWithoutModelsUntilTheFirstCommit() {
        FollowedPartition empty = follow(task.topicId, 0);
        assertThat(empty.begin(0)).isFalse();
        assertThat(empty.isReady()).isFalse();
        // two records of a transaction that was aborted
        empty.answered(new Progress(11, -1, 2, 2), 1);
        assertThat(empty.begin(1)).isFalse();
        assertThat(empty.isReady()).isFalse();
        assertThat(empty.begin(2)).isFalse();
        assertThat(empty.isReady()).isTrue();
        empty.answered(new Progress(11, 0, 2, 2), 2);
        assertThat(empty.isReady()).isTrue();
        empty.answered(new Progress(11, 1, 2, 2), 3);
        assertThat(empty.isReady()).isFalse();
        assertThat(empty.begin(2)).isFalse();
        assertThat(empty.isReady()).isFalse();
        empty.close();
    }

    /** Offsets of a group expire while an engine is down for long: then 404 was the answer for every model. */
    @Test
    void shouldNotBeReadyBeforeItsModelsAreRestoredEvenIfTheOffsetsHaveExpired() {
        partition.answered(at(-1), 1);
        assertThat(partition.begin(0)).isFalse();
        assertThat(partition.isReady()).isFalse();
        assertThat(restore()).isTrue();
        assertThat(partition.isReady()).isFalse();
    }

    /** Each record waited for a turn of every reader. */
    @Test
    void shouldLearnMoreThanOneRecordBetweenTwoReaders() throws Exception {
        restore();
        CompletableFuture<Void> first = readSlowly();
        Thread learner =
                new Thread(() -> partition.models().learn(task.records.subList(3, 10), 9, 1_000, Long.MAX_VALUE));
        learner.start();
        Awaitility.await().until(() -> learner.getState() == Thread.State.WAITING);
        CompletableFuture<Long> second = CompletableFuture.supplyAsync(() -> {
            reader = Thread.currentThread();
            return nextOffset("a");
        });
        Awaitility.await().until(() -> reader != null && reader.getState() == Thread.State.TIMED_WAITING);
        answers.countDown();

        assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(9);
        first.join();
        learner.join();
    }

    @Test
    void shouldCountMarkersOfTransactionsNeitherAsLagNorAsAge() {
        restore();
        readExamples();
        partition.answered(at(9), 1);
        learnAll();
        assertThat(partition.lag()).isEqualTo(2);
        assertThat(partition.completeAt()).isZero();

        partition.answered(at(10), 2);
        learnAll();
        assertThat(partition.lag()).isZero();
        assertThat(partition.completeAt()).isEqualTo(2);
    }

    @Test
    void shouldRestoreAgainIfTheEngineGoesBackOrItsOffsetsAreLost() {
        restore();
        readExamples();
        partition.answered(at(10), 1);
        learnAll();
        assertThatThrownBy(() -> partition.answered(at(9), 2))
                .isInstanceOf(PositionFaultException.class)
                .hasMessageContaining("got a commit at offset 9 after one at 10");
        assertThatThrownBy(() -> partition.answered(at(-1), 2))
                .isInstanceOf(PositionFaultException.class)
                .hasMessageContaining("got no commit after one at 10");
    }

    /** Behind an older end the brokers may have removed deletions and refusals. */
    @Test
    void shouldRestoreToTheNewestEndOfTheChangelog() {
        FollowedPartition late = follow(task.topicId, 2);
        changelog.subList(0, 4).forEach(late::changelog);
        late.answered(at(10), 1);
        assertThat(late.begin(4)).isFalse();
        changelog.subList(4, changelog.size()).forEach(late::changelog);
        assertThat(late.begin(changelog.size())).isTrue();
        assertThat(late.models().restoredThrough()).isGreaterThan(6);
        late.close();
    }

    @Test
    void shouldNotLearnAnotherTopicOfThatName() {
        partition.close();
        partition = follow(Uuid.randomUuid(), changelog.size());
        assertThatThrownBy(this::restore)
                .isInstanceOf(PositionFaultException.class)
                .hasMessageContaining("must be the topic that the models have learned")
                .hasMessageContaining("start the engine");
    }

    @Test
    void shouldReadNoMoreThanFitsInMemory() {
        ConsumerRecord<byte[], byte[]> large = record("a", new byte[1 << 20]);
        FollowedPartition one = new FollowedPartition(partition.models(), 1, 0, 0);
        one.add(large);
        assertThat(one.isFull()).isFalse();
        FollowedPartition oneOfMany = new FollowedPartition(partition.models(), 100, 0, 0);
        oneOfMany.add(large);
        assertThat(oneOfMany.isFull()).isTrue();
    }

    @Test
    void shouldHaveRoomAgainForWhatItHasLearned() {
        String padded = "{\"label\":1," + " ".repeat(1 << 20) + "\"features\":[3]}";
        FollowedPartition one = new FollowedPartition(partition.models(), 100, changelog.size(), 0);
        changelog.forEach(one::changelog);
        assertThat(one.begin(changelog.size())).isTrue();
        one.add(record("b", padded.getBytes(UTF_8)));
        assertThat(one.isFull()).isTrue();
        one.answered(at(4), 1);
        assertThat(one.learn(changelog.size(), 1_000)).isEqualTo(1);
        assertThat(one.isFull()).isFalse();
        for (int k = 0; k < 5_000; k++) {
            one.add(task.records.get(4));
        }
        assertThat(one.isFull()).isFalse();
        one.add(task.records.get(4));
        assertThat(one.isFull()).isTrue();
    }

    @Test
    void shouldAnswerWhileARecordWaitsForTheRegistry() throws Exception {
        restore();
        ConsumerRecord<byte[], byte[]> unknown = record("c", new byte[] {0, 0, 0, 0, UNKNOWN_ID, 1});
        CompletableFuture<Void> learning =
                CompletableFuture.runAsync(() -> partition.models().learn(List.of(unknown), Long.MAX_VALUE, 1, 0));
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(nextOffset("a")).isEqualTo(3);
        assertThat(learning).isNotDone();

        answers.countDown();
        assertThatThrownBy(learning::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(PositionFaultException.class);
    }

    @Test
    void shouldNotWaitForAModelWithoutEnd() throws Exception {
        restore();
        CompletableFuture<Void> reading = readSlowly();
        assertThatThrownBy(() -> nextOffset("a")).isInstanceOf(NotReadyException.class);
        answers.countDown();
        reading.join();
    }

    @Test
    void shouldForgetRefusalsOfLearnedRecords() {
        Bytes refusal = ModelKeys.refusal(4);
        DiskStore store = new DiskStore(dir.resolve("refusals"), 1 << 20);
        ReplicaPartition models = models(task.topicId, store, task.registry);
        changelog.forEach(each -> models.restore(each.key(), each.value()));
        assertThat(models.begin()).isTrue();
        models.observe(refusal.get(), new byte[0]);
        models.learn(List.of(task.records.get(3)), Long.MAX_VALUE, 1, 0);
        assertThat(store.get(refusal)).isNotNull();
        models.learn(List.of(task.records.get(4)), Long.MAX_VALUE, 1, 0);
        assertThat(store.get(refusal)).isNull();
        models.close();
    }

    /** The changelog is read on while the last checkpoint is awaited. */
    @Test
    void shouldHeedWhatItHasReadBehindTheEndOfTheRestoration() {
        Bytes refusal = ModelKeys.refusal(9);
        ConsumerRecord<byte[], byte[]> behind =
                new ConsumerRecord<>("changelog", 0, changelog.size(), refusal.get(), new byte[0]);
        DiskStore store = new DiskStore(dir.resolve("behind"), 1 << 20);
        ReplicaPartition models = models(task.topicId, store, task.registry);
        FollowedPartition following = new FollowedPartition(models, 1, changelog.size(), 0);
        changelog.forEach(following::changelog);
        following.changelog(behind);
        assertThat(store.get(refusal)).isNull();
        assertThat(following.begin(changelog.size() + 1)).isTrue();
        assertThat(store.get(refusal)).isNotNull();
        following.close();
    }
}
