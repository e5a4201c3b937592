package io.perceptronstreams.serde;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.example.Utf8Slice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;

/** Converts the five forms of features from JSON to Avro records. Messages of its exceptions have no file or line. */
public final class JsonFeatures {
    private static final int MAX_SHOWN = 40;

    private JsonFeatures() {}

    public static GenericRecord parse(JsonNode features) {
        if (features.isArray()) {
            double[] values = numbers(features, "value");
            return ExampleRecords.dense(values, values.length);
        }
        if (!features.isObject()) {
            throw not("features", "an array or an object", features);
        }
        if (features.path("indices").isArray()) {
            return sparse(features);
        }
        if (features.path("tokens").isArray()) {
            return sequence(onlyField(features, "tokens"));
        }
        if (features.path("candidates").isArray()) {
            return candidates(onlyField(features, "candidates"));
        }
        return ExampleRecords.named(named(features));
    }

    private static GenericRecord sparse(JsonNode features) {
        if (features.size() != 2 || !features.path("values").isArray()) {
            throw not("sparse features", "{\"indices\":[…],\"values\":[…]}", features);
        }
        JsonNode written = features.get("indices");
        int[] indices = new int[written.size()];
        int last = -1;
        for (int i = 0; i < indices.length; i++) {
            JsonNode index = written.get(i);
            if (!index.isInt() || index.intValue() <= last) {
                throw new IllegalArgumentException(
                        "indices must be whole numbers >= 0 and ascend, got " + shown(index) + " after " + last);
            }
            last = index.intValue();
            indices[i] = last;
        }
        double[] values = numbers(features.get("values"), "value");
        if (values.length != indices.length) {
            throw new IllegalArgumentException(
                    "indices and values must have equal length, got " + indices.length + " and " + values.length);
        }
        return ExampleRecords.sparse(indices, values, indices.length);
    }

    private static GenericRecord sequence(JsonNode tokens) {
        List<List<String>> sequence = new ArrayList<>(tokens.size());
        for (JsonNode token : tokens) {
            if (!token.isArray()) {
                throw not("token", "a list of feature names", token);
            }
            List<String> names = new ArrayList<>(token.size());
            for (JsonNode name : token) {
                names.add(text(name, "feature name"));
            }
            sequence.add(names);
        }
        return ExampleRecords.sequence(sequence);
    }

    private static GenericRecord candidates(JsonNode written) {
        List<ExampleRecords.Candidate> candidates = new ArrayList<>(written.size());
        for (JsonNode candidate : written) {
            if (candidate.size() != 2 || !candidate.path("features").isObject()) {
                throw not("candidate", "{\"output\":…,\"features\":{…}}", candidate);
            }
            candidates.add(new ExampleRecords.Candidate(
                    text(candidate.path("output"), "output"), named(candidate.get("features"))));
        }
        return ExampleRecords.candidates(candidates);
    }

    private static Map<String, Double> named(JsonNode features) {
        Map<String, Double> values = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> field : features.properties()) {
            if (!isWellFormed(field.getKey())) {
                throw new IllegalArgumentException(
                        "names of features must be well-formed text, got half a UTF-16 surrogate pair");
            }
            JsonNode value = field.getValue();
            if (value.isTextual()) {
                values.merge(category(field.getKey(), text(value, field.getKey())), 1.0, Double::sum);
            } else if (!value.isNull()) {
                // null is a missing value, like an empty cell of a table
                values.merge(field.getKey(), named(value, field.getKey()), Double::sum);
            }
        }
        return values;
    }

    private static double named(JsonNode value, String name) {
        return value.isBoolean() ? (value.booleanValue() ? 1 : 0) : number(value, "value of " + name);
    }

    /** The name of the feature, of value 1, that a text stands for: {@code city=Rome} for {@code "city":"Rome"}. */
    static String category(String name, String text) {
        return name + "=" + text;
    }

    /** Returns the int label that a number or a boolean stands for: 1 for 1.0 and true; null if there is none. */
    public static Integer label(JsonNode label) {
        if (label.isBoolean()) {
            return label.booleanValue() ? 1 : 0;
        }
        double value = label.isNumber() ? label.doubleValue() : Double.NaN;
        return value == (int) value ? (Integer) (int) value : null;
    }

    private static JsonNode onlyField(JsonNode features, String name) {
        if (features.size() != 1) {
            throw not(name, "the only field of features", features);
        }
        return features.get(name);
    }

    private static double[] numbers(JsonNode array, String what) {
        double[] numbers = new double[array.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = number(array.get(i), what);
        }
        return numbers;
    }

    /** Returns a finite number, or throws {@link #not}. */
    public static double number(JsonNode node, String what) {
        double value = node.isNumber() ? node.doubleValue() : Double.NaN;
        if (!Double.isFinite(value)) {
            throw not(what, "a finite number", node);
        }
        return value;
    }

    public static String text(JsonNode node, String what) {
        if (!node.isTextual()) {
            throw not(what, "a string", node);
        }
        if (!isWellFormed(node.textValue())) {
            throw not(what, "well-formed text without half a UTF-16 surrogate pair", node);
        }
        return node.textValue();
    }

    /** Returns false if a text cannot be written in UTF-8, because half of a surrogate pair is missing. */
    static boolean isWellFormed(String text) {
        for (int k = 0; k < text.length(); k++) {
            if (Character.isSurrogate(text.charAt(k))) {
                return text.codePoints()
                        .noneMatch(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE);
            }
        }
        return true;
    }

    /** Creates the exception for {@code what}, which must be {@code must}. */
    public static IllegalArgumentException not(String what, String must, JsonNode node) {
        return new IllegalArgumentException(
                what + " must be " + must + ", got " + (node.isMissingNode() ? "nothing" : shown(node)));
    }

    private static String shown(JsonNode node) {
        return Utf8Slice.shortened(node.toString(), MAX_SHOWN);
    }
}
