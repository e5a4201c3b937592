package io.perceptronstreams.serde;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Seeds;
import io.perceptronstreams.learner.Algorithm;
import io.perceptronstreams.learner.ComparatorWeights;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.model.Advice;
import io.perceptronstreams.model.ConfusionMatrix;
import io.perceptronstreams.model.CountingWindow;
import io.perceptronstreams.model.Counts;
import io.perceptronstreams.model.Counts.Counter;
import io.perceptronstreams.model.LateState;
import io.perceptronstreams.model.Lateness;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.serde.EventEncoder.Origin;
import io.perceptronstreams.theory.HingeBound;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EventEncoderTest {
    private final Map<String, Integer> ids = Map.of(
            "Prediction",
            1,
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
    private final EventEncoder avroEncoder = new EventEncoder(EventIds.of(topic -> ids.get(topic.event())), false);
    private final EventEncoder jsonEncoder = new EventEncoder(EventIds.of(topic -> ids.get(topic.event())), true);
    private final Example example = new Example();
    private final Model model = new Model();

    static LongStream seeds() {
        return Seeds.all();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldWriteTheBytesThatAvroWrites(long seed) throws IOException {
        Random random = new Random(seed);
        model.configure(Map.of("h", "0.5", "window.ms", "100"));
        shouldWriteTheBytesThatAvroWrites(random);
        model.delete();
        model.configure(Map.of("algorithm", "multiclass", "predict", "averaged"));
        shouldWriteTheBytesThatAvroWrites(random);
    }

    private void shouldWriteTheBytesThatAvroWrites(Random random) throws IOException {
        long time = 0;
        for (int k = 0; k < 400; k++) {
            if (random.nextInt(60) == 0) {
                model.configure(Map.of("predict.scores", "" + random.nextBoolean()));
            }
            if (random.nextInt(60) == 0 && model.algorithm() != Algorithm.MULTICLASS) {
                model.configure(Map.of("labels", random.nextBoolean() ? "" : "ß" + random.nextInt(9) + ",−"));
            }
            if (random.nextInt(40) == 0 && model.algorithm() != Algorithm.MULTICLASS) {
                model.configure(Map.of("comparator", random.nextBoolean() ? "" : "" + model.version()));
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
                                random.nextInt(3) - 1,
                                random.nextInt(3) - 1));
                model.count(
                        List.of(Counter.UNLABELLED, Counter.DEFAULTED, Counter.LATE, Counter.DUPLICATES)
                                .get(random.nextInt(4)),
                        time);
            }
            next(random);
            Outcome outcome = model.process(example, time += random.nextInt(30));
            Origin origin = new Origin(random.nextInt(), random.nextLong());
            long version = random.nextLong() >>> random.nextInt(64);
            String text = RandomExamples.text(random, 300);
            check(encoder -> encoder.prediction(example, outcome, version, -version), prediction(outcome, version));
            if (outcome.kind() != Outcome.Kind.CORRECT) {
                Lateness lateness = random.nextBoolean() ? null : new Lateness(random.nextLong(), random.nextLong());
                check(encoder -> encoder.mistake(example, outcome, model, lateness), mistake(outcome, lateness));
            }
            CountingWindow.Closed window = model.window().pollClosed();
            if (window != null) {
                long pending = random.nextLong();
                check(encoder -> encoder.mistakeCount(window, pending), mistakeCount(window, pending));
            }
            List<StatusCause> causes = List.of(StatusCause.values());
            StatusCause cause = causes.get(random.nextInt(causes.size()));
            check(encoder -> encoder.modelStatus(model, cause, origin), modelStatus(cause.name(), origin));
            check(
                    encoder -> encoder.quarantineAlert(model, text, origin),
                    event(
                            "Alert",
                            symbol("Alert", "kind", "QUARANTINED"),
                            text,
                            origin.partition(),
                            origin.offset(),
                            model.version(),
                            null,
                            null,
                            null));
            check(
                    encoder -> encoder.adviceAlert(
                            model, "m", new Advice(Advice.Kind.SCALE, text, "scale=standard"), origin),
                    event(
                            "Alert",
                            symbol("Alert", "kind", "ADVICE"),
                            text + " (perceptron models set m scale=standard)",
                            origin.partition(),
                            origin.offset(),
                            model.version(),
                            null,
                            null,
                            null,
                            "SCALE",
                            "perceptron models set m scale=standard"));
            GenericRecord snapshot = snapshot(origin);
            snapshot.put("featureNames", List.of());
            check(encoder -> encoder.weightsSnapshot(model, origin).get(0), snapshot);
        }
    }

    @Test
    void shouldKeepEventsWithinLimitsHoweverManyClassesThereAre() {
        model.configure(Map.of("classes.max", "10000", "predict.scores", "true"));
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
            assertThat(encoder.prediction(example, outcome, 1, 1)).hasSizeLessThan(900_000);
            assertThat(encoder.weightsSnapshot(model, new Origin(0, 0)))
                    .hasSizeGreaterThan(1)
                    .allSatisfy(chunk -> assertThat(chunk).hasSizeLessThan(512 * 1024));
        }
    }

    private void check(Function<EventEncoder, byte[]> encode, GenericRecord expected) throws IOException {
        String name = expected.getSchema().getName();
        byte[] avro = AvroBytes.of(ids.get(name), expected);
        assertThat(encode.apply(avroEncoder)).as(name).isEqualTo(avro);
        JsonNode json = new ObjectMapper().readTree(encode.apply(jsonEncoder));
        for (Schema.Field field : expected.getSchema().getFields()) {
            Object value = expected.get(field.name());
            JsonNode written = json.get(field.name());
            if (value instanceof Double number) {
                assertThat(written.doubleValue()).isEqualTo(number);
            } else if (value instanceof GenericRecord) {
                assertThat(written.isObject()).isTrue();
            } else if (!(value instanceof List) && !(value instanceof Map)) {
                assertThat(written.asText()).isEqualTo(String.valueOf(value));
            }
        }
        assertThat(json.size()).isEqualTo(expected.getSchema().getFields().size());
    }

    private static GenericRecord event(String name, Object... values) {
        return record(EventSchemas.schema(name), values);
    }

    private static GenericRecord record(Schema schema, Object... values) {
        GenericRecord record = new GenericData.Record(schema);
        for (int k = 0; k < values.length; k++) {
            record.put(k, values[k]);
        }
        return record;
    }

    private static GenericData.EnumSymbol symbol(String event, String field, String symbol) {
        return new GenericData.EnumSymbol(
                EventSchemas.schema(event).getField(field).schema(), symbol);
    }

    private static Object value(Label label) {
        return label instanceof Label.Int number ? (Object) number.value() : label == null ? null : label.toString();
    }

    private static String text(Label label) {
        return label == null ? null : label.toString();
    }

    private GenericRecord prediction(Outcome outcome, long version) {
        return event(
                "Prediction",
                example.id().toString(),
                value(outcome.predicted()),
                outcome.predictedScore(),
                scores(outcome),
                example.label() == null ? null : !outcome.isError(),
                version,
                -version,
                text(outcome.predicted()));
    }

    private static Map<String, Double> scores(Outcome outcome) {
        Map<String, Double> scores = new LinkedHashMap<>();
        for (int k = 0; k < outcome.scoreCount(); k++) {
            scores.put(outcome.scoredLabel(k).toString(), outcome.score(k));
        }
        return scores.isEmpty() ? null : scores;
    }

    private GenericRecord mistake(Outcome outcome, Lateness lateness) {
        Counts totals = model.totals();
        return event(
                "Mistake",
                example.id().toString(),
                symbol("Mistake", "kind", outcome.kind().name()),
                value(example.label()),
                value(outcome.predicted()),
                outcome.score(),
                outcome.margin(),
                totals.mistakes(),
                totals.marginMistakes(),
                totals.updates(),
                totals.labelled(),
                totals.examples(),
                model.learner().weightNorm(),
                model.learner().radius(),
                text(example.label()),
                text(outcome.predicted()),
                lateness == null ? null : lateness.predictedVersion(),
                lateness == null ? null : lateness.delayMs());
    }

    private static GenericRecord mistakeCount(CountingWindow.Closed window, long pending) {
        Counts counts = window.counts();
        Counts totals = window.totals();
        return event(
                "MistakeCount",
                window.start(),
                window.end(),
                counts.examples(),
                counts.labelled(),
                counts.errors(),
                counts.mistakes(),
                counts.marginMistakes(),
                counts.hingeLoss(),
                totals.examples(),
                totals.labelled(),
                totals.errors(),
                totals.mistakes(),
                totals.marginMistakes(),
                totals.updates(),
                totals.hingeLoss(),
                pending,
                counts.of(Counter.UNLABELLED),
                counts.of(Counter.DEFAULTED),
                counts.of(Counter.LATE),
                counts.of(Counter.DUPLICATES));
    }

    private GenericRecord modelStatus(String cause, Origin origin) {
        Counts totals = model.totals();
        return event(
                "ModelStatus",
                symbol("ModelStatus", "state", model.state().name()),
                cause,
                origin.partition(),
                origin.offset(),
                model.epoch(),
                model.algorithm().toString(),
                model.settings().toMap(),
                model.version(),
                totals.examples(),
                totals.labelled(),
                totals.errors(),
                totals.mistakes(),
                totals.marginMistakes(),
                totals.hingeLoss(),
                model.learner().weightNorm(),
                model.learner().radius(),
                model.rerouted(),
                // NaN where the first class of all was found
                model.learner().steps() > 0
                        ? model.learner().weightNorm() / model.learner().steps()
                        : null,
                comparator(),
                confusion(),
                model.late().pending(),
                totals.of(Counter.UNLABELLED),
                totals.of(Counter.DEFAULTED),
                totals.of(Counter.LATE),
                totals.of(Counter.DUPLICATES),
                time(model.late().state().streamTime()),
                time(model.late().state().oldest()),
                time(model.late().state().nextDue()),
                model.late().state().delays());
    }

    private static Long time(long time) {
        return time < 0 ? null : time;
    }

    private GenericRecord confusion() {
        ConfusionMatrix matrix = model.confusion();
        if (matrix.isEmpty()) {
            return null;
        }
        Schema union = EventSchemas.schema("ModelStatus").getField("confusion").schema();
        int side = matrix.size() + (matrix.hasOther() ? 1 : 0);
        List<Long> counts = new ArrayList<>();
        for (int k = 0; k < side * side; k++) {
            counts.add(matrix.count(k / side, k % side));
        }
        return record(union.getTypes().get(1), matrix.labels(model.settings()), counts, matrix.otherErrors());
    }

    private GenericRecord comparator() {
        ComparatorWeights u = model.comparator();
        if (u == null) {
            return null;
        }
        Schema union = EventSchemas.schema("ModelStatus").getField("comparator").schema();
        double bound = HingeBound.updates(u);
        return record(
                union.getTypes().get(1),
                u.examples(),
                u.updates(),
                Math.sqrt(u.squaredNorm()),
                u.hingeLoss(),
                Double.isFinite(bound) ? bound : null);
    }

    private GenericRecord snapshot(Origin origin) {
        Schema vectorSchema = EventSchemas.schema("WeightsSnapshot")
                .getField("vectors")
                .schema()
                .getElementType();
        List<GenericRecord> vectors = new ArrayList<>();
        model.learner().forEachWeight(new Learner.WeightVisitor() {
            private List<Integer> indices;
            private List<Double> weights;
            private List<Double> averages;

            @Override
            public void vector(String name, double bias, double averagedBias) {
                indices = new ArrayList<>();
                weights = new ArrayList<>();
                averages = new ArrayList<>();
                vectors.add(record(vectorSchema, name, bias, averagedBias, indices, weights, averages));
            }

            @Override
            public void weight(int index, double weight, double averaged) {
                indices.add(index);
                weights.add(weight);
                averages.add(averaged);
            }
        });
        Counts totals = model.totals();
        return event(
                "WeightsSnapshot",
                model.epoch(),
                model.version(),
                origin.partition(),
                origin.offset(),
                0,
                1,
                totals.examples(),
                totals.labelled(),
                totals.mistakes(),
                model.algorithm().toString(),
                model.settings().toMap(),
                vectors,
                state(),
                List.of());
    }

    private GenericRecord state() {
        Schema stateSchema = EventSchemas.schema("WeightsSnapshot")
                .getField("state")
                .schema()
                .getTypes()
                .get(1);
        Schema blockSchema = stateSchema.getField("blocks").schema().getElementType();
        List<GenericRecord> blocks = new ArrayList<>();
        for (int vector = 0; vector < model.vectors(); vector++) {
            int ofVector = vector;
            model.vector(vector).forEach((number, block) -> blocks.add(block(blockSchema, ofVector, number, block)));
        }
        Counts totals = model.totals();
        return record(
                stateSchema,
                totals.errors(),
                totals.marginMistakes(),
                totals.hingeLoss(),
                model.learner().state().numbers().stream().map(String::valueOf).toList(),
                model.learner().state().names(),
                blocks);
    }

    private static GenericRecord block(Schema schema, int vector, int number, double[] block) {
        List<Integer> positions = new ArrayList<>();
        List<Double> values = new ArrayList<>();
        for (int k = 0; k < block.length; k++) {
            if (Double.doubleToRawLongBits(block[k]) != 0) {
                positions.add(k);
                values.add(block[k]);
            }
        }
        return record(schema, vector, number, block.length, positions, values);
    }

    private void next(Random random) {
        example.id().set(RandomExamples.text(random, 60));
        example.vector().resetSparse();
        int index = 0;
        for (int k = random.nextInt(8); k > 0; k--) {
            example.vector().append(index += 1 + random.nextInt(5000), random.nextGaussian());
        }
        List<String> names = model.settings().labels();
        int sign = random.nextInt(2);
        if (model.algorithm() == Algorithm.MULTICLASS) {
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
