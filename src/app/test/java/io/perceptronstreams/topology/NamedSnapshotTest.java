package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.log.Changes;
import io.perceptronstreams.log.ModelInput;
import io.perceptronstreams.log.NamedSnapshot;
import io.perceptronstreams.relearn.Difference;
import io.perceptronstreams.relearn.Explanation;
import io.perceptronstreams.relearn.Verification;
import io.perceptronstreams.relearn.WhatIf;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs that start from a named snapshot give what the engine has sent since, also where the log before it is gone. */
class NamedSnapshotTest {
    private static final int RECORDS = 600;
    private static final String CONFIGURE = "{\"action\":\"CONFIGURE\",\"settings\":{%s}}";
    private static final String TAG = "{\"action\":\"SNAPSHOT\",\"settings\":{\"name\":\"%s\"}}";
    private static final String UNTAG = "{\"action\":\"SNAPSHOT\",\"settings\":{\"name\":\"%s\",\"drop\":true}}";

    private static final List<String> SETTINGS = List.of(
            "\"algorithm\":\"perceptron\"",
            "\"algorithm\":\"perceptron\",\"h\":1,\"window.examples\":30",
            "\"algorithm\":\"perceptron\",\"predict\":\"averaged\",\"scale\":\"standard\"",
            "\"algorithm\":\"perceptron\",\"predict\":\"voted\"",
            "\"algorithm\":\"perceptron\",\"kernel\":\"rbf(g=0.5)\",\"budget\":20",
            "\"algorithm\":\"pa-i\",\"scale\":\"unit-norm\"",
            "\"algorithm\":\"arow\",\"scale\":\"standard\"",
            "\"algorithm\":\"scw\",\"explain\":3",
            "\"algorithm\":\"alma\"",
            "\"algorithm\":\"romma\"",
            "\"algorithm\":\"pdm\"",
            "\"algorithm\":\"sgd\",\"rate\":\"adagrad\",\"loss\":\"logistic\"",
            "\"algorithm\":\"multiclass-pa\"",
            "\"algorithm\":\"softmax\",\"rate\":\"adagrad\"",
            "\"algorithm\":\"multiclass\",\"predict\":\"averaged\"",
            "\"algorithm\":\"auto\",\"class.weights\":\"1:2\"",
            "\"algorithm\":\"perceptron\",\"calibrate\":\"platt\",\"coverage\":0.9,\"threshold\":\"cost:1:5\"",
            "\"algorithm\":\"softmax\",\"calibrate\":\"platt\",\"coverage\":0.8,\"predict.scores\":true");

    @TempDir
    Path dir;

    private int tasks;

    /** With named snapshots at 150 (v1), 250 (v2) and 450 (v3), a reset at 350, and v2 removed at 500. */
    private static List<String> log(String settings, Random random) {
        List<String> values = new ArrayList<>();
        values.add(CONFIGURE.formatted(settings));
        while (values.size() < RECORDS) {
            int k = values.size();
            double x = random.nextGaussian();
            double y = random.nextGaussian();
            int label = x + 0.5 * y + 0.3 * random.nextGaussian() > 0 ? 1 : settings.contains("auto") ? 0 : -1;
            String features = k % 2 == 0 ? "{\"x\":" + x + ",\"w" + random.nextInt(9) + "\":" + y + "}" : "[" + x + "]";
            String example = "{\"id\":\"e" + k + "\",\"label\":" + label + ",\"features\":" + features + "}";
            switch (k) {
                case 150 -> values.add(TAG.formatted("v1"));
                case 250 -> values.add(TAG.formatted("v2"));
                case 300 -> values.add(CONFIGURE.formatted("\"snapshot.every\":50"));
                case 350 -> values.add("{\"action\":\"RESET\",\"settings\":{}}");
                case 450 -> values.add(TAG.formatted("v3"));
                case 500 -> values.add(UNTAG.formatted("v2"));
                // another model's
                case 100, 200, 260 -> values.add(null);
                default -> values.add(k % 7 == 3 ? "[" + example + "," + unlabelled(k) + "]" : example);
            }
        }
        return values;
    }

    private static String unlabelled(int k) {
        return "{\"features\":{\"x\":" + k % 5 + "}}";
    }

    private KillableTask task(List<String> values) {
        KillableTask task = new KillableTask(dir.resolve("task" + tasks++), Map.of(), 1, any -> any);
        for (String value : values) {
            task.add(value == null ? "other" : "m", value == null ? "{\"label\":1,\"features\":[1]}" : value);
        }
        task.start();
        task.stepToEnd();
        task.ticks(6);
        task.commitCheckpoint();
        return task;
    }

    private static ModelStatus status(KillableTask task) {
        List<ConsumerRecord<byte[], byte[]>> all = sent(task, Topic.MODELS);
        return EventReader.of(ModelStatus.class, task.registry)
                .read(all.get(all.size() - 1).value());
    }

    private static List<ConsumerRecord<byte[], byte[]>> sent(KillableTask task, Topic topic) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (SentRecord each : task.committed(topic)) {
            if (text(each.key()).equals("m")) {
                records.add(new ConsumerRecord<>(
                        "perceptron-" + topic.suffix(), 0, records.size(), each.key(), each.value()));
            }
        }
        return records;
    }

    private static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }

    private static ModelInput input(KillableTask task, String tag) {
        EventReader<WeightsSnapshot> reader = EventReader.of(WeightsSnapshot.class, task.registry);
        List<WeightsSnapshot> chunks = task.committed(Topic.WEIGHTS).stream()
                .filter(each -> (text(each.key()) + "/").startsWith("m@" + tag + "/") && each.value() != null)
                .map(each -> reader.read(each.value()))
                .toList();
        return VerificationTest.input(task, "m", 0).from(NamedSnapshot.of(tag, chunks, status(task)));
    }

    /** Of the log only what a topic has whose records before the snapshot were deleted. */
    private static List<ConsumerRecord<byte[], byte[]>> since(KillableTask task, ModelInput input) {
        return task.records.subList((int) input.start().offset() + 1, task.records.size());
    }

    private static Verification.Counted verify(KillableTask task, String tag, int firstPrediction) {
        ModelInput input = input(task, tag);
        List<ConsumerRecord<byte[], byte[]>> predictions = sent(task, Topic.PREDICTIONS);
        try (Verification run = new Verification(
                input,
                task.registry,
                Changes.NONE,
                status(task),
                new Verification.Sent(
                        predictions.subList(firstPrediction, predictions.size()).iterator(), firstPrediction > 0),
                new Verification.Sent(sent(task, Topic.MISTAKES).iterator(), false),
                new Verification.Sent(sent(task, Topic.COUNTS).iterator(), false))) {
            since(task, input).forEach(run::learn);
            run.requireEnd(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
            assertThat(run.isReproduced()).isTrue();
            return run.equal();
        }
    }

    @SeededTest
    void shouldGiveWhatTheEngineHasSentSince(long seed) {
        Random random = new Random(seed);
        for (String settings : SETTINGS) {
            try (KillableTask task = task(log(settings, random))) {
                long before = 0;
                for (String tag : List.of("v3", "v2", "v1")) {
                    Verification.Counted equal = verify(task, tag, 0);
                    assertThat(equal.predictions()).as(settings).isGreaterThan(before + 90);
                    assertThat(equal.mistakes()).isPositive();
                    assertThat(equal.counts()).isZero();
                    before = equal.predictions();
                }
                // of records in order, every seventh with two examples; whole records are sent
                assertThat(verify(task, "v1", 300).predictions()).isLessThan(before);
            }
        }
    }

    @Test
    void shouldNameAChangedPredictionAndWhatMayBeTheCause() {
        try (KillableTask task = task(log(SETTINGS.get(0), new Random(1)))) {
            byte[] changed = sent(task, Topic.PREDICTIONS).get(400).value();
            changed[changed.length - 12] ^= 1;
            assertThatThrownBy(() -> verify(task, "v1", 0))
                    .isInstanceOf(Difference.class)
                    .hasMessageContaining("the event at perceptron-predictions-0@400 must be that of the record ")
                    .hasMessageEndingWith("; a run from a named snapshot lacks " + NamedSnapshot.LACKED
                            + ": if the model had any of these at offset 150, that may be the cause");
        }
    }

    @Test
    void shouldSayThatLabelsOfExamplesBeforeItAreLacking() {
        List<String> log = log(SETTINGS.get(0) + ",\"await.labels.ms\":1000", new Random(2));
        log.set(149, "{\"id\":\"late\",\"features\":[3]}");
        log.set(151, "{\"exampleId\":\"late\",\"label\":-1}");
        try (KillableTask task = task(log)) {
            assertThatThrownBy(() -> verify(task, "v1", 0))
                    .isInstanceOf(Difference.class)
                    .hasMessageContaining("a run from a named snapshot lacks what waits for labels, ");
            assertThat(verify(task, "v3", 0).predictions()).isGreaterThan(90);
        }
    }

    /** A challenger that has begun since is compared, and may be promoted; one from before is not. */
    @Test
    void shouldCompareChallengersThatHaveBegunSince() {
        List<String> log = log(SETTINGS.get(0), new Random(3));
        log.set(160, "{\"action\":\"CHALLENGE\",\"settings\":{\"challenger\":\"a\",\"eta\":0.5}}");
        log.set(170, "{\"action\":\"CHALLENGE\",\"settings\":{\"challenger\":\"b\",\"from\":\"live\",\"h\":1}}");
        log.set(400, "{\"action\":\"PROMOTE\",\"settings\":{\"challenger\":\"b\"}}");
        try (KillableTask task = task(log)) {
            assertThat(status(task).getChallengers()).hasSize(2);
            assertThat(verify(task, "v1", 0).predictions()).isGreaterThan(400);
            // b is lacking when it is to be promoted
            assertThatThrownBy(() -> verify(task, "v2", 0)).hasMessageContaining("lacks");
            assertThat(verify(task, "v3", 0).predictions()).isGreaterThan(90);
        }
    }

    /**
     * A snapshot had its own epoch only: after it the run gave numbers again that challengers had, and differed in all
     * that has one.
     */
    @SeededTest
    void shouldGoOnAfterTheEpochsOfChallengersFromBeforeIt(long seed) {
        List<String> log = log(SETTINGS.get((int) Math.floorMod(seed, 10L)), new Random(seed));
        log.set(110, "{\"action\":\"CHALLENGE\",\"settings\":{\"challenger\":\"a\",\"eta\":0.5}}");
        log.set(120, "{\"action\":\"CHALLENGE\",\"settings\":{\"challenger\":\"b\",\"eta\":2}}");
        log.set(130, "{\"action\":\"WITHDRAW\",\"settings\":{\"challenger\":\"b\"}}");
        log.set(160, "{\"action\":\"CHALLENGE\",\"settings\":{\"challenger\":\"c\",\"eta\":0.25}}");
        log.set(170, "{\"action\":\"PROMOTE\",\"settings\":{\"challenger\":\"c\"}}");
        try (KillableTask task = task(log)) {
            // 1 and 2 were those of a and b, 3 that of c
            assertThat(task.events(Topic.MODELS).stream()
                            .filter(each -> each.get("cause").toString().equals("RESET"))
                            .map(each -> each.get("epoch")))
                    .containsExactly(4L);
            assertThat(verify(task, "v1", 0).predictions()).isGreaterThan(400);
            assertThat(verify(task, "v2", 0).predictions()).isGreaterThan(300);
            assertThat(verify(task, "v3", 0).predictions()).isGreaterThan(90);
        }
    }

    /** Its counts are those of its weights only if their beginning is known. */
    @Test
    void shouldCountOnAsTheModelThatHadLearnedNothing() {
        List<String> log = new ArrayList<>(List.of(
                "{\"action\":\"CONFIGURE\",\"settings\":{\"portfolio\":true}}", unlabelled(1), TAG.formatted("v1")));
        for (int k = 0; k < 40; k++) {
            log.add("{\"label\":" + (k % 3 == 0 ? -1 : 1) + ",\"features\":[" + k % 5 + "]}");
        }
        try (KillableTask task = task(log)) {
            // the first member has all of them since, though a vote has emitted other labels
            assertThat(status(task).getOfWeights().getExamples()).isEqualTo(41);
            assertThat(status(task).getCountsSince()).isZero();
            assertThat(verify(task, "v1", 0).predictions()).isEqualTo(40);
        }
    }

    private static WhatIf whatIf(KillableTask task, String tag, List<Changes> candidates) {
        ModelInput input = input(task, tag);
        WhatIf runs = new WhatIf(input, task.registry, status(task), Changes.NONE, candidates, 0.01, 1);
        since(task, input).forEach(each -> runs.learn(List.of(each)));
        assertThat(runs.fault()).isNull();
        return runs;
    }

    /** Bytes of a snapshot of a model now. */
    private static byte[] bytes(KillableTask task, WhatIf runs, int candidate) {
        return new EventEncoder(task.ids, false)
                .weightsSnapshot(runs.model(candidate), new EventEncoder.Origin(0, RECORDS))
                .get(0);
    }

    @Test
    void shouldLetACandidateGoOnAsAModelThatIsConfiguredSo() {
        List<String> log = log(SETTINGS.get(0), new Random(4));
        log.set(350, log.get(349));
        log.add("{\"action\":\"SNAPSHOT\"}");
        List<String> configured = new ArrayList<>(log);
        configured.set(151, CONFIGURE.formatted("\"eta\":0.25,\"h\":1"));
        List<String> lacking = new ArrayList<>(log);
        lacking.set(151, null);
        try (KillableTask task = task(lacking);
                KillableTask engine = task(configured);
                WhatIf runs =
                        whatIf(task, "v1", List.of(Changes.NONE.with(Map.of("eta", "0.25", "h", "1")), Changes.NONE))) {
            List<ConsumerRecord<byte[], byte[]>> sent = sent(engine, Topic.WEIGHTS);
            assertThat(bytes(task, runs, 0)).isEqualTo(sent.get(sent.size() - 1).value());
            List<ConsumerRecord<byte[], byte[]>> own = sent(task, Topic.WEIGHTS);
            assertThat(bytes(task, runs, 1)).isEqualTo(own.get(own.size() - 1).value());
            assertThat(runs.candidates().get(1).onlyControl()).isZero();
        }
    }

    @Test
    void shouldRefuseACandidateThatCannotGoOnWithTheWeights() {
        try (KillableTask task = task(log(SETTINGS.get(0), new Random(5)))) {
            for (Map<String, String> settings : List.of(Map.of("algorithm", "arow"), Map.of("hash.bits", "10"))) {
                assertThatThrownBy(() -> whatIf(task, "v1", List.of(Changes.NONE.with(settings))))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(settings.keySet().iterator().next());
            }
        }
    }

    @Test
    void shouldExplainAnExampleAfterItOnly() {
        try (KillableTask task = task(log(SETTINGS.get(7), new Random(6)))) {
            ModelInput whole = VerificationTest.input(task, "m", 0);
            ModelInput input = input(task, "v1");
            Explanation.Explained explained = explained(task, input, since(task, input), "0@201");
            assertThat(explained).isEqualTo(explained(task, whole, task.records, "0@201"));
            assertThat(explained.evidence()).isNotNull();
            assertThatThrownBy(() -> explained(task, input, List.of(), "0@150"))
                    .isInstanceOf(CommandFailedException.class)
                    .hasMessage("the example must come after m@v1 at offset 150, got 0@150 (perceptron versions list m"
                            + " lists earlier ones)");
            assertThatThrownBy(() -> explained(task, input, since(task, input), "e120"))
                    .hasMessageEndingWith("got none with the id 'e120' after offset 150");
        }
    }

    private static Explanation.Explained explained(
            KillableTask task, ModelInput input, List<ConsumerRecord<byte[], byte[]>> records, String example) {
        try (Explanation run = new Explanation(input, task.registry, example, 3, Changes.NONE)) {
            records.forEach(run::learn);
            return run.explained();
        }
    }
}
