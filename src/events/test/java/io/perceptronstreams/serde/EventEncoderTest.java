package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.evaluation.CountingWindow;
import io.perceptronstreams.evaluation.Counts.Counter;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.SeededTest;
import io.perceptronstreams.labels.LateState;
import io.perceptronstreams.labels.Lateness;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Advice;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.Observed;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.serde.EventEncoder.Origin;
import io.perceptronstreams.settings.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.junit.jupiter.api.Test;

class EventEncoderTest {
    private final Map<String, Integer> ids = Map.of(
            "Prediction",
            1,
            "PredictionBatch",
            128,
            "Mistake",
            2,
            "MistakeCount",
            3,
            "ModelStatus",
            70_000,
            "WeightsSnapshot",
            -5,
            "Alert",
            Integer.MAX_VALUE);

    private final EventEncoder avroEncoder = new EventEncoder(EventIds.of((topic, event) -> ids.get(event)), false);
    private final EventEncoder jsonEncoder = new EventEncoder(EventIds.of((topic, event) -> ids.get(event)), true);
    private final Example example = new Example();
    private final Model model = new Model();
    private final Observed observed = Observed.of(model);
    private final ExpectedEvents expected = new ExpectedEvents(model, example);

    @SeededTest
    void shouldWriteTheBytesThatAvroWrites(long seed) throws IOException {
        Random random = new Random(seed);
        model.configure(Map.of("h", "0.5", "window.ms", "100", "explain", "3", "labels", "ß,−", "calibrate", "platt"));
        shouldWriteTheBytesThatAvroWrites(random);
        model.delete();
        // that of the former epoch
        observed.takeWindow();
        model.configure(Map.of("algorithm", "multiclass", "predict", "averaged", "calibrate", "platt"));
        shouldWriteTheBytesThatAvroWrites(random);
    }

    private void shouldWriteTheBytesThatAvroWrites(Random random) throws IOException {
        long time = 0;
        for (int k = 0; k < 400; k++) {
            if (random.nextInt(60) == 0) {
                model.configure(Map.of("predict.scores", random.nextInt(3) == 0 ? "1" : "" + random.nextBoolean()));
            }
            if (random.nextInt(40) == 0) {
                model.configure(Map.of("coverage", random.nextBoolean() ? "0" : "0.8"));
            }
            if (random.nextInt(40) == 0 && model.pipeline().algorithm() != Algorithm.MULTICLASS) {
                model.configure(Map.of(
                        "threshold",
                        random.nextBoolean() ? "0.1" : "cost:1:" + (1 + random.nextInt(5)),
                        "alerts.max",
                        random.nextBoolean() ? "" : "40/hour"));
            }
            // a model that has learned ints takes no other names
            if (random.nextInt(60) == 0
                    && !model.pipeline().settings().get(Settings.LABELS).isEmpty()) {
                model.configure(Map.of("labels", random.nextInt(4) == 0 ? "" : "ß" + random.nextInt(9) + ",−"));
            }
            if (random.nextInt(40) == 0 && model.pipeline().algorithm() != Algorithm.MULTICLASS) {
                model.configure(Map.of(
                        "comparator",
                        random.nextBoolean() ? "" : "" + model.current().version()));
            }
            if (random.nextInt(10) == 0) {
                model.late()
                        .restore(new LateState(
                                time,
                                random.nextInt(1000),
                                3,
                                0,
                                0,
                                random.nextBoolean() ? List.of() : List.of(0L, random.nextLong() >>> 1, 1L),
                                0,
                                random.nextInt(3) - 1,
                                random.nextInt(3) - 1,
                                random.nextInt(2)));
                if (random.nextBoolean()) {
                    model.corrections().corrected(random.nextBoolean());
                    model.corrections()
                            .compareEarly(random.nextBoolean() ? null : "user", "review", random.nextBoolean());
                }
                model.counts()
                        .add(
                                List.of(Counter.UNLABELLED, Counter.DEFAULTED, Counter.LATE, Counter.DUPLICATES)
                                        .get(random.nextInt(4)),
                                time,
                                observed);
            }
            if (random.nextInt(20) == 0) {
                model.publications().markExample(time);
            }
            if (random.nextInt(40) == 0) {
                Versions.Version version = new Versions.Version("v" + k, random.nextLong(), k, -k, 1);
                model.publications().setVersions(random.nextBoolean() ? Versions.NONE : Versions.NONE.with(version));
            }
            next(random);
            Outcome outcome = model.process(example, time += random.nextInt(30));
            Origin origin = new Origin(random.nextInt(), random.nextLong());
            long updates = random.nextLong() >>> random.nextInt(64);
            String text = RandomExamples.text(random, 300);
            check(
                    encoder -> encoder.prediction(example, outcome, origin.offset(), updates, -updates),
                    expected.prediction(outcome, origin.offset(), updates));
            boolean isCorrection = example.label() != null && random.nextInt(4) == 0;
            if (outcome.kind() != Outcome.Kind.CORRECT || isCorrection) {
                Lateness late = new Lateness(
                        random.nextLong(), random.nextLong(), random.nextBoolean() ? null : "review", null);
                Lateness lateness = isCorrection
                        ? late.replacing(
                                new Lateness.Replaced(random.nextLong(), example.label(), random.nextBoolean()))
                        : random.nextBoolean() ? null : late;
                check(
                        encoder -> encoder.mistake(example, outcome, model, lateness),
                        expected.mistake(outcome, lateness));
            }
            for (Observed.Window next = observed.takeWindow(); next != null; next = observed.takeWindow()) {
                CountingWindow.Closed window = next.window();
                check(encoder -> encoder.mistakeCount(window, model), expected.mistakeCount(window));
            }
            List<StatusCause> causes = List.of(StatusCause.values());
            StatusCause cause = causes.get(random.nextInt(causes.size()));
            check(encoder -> encoder.modelStatus(model, cause, origin), expected.modelStatus(cause.name(), origin));
            check(encoder -> encoder.quarantineAlert(model, text, origin), expected.alert("QUARANTINED", text, origin));
            String command = "perceptron models reset m scale=standard";
            String question = "perceptron what-if m --set scale=standard";
            GenericRecord advice = expected.alert(
                    "ADVICE", text + " (" + command + "; whether it would have helped: " + question + ")", origin);
            advice.put("advice", "SCALE");
            advice.put("command", command);
            check(
                    encoder -> encoder.adviceAlert(
                            model,
                            "m",
                            new Advice(Advice.Kind.SCALE, text, "scale=standard", Advice.Way.RESET),
                            origin),
                    advice);
        }
    }

    /** Encoded again by Avro's own writer, the event that is read from the bytes has the same ones. */
    @SeededTest
    void shouldWriteChallengersAsAvroDoes(long seed) throws IOException {
        Random random = new Random(seed);
        boolean isOfSeveralWeights = false;
        for (int k = 0; k < 300; k++) {
            if (k == 10 || k == 200) {
                var unused = model.challenge(Map.of("challenger", "c", "eta", "0." + (1 + random.nextInt(9))));
            }
            if (k == 100) {
                model.promote(Map.of("challenger", "c"));
            }
            next(random);
            var unused = model.process(example, 100L * k);
            check(EventEncoder::modelStatus, "ModelStatus", k);
            for (Observed.Window next = observed.takeWindow(); next != null; next = observed.takeWindow()) {
                CountingWindow.Closed window = next.window();
                GenericRecord event =
                        check((encoder, any, cause, origin) -> encoder.mistakeCount(window, any), "MistakeCount", k);
                isOfSeveralWeights |= event.get("ofWeights") != null;
            }
        }
        GenericRecord last = check(EventEncoder::modelStatus, "ModelStatus", 300);
        assertThat((List<?>) last.get("challengers"))
                .extracting(each -> ((GenericRecord) each).get("name").toString())
                .containsExactlyElementsOf(model.challengers().all().stream()
                        .map(each -> each.name())
                        .toList())
                .contains("c", "previous");
        assertThat(((GenericRecord) last.get("ofWeights")).get("examples"))
                .isEqualTo(model.counts().ofWeights().counts().examples());
        assertThat(last.get("examples")).isEqualTo(300L);
        assertThat(isOfSeveralWeights).isTrue();
    }

    /** Encodes an event of a model. */
    private interface Encoding {
        byte[] of(EventEncoder encoder, Model model, StatusCause cause, Origin origin);
    }

    private GenericRecord check(Encoding encoding, String name, int offset) throws IOException {
        Origin origin = new Origin(7, offset);
        byte[] bytes = encoding.of(avroEncoder, model, StatusCause.TIME, origin);
        int length = bytes.length - WireFormat.HEADER;
        Schema schema = EventSchemas.schema(name);
        GenericRecord event = new GenericDatumReader<GenericRecord>(schema, schema, EventJson.IN_ORDER)
                .read(null, DecoderFactory.get().binaryDecoder(bytes, WireFormat.HEADER, length, null));
        assertThat(bytes).isEqualTo(AvroBytes.of(ids.get(name), event));
        assertThat(encoding.of(jsonEncoder, model, StatusCause.TIME, origin)).isEqualTo(EventJson.bytes(event));
        return event;
    }

    @Test
    void shouldKeepEventsWithinLimitsHoweverManyClassesThereAre() {
        model.configure(
                Map.of("classes.max", "10000", "predict.scores", "true", "calibrate", "platt", "coverage", "0.9"));
        example.id().set("i".repeat(1024));
        for (int k = 0; k < 10_000; k++) {
            // names that JSON makes twice as long; few weights, since vectors are what this is about
            example.setLabel(
                    new Label.ClassName(k + "\"".repeat(26 - Integer.toString(k).length())));
            example.vector().resetSparse().append(0, Math.PI * k);
            model.process(example, 0);
        }
        Outcome outcome = model.process(example, 0);
        assertThat(outcome.scoreCount()).isEqualTo(10_000);
        for (EventEncoder encoder : List.of(avroEncoder, jsonEncoder)) {
            // the default max.message.bytes is 1 MiB
            assertThat(encoder.prediction(example, outcome, 0, 1, 1)).hasSizeLessThan(900_000);
            assertThat(encoder.weightsSnapshot(model, new Origin(0, 0)))
                    .hasSizeGreaterThan(1)
                    .allSatisfy(chunk -> assertThat(chunk).hasSizeLessThan(512 * 1024));
        }
    }

    /**
     * Long tags, of which a Mistake has four times as many as an Example, and names that JSON makes six times as long.
     */
    @Test
    void shouldLeaveOutEvidenceThatDoesNotFitIntoARecord() throws IOException {
        model.configure(Map.of("explain", "100", "hash.bits", "7"));
        Random random = new Random(1);
        List<String> names = new ArrayList<>();
        for (int k = 0; k < 2_000; k++) {
            names.add("\u0001".repeat(250) + k);
        }
        for (int k = 0; k < 3; k++) {
            example.setFeatures(example.sequence());
            example.sequence().clear();
            List<String> tags = new ArrayList<>();
            for (int token = 0; token < 512; token++) {
                FeatureVector x = example.sequence().append();
                x.resetSparse();
                for (int index = 0; index < 100; index += 1 + random.nextInt(60)) {
                    x.append(index, 1);
                }
                tags.add("€".repeat(255) + random.nextInt(2));
            }
            example.setLabel(new Label.Tags(tags));
            example.setNames(sink -> names.forEach(name -> {
                byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
                sink.accept(utf8, 0, utf8.length);
            }));
            Outcome outcome = model.process(example, 0);
            assertThat(outcome.kind()).isEqualTo(Outcome.Kind.MISTAKE);
            for (EventEncoder encoder : List.of(avroEncoder, jsonEncoder)) {
                assertThat(encoder.mistake(example, outcome, model, null)).hasSizeLessThan(900_000);
            }
            JsonNode json = new ObjectMapper().readTree(jsonEncoder.mistake(example, outcome, model, null));
            // at first, all weights are 0
            assertThat(outcome.evidence().size()).isEqualTo(k == 0 ? 0 : 100);
            assertThat(json.get("evidence")).isEmpty();
            assertThat(json.get("evidenceBias").isNull()).isEqualTo(k > 0);
        }
    }

    private void check(Function<EventEncoder, byte[]> encode, GenericRecord event) throws IOException {
        String name = event.getSchema().getName();
        byte[] avro = AvroBytes.of(ids.get(name), event);
        assertThat(encode.apply(avroEncoder)).as(name).isEqualTo(avro);
        JsonNode json = new ObjectMapper().readTree(encode.apply(jsonEncoder));
        for (Schema.Field field : event.getSchema().getFields()) {
            Object value = event.get(field.name());
            JsonNode written = json.get(field.name());
            if (value instanceof Double number) {
                assertThat(written.doubleValue()).isEqualTo(number);
            } else if (value instanceof GenericRecord) {
                assertThat(written.isObject()).isTrue();
            } else if (!(value instanceof List) && !(value instanceof Map)) {
                assertThat(written.asText()).isEqualTo(String.valueOf(value));
            }
        }
        assertThat(json.size()).isEqualTo(event.getSchema().getFields().size());
    }

    private void next(Random random) {
        example.id().set(RandomExamples.text(random, 60));
        example.vector().resetSparse();
        int index = 0;
        for (int k = random.nextInt(8); k > 0; k--) {
            example.vector().append(index += 1 + random.nextInt(5000), random.nextGaussian());
        }
        List<String> names = model.pipeline().settings().get(Settings.LABELS);
        int sign = random.nextInt(2);
        if (model.pipeline().algorithm() == Algorithm.MULTICLASS) {
            String name = "ß" + random.nextInt(12);
            example.setLabel(random.nextInt(4) == 0 ? null : new Label.ClassName(name));
            return;
        }
        example.setLabel(
                random.nextInt(4) == 0
                        ? null
                        : names.isEmpty() ? Label.of(2 * sign - 1) : new Label.ClassName(names.get(sign)));
    }
}
