package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.log.Changes;
import io.perceptronstreams.log.Relearner;
import io.perceptronstreams.log.ReplayedEvents;
import io.perceptronstreams.log.SharedExamples;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.relearn.WhatIf;
import io.perceptronstreams.serde.CommandSignature;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A candidate of {@code what-if} is the model of an engine that was configured so from the start, or never got the
 * records.
 */
class WhatIfTest {
    private static final int RECORDS = 700;
    private static final String COMMAND = "{\"action\":\"CONFIGURE\",\"settings\":%s}";
    private static final String SNAPSHOT = "{\"action\":\"SNAPSHOT\"}";

    @TempDir
    Path dir;

    private int tasks;

    /** Values of the log of a model, one for each offset. */
    private static List<String> log(long seed, boolean isNamed, boolean isLate) {
        List<String> values = new ArrayList<>();
        Random random = new Random(seed);
        values.add(COMMAND.formatted(
                "{\"window.examples\":60" + (isLate ? ",\"await.labels.ms\":60,\"label.default\":\"-1\"" : "") + "}"));
        while (values.size() < RECORDS) {
            int k = values.size();
            double x = random.nextGaussian();
            double y = random.nextGaussian();
            int label = x + 0.5 * y + 0.3 * random.nextGaussian() > 0 ? 1 : -1;
            String features =
                    isNamed ? "{\"x\":" + x + ",\"w" + random.nextInt(9) + "\":" + y + "}" : "[" + x + "," + y + "]";
            // every third one has no id, but that of its place
            String id = k % 3 == 0 ? "" : "\"id\":\"e" + k + "\",";
            if (k == 300) {
                values.add(COMMAND.formatted("{\"eta\":0.5,\"snapshot.every\":50}"));
            } else if (k == 500) {
                values.add("{\"action\":\"RESET\",\"settings\":{}}");
            } else if (isLate && k % 5 == 1) {
                values.add("{" + id + "\"features\":" + features + "}");
            } else if (isLate && k % 5 == 3 && k > 7 && (k - 7) % 3 != 0 && random.nextInt(4) > 0) {
                values.add("{\"exampleId\":\"e" + (k - 7) + "\",\"label\":" + label + "}");
            } else {
                values.add("{" + id + "\"label\":" + label + ",\"features\":" + features + "}");
            }
        }
        values.add(SNAPSHOT);
        return values;
    }

    private KillableTask task(List<String> values) {
        KillableTask task = new KillableTask(dir.resolve("task" + tasks++), Map.of(), 1, any -> any);
        for (int k = 0; k < values.size(); k++) {
            if (values.get(k) == null) {
                // another model's
                task.add("other", "{\"label\":1,\"features\":[1]}");
            } else {
                task.add("m", values.get(k));
            }
        }
        task.start();
        task.stepToEnd();
        task.ticks(6);
        task.commitCheckpoint();
        return task;
    }

    private static ModelStatus status(KillableTask task) {
        List<SentRecord> all = task.committed(Topic.MODELS).stream()
                .filter(each -> text(each.key()).equals("m"))
                .toList();
        return EventReader.of(ModelStatus.class, task.registry)
                .read(all.get(all.size() - 1).value());
    }

    private static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }

    private static WhatIf run(KillableTask task, List<Changes> candidates, int threads) {
        WhatIf runs = new WhatIf(
                VerificationTest.input(task, "m", 0),
                task.registry,
                status(task),
                Changes.NONE,
                candidates,
                0.01,
                threads);
        for (int from = 0; from < task.records.size(); from += 100) {
            List<ConsumerRecord<byte[], byte[]>> block = new ArrayList<>();
            for (int k = from; k < Math.min(task.records.size(), from + 100); k++) {
                ConsumerRecord<byte[], byte[]> each = task.records.get(k);
                block.add(KillableTask.record(
                        each.offset(), each.timestamp(), each.key(), each.value(), new RecordHeaders()));
            }
            runs.learn(block);
        }
        assertThat(runs.fault()).as("control").isNull();
        return runs;
    }

    /** The snapshot of a candidate is that of the engine, bit for bit, but for the id of its schema. */
    private static void requireEqual(WhatIf runs, int candidate, KillableTask engine, int offset) {
        Model model = runs.model(candidate);
        List<byte[]> chunks =
                new EventEncoder(engine.ids, false).weightsSnapshot(model, new EventEncoder.Origin(0, offset));
        List<SentRecord> sent = engine.committed(Topic.WEIGHTS);
        assertThat(chunks).hasSize(1);
        assertThat(chunks.get(0)).isEqualTo(sent.get(sent.size() - 1).value());
        ModelStatus status = status(engine);
        assertThat(model.counts().totals().examples()).isEqualTo(status.getExamples());
        assertThat(model.counts().totals().errors()).isEqualTo(status.getErrors());
        assertThat(Double.doubleToLongBits(model.counts().totals().hingeLoss()))
                .isEqualTo(Double.doubleToLongBits(status.getHingeLoss()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "algorithm=perceptron | h=1",
                "algorithm=perceptron | predict=averaged scale=standard",
                "algorithm=perceptron | kernel=rbf(g=0.5) budget=20",
                "algorithm=pa-i | c=0.1",
                "algorithm=pa-ii | scale=unit-norm",
                "algorithm=alma | alpha=0.5",
                "algorithm=arow | r=0.5",
                "algorithm=scw | c=2",
                "algorithm=romma | aggressive=true",
                "algorithm=pdm | alpha=0.5",
                "algorithm=sgd | loss=hinge rate=adagrad",
                "algorithm=multiclass | classes.max=5",
                "algorithm=multiclass-pa | c=0.5",
                "algorithm=softmax | rate=adagrad implicit=true",
                "algorithm=perceptron | hash.bits=4",
                "algorithm=perceptron | calibrate=platt coverage=0.8 threshold=cost:1:5",
                "algorithm=multiclass | calibrate=platt coverage=0.9 predict.scores=true",
                "algorithm=pa-i | calibrate=platt alerts.max=3/hour drift=ddm drift.action=reset",
                "algorithm=perceptron | drift=ddm drift.action=shadow drift.window=30"
            })
    void shouldBeTheModelOfAnEngineThatWasConfiguredSo(String algorithm, String more) {
        Map<String, String> settings = settings(algorithm + " " + more);
        for (boolean isNamed : new boolean[] {false, true}) {
            for (boolean isLate : new boolean[] {false, true}) {
                compareSettings(settings, log(7, isNamed, isLate));
            }
        }
    }

    private void compareSettings(Map<String, String> settings, List<String> log) {
        String json = settings.entrySet().stream()
                .map(each -> "\"" + each.getKey() + "\":\"" + each.getValue() + "\"")
                .collect(Collectors.joining(","));
        List<String> configured = new ArrayList<>(log);
        configured.set(0, log.get(0).replace("{\"window", "{" + json + ",\"window"));
        try (KillableTask task = task(log);
                KillableTask engine = task(configured);
                WhatIf runs = run(task, List.of(Changes.NONE.with(settings), Changes.NONE), 2)) {
            requireEqual(runs, 0, engine, log.size() - 1);
            requireEqual(runs, 1, task, log.size() - 1);
            assertThat(runs.candidates().get(1).onlyControl()).isZero();
            assertThat(runs.candidates().get(1).errors())
                    .isEqualTo(runs.control().errors());
        }
    }

    private static Map<String, String> settings(String text) {
        return Arrays.stream(text.strip().split(" "))
                .map(each -> each.split("=", 2))
                .collect(Collectors.toMap(each -> each[0], each -> each[1]));
    }

    @Test
    void shouldBeSixteenEnginesWithAGridOfSixteen() {
        List<Changes> grid = new ArrayList<>();
        for (String h : List.of("0", "0.5", "1", "2")) {
            for (String eta : List.of("0.1", "0.3", "1", "3")) {
                grid.add(Changes.NONE.with(Map.of("h", h, "eta", eta)));
            }
        }
        List<String> log = log(3, false, false);
        try (KillableTask task = task(log);
                WhatIf runs = run(task, grid, 3)) {
            for (int k = 0; k < grid.size(); k++) {
                Map<String, String> settings = grid.get(k).settings();
                List<String> configured = new ArrayList<>(log);
                configured.set(
                        0,
                        COMMAND.formatted("{\"window.examples\":60,\"h\":" + settings.get("h") + ",\"eta\":"
                                + settings.get("eta") + "}"));
                configured.set(300, COMMAND.formatted("{\"snapshot.every\":50}"));
                try (KillableTask engine = task(configured)) {
                    requireEqual(runs, k, engine, log.size() - 1);
                }
            }
        }
    }

    @Test
    void shouldBeTheModelOfAnEngineThatNeverGotTheRecords() {
        Changes offsets =
                new Changes(Map.of(), List.of(new Changes.Offsets(0, 100, 180)), List.of(), Set.of(), Map.of(), false);
        compareRecords(offsets, (offset, value) -> offset >= 100 && offset <= 180 ? null : value);

        // record k has the time 1000 + k
        Changes times =
                new Changes(Map.of(), List.of(), List.of(new Changes.Times(1200, 1250)), Set.of(), Map.of(), false);
        compareRecords(times, (offset, value) -> offset >= 200 && offset < 250 ? null : value);

        // with and without an id of their own; labels come 7 records later
        Set<Utf8Slice> ids = Set.of(id("e10"), id("e26"), id("0@33"), id("e101"), id("e131"));
        Changes forgotten = new Changes(Map.of(), List.of(), List.of(), ids, Map.of(), false);
        compareRecords(
                forgotten,
                (offset, value) -> offset == 33 || ids.stream().anyMatch(each -> value.contains("d\":\"" + each + "\""))
                        ? null
                        : value);
    }

    @Test
    void shouldBeTheModelOfAnEngineThatGotTheOtherLabels() {
        Map<Utf8Slice, Label> labels = new HashMap<>(Map.of(id("0@36"), Label.of(1)));
        for (int k = 10; k < 90; k++) {
            labels.put(id("e" + k), Label.of(k % 2 == 0 ? 1 : -1));
        }
        Changes corrected = new Changes(Map.of(), List.of(), List.of(), Set.of(), labels, false);
        compareRecords(corrected, (offset, value) -> {
            for (Map.Entry<Utf8Slice, Label> each : labels.entrySet()) {
                boolean isOf = value.contains("d\":\"" + each.getKey() + "\"")
                        || (offset == 36 && each.getKey().equals(id("0@36")));
                if (isOf) {
                    return value.replaceFirst("\"label\":-?1", "\"label\":" + each.getValue());
                }
            }
            return value;
        });
    }

    // of a label that had waited for its example, the time was taken for 0
    @Test
    void shouldGiveLabelsThatCameBeforeTheirExamplesTheOtherOneFromItsTimeOn() {
        List<String> values = new ArrayList<>();
        values.add(COMMAND.formatted("{\"algorithm\":\"perceptron\",\"await.labels.ms\":1000,"
                + "\"await.examples.ms\":1000,\"window.examples\":60}"));
        List<String> right = new ArrayList<>(values);
        Map<Utf8Slice, Label> labels = new HashMap<>();
        Map<Utf8Slice, Long> knownFrom = new HashMap<>();
        Random random = new Random(5);
        for (int k = 0; k < 60; k++) {
            double x = random.nextGaussian();
            int truth = x > 0 ? 1 : -1;
            // record k has the time 1000 + k
            long time = 1000L + values.size();
            long known = time - 1 + k % 3;
            labels.put(id("e" + k), Label.of(truth));
            knownFrom.put(id("e" + k), known);
            String label = "{\"exampleId\":\"e" + k + "\",\"label\":%d}";
            values.add(label.formatted(-truth));
            right.add(label.formatted(known <= time ? truth : -truth));
            String example = "{\"id\":\"e" + k + "\",\"features\":[" + x + "," + random.nextGaussian() + "]}";
            values.add(example);
            right.add(example);
        }
        values.add(SNAPSHOT);
        right.add(SNAPSHOT);
        Changes changes = new Changes(Map.of(), List.of(), List.of(), Set.of(), labels, knownFrom, false);
        try (KillableTask task = task(values);
                KillableTask engine = task(right);
                WhatIf runs = run(task, List.of(changes), 1)) {
            requireEqual(runs, 0, engine, values.size() - 1);
            assertThat(runs.candidates().get(0).errors())
                    .isNotEqualTo(runs.control().errors());
        }
    }

    /** Labels of users, of which some are wrong, and those of reviews ten records later. */
    private static List<String> corrected(boolean isRepaired) {
        List<String> values = new ArrayList<>();
        Random random = new Random(11);
        values.add(COMMAND.formatted("{\"labels.sources\":\"review>user\",\"corrections\":\"repair\","
                + "\"algorithm\":\"perceptron\",\"await.labels.ms\":6000,\"window.examples\":60}"));
        List<Integer> truths = new ArrayList<>();
        for (int k = 0; k < 150; k++) {
            double x = random.nextGaussian();
            int truth = x > 0 ? 1 : -1;
            truths.add(random.nextInt(4) == 0 ? -truth : truth);
            values.add("{\"id\":\"e" + k + "\",\"features\":[" + x + "," + random.nextGaussian() + "]}");
            int said = truths.get(k) == truth ? truth : isRepaired ? truth : -truth;
            values.add("{\"exampleId\":\"e" + k + "\",\"label\":" + said + ",\"source\":\"user\"}");
            if (truths.get(k) != truth) {
                values.add("{\"exampleId\":\"e" + k + "\",\"label\":" + truth + ",\"source\":\"review\"}");
            }
        }
        values.add(SNAPSHOT);
        return values;
    }

    @Test
    void shouldRepairWeightsByTheLabelsThatMistakesName() {
        List<String> log = corrected(false);
        try (KillableTask task = task(log);
                KillableTask engine = task(corrected(true))) {
            ModelStatus status = status(task);
            Map<Utf8Slice, Label> labels = new HashMap<>();
            Map<Utf8Slice, Long> never = new HashMap<>();
            for (SentRecord each : task.committed(Topic.MISTAKES)) {
                Mistake mistake = EventReader.of(Mistake.class, task.registry).read(each.value());
                if (mistake.getCorrects() != null) {
                    Utf8Slice id = id(mistake.getExampleId());
                    labels.put(id, Label.parse(mistake.getLabelText()));
                    never.put(id, Long.MAX_VALUE);
                }
            }
            assertThat(labels).hasSizeGreaterThan(20);
            assertThat(status.getCorrections().getCorrections()).isEqualTo(labels.size());
            assertThat(status.getCorrections().getOutstanding()).isEqualTo(labels.size());
            List<Changes> candidates = List.of(
                    new Changes(Map.of(), List.of(), List.of(), Set.of(), labels, false),
                    new Changes(Map.of(), List.of(), List.of(), Set.of(), labels, never, false));
            try (WhatIf runs = run(task, candidates, 1)) {
                requireEqual(runs, 0, engine, engine.records.size() - 1);
                assertThat(runs.control().errors()).isEqualTo(status.getErrors());
                assertThat(runs.candidates().get(0).errors())
                        .isEqualTo(status(engine).getErrors());
                // what was known later changes nothing that came before
                requireEqual(runs, 1, task, log.size() - 1);
            }
        }
    }

    // records behind the fence were left out twice: there, and in the partition that had received them
    @Test
    void shouldNotLeaveOutRecordsBehindAFence() {
        Changes changes = new Changes(
                Map.of(),
                List.of(new Changes.Offsets(0, 13, 20)),
                List.of(),
                Set.of(id("e5"), id("e14")),
                Map.of(),
                false);
        try (KillableTask task = new KillableTask(dir, Map.of(), 1, any -> any)) {
            for (int k = 0; k < 20; k++) {
                task.add("m", "{\"id\":\"e" + k + "\",\"label\":" + (k % 3 - 1 | 1) + ",\"features\":[" + k + ",1]}");
                if (k == 10) {
                    task.add("*", "{\"action\":\"FENCE\",\"settings\":{\"after\":\"forward\"}}");
                }
            }
            task.start();
            task.stepToEnd();
            task.ticks(6);
            task.commitCheckpoint();
            try (WhatIf runs = run(task, List.of(changes), 1)) {
                assertThat(runs.control().labelled()).isEqualTo(11);
                WhatIf.Row candidate = runs.candidates().get(0);
                assertThat(candidate.labelled()).isEqualTo(10);
                assertThat(candidate.omitted()).isEqualTo(1);
                assertThat(candidate.unmatched().lines())
                        .containsExactly(
                                "--without-ids: 1 of 2 ids not found: e14",
                                "--without 0@13..20: no record of the model");
            }
        }
    }

    /** An id with a typing error leaves nothing out, which nobody would notice by the table. */
    @Test
    void shouldNameWhatMatchesNoRecord() {
        List<String> log = log(5, false, true);
        Changes changes = new Changes(
                Map.of(),
                List.of(new Changes.Offsets(0, 10, 20), new Changes.Offsets(0, 9000, 9001)),
                List.of(new Changes.Times(500, 600), new Changes.Times(1200, 1250)),
                Set.of(id("e101"), id("nope"), id("000001")),
                Map.of(id("e28"), Label.of(1), id("e29x"), Label.of(-1)),
                false);
        try (KillableTask task = task(log);
                WhatIf runs = run(task, List.of(changes, Changes.NONE), 1)) {
            assertThat(runs.candidates().get(0).unmatched().lines())
                    .containsExactly(
                            "--without-ids: 2 of 3 ids not found: 000001, nope",
                            "--labels: 1 of 2 ids without a label in the log: e29x",
                            "--without-time 1970-01-01T00:00:00.500Z..1970-01-01T00:00:00.600Z: no record of the model",
                            "--without 0@9000..9001: no record of the model");
            assertThat(runs.candidates().get(1).unmatched().isEmpty()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'',true",
        // it is meant
        "'a,b,perhaps',false"
    })
    void shouldNameAClassThatNoExampleOfTheLogHas(String classes, boolean isNamed) {
        List<String> log = List.of(
                "{\"id\":\"1\",\"label\":\"a\",\"features\":[1]}",
                "{\"id\":\"2\",\"label\":\"b\",\"features\":[2]}",
                "{\"id\":\"3\",\"label\":\"a\",\"features\":[3]}",
                SNAPSHOT);
        Map<String, String> settings = classes.isEmpty() ? Map.of() : Map.of("classes", classes);
        Map<Utf8Slice, Label> labels = Map.of(id("1"), Label.parse("b"), id("3"), Label.parse("perhaps"));
        try (KillableTask task = task(log);
                WhatIf runs =
                        run(task, List.of(new Changes(settings, List.of(), List.of(), Set.of(), labels, false)), 1)) {
            assertThat(runs.candidates().get(0).unmatched().lines())
                    .isEqualTo(isNamed ? List.of("--labels: no example of the log has the label perhaps") : List.of());
        }
    }

    /** Some of the examples of a record are left out, or get another label, by their ids, places and times. */
    @Test
    void shouldChangeExamplesAmongSeveral() {
        String a = "{\"id\":\"a\",\"label\":1,\"features\":[1,2],\"timestamp\":700}";
        String b = "{\"id\":\"b\",\"label\":-1,\"features\":[1,1],\"timestamp\":800}";
        String c = "{\"label\":1,\"features\":[0,3],\"timestamp\":900}";
        String d = "{\"id\":\"d\",\"label\":-1,\"features\":[4,1]}";
        String[] whole = {a, b, c, d};
        Map<Utf8Slice, Label> labels = Map.of(id("b"), Label.of(1), id("0@0#2"), Label.of(-1));
        compareParts(
                whole,
                new Changes(Map.of(), List.of(), List.of(), Set.of(id("b"), id("0@0#2")), Map.of(), false),
                a,
                d);
        compareParts(
                whole,
                new Changes(Map.of(), List.of(), List.of(new Changes.Times(800, 901)), Set.of(), Map.of(), false),
                a,
                d);
        compareParts(
                whole,
                new Changes(Map.of(), List.of(), List.of(), Set.of(), labels, false),
                a,
                b.replace("\"label\":-1", "\"label\":1"),
                c.replace("\"label\":1", "\"label\":-1"),
                d);
        compareParts(
                whole,
                new Changes(Map.of(), List.of(), List.of(), Set.of(id("a"), id("b"), id("d")), Map.of(), false),
                c);
    }

    private void compareParts(String[] whole, Changes changes, String... changed) {
        try (KillableTask task = task(List.of("[" + String.join(",", whole) + "]", SNAPSHOT));
                KillableTask engine = task(List.of("[" + String.join(",", changed) + "]", SNAPSHOT));
                WhatIf runs = run(task, List.of(changes), 1)) {
            requireEqual(runs, 0, engine, 1);
        }
    }

    @Test
    void shouldCompareExamplesAmongSeveralThatACandidateRefuses() {
        String several = "[{\"label\":\"x\",\"features\":[1]},{\"label\":\"y\",\"features\":[1]},"
                + "{\"label\":\"z\",\"features\":[1]},{\"label\":\"y\",\"features\":[1]}]";
        try (KillableTask task = task(List.of(COMMAND.formatted("{\"algorithm\":\"multiclass\"}"), several));
                WhatIf runs = run(task, List.of(Changes.NONE.with(Map.of("classes.max", "2"))), 1)) {
            WhatIf.Row row = runs.candidates().get(0);
            assertThat(row.refused()).startsWith("1#2: ");
            // both learn x, y and y with the same mistakes but the last: after z the control predicts z, the candidate
            // y
            assertThat(row.labelled()).isEqualTo(3);
            assertThat(row.onlyControl()).isOne();
            assertThat(row.onlyCandidate()).isZero();
        }
    }

    // A record that is refused as a whole was taken for its first example.
    @Test
    void shouldCompareRecordsThatAreRefusedAsAWhole() {
        String settings = COMMAND.formatted("{\"crosses\":\"a*b\",\"crosses.max\":%d}");
        String unreadable = "{\"label\":1,\"features\":[\"x\"]}";
        String crossed = "{\"label\":1,\"features\":{\"a^x\":1,\"a^y\":1,\"b^z\":1}}";
        try (KillableTask task = task(List.of(settings.formatted(9), "[" + unreadable + "," + crossed + "]"));
                WhatIf runs = run(task, List.of(Changes.NONE.with(Map.of("crosses.max", "1"))), 1)) {
            assertThat(runs.candidates().get(0).refused()).startsWith("1: of 2 examples none can be read");
        }
        try (KillableTask task = task(List.of(settings.formatted(1), "[" + crossed + "," + unreadable + "]"));
                WhatIf runs = run(task, List.of(Changes.NONE.with(Map.of("crosses.max", "9"))), 1)) {
            assertThat(runs.candidates().get(0).refused()).isNull();
        }
    }

    private static Utf8Slice id(String text) {
        return new Utf8Slice().set(text);
    }

    private void compareRecords(Changes changes, BiFunction<Integer, String, String> other) {
        for (boolean isNamed : new boolean[] {false, true}) {
            for (boolean isLate : new boolean[] {false, true}) {
                List<String> log = log(11, isNamed, isLate);
                List<String> changed = new ArrayList<>();
                for (int k = 0; k < log.size(); k++) {
                    changed.add(other.apply(k, log.get(k)));
                }
                assertThat(changed).isNotEqualTo(log);
                try (KillableTask task = task(log);
                        KillableTask engine = task(changed);
                        WhatIf runs = run(task, List.of(changes), 1)) {
                    requireEqual(runs, 0, engine, log.size() - 1);
                    assertThat(runs.candidates().get(0).omitted())
                            .isEqualTo(changed.stream().filter(Objects::isNull).count());
                }
            }
        }
    }

    /** A promoted challenger brought back a setting that the candidate has in another way. */
    @Test
    void shouldKeepItsSettingsWhereAChallengerIsPromoted() {
        String challenge = "{\"action\":\"CHALLENGE\",\"settings\":{\"challenger\":\"c\",%s\"h\":1}}";
        List<String> log = log(13, false, false);
        log.set(300, challenge.formatted("\"eta\":0.5,"));
        log.set(400, "{\"action\":\"PROMOTE\",\"settings\":{\"challenger\":\"c\"}}");
        List<String> configured = new ArrayList<>(log);
        configured.set(0, log.get(0).replace("{\"window", "{\"eta\":2,\"window"));
        configured.set(300, challenge.formatted(""));
        try (KillableTask task = task(log);
                KillableTask engine = task(configured);
                WhatIf runs = run(task, List.of(Changes.NONE.with(Map.of("eta", "2"))), 1)) {
            requireEqual(runs, 0, engine, log.size() - 1);
        }
    }

    @Test
    void shouldNameACommandThatOnlyACandidateRefuses() {
        List<String> log = log(5, false, false);
        log.set(300, COMMAND.formatted("{\"h\":2}"));
        try (KillableTask task = task(log);
                WhatIf runs = run(task, List.of(Changes.NONE.with(Map.of("algorithm", "pa-i"))), 1)) {
            assertThat(runs.candidates().get(0).refused()).startsWith("300: h must be 0.0 with algorithm=pa-i");
        }
    }

    @Test
    void shouldNameTheCommandWithWhichAnotherModelBeginsThatIsLeftOut() {
        Changes offsets =
                new Changes(Map.of(), List.of(new Changes.Offsets(0, 0, 9)), List.of(), Set.of(), Map.of(), false);
        // record k has the time 1000 + k
        Changes times =
                new Changes(Map.of(), List.of(), List.of(new Changes.Times(900, 1010)), Set.of(), Map.of(), false);
        Changes later =
                new Changes(Map.of(), List.of(), List.of(new Changes.Times(1001, 1010)), Set.of(), Map.of(), false);
        try (KillableTask task = task(log(5, false, false));
                WhatIf runs = run(task, List.of(offsets, times, later), 1)) {
            assertThat(runs.candidates()).extracting(WhatIf.Row::beginning).containsExactly("0@0", "0@0", null);
        }
    }

    /** Without its dead letter a command that the engine has refused is executed, also where only the candidate can. */
    @Test
    void shouldNoteCommandsWithoutAValidSignature() {
        String command = COMMAND.formatted("{\"c\":0.5}");
        String defaults = "{\"action\":\"DEFAULTS\",\"settings\":{\"eta\":0.5}}";
        try (KillableTask task = new KillableTask(dir.resolve("signed"), Map.of(), 1, any -> any)) {
            task.add("m", "{\"label\":1,\"features\":[1]}");
            add(task, "m", command, signature("the-key-of-today", 10, "m", command));
            add(task, "m", command, signature("the-key-of-today", 10, "m", command));
            add(task, "m", command, signature("the-key-of-others", 20, "m", command));
            add(task, "m", command, null);
            add(task, "*", defaults, null);
            add(task, "other", command, null);
            add(task, "m", command, signature("the-key-of-earlier", 30, "m", command));
            task.start();
            task.stepToEnd();
            task.ticks(6);
            task.commitCheckpoint();

            assertThat(unsigned(task, List.of("the-key-of-today", "the-key-of-earlier")))
                    .containsExactly(2L, 3L, 4L, 5L);
            assertThat(unsigned(task, List.of("the-key-of-today"))).containsExactly(2L, 3L, 4L, 5L, 7L);
            assertThat(unsigned(task, List.of())).isEmpty();

            try (Relearner run = new Relearner(
                    VerificationTest.input(task, "m", 0, List.of("the-key-of-today")),
                    task.registry,
                    Changes.WITHOUT_UNSIGNED,
                    new SharedExamples(1),
                    new ReplayedEvents(model -> 0))) {
                task.records.stream().filter(run::needs).forEach(run::relearn);
                assertThat(run.omittedUnsigned()).containsExactly(2L, 3L, 4L, 5L, 7L);
                assertThat(run.unsigned()).isEmpty();
                // without that of the defaults
                assertThat(run.omitted()).isEqualTo(4);
            }
        }
    }

    /** A command of the defaults, from before the key was set, has a part in every model that begins later. */
    @Test
    void shouldBeAsIfCommandsWithoutAValidSignatureHadNeverCome() {
        String own = COMMAND.formatted("{\"h\":1}");
        List<String> log = log(3, false, false);
        try (KillableTask task = new KillableTask(dir.resolve("forged"), Map.of(), 1, any -> any);
                KillableTask other = new KillableTask(dir.resolve("signed"), Map.of(), 1, any -> any)) {
            add(task, "*", "{\"action\":\"DEFAULTS\",\"settings\":{\"eta\":3}}", null);
            add(task, "m", own, null);
            for (String each : log) {
                boolean isExample = each.contains("label");
                CommandSignature signature =
                        isExample ? null : signature("the-key-of-today", task.records.size(), "m", each);
                add(task, "m", each, signature);
                add(other, "m", each, null);
            }
            for (KillableTask each : List.of(task, other)) {
                each.start();
                each.stepToEnd();
                each.ticks(6);
                each.commitCheckpoint();
            }
            try (WhatIf runs = new WhatIf(
                    VerificationTest.input(task, "m", 0, List.of("the-key-of-today")),
                    task.registry,
                    status(task),
                    Changes.NONE,
                    List.of(Changes.WITHOUT_UNSIGNED),
                    0.01,
                    1)) {
                for (ConsumerRecord<byte[], byte[]> each : task.records) {
                    runs.learn(List.of(each));
                }
                assertThat(runs.fault()).isNull();
                assertThat(runs.candidates().get(0).unsigned().all()).containsExactly("0@0", "0@1");
                assertThat(runs.candidates().get(0).beginning()).isEqualTo("0@1");
                assertThat(runs.model(0).counts().totals().errors())
                        .isEqualTo(status(other).getErrors())
                        .isNotEqualTo(status(task).getErrors());
                assertThat(Double.doubleToLongBits(
                                runs.model(0).counts().totals().hingeLoss()))
                        .isEqualTo(Double.doubleToLongBits(status(other).getHingeLoss()));
            }
        }
    }

    /** The engine has refused the copy, because it had accepted the first one; the dead letter was deleted. */
    @Test
    void shouldNotAcceptACopyOfASignedCommandThatIsLeftOut() {
        String command = COMMAND.formatted("{\"c\":0.5}");
        CommandSignature signature = signature("the-key-of-today", 10, "m", command);
        try (KillableTask task = new KillableTask(dir.resolve("copied"), Map.of(), 1, any -> any)) {
            task.add("m", "{\"label\":1,\"features\":[1]}");
            add(task, "m", command, signature);
            add(task, "m", command, signature);
            task.start();
            task.stepToEnd();
            task.commitCheckpoint();
            Changes changes =
                    new Changes(Map.of(), List.of(new Changes.Offsets(0, 1, 1)), List.of(), Set.of(), Map.of(), false);
            try (Relearner run = new Relearner(
                    VerificationTest.input(task, "m", 0, List.of("the-key-of-today")),
                    task.registry,
                    changes,
                    new SharedExamples(1),
                    new ReplayedEvents(model -> 0))) {
                task.records.forEach(run::relearn);
                assertThat(run.unsigned()).containsExactly(2L);
            }
        }
    }

    private static void add(KillableTask task, String name, String value, CommandSignature signature) {
        RecordHeaders headers = new RecordHeaders();
        if (signature != null) {
            headers.add(CommandSignature.HEADER, signature.encode());
        }
        task.add(BadRecord.utf8(name), BadRecord.utf8(value), headers);
    }

    private static CommandSignature signature(String key, long micros, String name, String value) {
        return CommandSignature.of(key, micros, BadRecord.utf8(name), null, BadRecord.utf8(value));
    }

    private static List<Long> unsigned(KillableTask task, List<String> keys) {
        try (Relearner run = new Relearner(
                VerificationTest.input(task, "m", 0, keys), task.registry, new ReplayedEvents(model -> 0))) {
            task.records.stream().filter(run::needs).forEach(run::relearn);
            return run.unsigned();
        }
    }
}
