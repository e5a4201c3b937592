package io.perceptronstreams.format;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.perceptronstreams.serde.ExampleRecords;
import io.perceptronstreams.serde.JsonFault;
import io.perceptronstreams.serde.JsonFeatures;
import io.perceptronstreams.serde.JsonTimestamp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.apache.avro.generic.GenericRecord;

/**
 * One JSON object per line: {@code {"id":"7","label":1,"features":…,"weight":1,"timestamp":1700000000000}}; only the features
 * are required. Or an array of such objects, whose numbers then take the place of line numbers.
 *
 * <p>Features as on the examples topic: {@code [0.1,2]}, {@code {"indices":[3],"values":[0.5]}}, {@code {"age":0.3}},
 * {@code {"tokens":[["w=the"]]}} or {@code {"candidates":[{"output":"a","features":{"f":1}}]}}.
 */
final class JsonlReader implements ExampleReader {
    private static final ObjectReader JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build()
            .reader();

    private static final List<String> FIELDS = List.of("id", "label", "features", "weight", "timestamp");

    /** A number of JSON, except for those that look like codes: with a leading zero, or of more digits than a double has. */
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]{0,14})(\\.[0-9]+)?([eE][-+]?[0-9]+)?");

    private static final int MAX_NUMBER_TEXTS = 5;

    private final LineReader lines;
    private final ExampleIds ids;
    private final LabelType labelType;
    private final Consumer<String> notes;
    private final Set<String> numberTexts = new HashSet<>();
    private Long timestamp;

    /** @param notes receives a line for each of the first features whose value is a text that spells a number */
    JsonlReader(LineReader lines, ExampleIds ids, LabelType labelType, Consumer<String> notes) {
        this.lines = lines;
        this.ids = ids;
        this.labelType = labelType;
        this.notes = notes;
    }

    @Override
    public GenericRecord next() throws IOException {
        while (lines.advance()) {
            if (!lines.text().isBlank()) {
                try {
                    return example(JSON.readTree(lines.bytes(), lines.start(), lines.end() - lines.start()));
                } catch (IOException e) {
                    throw lines.malformed("line must be one JSON object: " + JsonFault.of(e));
                } catch (IllegalArgumentException e) {
                    throw lines.malformed(e.getMessage());
                }
            }
        }
        return null;
    }

    private GenericRecord example(JsonNode line) {
        if (!line.isObject()) {
            throw JsonFeatures.not("line", "a JSON object", line);
        }
        for (Iterator<String> names = line.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!FIELDS.contains(name)) {
                throw new IllegalArgumentException(JsonFault.unknownField(line, name, FIELDS));
            }
        }
        JsonNode features = line.path("features");
        if (features.isMissingNode()) {
            throw new IllegalArgumentException("example must have features, got none");
        }
        if (features.isObject() && numberTexts.size() < MAX_NUMBER_TEXTS) {
            noteNumberTexts(features);
        }
        JsonNode time = line.path("timestamp");
        timestamp = isAbsent(time) ? null : timestamp(time);
        return ExampleRecords.example(
                id(line.path("id")),
                label(line.path("label")),
                JsonFeatures.parse(features),
                weight(line.path("weight")));
    }

    private void noteNumberTexts(JsonNode features) {
        features.properties().forEach(feature -> {
            JsonNode value = feature.getValue();
            if (value.isTextual() && NUMBER.matcher(value.textValue()).matches() && numberTexts.add(feature.getKey())) {
                notes.accept("feature " + feature.getKey() + " is sent as text: \"" + value.textValue()
                        + "\" is a word of its own (send numbers without quotes)");
            }
        });
    }

    @Override
    public Long timestamp() {
        return timestamp;
    }

    /** Returns true for a field that is missing or null, as on the examples topic. */
    private static boolean isAbsent(JsonNode field) {
        return field.isMissingNode() || field.isNull();
    }

    private static Long timestamp(JsonNode time) {
        Long parsed = JsonTimestamp.parsed(time);
        if (parsed == null || parsed < 0) {
            throw JsonFeatures.not("timestamp", "in ms since 1970 or as in 2026-01-31T12:00:00Z", time);
        }
        if (time.isNumber() && JsonTimestamp.isInSeconds(parsed)) {
            throw new IllegalArgumentException(
                    "timestamp must be in ms since 1970, got " + JsonTimestamp.inSeconds(parsed));
        }
        return parsed;
    }

    private String id(JsonNode id) {
        if (isAbsent(id)) {
            return ids.ofLine(lines.number());
        }
        if (!id.isTextual()) {
            throw JsonFeatures.not("id", "a string", id);
        }
        return ids.given(JsonFeatures.text(id, "id"));
    }

    private Object label(JsonNode label) {
        if (isAbsent(label)) {
            return null;
        }
        if (label.isArray()) {
            List<String> tags = new ArrayList<>(label.size());
            for (JsonNode tag : label) {
                tags.add(JsonFeatures.text(tag, "tag"));
            }
            return tags;
        }
        if (label.isTextual() && labelType != LabelType.INT) {
            return JsonFeatures.text(label, "label");
        }
        if (label.isNumber() || label.isBoolean()) {
            Integer number = JsonFeatures.label(label);
            if (labelType == LabelType.STRING) {
                return label.asText();
            }
            if (number != null) {
                return number;
            }
            if (label.doubleValue() != Math.rint(label.doubleValue())) {
                throw new IllegalArgumentException("label must be a whole number, got " + label
                        + " (numbers as labels: this program classifies, it does not predict numbers; --label-type string"
                        + " takes each as the name of a class)");
            }
        }
        throw JsonFeatures.not(
                "label",
                labelType == LabelType.INT
                        ? "a whole number or a boolean (--label-type int)"
                        : "a whole number, a boolean, a string or a list of strings",
                label);
    }

    private static double weight(JsonNode weight) {
        if (isAbsent(weight)) {
            return 1.0;
        }
        double value = JsonFeatures.number(weight, "weight");
        if (value <= 0) {
            throw JsonFeatures.not("weight", "> 0", weight);
        }
        return value;
    }

    @Override
    public long line() {
        return lines.number();
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
