package io.perceptronstreams.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.util.Utf8;

/** Events for JavaScript clients, and their contents as plain Java values. */
final class JavaScriptEvents {
    private static final ObjectMapper JSON = new ObjectMapper();

    private JavaScriptEvents() {}

    /** Example i of produce.mjs: the same arithmetic gives the same bits. */
    static Map<String, Object> example(String model, String labels, int i) {
        double x = i / 7.0 - 3;
        Map<String, Object> features = switch (i % 4) {
            case 0 -> Map.of("values", List.of(x, 0.0, -x * x, 1e-300));
            case 1 -> Map.of("indices", List.of((double) i, i + 1000.0), "values", List.of(x, 123456.789));
            case 2 -> Map.of("values", Map.of("äge", x, "word=the", 1.0));
            default -> Map.of("named", Map.of("äge", x, "word=the", 1.0));
        };
        boolean positive = i % 2 == 0;
        Object label = labels.equals("int") ? (positive ? 1.0 : -1.0) : positive ? "spam" : "häm";
        var example = new HashMap<String, Object>();
        example.put("id", model + "-" + i);
        example.put("label", i % 5 == 4 ? null : label);
        example.put("features", features);
        example.put("weight", i % 4 == 0 ? 2.5 : 1.0);
        return example;
    }

    static GenericRecord prediction(
            Object label, double score, Map<String, Double> scores, Boolean correct, long seen) {
        var event = new GenericData.Record(schema("Prediction"));
        event.put("exampleId", "example-ü");
        event.put("label", label);
        event.put("score", score);
        event.put("scores", scores);
        event.put("correct", correct);
        event.put("updates", seen / 2);
        event.put("examples", seen);
        event.put("epoch", -1L);
        event.put("probability", score > 0 ? 0.75 : null);
        event.put("labelSet", score > 0 ? List.of("häm", "spam") : null);
        event.put("withheld", score > 0);
        return event;
    }

    static GenericRecord mistake(String kind, Object label, Object predicted, long mistakes) {
        Schema schema = schema("Mistake");
        var event = new GenericData.Record(schema);
        event.put("exampleId", "example-ü");
        event.put("kind", new GenericData.EnumSymbol(schema.getField("kind").schema(), kind));
        event.put("label", label);
        event.put("predicted", predicted);
        event.put("score", -0.25);
        event.put("margin", 1.0 / 3);
        event.put("mistakes", mistakes);
        event.put("marginMistakes", 0L);
        event.put("updates", mistakes);
        event.put("labelled", mistakes + 1);
        event.put("examples", Long.MAX_VALUE);
        event.put("weightNorm", Math.sqrt(2));
        event.put("radius", 1e300);
        event.put("evidence", List.of(evidence(schema, "äge"), evidence(schema, null)));
        return event;
    }

    private static GenericRecord evidence(Schema mistake, String name) {
        var part = new GenericData.Record(mistake.getField("evidence").schema().getElementType());
        part.put("name", name);
        part.put("index", name == null ? null : 7);
        part.put("value", 0.5);
        part.put("weight", -0.1);
        part.put("contribution", -0.05);
        part.put("share", 1.0);
        return part;
    }

    /** Converts values of Avro and JSON to Java: numbers to Double, longs to their digits, records to maps. */
    static Object plain(Object value) {
        if (value instanceof GenericRecord record) {
            var map = new HashMap<String, Object>();
            record.getSchema().getFields().forEach(field -> map.put(field.name(), plain(record.get(field.pos()))));
            return map;
        }
        if (value instanceof Map<?, ?> given) {
            var map = new HashMap<String, Object>();
            given.forEach((key, child) -> map.put(key.toString(), plain(child)));
            return map;
        }
        if (value instanceof Collection<?> list) {
            return list.stream().map(JavaScriptEvents::plain).toList();
        }
        if (value instanceof Integer || value instanceof Double) {
            return ((Number) value).doubleValue();
        }
        if (value instanceof Long || value instanceof Utf8 || value instanceof GenericData.EnumSymbol) {
            return value.toString();
        }
        return value;
    }

    static Object plain(JsonNode json) {
        return plain(JSON.convertValue(json, Object.class));
    }

    static Path avsc(String event) {
        return Path.of("schemas", event + ".avsc");
    }

    static Schema schema(String event) {
        try {
            return new Schema.Parser().parse(avsc(event).toFile());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
