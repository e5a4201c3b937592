package io.perceptronstreams.serde;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import io.perceptronstreams.example.Candidates;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureCrosser;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.example.Sequence;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.model.LabelEvent;
import io.perceptronstreams.model.ModelCommand;
import io.perceptronstreams.serde.InputDecoder.Kind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ObjDoubleConsumer;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/**
 * Decodes input events in JSON: {@code {"id":"7","label":1,"features":[0.1,2]}}, {@code {"exampleId":"7","label":1}},
 * {@code {"action":"CONFIGURE","settings":{"h":"1"}}}.
 *
 * <p>Labels may also be booleans and numbers such as 1.0; a text as the value of a named feature is a category. The id and
 * the {@code timestamp}, see {@link JsonTimestamp}, are optional.
 *
 * <p>Unknown fields, repeated fields and text after the closing brace are errors: a misspelt {@code label} would
 * otherwise be lost silently. Slower than Avro. {@link JsonExampleReader} reads the
 * common forms without a tree.
 */
final class JsonDecoder {
    private static final ObjectReader JSON = JsonInput.MAPPER
            .readerFor(JsonNode.class)
            .with(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY, DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private static final Schema WEIGHTS = EventSchemas.schema("WeightsSnapshot");

    private final JsonExampleReader examples = new JsonExampleReader();

    // Null until a model has rules for its features.
    private FeatureCrosser crosser;

    private ModelCommand command;
    private byte[] weights;
    private LabelEvent label;

    ModelCommand command() {
        return command;
    }

    Kind decode(byte[] value, FeatureHasher hasher, Example example) {
        return examples.read(value, hasher, example)
                ? Kind.EXAMPLE
                : decode(parse(value), value.length, hasher, example);
    }

    /** As {@link #decode(byte[], FeatureHasher, Example)}, of an event that {@link #parse} has read from some bytes. */
    Kind decode(JsonNode event, int bytes, FeatureHasher hasher, Example example) {
        if (event.has("action")) {
            allow(event, "action", "settings");
            command = command(event);
            return Kind.COMMAND;
        }
        if (event.has("exampleId")) {
            allow(event, "exampleId", "label", "weight", "timestamp");
            label = lateLabel(event);
            return Kind.LABEL;
        }
        if (event.has("vectors")) {
            SnapshotDecoder.checkLength(bytes);
            allow(event, WEIGHTS.getFields().stream().map(Schema.Field::name).toArray(String[]::new));
            weights = weights(event);
            return Kind.WEIGHTS;
        }
        allow(event, "id", "label", "features", "weight", "timestamp");
        example.id().set(id(event.path("id")));
        example.setLabel(label(event.path("label")));
        example.setFeatures(features(event.path("features"), hasher, example));
        example.setNames(new JsonNames(event.path("features")));
        example.setWeight(weight(event.path("weight")));
        return Kind.EXAMPLE;
    }

    private static double weight(JsonNode weight) {
        if (isAbsent(weight)) {
            return 1;
        }
        if (!weight.isNumber()) {
            throw malformed("weight must be a number", weight);
        }
        return ExampleDecoder.checkedWeight(weight.doubleValue());
    }

    private static LabelEvent lateLabel(JsonNode event) {
        Utf8Slice id = new Utf8Slice().set(id(event.path("exampleId")));
        ExampleDecoder.requireId(id);
        Label label = label(event.path("label"));
        if (label == null) {
            throw malformed(
                    "label must be a whole number, a boolean, a string or an array of strings", event.path("label"));
        }
        return new LabelEvent(id, label, weight(event.path("weight")));
    }

    /** The last label without an example. */
    LabelEvent label() {
        return label;
    }

    /** The last chunk of weights, converted to Avro binary without a header, so that there is only one reader. */
    byte[] weights() {
        return weights;
    }

    private static byte[] weights(JsonNode event) {
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
            new GenericDatumWriter<GenericRecord>(WEIGHTS).write(JsonEvents.fromJson(event, WEIGHTS), encoder);
            encoder.flush();
            return out.toByteArray();
        } catch (IllegalArgumentException e) {
            throw new RejectedException(RejectReason.MALFORMED_JSON, shortened(String.valueOf(e.getMessage())));
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
    }

    /** Parses one JSON value. */
    static JsonNode parse(byte[] value) {
        return parse(value, 0, value.length);
    }

    /** Parses one JSON value in a slice. */
    static JsonNode parse(byte[] bytes, int offset, int length) {
        try {
            JsonInput.checkEncoding(bytes, offset, length);
            return JSON.readTree(bytes, offset, length);
        } catch (IOException e) {
            // violations of the limits of the parser, such as the nesting depth, have no location
            boolean hasPlace = e instanceof JsonProcessingException json && json.getLocation() != null;
            throw new RejectedException(
                    RejectReason.MALFORMED_JSON,
                    "value must be one JSON object, got: " + JsonFault.of(e)
                            + (hasPlace
                                    ? " (column "
                                            + ((JsonProcessingException) e)
                                                    .getLocation()
                                                    .getColumnNr() + ")"
                                    : ""));
        }
    }

    private static void allow(JsonNode event, String... fields) {
        List<String> known = Arrays.asList(fields);
        event.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                throw new RejectedException(RejectReason.MALFORMED_JSON, JsonFault.unknownField(event, name, known));
            }
        });
    }

    private static String id(JsonNode id) {
        if (isAbsent(id)) {
            return "";
        }
        if (!id.isTextual()) {
            throw malformed("id must be a string", id);
        }
        int bytes = wellFormed(id.textValue()).getBytes(StandardCharsets.UTF_8).length;
        if (bytes > ExampleDecoder.MAX_ID_BYTES) {
            throw new RejectedException(
                    RejectReason.INVALID_ID,
                    "id must have at most " + ExampleDecoder.MAX_ID_BYTES + " bytes, got " + bytes);
        }
        return id.textValue();
    }

    private static Label label(JsonNode label) {
        if (isAbsent(label)) {
            return null;
        }
        Integer number = JsonFeatures.label(label);
        if (number != null) {
            return Label.of(number);
        }
        if (label.isTextual()) {
            return new Label.ClassName(LabelLimits.checked(wellFormed(label.textValue())));
        }
        if (label.isArray()) {
            LabelLimits.checkCount(label.size());
            List<String> tags = new ArrayList<>();
            for (JsonNode tag : label) {
                if (!tag.isTextual()) {
                    throw malformed("tags must be strings", tag);
                }
                tags.add(LabelLimits.checked(wellFormed(tag.textValue())));
            }
            return LabelLimits.tags(tags);
        }
        throw malformed("label must be a whole number, a boolean, a string, an array of strings or null", label);
    }

    private Features features(JsonNode features, FeatureHasher hasher, Example example) {
        FeatureVector vector = example.vector();
        if (features.isArray()) {
            vector.resetDense();
            features.forEach(value -> vector.append(number(value, "at position " + vector.size())));
        } else if (!features.isObject()) {
            throw malformed("features must be an array or an object", features);
        } else if (features.path("indices").isArray() && features.path("values").isArray()) {
            allow(features, "indices", "values");
            sparse(features.path("indices"), features.path("values"), vector);
        } else if (features.path("tokens").isArray()) {
            allow(features, "tokens");
            return sequence(features.path("tokens"), hasher, example.sequence());
        } else if (features.path("candidates").isArray()) {
            allow(features, "candidates");
            return candidates(features.path("candidates"), hasher, example.candidates());
        } else if (hasher.rules() == null) {
            named(features, hasher, vector);
            return vector;
        } else {
            crosser().begin(hasher, vector);
            forEachNamed(features, (name, value) -> {
                byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
                crosser.add(utf8, 0, utf8.length, value);
            });
            crosser.end();
            return vector;
        }
        ExampleDecoder.checkFinite(vector.values(), vector.size());
        if (hasher.rules() != null) {
            crosser().apply(hasher, vector);
        }
        return vector;
    }

    private FeatureCrosser crosser() {
        crosser = crosser == null ? new FeatureCrosser() : crosser;
        return crosser;
    }

    private static void forEachNamed(JsonNode features, ObjDoubleConsumer<String> use) {
        features.properties().forEach(feature -> {
            JsonNode value = feature.getValue();
            String name = wellFormed(feature.getKey());
            if (value.isTextual()) {
                use.accept(JsonFeatures.category(name, wellFormed(value.textValue())), 1);
            } else if (value.isBoolean()) {
                use.accept(name, value.booleanValue() ? 1 : 0);
            } else if (!value.isNull()) {
                use.accept(name, number(value, name));
            }
        });
    }

    private static void named(JsonNode features, FeatureHasher hasher, FeatureVector vector) {
        vector.resetSparse();
        forEachNamed(features, (name, value) -> vector.append(index(name, hasher), value));
        ExampleDecoder.checkFinite(vector.values(), vector.size());
        vector.sortAndMerge();
    }

    private static int index(String name, FeatureHasher hasher) {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        return hasher.index(utf8, 0, utf8.length);
    }

    private static Sequence sequence(JsonNode tokens, FeatureHasher hasher, Sequence sequence) {
        sequence.clear();
        for (JsonNode token : tokens) {
            if (!token.isArray()) {
                throw malformed("a token must be an array of feature names", token);
            }
            FeatureVector vector = sequence.append();
            for (JsonNode name : token) {
                if (!name.isTextual()) {
                    throw malformed("feature names must be strings", name);
                }
                vector.append(index(wellFormed(name.textValue()), hasher), 1);
            }
            vector.sortAndMerge();
        }
        return sequence;
    }

    private static Candidates candidates(JsonNode written, FeatureHasher hasher, Candidates candidates) {
        candidates.clear();
        for (JsonNode candidate : written) {
            JsonNode output = candidate.path("output");
            if (!output.isTextual() || !candidate.path("features").isObject()) {
                throw malformed("a candidate must be {\"output\":…,\"features\":{…}}", candidate);
            }
            allow(candidate, "output", "features");
            named(candidate.path("features"), hasher, candidates.append(wellFormed(output.textValue())));
        }
        return candidates;
    }

    private static void sparse(JsonNode indices, JsonNode values, FeatureVector vector) {
        if (indices.size() != values.size()) {
            throw new RejectedException(
                    RejectReason.INVALID_INDICES,
                    "a sparse vector must have as many values as indices, got " + indices.size() + " indices and "
                            + values.size() + " values");
        }
        vector.resetSparse();
        int last = -1;
        for (int k = 0; k < indices.size(); k++) {
            JsonNode index = indices.get(k);
            if (!index.isIntegralNumber() || !index.canConvertToInt()) {
                throw malformed("indices must be ints", index);
            }
            if (index.intValue() <= last) {
                throw ExampleDecoder.wrongIndex(index.intValue(), last);
            }
            last = index.intValue();
            vector.append(last, number(values.get(k), "of index " + last));
        }
    }

    private static double number(JsonNode value, String place) {
        if (!value.isNumber()) {
            throw malformed("feature values must be numbers (" + place + ")", value);
        }
        return value.doubleValue();
    }

    /** Returns true for a field that is missing or null: what writes records of a fixed type writes nulls. */
    private static boolean isAbsent(JsonNode field) {
        return field.isMissingNode() || field.isNull();
    }

    private static String wellFormed(String text) {
        if (!JsonFeatures.isWellFormed(text)) {
            // all such texts would become the same text in UTF-8
            throw new RejectedException(
                    RejectReason.MALFORMED_JSON,
                    "texts must be well-formed, got one half of a UTF-16 surrogate pair in '"
                            + shortened(text.replaceAll("\\p{Cs}", "?")) + "'");
        }
        return text;
    }

    private static ModelCommand command(JsonNode event) {
        ModelCommand.Action action;
        try {
            action = ModelCommand.Action.valueOf(event.path("action").asText().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new RejectedException(
                    RejectReason.INVALID_COMMAND,
                    "action must be one of " + Arrays.toString(ModelCommand.Action.values()) + ", got "
                            + shortened(event.path("action").toString()));
        }
        Map<String, String> settings = new LinkedHashMap<>();
        JsonNode given = event.path("settings");
        if (!given.isMissingNode() && !given.isObject()) {
            throw malformed("settings must be an object", given);
        }
        given.properties().forEach(setting -> {
            if (!setting.getValue().isValueNode() || setting.getValue().isNull()) {
                throw malformed("settings must be strings, numbers or booleans", setting.getValue());
            }
            settings.put(setting.getKey(), setting.getValue().asText());
        });
        return new ModelCommand(action, settings);
    }

    private static RejectedException malformed(String rule, JsonNode got) {
        return new RejectedException(
                RejectReason.MALFORMED_JSON,
                rule + ", got " + (got.isMissingNode() ? "none" : shortened(got.toString())));
    }

    private static String shortened(String text) {
        return Utf8Slice.shortened(text, 200);
    }
}
