package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.log.LogReplay;
import io.perceptronstreams.log.PositionFaultException;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.InputPosition;
import io.perceptronstreams.store.ModelKeys;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.errors.TaskMigratedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Alignment of the models at the first record after a start, or at the committed offset without one. */
class LogReplayTest {
    @TempDir
    Path dir;

    private KillableTask task;

    /** Five examples used and committed, three of them in the checkpoint, and then a kill. */
    @BeforeEach
    void learn() {
        task = new KillableTask(dir, Map.of(), 1, any -> any);
        for (int k = 0; k < 9; k++) {
            task.add("m", "{\"id\":\"" + k + "\",\"label\":1,\"features\":[" + k + "]}");
        }
        task.start();
        task.steps(3);
        task.checkpoint();
        task.steps(2);
        task.commit();
        task.kill();
    }

    @AfterEach
    void close() {
        task.close();
    }

    @Test
    void shouldLearnAgainWhatLiesBetweenTheCheckpointAndTheFirstRecord() {
        task.start();
        task.step();
        assertThat(task.replayed).isEqualTo(2);
        task.steps(3);
        task.commit();
        assertThat(task.committed(Topic.PREDICTIONS)).hasSize(9);
    }

    @Test
    void shouldLearnNothingAgainAfterACheckpoint() {
        task.start();
        task.step();
        task.commitCheckpoint();
        task.kill();
        task.replayed = 0;
        task.start();
        task.step();
        assertThat(task.replayed).isZero();
    }

    @Test
    void shouldNotWaitForARecord() {
        task.start();
        task.tick();
        task.commit();
        assertThat(task.replayed).isEqualTo(2);
        assertThat(position().next()).isEqualTo(5);
        task.step();
        assertThat(task.replayed).isEqualTo(2);
    }

    /** By it the brokers notice that the partition has another owner, whose models the checkpoint would replace. */
    @Test
    void shouldCommitThePlaceWhereItBeginsWithACheckpointBeforeTheFirstRecord() {
        task.start();
        task.tick();
        assertThat(TransactionTracker.ofThread().resumed())
                .isEqualTo(Map.of(new TopicPartition("perceptron-examples", 0), new OffsetAndMetadata(5)));
        task.step();
        assertThat(TransactionTracker.ofThread().resumed()).isEmpty();
        task.kill();
        task.start();
        task.tick();
        task.kill();
        assertThat(TransactionTracker.ofThread().resumed()).isEmpty();
    }

    /** Nothing had told that the brokers had deleted examples before the first start of an engine. */
    @Test
    void shouldSendAnAlertOnceForRecordsThatWereDeletedBeforeTheFirstStart() {
        try (KillableTask fresh = new KillableTask(dir, Map.of(), 1, any -> any)) {
            fresh.records.addAll(task.records);
            fresh.firstOffset = 2;
            fresh.start();
            fresh.step();
            fresh.kill();
            assertThat(fresh.committed(Topic.ALERTS)).isEmpty();
            fresh.start();
            fresh.steps(2);
            fresh.commit();
            fresh.kill();
            fresh.start();
            fresh.step();
            fresh.commit();
            assertThat(fresh.events(Topic.ALERTS)).singleElement().satisfies(alert -> {
                assertThat(alert.get("kind")).hasToString("POSITION");
                assertThat(alert.get("offset")).isEqualTo(2L);
                assertThat(alert.get("message"))
                        .hasToString(
                                "perceptron-examples-0 begins at offset 2: its records before that were deleted before"
                                        + " an engine of group perceptron has learned them");
            });
            assertThat(fresh.committed(Topic.ALERTS).get(0).key()).isEqualTo(BadRecord.utf8("*/0"));
        }
    }

    /** Kafka Streams goes on with the oldest record there is, without a word. */
    @Test
    void shouldEndWhereTheNextRecordWasDeletedWhileTheEngineRan() {
        OffsetOutOfRangeException failure =
                new OffsetOutOfRangeException(Map.of(new TopicPartition("perceptron-examples", 0), 5L));
        EngineConfig config = EngineConfig.of(Map.of(), Map.of(), null, Map.of());
        task.firstOffset = 8;
        assertThat(LogReplay.outOfRange(config, task, failure))
                .isInstanceOf(PositionFaultException.class)
                .hasMessageStartingWith(
                        "perceptron-examples-0 must still have the records from offset 5 on, which the models"
                                + " have not learned, got 8 as its first offset (perceptron topics reset --skip-gap ");
        task.firstOffset = 0;
        assertThat(LogReplay.outOfRange(config, task, failure))
                .isInstanceOf(PositionFaultException.class)
                .hasMessageStartingWith(
                        "perceptron-examples-0 must have the records up to offset 5, to which they were");
        task.hasOtherOwner = true;
        assertThat(LogReplay.outOfRange(config, task, failure)).isSameAs(failure);
    }

    @Test
    void shouldWriteThePositionWithTheFirstRecord() {
        InputPosition position = position();
        assertThat(position.next()).isEqualTo(3);
        try (KillableTask fresh = new KillableTask(dir, Map.of(), 1, any -> any)) {
            fresh.records.addAll(task.records);
            fresh.firstOffset = 2;
            fresh.start();
            fresh.step();
            fresh.commit();
            assertThat(InputPosition.decode(fresh.store.get(ModelKeys.POSITION)))
                    .isEqualTo(new InputPosition(
                            Uuid.ONE_UUID,
                            2,
                            -1,
                            new InputPosition.Decisions(true, true, 1, ModelSession.REVISION, false, 3_600_000),
                            new InputPosition.Summary(-1, 0),
                            Settings.DEFAULTS,
                            ""));
        }
    }

    @Test
    void shouldRefuseOffsetsThatWereSetBack() {
        task.committedOffset = 2;
        refused(
                "perceptron-examples-0 must continue at offset 3, up to which the models have learned it, got 2",
                "perceptron topics reset --skip-gap");
    }

    @Test
    void shouldRefuseAGapInTheInput() {
        task.firstOffset = 4;
        refused("perceptron-examples-0 must still have the records from offset 3 on", "got 4 as its first offset");
    }

    @Test
    void shouldRefuseAnotherTopicOfTheSameName() {
        task.topicId = Uuid.randomUuid();
        refused("perceptron-examples must be the topic that the models have learned", task.topicId.toString());
    }

    /** An engine that was paused after its restoration finds the offset and the log of the next owner. */
    @Test
    void shouldNotTakeTheProgressOfTheNextOwnerForAFault() {
        task.firstOffset = 4;
        task.hasOtherOwner = true;
        task.start();
        assertThatThrownBy(task::tick).isInstanceOf(TaskMigratedException.class);
        assertThatThrownBy(() -> task.step()).isInstanceOf(TaskMigratedException.class);
    }

    @Test
    void shouldRefuseAnEmptyChangelog() {
        task.store.entries().clear();
        task.isChangelogLost = true;
        refused("perceptron-models-changelog must contain the models", "topics reset --to-earliest");
    }

    @Test
    void shouldRefuseToReplayByAnotherArithmetic() {
        InputPosition position = position();
        setPosition(new InputPosition.Decisions(true, true, 1, 0, false, 3_600_000), position.summary());
        refused("by an engine of arithmetic revision 0, got revision " + ModelSession.REVISION);
    }

    @Test
    void shouldGoOnWhereAPartitionNeverHadAModel() {
        task.store.entries().clear();
        task.start();
        task.step();
        assertThat(task.replayed).isZero();
        assertThat(position().next()).isEqualTo(5);
    }

    @Test
    void shouldGoOnFromModelsThatAreInNoCheckpoint() {
        // as an engine left them that wrote with every commit
        task.start();
        task.step();
        task.commitCheckpoint();
        task.kill();
        task.store.entries().remove(ModelKeys.POSITION);
        task.replayed = 0;
        task.start();
        task.steps(3);
        task.commit();
        assertThat(task.replayed).isZero();
        assertThat(task.committed(Topic.PREDICTIONS)).hasSize(9);
    }

    @Test
    void shouldCountTheModelsWhereThePositionDoesNotSay() {
        task.start();
        task.step();
        task.commitCheckpoint();
        task.kill();
        InputPosition position = position();
        assertThat(position.summary()).isEqualTo(new InputPosition.Summary(1005, 1, true));
        setPosition(position.decisions(), InputPosition.Summary.UNKNOWN);
        task.start();
        task.step();
        task.commit();
        assertThat(position().next()).isEqualTo(6);
        assertThat(position().summary()).isEqualTo(new InputPosition.Summary(1005, 1, true));
    }

    @Test
    void shouldTickOnlyWhileThereIsSomethingToWrite() {
        task.start();
        assertThat(task.isTicking()).isTrue();
        // relearned models are silent after a second
        for (int tick = 0; tick < 5; tick++) {
            assertThat(task.isTicking()).as("tick %d", tick).isTrue();
            task.tick();
        }
        assertThat(task.isTicking()).isFalse();
        task.step();
        assertThat(task.isTicking()).isTrue();
        task.kill();
        assertThat(task.isTicking()).isFalse();
    }

    @Test
    void shouldPublishTheStatusOfAModelThatWasKilledBeforeItWasSilent() {
        task.start();
        task.steps(4);
        // records have come no more for a quarter of a second, not yet for one
        task.ticks(2);
        task.commit();
        task.kill();
        task.start();
        task.ticks(5);
        task.commit();

        SentRecord last = task.committed.get(task.committed.size() - 1).record();
        GenericRecord status = EngineDriver.decode(task.registry, last.value());
        assertThat(status.get("cause")).hasToString("IDLE");
        assertThat(status.get("examples")).isEqualTo(9L);
    }

    /** The mark was in memory only: a model showed one example until its next record, which may never come. */
    @ParameterizedTest
    @CsvSource({"600000", "1"})
    void shouldPublishTheStatusOfAModelWhoseRecordsAreAllInTheCheckpoint(String heap) {
        // earlier than the stream time
        task.records.set(
                8,
                KillableTask.record(
                        8,
                        900,
                        BadRecord.utf8("m"),
                        BadRecord.utf8("{\"id\":\"8\",\"features\":[8]}"),
                        new RecordHeaders()));
        task.set("store.heap.bytes", heap);
        task.start();
        task.steps(4);
        task.commitCheckpoint();
        task.kill();
        for (int life = 0; life < 3; life++) {
            task.start();
            task.ticks(20);
            task.commit();
            // until then the status is published again after a kill
            boolean isTicking = task.isTicking();
            task.kill();
            assertThat(isTicking).isFalse();
        }

        List<GenericRecord> idle = idle();
        assertThat(idle).hasSize(1);
        assertThat(idle.get(0).get("examples")).isEqualTo(9L);
        assertThat(idle.get(0).get("offset")).isEqualTo(8L);
        assertThat(task.committed.get(task.committed.size() - 1).record().timestamp())
                .isEqualTo(900);
        assertThat(position().next()).isEqualTo(9);
        assertThat(position().summary().isStatusPending()).isFalse();
    }

    /** Such a model was written after the checkpoint, so that a replay skips its records. */
    @Test
    void shouldPublishTheStatusOfAModelThatWasEvictedAfterTheCheckpoint() {
        task.add("n", "{\"id\":\"9\",\"label\":1,\"features\":[1]}");
        task.set("store.heap.bytes", "1");
        task.start();
        task.steps(5);
        task.commit();
        task.kill();
        task.start();
        task.ticks(20);
        task.commit();

        assertThat(idle()).extracting(status -> status.get("examples")).containsExactly(9L);
    }

    /** A replay counted the chunks of a snapshot in the present format: some stayed in the topic for ever. */
    @ParameterizedTest
    @CsvSource({"json, avro", "avro, json"})
    void shouldRemoveAllChunksOfASnapshotOfAnotherFormat(String first, String second) {
        Random random = new Random(1);
        String weights = random.doubles(60_000).mapToObj(Double::toString).collect(Collectors.joining(",", "[", "]"));
        Map<String, String> format = Map.of("output.format", first);
        try (KillableTask writer = new KillableTask(dir.resolve("chunks"), format, 1, any -> any)) {
            for (String json : List.of(
                    "{\"id\":\"1\",\"label\":1,\"features\":" + weights + "}",
                    "{\"action\":\"SNAPSHOT\"}",
                    "{\"action\":\"RESET\"}",
                    "{\"action\":\"SNAPSHOT\"}",
                    "{\"action\":\"DELETE\"}")) {
                writer.add("m", json);
            }
            writer.start();
            writer.steps(2);
            writer.commit();
            writer.kill();
            writer.set("output.format", second);
            writer.start();
            writer.stepToEnd();
            writer.commit();

            Map<String, Boolean> isLeft = new TreeMap<>();
            writer.committed(Topic.WEIGHTS)
                    .forEach(record ->
                            isLeft.put(new String(record.key(), StandardCharsets.UTF_8), record.value() != null));
            assertThat(isLeft).hasSizeGreaterThan(3).doesNotContainValue(true);
        }
    }

    private List<GenericRecord> idle() {
        return task.events(Topic.MODELS).stream()
                .filter(status -> status.get("cause").toString().equals("IDLE"))
                .toList();
    }

    private InputPosition position() {
        return InputPosition.decode(task.store.get(ModelKeys.POSITION));
    }

    private void setPosition(InputPosition.Decisions decisions, InputPosition.Summary summary) {
        InputPosition before = position();
        byte[] position = new InputPosition(
                        before.topicId(),
                        before.next(),
                        before.stagedThrough(),
                        decisions,
                        summary,
                        before.defaults(),
                        "")
                .encode();
        task.store.entries().put(ModelKeys.POSITION, position);
    }

    /** Both where a record comes and where none does, and nothing is written. */
    private void refused(String... texts) {
        Map<Bytes, byte[]> before = Map.copyOf(task.store.entries());
        task.start();
        assertThatThrownBy(() -> task.step())
                .isInstanceOf(PositionFaultException.class)
                .hasMessageContainingAll(texts)
                .hasMessageNotContaining("\n");
        task.kill();
        task.start();
        assertThatThrownBy(() -> task.tick())
                .isInstanceOf(PositionFaultException.class)
                .hasMessageContainingAll(texts);
        assertThat(task.store.entries()).isEqualTo(before);
    }
}
