package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.log.Changes;
import io.perceptronstreams.log.LogReplay;
import io.perceptronstreams.log.ModelInput;
import io.perceptronstreams.log.ModelLog;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.registry.LateRegistry;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.relearn.Difference;
import io.perceptronstreams.relearn.Verification;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.InputPosition.Decisions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Verifies the outputs of a task that was killed and restarted, model by model. */
class VerificationTest {
    private static final int LATE_ID = KillReplayTest.LATE_ID;

    @TempDir
    Path dir;

    @SeededTest
    void shouldFindAllEventsOfTheMixedStreamEqual(long seed) {
        shouldFindAllEqual(seed, Map.of());
    }

    @SeededTest
    void shouldFindAllEventsEqualWhereModelsAreRefusedAndExpire(long seed) {
        shouldFindAllEqual(seed, Map.of("models.max", "9", "models.idle.ms", "900"));
    }

    @SeededTest
    void shouldFindAllEventsInJsonEqual(long seed) {
        shouldFindAllEqual(seed, Map.of("output.format", "json"));
    }

    private void shouldFindAllEqual(long seed, Map<String, String> settings) {
        Random random = new Random(seed);
        try (KillableTask task =
                new KillableTask(dir, settings, 2, real -> new LateRegistry(real, LATE_ID, new int[1]))) {
            KillReplayTest.fill(task, seed, random);
            task.start();
            while (!task.isAtEnd()) {
                KillReplayTest.untilKilled(() -> KillReplayTest.live(task, random));
                if (!task.isAtEnd()) {
                    task.restart();
                }
            }
            task.ticks(6);
            task.commitCheckpoint();

            long predictions = 0;
            long mistakes = 0;
            long counts = 0;
            long idleMs = Long.parseLong(settings.getOrDefault("models.idle.ms", "0"));
            for (String model : models(task)) {
                Verification.Counted equal = verify(task, model, idleMs);
                predictions += equal.predictions();
                mistakes += equal.mistakes();
                counts += equal.counts();
            }
            EventReader<?> reader = EventReader.of(Topic.PREDICTIONS, LateRegistry.known(task.registry, LATE_ID));
            assertThat(predictions)
                    .isEqualTo(task.committed(Topic.PREDICTIONS).stream()
                            .mapToLong(each -> reader.readAll(each.value()).size())
                            .sum());
            assertThat(mistakes).isEqualTo(task.committed(Topic.MISTAKES).size());
            assertThat(counts).isEqualTo(task.committed(Topic.COUNTS).size());
        }
    }

    private static Set<String> models(KillableTask task) {
        Set<String> models = new TreeSet<>();
        task.committed(Topic.MODELS).forEach(each -> models.add(text(each.key())));
        models.removeIf(name -> name.startsWith("*"));
        return models;
    }

    static Verification.Counted verify(KillableTask task, String model, long idleMs) {
        SchemaRegistry registry = LateRegistry.known(task.registry, LATE_ID);
        ModelStatus status = EventReader.of(ModelStatus.class, registry)
                .read(last(sent(task, Topic.MODELS, model)).value());
        try (Verification run = new Verification(
                input(task, model, idleMs),
                registry,
                Changes.NONE,
                status,
                all(task, Topic.PREDICTIONS, model),
                all(task, Topic.MISTAKES, model),
                all(task, Topic.COUNTS, model))) {
            task.records.forEach(run::learn);
            run.requireEnd(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
            assertThat(run.isReproduced()).isTrue();
            return run.equal();
        }
    }

    /** As {@link ModelLog} would read it. */
    static ModelInput input(KillableTask task, String model, long idleMs) {
        return input(task, model, idleMs, List.of());
    }

    static ModelInput input(KillableTask task, String model, long idleMs, List<String> commandKeys) {
        Map<Long, RejectReason> refused = new HashMap<>();
        for (SentRecord letter : task.committed(Topic.DEAD_LETTERS)) {
            RejectReason reason = RejectReason.valueOf(letter.header("perceptron-reason"));
            if (LogReplay.isStored(reason)) {
                refused.put(Long.valueOf(letter.header("__streams.errors.offset")), reason);
            }
        }
        return new ModelInput(
                model,
                "perceptron-examples",
                task.topicId,
                0,
                new Decisions(true, true, task.partitions(), ModelSession.REVISION, false, task.aheadMs),
                refused,
                deadLetters(task),
                idleMs,
                task,
                commandKeys,
                null);
    }

    private static Set<Long> deadLetters(KillableTask task) {
        return task.committed(Topic.DEAD_LETTERS).stream()
                .map(each -> Long.valueOf(each.header("__streams.errors.offset")))
                .collect(Collectors.toSet());
    }

    private static Verification.Sent all(KillableTask task, Topic topic, String model) {
        return new Verification.Sent(sent(task, topic, model).iterator(), false);
    }

    private static List<ConsumerRecord<byte[], byte[]>> sent(KillableTask task, Topic topic, String model) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (SentRecord each : task.committed(topic)) {
            if (text(each.key()).equals(model)) {
                records.add(record(topic, records.size(), each));
            }
        }
        return records;
    }

    private static ConsumerRecord<byte[], byte[]> record(Topic topic, long offset, SentRecord sent) {
        return new ConsumerRecord<>("perceptron-" + topic.suffix(), 0, offset, sent.key(), sent.value());
    }

    private static <T> T last(List<T> list) {
        return list.get(list.size() - 1);
    }

    private static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }

    private KillableTask separable() {
        KillableTask task = new KillableTask(dir, Map.of(), 1, any -> any);
        Random random = new Random(1);
        for (int k = 0; k < 60; k++) {
            double x = random.nextGaussian();
            task.add("m", "{\"id\":\"" + k + "\",\"label\":" + (x > 0.3 ? 1 : -1) + ",\"features\":[" + x + ",1]}");
        }
        task.start();
        task.stepToEnd();
        task.ticks(6);
        task.commitCheckpoint();
        return task;
    }

    @Test
    void shouldNameAChangedByteInAPrediction() {
        try (KillableTask task = separable()) {
            List<ConsumerRecord<byte[], byte[]>> predictions = sent(task, Topic.PREDICTIONS, "m");
            // the last byte of the score, behind the header, the id of one digit and the label
            byte[] changed = predictions.get(7).value();
            changed[changed.length - 12] ^= 1;

            assertThatThrownBy(() -> run(task, predictions.iterator(), false))
                    .isInstanceOfSatisfying(Difference.class, difference -> {
                        assertThat(difference)
                                .hasMessageStartingWith("the event at perceptron-predictions-0@7 must be that of the"
                                        + " record perceptron-examples-0@7, got another ");
                        assertThat(difference.sent())
                                .startsWith("{\"exampleId\":\"7\"")
                                .isNotEqualTo(difference.relearned());
                        assertThat(difference.relearned()).startsWith("{\"exampleId\":\"7\"");
                    });
        }
    }

    @Test
    void shouldNameAMissingAndASurplusPrediction() {
        try (KillableTask task = separable()) {
            List<ConsumerRecord<byte[], byte[]>> predictions = sent(task, Topic.PREDICTIONS, "m");
            assertThatThrownBy(() -> run(task, predictions.subList(0, 59).iterator(), false))
                    .hasMessage(
                            "the topic of predictions must have an event of the record perceptron-examples-0@59, got none");

            predictions.add(predictions.get(59));
            assertThatThrownBy(() -> run(task, predictions.iterator(), false))
                    .hasMessage(
                            "the event at perceptron-predictions-0@59 must be that of a record of the log, got one of"
                                    + " none");
        }
    }

    @Test
    void shouldBeginWithTheOldestPredictionThatIsKept() {
        try (KillableTask task = separable()) {
            List<ConsumerRecord<byte[], byte[]>> predictions = sent(task, Topic.PREDICTIONS, "m");
            assertThat(run(task, predictions.subList(20, 60).iterator(), true).predictions())
                    .isEqualTo(40);
        }
    }

    @Test
    void shouldNameAFieldOfTheStatusThatTheLogDoesNotGive() {
        try (KillableTask task = separable()) {
            task.records.remove(0);
            assertThatThrownBy(() -> run(
                            task,
                            sent(task, Topic.PREDICTIONS, "m").subList(59, 60).iterator(),
                            true))
                    .hasMessageMatching(
                            "\\w+ of the status as of perceptron-examples-0@59 must be \\S+, as the log gives it,"
                                    + " got \\S+");
        }
    }

    @Test
    void shouldNameAnEventWithoutAValue() {
        try (KillableTask task = separable()) {
            List<ConsumerRecord<byte[], byte[]>> predictions = sent(task, Topic.PREDICTIONS, "m");
            String topic = predictions.get(7).topic();
            predictions.set(
                    7, new ConsumerRecord<>(topic, 0, 7, predictions.get(7).key(), null));
            assertThatThrownBy(() -> run(task, predictions.iterator(), false))
                    .isInstanceOf(Difference.class)
                    .hasMessage("the event at perceptron-predictions-0@7 must have a value, got none");

            predictions.set(
                    7, new ConsumerRecord<>(topic, 0, 7, predictions.get(7).key(), new byte[0]));
            assertThatThrownBy(() -> run(task, predictions.iterator(), false))
                    .isInstanceOf(Difference.class)
                    .hasMessageStartingWith("the event at perceptron-predictions-0@7 must be readable, got: ");
        }
    }

    /** The engine deletes at most 100 idle models after one record. */
    @Test
    void shouldDeleteAnIdleModelAfterTheRecordAfterWhichTheEngineHas() {
        try (KillableTask task = new KillableTask(dir, Map.of("models.idle.ms", "500"), 1, any -> any)) {
            for (int k = 0; k < 170; k++) {
                addAt(task, 1000 + k, "other" + k);
            }
            // refused: no model that becomes idle
            task.add("nobody", "{\"label\":1}");
            // deleted by itself
            task.add("other3", "{\"action\":\"DELETE\"}");
            addAt(task, 1200, "m");
            // deletes 100 models, but not m, which has a record before its turn comes
            addAt(task, 3000, "late");
            addAt(task, 3001, "m");
            addAt(task, 3002, "late");
            for (int k = 0; k < 170; k++) {
                addAt(task, 3003, "other" + k);
            }
            addAt(task, 3003, "m");
            addAt(task, 4000, "late");
            addAt(task, 4001, "m");
            // deletes the other 70 models, and m
            addAt(task, 5000, "late");
            addAt(task, 5001, "m");
            task.start();
            task.stepToEnd();
            task.ticks(6);
            task.commitCheckpoint();

            assertThat(verify(task, "m", 500).predictions()).isEqualTo(5);
            assertThat(verify(task, "other169", 500).predictions()).isEqualTo(2);
            assertThat(statuses(task, "m").stream().map(ModelStatus::getCause))
                    .filteredOn(cause -> !cause.equals("IDLE"))
                    .containsExactly("FIRST_EXAMPLE", "EXPIRED", "FIRST_EXAMPLE");
        }
    }

    private static void addAt(KillableTask task, long time, String model) {
        task.add(time, BadRecord.utf8(model), BadRecord.utf8("{\"label\":1,\"features\":[1]}"), new RecordHeaders());
    }

    private static List<ModelStatus> statuses(KillableTask task, String model) {
        EventReader<ModelStatus> reader = EventReader.of(ModelStatus.class, task.registry);
        return sent(task, Topic.MODELS, model).stream()
                .map(each -> reader.read(each.value()))
                .toList();
    }

    /** Earlier versions sent it with other examples, and had fewer settings. */
    @Test
    void shouldReproduceAStatusOfAnEarlierVersion() {
        try (KillableTask task = separable()) {
            ModelStatus status = statuses(task, "m").get(0);
            for (ModelStatus each : statuses(task, "m")) {
                status = each.getCause().equals("IDLE") ? each : status;
            }
            assertThat(status.getCause()).isEqualTo("IDLE");
            status.setCause("TIME");
            status.getSettings().remove("challengers.max");
            status.getSettings().remove("h");
            List<ConsumerRecord<byte[], byte[]>> predictions = sent(task, Topic.PREDICTIONS, "m");
            assertThat(run(task, status, predictions.iterator(), false).predictions())
                    .isEqualTo(60);
            status.getSettings().put("h", "3.0");
            ModelStatus other = status;
            assertThatThrownBy(() -> run(task, other, predictions.iterator(), false))
                    .hasMessageStartingWith("settings of the status as of perceptron-examples-0@59 must be ");
        }
    }

    private static Verification.Counted run(
            KillableTask task, Iterator<ConsumerRecord<byte[], byte[]>> predictions, boolean isCut) {
        return run(task, last(statuses(task, "m")), predictions, isCut);
    }

    private static Verification.Counted run(
            KillableTask task,
            ModelStatus status,
            Iterator<ConsumerRecord<byte[], byte[]>> predictions,
            boolean isCut) {
        Verification.Sent none =
                new Verification.Sent(List.<ConsumerRecord<byte[], byte[]>>of().iterator(), true);
        try (Verification run = new Verification(
                input(task, "m", 0),
                task.registry,
                Changes.NONE,
                status,
                new Verification.Sent(predictions, isCut),
                none,
                none)) {
            for (ConsumerRecord<byte[], byte[]> each : task.records) {
                run.learn(KillableTask.record(
                        each.offset(), each.timestamp(), each.key(), each.value(), new RecordHeaders()));
            }
            run.requireEnd(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
            return run.equal();
        }
    }
}
