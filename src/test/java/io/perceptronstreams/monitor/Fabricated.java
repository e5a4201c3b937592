package io.perceptronstreams.monitor;

import io.perceptronstreams.serde.EventSchemas;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** Fabricated events of the engine. */
final class Fabricated {
    private Fabricated() {}

    /** Every field 0, empty or the first symbol, but those given. */
    static GenericRecord event(String schemaName, Map<String, ?> given) {
        Schema schema = EventSchemas.schema(schemaName);
        GenericRecord event = new GenericData.Record(schema);
        for (Schema.Field field : schema.getFields()) {
            Object value = given.containsKey(field.name()) ? given.get(field.name()) : nothing(field.schema());
            event.put(
                    field.pos(),
                    field.schema().getType() == Schema.Type.ENUM
                            ? new GenericData.EnumSymbol(field.schema(), value.toString())
                            : value);
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

    static GenericRecord mistakeValue(String id, long seen) {
        return event(
                "Mistake",
                Map.of(
                        "exampleId",
                        id,
                        "label",
                        1,
                        "predicted",
                        -1,
                        "score",
                        -0.5,
                        "mistakes",
                        seen,
                        "updates",
                        seen,
                        "labelled",
                        seen,
                        "seen",
                        seen,
                        "weightNorm",
                        2.0,
                        "radius",
                        1.0));
    }

    static Event mistakeOfEpoch(String model, long timestamp, long epoch) {
        Event mistake = mistake(model, timestamp, "a", "b");
        mistake.value().put("epoch", epoch);
        return mistake;
    }

    static Event mistake(String model, int partition, long offset) {
        return new Event(partition, offset, 1_000 + offset, model, mistakeValue("e" + offset, offset + 1));
    }

    static Event mistake(String model, long timestamp, Object label, Object predicted) {
        Map<String, Object> fields = new TreeMap<>();
        fields.put("label", label);
        fields.put("predicted", predicted);
        return new Event(0, timestamp, timestamp, model, event("Mistake", fields));
    }

    /** Metrics of a hundred examples of two classes, of which the model got 20 wrong. */
    static GenericRecord metrics(String eventName) {
        Schema schema = EventSchemas.schema(eventName)
                .getField("metrics")
                .schema()
                .getTypes()
                .get(1);
        Schema row = schema.getField("classes").schema().getElementType();
        GenericRecord metrics = new GenericData.Record(schema);
        metrics.put("classes", List.of(row(row, "ham", 90, 80, 75), row(row, null, 10, 20, 5)));
        metrics.put("balancedAccuracy", 0.5);
        metrics.put("kappa", 0.25);
        metrics.put("compared", 100L);
        metrics.put("comparedErrors", 20L);
        metrics.put("majorityErrors", 10L);
        metrics.put("sameErrors", 40L);
        metrics.put("kappaMajority", -1.0);
        metrics.put("kappaSame", 0.5);
        metrics.put("auc", 0.75);
        return metrics;
    }

    private static GenericRecord row(Schema schema, String label, long seen, long predicted, long correct) {
        GenericRecord row = new GenericData.Record(schema);
        row.put("label", label);
        row.put("seen", seen);
        row.put("predicted", predicted);
        row.put("correct", correct);
        return row;
    }

    static Event count(String model, long window, long examples, long total) {
        return new Event(
                0,
                window,
                window * 10_000,
                model,
                event(
                        "MistakeCount",
                        Map.of(
                                "windowStart",
                                (window - 1) * 10_000,
                                "windowEnd",
                                window * 10_000,
                                "examples",
                                examples,
                                "labelled",
                                examples,
                                "errors",
                                1L,
                                "totalExamples",
                                total,
                                "totalLabelled",
                                total,
                                "totalErrors",
                                window)));
    }

    /** A status of a model that is compared with pinned weights. */
    static Event comparing(String model, long version, long updatesSince, double bound) {
        Schema union = EventSchemas.schema("ModelStatus").getField("comparator").schema();
        GenericRecord comparator = new GenericData.Record(union.getTypes().get(1));
        comparator.put("labelled", 0L);
        comparator.put("updates", updatesSince);
        comparator.put("norm", 0.0);
        comparator.put("hingeLoss", 0.0);
        comparator.put("bound", bound);
        return status(model, 1, Map.of("version", version, "comparator", comparator));
    }

    /** The field {@code confusion} of a status, with its counts row by row. */
    static GenericRecord confusion(List<String> labels, long otherErrors, long... counts) {
        Schema union = EventSchemas.schema("ModelStatus").getField("confusion").schema();
        GenericRecord confusion = new GenericData.Record(union.getTypes().get(1));
        confusion.put("labels", labels);
        confusion.put("counts", LongStream.of(counts).boxed().toList());
        confusion.put("otherErrors", otherErrors);
        return confusion;
    }

    /** A chunk with one vector, whose weights have the indices from {@code first} on. */
    static Event chunk(String model, int chunk, int chunks, long version, int first, double... weights) {
        Schema schema = EventSchemas.schema("WeightsSnapshot");
        GenericRecord vector =
                new GenericData.Record(schema.getField("vectors").schema().getElementType());
        List<Integer> indices = new ArrayList<>();
        List<Double> values = new ArrayList<>();
        for (double weight : weights) {
            indices.add(first + indices.size());
            values.add(weight);
        }
        vector.put("name", "");
        vector.put("bias", 0.5);
        vector.put("averagedBias", 0.25);
        vector.put("indices", indices);
        vector.put("weights", values);
        vector.put("averaged", values);
        Map<String, Object> fields = new TreeMap<>(Map.of("chunk", chunk, "chunks", chunks, "version", version));
        fields.put("vectors", List.of(vector));
        fields.put("featureNames", List.of());
        return new Event(0, chunk, 1, model, event("WeightsSnapshot", fields));
    }

    static Event status(String model, long timestamp, Map<String, ?> fields) {
        return new Event(0, timestamp, timestamp, model, event("ModelStatus", fields));
    }
}
