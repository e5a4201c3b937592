package io.perceptronstreams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventIds;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.serde.WireFormat;
import io.perceptronstreams.state.StoredText;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Labels that come after or before their examples, and examples that come twice; {@link KillReplayTest} mixes and
 * kills.
 */
@ExtendWith(EngineExtension.class)
class LateLabelTest {
    @TempDir
    Path dir;

    private final EngineDriver engine;

    LateLabelTest(EngineDriver engine) {
        this.engine = engine;
    }

    private static String watchers(Model model) {
        return StoredText.of(fields -> {
            model.drift().exchange(fields, model.current().epoch());
            model.challengers().all().forEach(each -> each.exchange(fields));
            model.current().advisor().exchange(fields);
        });
    }

    private Model model() {
        return engine.model("m");
    }

    private void configure(String settings) {
        engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":" + settings + "}", 0);
    }

    private void example(String id, long time) {
        engine.send("m", "{\"id\":\"" + id + "\",\"features\":[1,2]}", time);
    }

    private void label(String id, long time) {
        engine.send("m", "{\"exampleId\":\"" + id + "\",\"label\":-1}", time);
    }

    private long count(Counter counter) {
        return model().counts().totals().of(counter);
    }

    /**
     * A due example of 2,024 bytes and 1,000 features takes 16 · (2,024 + 1,000) steps to read, and 1,000 · 2,000 to
     * score: 65 of them are less than 2^27 steps, 66 are more. A thousand of them took 14 s of one record.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldResolveNoMoreBeforeOneRecordThanItsWorkAllows(boolean isChallenged) {
        String classes = IntStream.range(0, 2_000).mapToObj(k -> "c" + k).collect(Collectors.joining(","));
        configure("{\"algorithm\":\"multiclass\",\"classes\":\"" + classes
                + "\",\"classes.max\":\"2000\",\"await.labels.ms\":\"1000\",\"label.default\":\"c1\"}");
        if (isChallenged) {
            // does not count: the same entries are due with it
            engine.send("m", "{\"action\":\"CHALLENGE\",\"settings\":{\"challenger\":\"c\"}}", 0);
        }
        String features = "1,".repeat(999) + "1";
        for (int k = 10; k < 90; k++) {
            engine.send("m", "{\"id\":\"" + k + "\",\"features\":[" + features + "]}", 1);
        }
        engine.send("m", "{\"action\":\"TICK\"}", 5_000);
        assertThat(count(Counter.DEFAULTED)).isEqualTo(66);
        engine.send("m", "{\"action\":\"TICK\"}", 5_001);
        assertThat(count(Counter.DEFAULTED)).isEqualTo(80);
        assertThat(engine.reasons()).isEmpty();
    }

    /**
     * `models set`, then a file of the past: with the time of the command every example was due with the next, and its
     * label refused.
     */
    @Test
    void shouldNotMoveTheTimeByCommandsOtherThanTick() {
        long now = 900_000_000;
        engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"await.labels.ms\":\"1000\"}}", now);
        for (int k = 0; k < 30; k++) {
            example("" + k, 5_000 + k);
            engine.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"h\":\"" + k + "\"}}", now + k);
        }
        for (int k = 0; k < 30; k++) {
            label("" + k, 5_100 + k);
        }
        assertThat(engine.reasons()).isEmpty();
        assertThat(count(Counter.LATE)).isEqualTo(30);
        assertThat(count(Counter.UNLABELLED)).isZero();
        assertThat(engine.events(Topic.MODELS))
                .allSatisfy(status -> assertThat(status.get("streamTime") == null ? 0 : (Long) status.get("streamTime"))
                        .isLessThanOrEqualTo(5_129L));

        example("last", 6_000);
        engine.send("m", "{\"action\":\"TICK\"}", now);
        assertThat(count(Counter.UNLABELLED)).isEqualTo(1);
        GenericRecord status = engine.events(Topic.MODELS).get(0);
        assertThat(status.get("streamTime")).isEqualTo(now);
        assertThat(status.get("lastExample")).isEqualTo(6_000L);
    }

    /** 500 of 500 were errors, of a model that knew both of its labels and had predicted none of them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "labels=no,yes | yes",
                "labels=no,yes scale=standard predict=averaged | yes",
                "labels=no,yes kernel=linear | yes",
                "labels=no,yes portfolio=true | yes",
                "classes=a,b,yes | a"
            })
    void shouldPredictBeforeTheFirstLabelWhereTheSettingsNameTheLabels(String settings, String predicted) {
        StringBuilder json = new StringBuilder("{\"await.labels.ms\":\"1000\"");
        for (String each : settings.split(" ", -1)) {
            json.append(",\"").append(each.replace("=", "\":\"")).append('"');
        }
        configure(json.append('}').toString());
        for (int k = 0; k < 10; k++) {
            example("" + k, 5_000);
        }
        assertThat(engine.events(Topic.PREDICTIONS))
                .hasSize(10)
                .allSatisfy(each -> assertThat(each.get("label")).hasToString(predicted));
        String other = predicted.equals("yes") ? "no" : "b";
        for (int k = 0; k < 10; k++) {
            engine.send("m", "{\"exampleId\":\"" + k + "\",\"label\":\"" + (k < 4 ? predicted : other) + "\"}", 5_001);
        }
        assertThat(engine.reasons()).isEmpty();
        assertThat(count(Counter.LABELLED)).isEqualTo(10);
        // what was emitted was right four times
        assertThat(count(Counter.ERRORS)).isEqualTo(6);
        assertThat(count(Counter.ABSTAINED)).isZero();
    }

    /**
     * No label is known: nothing can be predicted, and each of the examples is counted as one without a prediction,
     * too.
     */
    @Test
    void shouldCountWhatHadNoPrediction() {
        configure("{\"await.labels.ms\":\"1000\"}");
        for (int k = 0; k < 3; k++) {
            example("" + k, 5_000);
        }
        for (int k = 0; k < 3; k++) {
            label("" + k, 5_001);
        }
        assertThat(count(Counter.ERRORS)).isEqualTo(3);
        assertThat(count(Counter.ABSTAINED)).isEqualTo(3);
    }

    /** The update is not made: the label is refused, the example waits on, and a label of a usual weight is learned. */
    @Test
    void shouldRefuseALabelWhoseUpdateWouldOverflow() {
        configure("{\"await.labels.ms\":\"1000\"}");
        example("a", 1);
        engine.send("m", "{\"exampleId\":\"a\",\"label\":-1,\"weight\":1e300}", 2);
        assertThat(engine.reasons()).containsExactly("SCORE_OVERFLOW");
        assertThat(model().state()).isEqualTo(ModelState.LIVE);
        assertThat(model().current().version()).isZero();
        label("a", 3);
        assertThat(engine.reasons()).isEmpty();
        assertThat(model().current().version()).isEqualTo(1);
        assertThat(engine.records(Topic.ALERTS)).isEmpty();
    }

    @Test
    void shouldUseAnExampleAloneWhereItsEarlyLabelWouldOverflow() {
        configure("{\"await.labels.ms\":\"1000\",\"await.examples.ms\":\"1000\"}");
        engine.send("m", "{\"exampleId\":\"a\",\"label\":-1,\"weight\":1e300}", 1);
        example("a", 2);
        assertThat(engine.reasons()).containsExactly("SCORE_OVERFLOW");
        assertThat(engine.records(Topic.PREDICTIONS)).hasSize(1);
        label("a", 3);
        assertThat(engine.reasons()).isEmpty();
        assertThat(model().current().version()).isEqualTo(1);
    }

    @Test
    void shouldCountAnExampleAsUnlabelledWhereTheUpdateOfItsDefaultWouldOverflow() {
        configure("{\"await.labels.ms\":\"1000\",\"label.default\":\"-1\"}");
        engine.send("m", "{\"id\":\"a\",\"features\":[1],\"weight\":1e300}", 1);
        example("b", 2);
        engine.send("m", "{\"action\":\"TICK\"}", 5_000);
        assertThat(engine.reasons()).isEmpty();
        assertThat(model().state()).isEqualTo(ModelState.LIVE);
        assertThat(count(Counter.UNLABELLED)).isEqualTo(1);
        assertThat(count(Counter.DEFAULTED)).isEqualTo(1);
    }

    // A rejected label changes nothing else: the model was not written, and a restart published the status again.
    @Test
    void shouldKeepTheTimeOfAStatusThatFollowsARejectedLabel() {
        configure("{\"await.labels.ms\":\"1000000\",\"await.examples.ms\":\"0\"}");
        // the first and the tenth are of 5 s, and those between of 10 s: the tenth is too late for a status
        for (int k = 0; k < 10; k++) {
            example("a" + k, k % 9 == 0 ? 5_000 : 10_000);
        }
        engine.reload();
        assertThat(causes()).containsExactly("CONFIGURE", "FIRST_EXAMPLE");

        label("unknown", 9_000);
        assertThat(causes()).contains("TIME");
        engine.reload();
        label("unknown", 9_000);

        assertThat(causes()).doesNotContain("TIME");
    }

    private List<String> causes() {
        return engine.events(Topic.MODELS).stream()
                .map(status -> status.get("cause").toString())
                .toList();
    }

    @SeededTest
    void shouldLearnALabelRightAfterItsExampleAsALabelledExample(long seed) {
        try (EngineDriver split = new EngineDriver(dir.resolve("split"))) {
            MixedStream stream = new MixedStream(seed, "perceptron-examples", 2, engine.registry);
            int exampleId = engine.registry.register("perceptron-examples-value", EventSchemas.schema("Example"));
            for (MixedModel model : MixedModel.ALL) {
                for (EngineDriver each : List.of(engine, split)) {
                    each.send(model.name(), "{\"action\":\"CONFIGURE\",\"settings\":" + model.settings() + "}", 1);
                    // after a reset there would be no learner that could predict
                    String algorithm = model.isWatched() ? "\"algorithm\":\"perceptron\"," : "";
                    each.send(
                            model.name(),
                            "{\"action\":\"CONFIGURE\",\"settings\":{" + algorithm
                                    + "\"await.labels.ms\":\"1000000\",\"dedupe.last\":\"0\"}}",
                            1);
                }
            }
            Set<String> begun = new HashSet<>();
            int sent = 0;
            while (sent < 3_000) {
                ProducerRecord<byte[], byte[]> next = stream.next();
                if (next.key() == null || !isOfMixedModel(next.key()) || !isExample(next.value(), exampleId)) {
                    continue;
                }
                GenericRecord example = example(next.value());
                if (example == null) {
                    continue;
                }
                sent++;
                engine.send(next.key(), engine.encode(example), next.timestamp());
                if (begun.add(new String(next.key(), StandardCharsets.UTF_8))) {
                    // without a label there is no learner yet that could predict
                    split.send(next.key(), split.encode(example), next.timestamp());
                    continue;
                }
                GenericRecord label = new GenericData.Record(EventSchemas.schema("Label"));
                label.put("exampleId", example.get("id"));
                label.put("label", example.get("label"));
                label.put("weight", 1.0);
                example.put("label", null);
                split.send(next.key(), split.encode(example), next.timestamp());
                split.send(next.key(), split.encode(label), next.timestamp());
            }
            assertThat(split.reasons()).isEqualTo(engine.reasons()).isEmpty();
            assertThat(begun).hasSize(MixedModel.ALL.size() - 1);
            EventEncoder encoder = new EventEncoder(EventIds.of((topic, event) -> 1), false);
            for (MixedModel each : MixedModel.ALL) {
                if (!begun.contains(each.name())) {
                    continue;
                }
                Model whole = engine.model(each.name());
                Model late = split.model(each.name());
                assertThat(encoder.weightsSnapshot(late, new EventEncoder.Origin(0, 0)))
                        .as(each.name())
                        .usingElementComparator(Arrays::compare)
                        .isEqualTo(encoder.weightsSnapshot(whole, new EventEncoder.Origin(0, 0)));
                assertThat(watchers(late)).as(each.name()).isEqualTo(watchers(whole));
                assertThat(late.counts().totals().errors())
                        .isEqualTo(whole.counts().totals().errors());
                // a drift may have reset it with its last label
                assertThat(late.counts().totals().labelled() + late.current().epoch())
                        .as(each.name())
                        .isPositive();
                assertThat(late.late().pending()).isZero();
            }
        }
    }

    private static boolean isOfMixedModel(byte[] key) {
        String name = new String(key, StandardCharsets.UTF_8);
        // its statistics have no room for some examples
        return !name.equals("standard-sparse")
                && MixedModel.ALL.stream().anyMatch(each -> each.name().equals(name));
    }

    /** Returns null if it is cut off or has no label. */
    private GenericRecord example(byte[] value) {
        try {
            GenericRecord example = EngineDriver.decode(engine.registry, value);
            return example.get("label") == null ? null : example;
        } catch (UncheckedIOException | AvroRuntimeException e) {
            return null;
        }
    }

    private static boolean isExample(byte[] value, int id) {
        return value != null && value.length > 5 && value[0] == 0 && WireFormat.schemaId(value) == id;
    }

    @Test
    void shouldBeDueAtTheFirstRecordBehindTheWait() {
        configure("{\"await.labels.ms\":\"100\"}");
        example("a", 1000);
        example("b", 1100);
        assertThat(count(Counter.UNLABELLED)).isZero();
        label("a", 1100);
        assertThat(count(Counter.LATE)).isEqualTo(1);

        example("c", 1200);
        assertThat(count(Counter.UNLABELLED)).isZero();
        label("b", 1201);
        assertThat(count(Counter.UNLABELLED)).isEqualTo(1);
        assertThat(count(Counter.LATE)).isEqualTo(1);
        assertThat(engine.reasons()).containsExactly("LABEL_TOO_LATE");
        assertThat(model().late().pending()).isEqualTo(1);
    }

    @Test
    void shouldCountAnErrorByTheLabelThatWasEmitted() {
        configure("{\"await.labels.ms\":\"10000\",\"algorithm\":\"perceptron\",\"bias\":\"false\"}");
        // emitted +1 for both, by w = 0; then the first label makes w = (-1, -2), which is right about the second
        example("a", 1000);
        example("b", 1001);
        label("a", 1500);
        label("b", 1700);

        assertThat(model().counts().totals().errors()).isEqualTo(2);
        assertThat(model().counts().totals().mistakes()).isEqualTo(1);
        assertThat(model().counts().totals().updates()).isEqualTo(1);
        List<GenericRecord> mistakes = engine.events(Topic.MISTAKES);
        assertThat(mistakes).hasSize(1);
        assertThat(mistakes.get(0).get("predicted")).isEqualTo(1);
        assertThat(mistakes.get(0).get("predictedUpdates")).isEqualTo(0L);
        assertThat(mistakes.get(0).get("delayMs")).isEqualTo(500L);
        assertThat(engine.events(Topic.PREDICTIONS)).hasSize(2);
    }

    @Test
    void shouldLearnTheDefaultWhereNoLabelCame() {
        configure("{\"await.labels.ms\":\"100\",\"label.default\":\"-1\"}");
        example("a", 1000);
        engine.send("m", "{\"action\":\"TICK\"}", 1101);

        assertThat(count(Counter.DEFAULTED)).isEqualTo(1);
        assertThat(model().counts().totals().labelled()).isEqualTo(1);
        assertThat(engine.events(Topic.MISTAKES).get(0).get("delayMs")).isEqualTo(100L);
        label("a", 1102);
        assertThat(engine.reasons()).containsExactly("LABEL_TOO_LATE");
    }

    @Test
    void shouldUseALabelThatCameBeforeItsExample() {
        configure("{\"await.labels.ms\":\"100\",\"await.examples.ms\":\"50\"}");
        label("a", 1000);
        label("b", 1010);
        example("a", 1050);
        assertThat(model().counts().totals().labelled()).isEqualTo(1);
        assertThat(engine.events(Topic.PREDICTIONS).get(0).get("correct")).isEqualTo(false);

        example("c", 1061);
        assertThat(engine.reasons()).containsExactly("LABEL_WITHOUT_EXAMPLE");
        label("a", 1062);
        assertThat(engine.reasons()).containsExactly("DUPLICATE_LABEL");
    }

    @Test
    void shouldKeepWhatWaitsOverAResetAndDropItWithTheModel() {
        configure("{\"await.labels.ms\":\"1000\"}");
        example("a", 1000);
        engine.send("m", "{\"action\":\"RESET\"}", 1001);
        engine.reload();
        assertThat(model().late().pending()).isEqualTo(1);
        label("a", 1002);
        // in the new epoch it is the first example
        assertThat(model().counts().totals().examples()).isEqualTo(1);
        assertThat(model().counts().totals().labelled()).isEqualTo(1);

        engine.send("m", "{\"action\":\"RESET\"}", 1003);
        engine.reload();
        // 2 ms
        assertThat(model().late().state().delays()).containsExactly(0L, 1L);

        example("b", 1003);
        engine.checkpoint();
        engine.send("m", "{\"action\":\"DELETE\"}", 1004);
        configure("{\"await.labels.ms\":\"1000\",\"await.examples.ms\":\"0\"}");
        engine.reload();
        label("b", 1005);
        assertThat(model().late().pending()).isZero();
        assertThat(model().late().state().delays()).isEmpty();
        assertThat(engine.reasons()).containsExactly("LABEL_WITHOUT_EXAMPLE");
    }

    @Test
    void shouldKeepWhatWaitsOverAnImport() {
        List<byte[]> chunks = Snapshots.wideSnapshot(engine);
        engine.send("target", "{\"action\":\"CONFIGURE\",\"settings\":{\"await.labels.ms\":\"100000\"}}", 0);
        engine.send("target", "{\"id\":\"a\",\"features\":[1,2]}", 1000);
        engine.send("target", "{\"id\":\"b\",\"features\":[1,2]}", 1001);
        Snapshots.send(engine, chunks);
        engine.reload();
        assertThat(engine.model("target").current().epoch()).isEqualTo(1);
        assertThat(engine.model("target").late().pending()).isEqualTo(2);
        assertThat(engine.model("target").late().published().oldest()).isEqualTo(1000);
        long labelled = engine.model("target").counts().totals().labelled();

        engine.send("target", "{\"exampleId\":\"a\",\"label\":-1}", 1500);
        engine.reload();

        assertThat(engine.model("target").counts().totals().labelled()).isEqualTo(labelled + 1);
        assertThat(engine.model("target").late().pending()).isEqualTo(1);
        assertThat(engine.model("target").late().published().oldest()).isEqualTo(1001);
        // 500 ms: the buckets end at 1, 3, 10, 30, 100, 300, 1000
        assertThat(engine.model("target").late().state().delays()).containsExactly(0L, 0L, 0L, 0L, 0L, 0L, 1L);
        assertThat(engine.reasons()).isEmpty();
    }

    @Test
    void shouldCompareButNotLearnWhileFrozen() {
        configure("{\"await.labels.ms\":\"1000\"}");
        example("a", 1000);
        engine.send("m", "{\"action\":\"FREEZE\"}", 1001);
        label("a", 1002);

        assertThat(model().counts().totals().mistakes()).isEqualTo(1);
        assertThat(model().current().version()).isZero();
    }

    @SeededTest
    void shouldRefuseWhatIsSentTwice(long seed) {
        Random random = new Random(seed);
        List<String> sent = new ArrayList<>();
        try (EngineDriver once = new EngineDriver(dir.resolve("once"))) {
            for (EngineDriver each : List.of(engine, once)) {
                each.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"dedupe.last\":\"300\"}}", 0);
            }
            int twice = 0;
            for (int k = 0; k < 2_000; k++) {
                double x = random.nextGaussian();
                String json = "{\"id\":\"" + k + "\",\"label\":" + (x > 0.1 ? 1 : -1) + ",\"features\":[" + x + "]}";
                sent.add(json);
                once.send("m", json, k);
                engine.send("m", json, k);
                if (random.nextInt(10) == 0) {
                    twice++;
                    engine.send("m", sent.get(Math.max(0, k - random.nextInt(300))), k);
                }
                if (random.nextInt(200) == 0) {
                    engine.reload();
                }
            }
            EventEncoder encoder = new EventEncoder(EventIds.of((topic, event) -> 1), false);
            assertThat(encoder.weightsSnapshot(model(), new EventEncoder.Origin(0, 0))
                            .get(0))
                    .isEqualTo(encoder.weightsSnapshot(once.model("m"), new EventEncoder.Origin(0, 0))
                            .get(0));
            assertThat(count(Counter.DUPLICATES)).isEqualTo(twice).isPositive();
            assertThat(engine.reasons()).hasSize(twice).containsOnly("DUPLICATE_EXAMPLE");
        }
    }

    @Test
    void shouldResolveAtMostAThousandBeforeARecord() {
        configure("{\"await.labels.ms\":\"10000\"}");
        for (int k = 0; k < 2_500; k++) {
            example("e" + k, 1000);
            if (k == 1_700) {
                engine.reload();
            }
        }
        List<Long> pending = new ArrayList<>();
        for (int k = 0; k < 3; k++) {
            engine.send("m", "{\"action\":\"TICK\"}", 20_000);
            pending.add(model().late().pending());
        }
        assertThat(pending).containsExactly(1_500L, 500L, 0L);
        assertThat(engine.events(Topic.MODELS))
                .last()
                .extracting(status -> Map.of("cause", status.get("cause").toString(), "n", status.get("unlabelled")))
                .isEqualTo(Map.of("cause", "TICK", "n", 2_500L));
    }

    @Test
    void shouldDropWhatWaitsFromMemoryBeforeWeights() {
        try (EngineDriver small = new EngineDriver(dir.resolve("small"), Map.of("store.heap.bytes", "1"), 1)) {
            small.send("m", "{\"action\":\"CONFIGURE\",\"settings\":{\"await.labels.ms\":\"100000\"}}", 0);
            for (int k = 0; k < 2_000; k++) {
                small.send("m", "{\"id\":\"" + k + "\",\"features\":[1,2]}", 1000 + k);
                Model present = small.model("m");
                // measured after every 64 records of about 400 bytes, and written from 16 KiB on
                assertThat(present.late().unwrittenBytes()).isLessThan(80_000);
            }
            assertThat(small.model("m").late().pending()).isEqualTo(2_000);
            for (int k = 0; k < 2_000; k++) {
                small.send("m", "{\"exampleId\":\"" + k + "\",\"label\":1}", 4000);
            }
            assertThat(small.model("m").counts().totals().of(Counter.LATE)).isEqualTo(2_000);
            assertThat(small.model("m").late().pending()).isZero();
        }
    }
}
