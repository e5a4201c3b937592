package io.perceptronstreams.monitor;

import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.ClassCount;
import io.perceptronstreams.event.Comparator;
import io.perceptronstreams.event.ConfusionMatrix;
import io.perceptronstreams.event.Corrections;
import io.perceptronstreams.event.Decisions;
import io.perceptronstreams.event.EstimateWindow;
import io.perceptronstreams.event.Estimates;
import io.perceptronstreams.event.Forecasts;
import io.perceptronstreams.event.Metrics;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.ReliabilityRange;
import io.perceptronstreams.event.SourceAgreement;
import io.perceptronstreams.event.WeightVector;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.serde.EventReader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;

/** Fabricated events of the engine. */
final class Fabricated {
    static {
        // trusts the classes of events, also in tests that read none
        EventReader.of(Mistake.class, null);
    }

    private Fabricated() {}

    /** Every field 0, empty or the first symbol, but those given. */
    static <T extends SpecificRecord> T event(Class<T> type, Map<String, ?> given) {
        Schema schema = SpecificData.get().getSchema(type);
        T event = type.cast(SpecificData.newInstance(type, schema));
        for (Schema.Field field : schema.getFields()) {
            Object value = given.containsKey(field.name()) ? given.get(field.name()) : nothing(field.schema());
            if (field.schema().getType() == Schema.Type.ENUM) {
                value = SpecificData.get().createEnum(value.toString(), field.schema());
            } else if (field.schema().getLogicalType() != null) {
                value = Instant.ofEpochMilli((Long) value);
            }
            event.put(field.pos(), value);
        }
        return event;
    }

    private static Object nothing(Schema schema) {
        return switch (schema.getType()) {
            case LONG -> 0L;
            case INT -> 0;
            case DOUBLE -> 0.0;
            case STRING -> "";
            case BOOLEAN -> false;
            case MAP -> Map.of();
            case ARRAY -> List.of();
            case ENUM -> schema.getEnumSymbols().get(0);
            case UNION -> nothing(schema.getTypes().get(0));
            default -> null;
        };
    }

    static Mistake mistakeValue(String id, long seen) {
        Map<String, Object> fields = new TreeMap<>(Map.of("exampleId", id, "label", 1, "predicted", -1, "score", -0.5));
        fields.putAll(Map.of("mistakes", seen, "updates", seen, "labelled", seen, "examples", seen));
        fields.putAll(Map.of("weightNorm", 2.0, "radius", 1.0));
        return event(Mistake.class, fields);
    }

    static Event<Mistake> mistakeOfEpoch(String model, long timestamp, long epoch) {
        Event<Mistake> mistake = mistake(model, timestamp, "a", "b");
        mistake.value().setEpoch(epoch);
        return mistake;
    }

    static Event<Mistake> mistake(String model, int partition, long offset) {
        return new Event<>(partition, offset, 1_000 + offset, model, mistakeValue("e" + offset, offset + 1));
    }

    static Event<Mistake> mistake(String model, long timestamp, Object label, Object predicted) {
        Map<String, Object> fields = new TreeMap<>();
        fields.put("label", label);
        fields.put("predicted", predicted);
        return new Event<>(0, timestamp, timestamp, model, event(Mistake.class, fields));
    }

    /** Metrics of a hundred examples of two classes, of which the model got 20 wrong. */
    static Metrics metrics() {
        return Metrics.newBuilder()
                .setClasses(List.of(new ClassCount("ham", 90L, 80L, 75L), new ClassCount(null, 10L, 20L, 5L)))
                .setBalancedAccuracy(0.5)
                .setMacroF1(null)
                .setKappa(0.25)
                .setCompared(100)
                .setComparedErrors(20)
                .setMajorityErrors(10)
                .setSameErrors(40)
                .setKappaMajority(-1.0)
                .setKappaSame(0.5)
                .setAuc(0.75)
                .build();
    }

    /** Of a hundred labelled examples with a Brier score of 0.1; {@code covered} of their sets have the true label. */
    static Forecasts forecasts(long covered) {
        return Forecasts.newBuilder()
                .setLabelled(100)
                .setBrierScore(0.1)
                .setLogLoss(0.3)
                .setCalibrationError(0.02)
                .setRanges(List.of(new ReliabilityRange(75L, 0.125, 0.2), new ReliabilityRange(25L, 0.75, 0.5)))
                .setSets(100)
                .setCovered(covered)
                .setSetLabels(150)
                .setUnsure(40)
                .build();
    }

    /** Twelve corrected labels, of which the weights lack three. */
    static Corrections corrections() {
        return new Corrections(
                12L,
                3L,
                40L,
                2L,
                List.of(new SourceAgreement("", "review", 5L, 7L), new SourceAgreement("user", "review", 8L, 5L)));
    }

    /** Three windows of predictions and one that has begun: all labels are known, some, none, none. */
    static Estimates estimates() {
        return new Estimates(
                160L,
                44.5,
                2L,
                0.05,
                0.1,
                List.of(
                        new EstimateWindow(0L, 99L, 100L, 0.1, 0L, 0.2, 100L, 20L),
                        new EstimateWindow(100L, 249L, 150L, 0.2, 50L, 0.1, 100L, 8L),
                        new EstimateWindow(250L, 349L, 100L, 0.4, 100L, null, 0L, 0L),
                        new EstimateWindow(350L, 359L, 10L, 0.9, 10L, null, 0L, 0L)));
    }

    /** Of a model with the costs 1 and 8. */
    static Decisions decisions() {
        return Decisions.newBuilder()
                .setLabelled(100)
                .setFalseAlarms(12)
                .setMisses(3)
                .setWithheld(7)
                .setCost(36)
                .setCostOfAlways(80)
                .setCostOfNever(1_160)
                .setBestThreshold(0.1)
                .setCostOfBest(33.5)
                .build();
    }

    static Event<MistakeCount> count(String model, long window, long examples, long total) {
        Map<String, Object> fields =
                new TreeMap<>(Map.of("windowStart", (window - 1) * 10_000, "windowEnd", window * 10_000));
        fields.putAll(Map.of("examples", examples, "labelled", examples, "errors", 1L));
        fields.putAll(Map.of("totalExamples", total, "totalLabelled", total, "totalErrors", window));
        return new Event<>(0, window, window * 10_000, model, event(MistakeCount.class, fields));
    }

    /** A status of a model that is compared with pinned weights. */
    static Event<ModelStatus> comparing(String model, long version, long updatesSince, double bound) {
        Comparator comparator = new Comparator(0L, updatesSince, 0.0, 0.0, bound);
        return status(model, 1, Map.of("updates", version, "comparator", comparator));
    }

    /** The field {@code confusion} of a status, with its counts row by row. */
    static ConfusionMatrix confusion(List<String> labels, long otherErrors, long... counts) {
        return new ConfusionMatrix(labels, LongStream.of(counts).boxed().toList(), otherErrors);
    }

    /** A chunk with one vector, whose weights have the indices from {@code first} on. */
    static Event<WeightsSnapshot> chunk(
            String model, int chunk, int chunks, long version, int first, double... weights) {
        List<Integer> indices = new ArrayList<>();
        List<Double> values = new ArrayList<>();
        for (double weight : weights) {
            indices.add(first + indices.size());
            values.add(weight);
        }
        WeightVector vector = new WeightVector("", 0.5, 0.25, indices, values, values);
        Map<String, Object> fields = new TreeMap<>(Map.of("chunk", chunk, "chunks", chunks, "updates", version));
        fields.put("vectors", List.of(vector));
        fields.put("featureNames", List.of());
        return new Event<>(0, chunk, 1, model, event(WeightsSnapshot.class, fields));
    }

    /** An alert whose offset is its time. */
    static Event<Alert> alert(String model, long timestamp, Map<String, ?> fields) {
        return new Event<>(0, timestamp, timestamp, model, event(Alert.class, fields));
    }

    static Event<ModelStatus> status(String model, long timestamp, Map<String, ?> fields) {
        return new Event<>(0, timestamp, timestamp, model, event(ModelStatus.class, fields));
    }
}
