package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.client.WeightsFile;
import io.perceptronstreams.event.FeatureName;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.log.Changes;
import io.perceptronstreams.log.ModelInput;
import io.perceptronstreams.log.Relearner;
import io.perceptronstreams.log.ReplayedEvents;
import io.perceptronstreams.log.ReplicaPartition;
import io.perceptronstreams.log.SharedExamples;
import io.perceptronstreams.model.ImportPurpose;
import io.perceptronstreams.registry.LateRegistry;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.relearn.Verification;
import io.perceptronstreams.relearn.WhatIf;
import io.perceptronstreams.serde.CommandSignature;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Weights that replace a model without a gap: the engine learns the examples that came since before it takes them in.
 */
class ReplacementTest {
    private static final String KEY = "the-key-of-today";
    private static final String SNAPSHOT = "{\"action\":\"SNAPSHOT\"}";

    @TempDir
    Path dir;

    private int tasks;
    private boolean isSchemaKnown;

    private KillableTask task() {
        return new KillableTask(dir.resolve("task" + tasks++), Map.of(), 1, any -> any);
    }

    private static String settings(int number) {
        return List.of(
                        "{}",
                        "{\"algorithm\":\"perceptron\",\"predict\":\"averaged\",\"scale\":\"standard\"}",
                        "{\"algorithm\":\"arow\",\"hash.bits\":6}",
                        "{\"algorithm\":\"perceptron\",\"kernel\":\"rbf(g=0.5)\",\"budget\":20}",
                        "{\"algorithm\":\"pa-i\",\"drift\":\"ddm\",\"drift.window\":30}",
                        "{\"algorithm\":\"multiclass\",\"window.examples\":20}")
                .get(number);
    }

    private static String example(int k, Random random) {
        double x = random.nextGaussian();
        double y = random.nextGaussian();
        String id = k % 3 == 0 ? "" : "\"id\":\"e" + k + "\",";
        String label = k % 7 == 0 ? "" : "\"label\":" + (x + 0.5 * y > 0 ? 1 : -1) + ",";
        // e120 and some others are the only ones with their name
        return "{" + id + label + "\"features\":{\"x\":" + x + ",\"y\":" + y + ",\"w"
                + (k % 3 > 0 && k % 40 == 0 ? k : k % 5) + "\":1}}";
    }

    /** Values of the examples before and after the weights were made, and after they came. */
    private static List<String> log(int settings, Random random) {
        List<String> values = new ArrayList<>();
        values.add("{\"action\":\"CONFIGURE\",\"settings\":" + settings(settings) + "}");
        while (values.size() < 500) {
            values.add(example(values.size(), random));
        }
        return values;
    }

    private static void add(KillableTask task, String value) {
        if (value == null) {
            task.add("other", "{\"label\":1,\"features\":[1]}");
        } else {
            task.add("m", value);
        }
    }

    private static List<ConsumerRecord<byte[], byte[]>> records(KillableTask task) {
        return task.records.stream()
                .map(each -> KillableTask.record(
                        each.offset(),
                        each.timestamp(),
                        each.key(),
                        each.value(),
                        new RecordHeaders(each.headers().toArray())))
                .toList();
    }

    private static ModelStatus status(KillableTask task) {
        List<SentRecord> all = task.committed(Topic.MODELS).stream()
                .filter(each -> new String(each.key(), StandardCharsets.UTF_8).equals("m"))
                .toList();
        return EventReader.of(ModelStatus.class, task.registry)
                .read(all.get(all.size() - 1).value());
    }

    private static Changes without(Set<Utf8Slice> ids, List<Changes.Offsets> offsets) {
        return new Changes(Map.of(), offsets, List.of(), ids, Map.of(), false);
    }

    /** Chunks of the weights of the model without the records. */
    private static List<byte[]> weights(KillableTask task, Changes changes) {
        try (WhatIf runs = new WhatIf(
                VerificationTest.input(task, "m", 0),
                task.registry,
                status(task),
                Changes.NONE,
                List.of(changes),
                0.01,
                1)) {
            List<ConsumerRecord<byte[], byte[]>> all = records(task);
            for (int from = 0; from < all.size(); from += 100) {
                runs.learn(all.subList(from, Math.min(all.size(), from + 100)));
            }
            assertThat(runs.fault()).isNull();
            return new EventEncoder(task.ids, false).weightsSnapshot(runs.model(0), new EventEncoder.Origin(-1, -1));
        }
    }

    private static Headers through(long offset) {
        Headers headers = new RecordHeaders();
        headers.add(ImportPurpose.HEADER, ImportPurpose.through(offset).getBytes(StandardCharsets.UTF_8));
        return headers;
    }

    private static WeightsSnapshot lastWeights(KillableTask task) {
        List<SentRecord> sent = task.committed(Topic.WEIGHTS);
        WeightsSnapshot last = EventReader.of(WeightsSnapshot.class, task.registry)
                .read(sent.get(sent.size() - 1).value());
        // each import begins an epoch
        last.setEpoch(0L);
        return last;
    }

    @SeededTest
    void shouldBeTheModelThatNeverSawTheRecordsUnderLoadWithKills(long seed) {
        Random random = new Random(seed);
        List<String> log = log((int) Math.floorMod(seed, 6L), random);
        Set<Utf8Slice> ids =
                Set.of(new Utf8Slice().set("e40"), new Utf8Slice().set("e80"), new Utf8Slice().set("0@51"));
        List<Changes.Offsets> offsets = List.of(new Changes.Offsets(0, 100, 180));
        int made = 300;
        int came = 380;
        try (KillableTask task = task();
                KillableTask never = task()) {
            log.subList(0, made).forEach(each -> add(task, each));
            task.start();
            task.stepToEnd();
            task.commitCheckpoint();
            List<byte[]> chunks = weights(task, without(ids, offsets));
            log.subList(made, came).forEach(each -> add(task, each));
            for (byte[] chunk : chunks) {
                task.add(BadRecord.utf8("m"), chunk, through(made - 1));
            }
            log.subList(came, log.size()).forEach(each -> add(task, each));
            add(task, SNAPSHOT);
            int kills = 0;
            while (!task.isAtEnd()) {
                KillReplayTest.untilKilled(() -> live(task, random));
                if (!task.isAtEnd()) {
                    task.kill();
                    kills++;
                    task.start();
                    // also while the examples that the weights lack are read
                    task.readsUntilKill = random.nextInt(3) == 0 ? random.nextInt(90) : -1;
                }
            }
            task.readsUntilKill = -1;
            task.ticks(6);
            task.commitCheckpoint();

            for (int k = 0; k < log.size(); k++) {
                if (k == came) {
                    chunks.forEach(each -> add(never, null));
                }
                boolean isLeftOut = k == 51 || k == 40 || k == 80 || (k >= 100 && k <= 180);
                add(never, isLeftOut ? null : log.get(k));
            }
            add(never, SNAPSHOT);
            never.start();
            never.stepToEnd();
            never.commitCheckpoint();

            System.out.println("ReplacementTest, seed " + seed + ": " + kills + " kills");
            assertThat(task.committed(Topic.DEAD_LETTERS)).isEmpty();
            assertThat(lastWeights(task)).isEqualTo(lastWeights(never));
            assertThat(lastWeights(task).getFeatureNames())
                    .extracting(FeatureName::getName)
                    .contains("x", "y")
                    .doesNotContain("w40", "w80");
            assertThat(kills).isGreaterThan(5);
            assertThat(verify(task)).isEqualTo(log.size() - 1);
        }
    }

    /** It blocked the replacement: the engine, which had refused it, took it for a command that the weights lack. */
    @SeededTest
    void shouldLackCommandsWithoutAValidSignature(long seed) {
        Random random = new Random(seed);
        List<String> log = log((int) Math.floorMod(seed, 6L), random).subList(0, 200);
        String forged = "{\"action\":\"CONFIGURE\",\"settings\":{\"h\":1}}";
        try (KillableTask task = new KillableTask(dir.resolve("signed"), Map.of("commands.key", KEY), 1, any -> any);
                KillableTask never = task()) {
            addSigned(task, BadRecord.utf8(log.get(0)), null);
            log.subList(1, 100).forEach(each -> add(task, each));
            task.start();
            task.stepToEnd();
            task.commitCheckpoint();
            List<byte[]> chunks = weights(task, Changes.NONE);
            int checkpointed = task.store.changelog().size();
            for (int k = 100; k < 150; k++) {
                add(task, k % 10 == 3 ? forged : log.get(k));
            }
            for (byte[] chunk : chunks) {
                addSigned(task, chunk, ImportPurpose.through(99));
            }
            log.subList(150, 200).forEach(each -> add(task, each));
            addSigned(task, BadRecord.utf8(SNAPSHOT), null);
            while (!task.isAtEnd()) {
                KillReplayTest.untilKilled(() -> live(task, random));
                if (!task.isAtEnd()) {
                    task.kill();
                    task.start();
                    task.readsUntilKill = random.nextInt(3) == 0 ? random.nextInt(40) : -1;
                }
            }
            task.readsUntilKill = -1;
            task.ticks(6);
            task.commitCheckpoint();

            for (int k = 0; k < log.size(); k++) {
                if (k == 150) {
                    chunks.forEach(each -> add(never, null));
                }
                add(never, k >= 100 && k < 150 && k % 10 == 3 ? null : log.get(k));
            }
            add(never, SNAPSHOT);
            never.start();
            never.stepToEnd();
            never.commitCheckpoint();
            assertThat(task.committed(Topic.DEAD_LETTERS))
                    .hasSize(5)
                    .allMatch(each -> each.header("perceptron-reason").equals("NOT_AUTHORISED"));
            assertThat(lastWeights(task)).isEqualTo(lastWeights(never));
            assertThat(verify(task)).isEqualTo(log.size() - 1 - 5);
            assertThat(replicaWeights(task, checkpointed))
                    .isEqualTo(replicaWeights(task, task.store.changelog().size()));
            // without its dead letters a run leaves the commands out by their signature
            try (Relearner run = new Relearner(
                    unsigned(task),
                    task.registry,
                    Changes.WITHOUT_UNSIGNED,
                    new SharedExamples(1),
                    new ReplayedEvents(any -> 0))) {
                task.records.forEach(run::relearn);
                assertThat(run.omittedUnsigned()).hasSize(5);
                assertThat(run.imports()).hasSize(1);
            }
        }
    }

    private static ModelInput unsigned(KillableTask task) {
        ModelInput input = VerificationTest.input(task, "m", 0, List.of(KEY));
        return new ModelInput(
                input.model(),
                input.topic(),
                input.topicId(),
                input.partition(),
                input.decisions(),
                Map.of(),
                Set.of(),
                0,
                task,
                List.of(KEY),
                null);
    }

    private static void addSigned(KillableTask task, byte[] value, String purpose) {
        byte[] name = BadRecord.utf8("m");
        byte[] header = purpose == null ? null : BadRecord.utf8(purpose);
        Headers headers = new RecordHeaders();
        if (header != null) {
            headers.add(ImportPurpose.HEADER, header);
        }
        headers.add(
                CommandSignature.HEADER,
                CommandSignature.of(KEY, 1_000 + task.records.size(), name, header, value)
                        .encode());
        task.add(name, value, headers);
    }

    /** Weights of a replica that has restored the beginning of the changelog, and learned the log after it. */
    private byte[] replicaWeights(KillableTask task, int restored) {
        List<KeyValue<Bytes, byte[]>> changelog = task.store.changelog();
        try (ReplicaPartition replica = task.replica(dir.resolve("replica" + restored), task.registry, 1 << 20)) {
            changelog.subList(0, restored).forEach(each -> replica.restore(each.key.get(), each.value));
            assertThat(replica.begin()).isTrue();
            changelog.subList(restored, changelog.size()).forEach(each -> replica.observe(each.key.get(), each.value));
            for (long offset = replica.next(); offset < task.records.size(); offset++) {
                replica.learn(List.of(task.records.get((int) offset)), Long.MAX_VALUE, 1, 0);
            }
            return replica.read(
                    BadRecord.utf8("m"),
                    held -> new EventEncoder(task.ids, false)
                            .weightsSnapshot(held.model(), new EventEncoder.Origin(0, 0))
                            .get(0));
        }
    }

    private static void live(KillableTask task, Random random) {
        for (int left = random.nextInt(16); left > 0 && !task.isAtEnd(); left--) {
            task.batch(1 + random.nextInt(4));
            int chance = random.nextInt(12);
            if (chance == 0) {
                task.checkpoint();
            } else if (chance < 4) {
                task.commit();
            }
        }
    }

    /** Also a verification learns what the weights lacked. */
    private static long verify(KillableTask task) {
        SchemaRegistry registry = task.registry;
        try (Verification run = new Verification(
                VerificationTest.input(task, "m", 0),
                registry,
                Changes.NONE,
                status(task),
                sent(task, Topic.PREDICTIONS),
                sent(task, Topic.MISTAKES),
                sent(task, Topic.COUNTS))) {
            task.records.forEach(run::learn);
            run.requireEnd(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
            assertThat(run.isReproduced()).isTrue();
            return run.equal().predictions();
        }
    }

    private static Verification.Sent sent(KillableTask task, Topic topic) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (SentRecord each : task.committed(topic)) {
            if (new String(each.key(), StandardCharsets.UTF_8).equals("m")) {
                records.add(new ConsumerRecord<>(topic.suffix(), 0, records.size(), each.key(), each.value()));
            }
        }
        return new Verification.Sent(records.iterator(), false);
    }

    /** Has the weights of the first 100 records as its last ones, with these records since. */
    private KillableTask replaced(Changes changes, String settings, long through, String... since) {
        KillableTask task = new KillableTask(
                dir.resolve("task" + tasks++),
                Map.of(),
                1,
                registry -> isSchemaKnown
                        ? LateRegistry.known(registry, KillReplayTest.LATE_ID)
                        : new LateRegistry(registry, KillReplayTest.LATE_ID, new int[] {Integer.MIN_VALUE}));
        Random random = new Random(3);
        task.add("m", "{\"action\":\"CONFIGURE\",\"settings\":" + settings + "}");
        while (task.records.size() < 100) {
            task.add("m", example(task.records.size(), random));
        }
        task.start();
        task.stepToEnd();
        task.ticks(6);
        task.commitCheckpoint();
        List<byte[]> chunks = weights(task, changes);
        for (String each : since) {
            task.add("m", each);
        }
        chunks.forEach(each -> task.add(BadRecord.utf8("m"), each, through(through)));
        return task;
    }

    /** Sends the weights of the first 100 records, with these records since. */
    private String refusal(String settings, long through, String... since) {
        try (KillableTask task =
                replaced(without(Set.of(), List.of(new Changes.Offsets(0, 20, 30))), settings, through, since)) {
            task.stepToEnd();
            task.commitCheckpoint();
            List<SentRecord> letters = task.committed(Topic.DEAD_LETTERS);
            return letters.isEmpty()
                    ? status(task).getCause()
                    : letters.get(0).header("perceptron-reason") + ": "
                            + letters.get(0).header("__streams.errors.message");
        }
    }

    @Test
    void shouldRefuseWeightsThatLackWhatCannotBeLearnedAfterwards() {
        String example = "{\"label\":1,\"features\":{\"x\":1}}";
        assertThat(refusal("{}", 99)).isEqualTo("IMPORT");
        assertThat(refusal("{}", 99, example, example)).isEqualTo("IMPORT");
        assertThat(refusal("{}", 99, example, "{\"action\":\"CONFIGURE\",\"settings\":{\"h\":1}}"))
                .isEqualTo(
                        "OUTDATED_WEIGHTS: weights that replace a model must lack only examples, got a command at offset 101");
        assertThat(refusal("{\"await.labels.ms\":1000}", 99)).isEqualTo("IMPORT");
        assertThat(refusal("{\"await.labels.ms\":1000}", 99, example))
                .startsWith(
                        "OUTDATED_WEIGHTS: weights that replace a model must lack no record of a model that waits for labels");
        assertThat(refusal("{}", 99, "{\"action\":\"DELETE\"}"))
                .isEqualTo(
                        "OUTDATED_WEIGHTS: weights that replace a model must be for a model that exists, got none of this name");
        assertThat(refusal("{}", 1_000))
                .startsWith(
                        "OUTDATED_WEIGHTS: weights that replace a model must have learned records before their own");
    }

    /**
     * A log in which the model falls silent after its weights were made, is deleted as idle, and begins again.
     *
     * @param weights that come then; null for none
     */
    private void addIdle(KillableTask task, List<byte[]> weights) {
        Random random = new Random(8);
        task.add("m", example(4, random));
        task.add(
                600_000,
                BadRecord.utf8("other"),
                BadRecord.utf8("{\"label\":1,\"features\":[1]}"),
                new RecordHeaders());
        for (int k = 0; k < 5; k++) {
            task.add(
                    600_000,
                    BadRecord.utf8("m"),
                    BadRecord.utf8("{\"label\":1,\"features\":[1]}"),
                    new RecordHeaders());
        }
        if (weights == null) {
            task.add(600_000, BadRecord.utf8("other"), BadRecord.utf8("{}"), new RecordHeaders());
        } else {
            weights.forEach(each -> task.add(600_000, BadRecord.utf8("m"), each, through(99)));
        }
        task.add(600_001, BadRecord.utf8("m"), BadRecord.utf8("{\"label\":-1,\"features\":[1]}"), new RecordHeaders());
        task.add(600_001, BadRecord.utf8("m"), BadRecord.utf8(SNAPSHOT), new RecordHeaders());
    }

    /** The weights had become those of the other model that has the name since. */
    @Test
    void shouldRefuseWeightsOfAModelThatWasDeletedAsIdleAndHasBegunAgainSince() {
        Map<String, String> settings = Map.of("models.idle.ms", "60000");
        try (KillableTask task = new KillableTask(dir.resolve("idle"), settings, 1, any -> any);
                KillableTask never = new KillableTask(dir.resolve("never"), settings, 1, any -> any)) {
            log(1, new Random(4)).subList(0, 100).forEach(each -> add(task, each));
            log(1, new Random(4)).subList(0, 100).forEach(each -> add(never, each));
            task.start();
            task.stepToEnd();
            task.ticks(6);
            task.commitCheckpoint();
            int checkpointed = task.store.changelog().size();
            addIdle(task, weights(task, Changes.NONE));
            while (!task.isAtEnd()) {
                task.step();
                task.commit();
                task.restart();
            }
            addIdle(never, null);
            never.start();
            never.stepToEnd();
            never.commitCheckpoint();
            // a replica decides it again: the engine has not stored its refusal yet
            assertThat(replicaWeights(task, checkpointed)).isEqualTo(replicaWeights(never, checkpointed));
            task.ticks(6);
            task.commitCheckpoint();

            assertThat(task.committed(Topic.DEAD_LETTERS))
                    .extracting(
                            each -> each.header("perceptron-reason") + ": " + each.header("__streams.errors.message"))
                    .containsExactly("OUTDATED_WEIGHTS: weights that replace a model must be of the model that has the"
                            + " name now, which began at offset 102, got those of an earlier one, with its records"
                            + " up to offset 99 (run what-if --replace again)");
            assertThat(lastWeights(task)).isEqualTo(lastWeights(never));
            assertThat(status(task).getExamples()).isEqualTo(6);
            VerificationTest.verify(task, "m", 60_000);
        }
    }

    @Test
    @Tag("full")
    void shouldRefuseWeightsThatLackTooManyBytesOfOtherModels() {
        byte[] example = BadRecord.utf8("{\"label\":1,\"features\":[1]" + " ".repeat(1 << 20) + "}");
        try (KillableTask task = replaced(Changes.NONE, "{}", 99)) {
            ConsumerRecord<byte[], byte[]> weights = task.records.remove(100);
            for (int k = 0; k < 512; k++) {
                task.add(BadRecord.utf8("other"), example, new RecordHeaders());
            }
            task.add(BadRecord.utf8("m"), weights.value(), through(99));
            task.stepToEnd();
            task.commitCheckpoint();

            assertThat(task.committed(Topic.DEAD_LETTERS))
                    .extracting(each -> each.header("__streams.errors.message"))
                    .containsExactly(
                            "weights that replace a model must lack at most 536870912 bytes of the partition, got more up"
                                    + " to offset 611");
        }
    }

    /** Begins with the id of a schema that the registry has later. */
    private static byte[] late() {
        return ByteBuffer.allocate(6).putInt(1, KillReplayTest.LATE_ID).array();
    }

    @Test
    void shouldRepeatARefusalThoughTheRegistryHasTheSchemaAfterARestart() {
        try (KillableTask task = replaced(Changes.NONE, "{}", 99)) {
            ConsumerRecord<byte[], byte[]> weights = task.records.remove(100);
            task.add(BadRecord.utf8("m"), late(), new RecordHeaders());
            task.add(BadRecord.utf8("m"), weights.value(), through(99));
            task.stepToEnd();
            task.commit();
            assertThat(task.committed(Topic.DEAD_LETTERS))
                    .extracting(each -> each.header("perceptron-reason"))
                    .containsExactly("UNKNOWN_SCHEMA", "OUTDATED_WEIGHTS");
            task.kill();
            isSchemaKnown = true;
            task.start();
            task.add("m", SNAPSHOT);
            task.stepToEnd();
            task.commitCheckpoint();

            assertThat(status(task).getEpoch()).isZero();
            assertThat(verify(task)).isEqualTo(99);
        }
    }

    @Test
    void shouldRefuseWeightsWhoseLackingRecordsWereDeleted() {
        try (KillableTask task = replaced(Changes.NONE, "{}", 50)) {
            task.firstOffset = 70;
            task.stepToEnd();
            task.commitCheckpoint();

            assertThat(task.committed(Topic.DEAD_LETTERS).get(0).header("__streams.errors.message"))
                    .isEqualTo("weights that replace a model must lack only examples, got deleted ones at offset 51");
        }
    }

    @Test
    void shouldLearnExamplesThatOnlyTheNewSettingsCanUse() {
        String example = "{\"label\":\"third\",\"features\":{\"x\":1}}";
        Changes changes = Changes.NONE.with(Map.of("algorithm", "multiclass"));
        try (KillableTask task = replaced(changes, "{\"algorithm\":\"perceptron\"}", 99, example, example)) {
            task.stepToEnd();
            task.commitCheckpoint();

            assertThat(status(task).getCause()).isEqualTo("IMPORT");
            // the engine had refused the last two
            assertThat(status(task).getExamples()).isEqualTo(99);
            assertThat(status(task).getOfWeights().getExamples()).isEqualTo(101);
        }
    }

    /** A second run without ids passes the weights of the first one, which lack an example of these ids. */
    @Test
    void shouldLeaveOutWhatAnEarlierImportHasLearnedAfterwards() {
        String example = "{\"id\":\"%s\",\"label\":1,\"features\":{\"only-%s\":1}}";
        try (KillableTask task = replaced(
                Changes.NONE,
                "{\"algorithm\":\"pa-i\"}",
                99,
                example.formatted("a", "a"),
                example.formatted("b", "b"))) {
            task.add("m", SNAPSHOT);
            task.stepToEnd();
            task.commitCheckpoint();
            assertThat(names(task, Changes.NONE)).contains("only-a", "only-b");
            assertThat(names(task, without(Set.of(new Utf8Slice().set("a")), List.of())))
                    .doesNotContain("only-a")
                    .contains("only-b");
            assertThat(names(task, without(Set.of(), List.of(new Changes.Offsets(0, 101, 101)))))
                    .contains("only-a")
                    .doesNotContain("only-b");
        }
    }

    private static List<String> names(KillableTask task, Changes changes) {
        return EventReader.of(WeightsSnapshot.class, task.registry)
                .read(weights(task, changes).get(0))
                .getFeatureNames()
                .stream()
                .map(FeatureName::getName)
                .toList();
    }

    @Test
    void shouldSendTheWeightsOfAFileLikeModel() throws Exception {
        try (KillableTask task = task()) {
            log(0, new Random(1)).subList(0, 50).forEach(each -> add(task, each));
            task.start();
            task.stepToEnd();
            task.ticks(6);
            task.commitCheckpoint();
            byte[] chunk = weights(task, without(Set.of(new Utf8Slice().set("e7")), List.of()))
                    .get(0);
            WeightsSnapshot sent =
                    EventReader.of(WeightsSnapshot.class, task.registry).read(chunk);
            try (WhatIf runs = new WhatIf(
                    VerificationTest.input(task, "m", 0),
                    task.registry,
                    status(task),
                    Changes.NONE,
                    List.of(without(Set.of(new Utf8Slice().set("e7")), List.of())),
                    0.01,
                    1)) {
                runs.learn(records(task));
                try (WeightsFile file = WeightsFile.of(runs.model(0), "a run")) {
                    assertThat(file.next()).isEqualTo(sent);
                    assertThat(file.next()).isNull();
                }
            }
        }
    }
}
