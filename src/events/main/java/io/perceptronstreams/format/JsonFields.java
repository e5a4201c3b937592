package io.perceptronstreams.format;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.perceptronstreams.serde.JsonExampleReader;
import io.perceptronstreams.serde.JsonInput;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Writes JSON objects of any form as examples in JSON, by the options of their fields: one field is the label, others
 * may be id and event time, the rest are features.
 *
 * <p>The first object decides: where it has the form of an example already, the options are for its features. What the
 * values mean is up to {@link JsonExampleReader}. Not thread-safe.
 */
final class JsonFields {
    /** Form of an object. */
    enum Form {
        /** As on the examples topic, perhaps with nested features. */
        EXAMPLE,
        /** Any other one. */
        OTHER
    }

    /** Number of examples after which a name that none of them has is worth a note. */
    private static final int FIRST_NOTE = 100;

    private static final int MAX_DEPTH = 64;
    private static final int MAX_SHOWN = 8;
    private static final String DEFAULT_LABEL = "label";

    private final CsvOptions options;
    private final NestedValues nested;
    private final Set<String> missing = new HashSet<>(CsvColumn.MISSING);
    /** Units of the fields whose texts are numbers. */
    private final Map<String, OneUnit> units = new HashMap<>();

    private final Map<String, ColumnKind> kinds = new LinkedHashMap<>();

    /** Names of features that say that a field is missing. */
    private final Set<String> missingFeatures = new LinkedHashSet<>();

    /** Features of fields of dates and event times. */
    private final Map<String, Set<ColumnKind>> dates = new HashMap<>();

    /** Options by the names that no object has had so far. */
    private final Map<String, String> unseen = new LinkedHashMap<>();

    // Null before the first object.
    private Form form;
    private long count;

    /** Names of the first object. */
    private final List<String> names = new ArrayList<>();

    // Null unless the fields are to be described.
    private FieldTable table;

    // Of the current object.
    private JsonGenerator head;
    private JsonGenerator features;
    private final Set<ColumnKind> found = new HashSet<>();
    private final Set<String> absent = new LinkedHashSet<>();

    /** @throws IllegalArgumentException if a field is given in two options */
    JsonFields(CsvOptions options, NestedValues nested) {
        this.options = options;
        this.nested = nested;
        missing.addAll(options.missing());
        String label = options.labelColumn() == null ? DEFAULT_LABEL : options.labelColumn();
        give(label.equals(TableReader.NO_COLUMN) ? null : label, ColumnKind.LABEL, option(ColumnKind.LABEL));
        give(options.idColumn(), ColumnKind.ID, option(ColumnKind.ID));
        give(options.timeColumn(), ColumnKind.TIME, option(ColumnKind.TIME));
        options.kinds().forEach((kind, texts) -> {
            for (String text : texts) {
                for (String name : text.split(",", -1)) {
                    give(name.strip(), kind, option(kind));
                }
            }
        });
        options.namespaces().byColumn().keySet().forEach(name -> unseen.putIfAbsent(name, "--namespaces"));
        options.missingFeatures().forEach(this::giveMissing);
    }

    private void giveMissing(String text) {
        for (String part : text.split(",", -1)) {
            String name = part.strip();
            if (name.equals(CsvOptions.ALL)) {
                throw new IllegalArgumentException(
                        "fields of --missing-feature must be named, got all: a line has no sign of the fields that it leaves out");
            }
            ColumnKind kind = kinds.get(name);
            if (kind == ColumnKind.LABEL || isKey(kind) || kind == ColumnKind.IGNORED) {
                throw new IllegalArgumentException("fields of --missing-feature must be features, got '"
                        + CsvColumn.shown(name) + "' in " + option(kind) + ", too");
            }
            missingFeatures.add(name);
            unseen.putIfAbsent(name, "--missing-feature");
        }
    }

    private static String option(ColumnKind kind) {
        return switch (kind) {
            case IGNORED -> "--ignore";
            case LABEL -> "--label-column";
            case ID -> "--id-column";
            default -> "--" + kind.name().toLowerCase(Locale.ROOT);
        };
    }

    private void give(String name, ColumnKind kind, String option) {
        if (name != null) {
            ColumnKind before = kinds.get(name);
            boolean isDate = kind == ColumnKind.DATES || kind == ColumnKind.DAYS;
            if (isDate
                    && dates.computeIfAbsent(name, any -> EnumSet.noneOf(ColumnKind.class))
                            .add(kind)
                    && (before == ColumnKind.TIME || before == ColumnKind.DATES)) {
                return;
            }
            if (kinds.putIfAbsent(name, kind) != null) {
                throw new IllegalArgumentException("fields must be given once, got '" + CsvColumn.shown(name) + "' in "
                        + unseen.get(name) + " and " + option);
            }
            unseen.put(name, option);
        }
    }

    /** Adds the fields of the objects to come to a table. */
    void describe(FieldTable of) {
        table = of;
    }

    /** Adds the fields of an example to a table. */
    static void describe(byte[] text, int start, int length, FieldTable table) {
        try (JsonParser json = JsonInput.parser(text, start, length)) {
            json.nextToken();
            table.next();
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                JsonToken value = json.nextToken();
                if (name.equals("features") && value == JsonToken.START_OBJECT) {
                    describeFeatures(json, table);
                } else {
                    describeField(name, json, table);
                }
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static void describeFeatures(JsonParser json, FieldTable table) throws IOException {
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            if (json.nextToken().isStructStart()) {
                // indices, values, tokens, candidates
                table.add("features." + name, name + " of the features");
            } else {
                table.addValue(name, json);
            }
            json.skipChildren();
        }
    }

    /** Adds a field of an example, whose first token is the current one; afterwards its last token is. */
    private static void describeField(String name, JsonParser json, FieldTable table) throws IOException {
        switch (name) {
            case "id" -> table.add(name, ColumnKind.ID, json);
            case "label" -> table.add(name, ColumnKind.LABEL, json);
            case "timestamp" -> table.add(name, ColumnKind.TIME, json);
            case "features" -> table.add(name, "features by their places");
            case "weight" -> table.addValue(name, json, "weights");
            default -> table.addValue(name, json);
        }
        json.skipChildren();
    }

    /** Returns the form of a text; null if it is no JSON object. */
    static Form form(byte[] text, int start, int length) {
        boolean hasFeatures = false;
        boolean isExample = true;
        try (JsonParser json = JsonInput.parser(text, start, length)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                return null;
            }
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                boolean isNested = json.nextToken().isStructStart();
                hasFeatures |= isNested && name.equals("features");
                isExample &= JsonExampleReader.EXAMPLE_FIELDS.contains(name);
                json.skipChildren();
            }
            return hasFeatures && isExample ? Form.EXAMPLE : Form.OTHER;
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Returns an example in JSON.
     *
     * @return null if the text is no JSON object
     * @throws IllegalArgumentException if a value does not fit its option
     */
    byte[] example(byte[] text, int start, int length) {
        Form own = form(text, start, length);
        if (own == null) {
            return null;
        }
        if (form == null) {
            begin(own);
        }
        found.clear();
        absent.addAll(missingFeatures);
        boolean isCopied = false;
        StringWriter headText = new StringWriter();
        StringWriter featuresText = new StringWriter();
        try (JsonParser json = JsonInput.parser(text, start, length)) {
            head = JsonInput.generator(headText);
            features = JsonInput.generator(featuresText);
            head.writeStartObject();
            features.writeStartObject();
            json.nextToken();
            if (table != null) {
                table.next();
            }
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                json.nextToken();
                if (form == Form.OTHER) {
                    value(json, name, 1);
                } else if (name.equals("features") && json.currentToken() == JsonToken.START_OBJECT) {
                    for (String field = json.nextFieldName(); field != null; field = json.nextFieldName()) {
                        json.nextToken();
                        value(json, field, 1);
                    }
                } else {
                    isCopied |= name.equals("features");
                    if (table != null && json.currentToken().isScalarValue()) {
                        describeField(name, json, table);
                    }
                    head.writeFieldName(name);
                    copy(json, head);
                }
            }
            for (String name : absent) {
                features.writeNumberField(
                        CsvColumn.missingFeature(options.namespaces().feature(name)), 1);
            }
            features.writeEndObject();
            features.close();
            if (!isCopied) {
                head.writeFieldName("features");
                head.writeRawValue(featuresText.toString());
            }
            head.writeEndObject();
            head.close();
        } catch (IOException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        require(ColumnKind.ID, options.idColumn(), "--id-column");
        require(ColumnKind.TIME, options.timeColumn(), "--time");
        count++;
        return headText.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void begin(Form first) {
        form = first;
        if (form == Form.EXAMPLE) {
            String option = options.labelColumn() != null
                    ? "--label-column"
                    : options.idColumn() != null ? "--id-column" : options.timeColumn() != null ? "--time" : null;
            if (option != null) {
                throw new IllegalArgumentException(option
                        + " must be used with objects of another form, got examples with the field features, whose own fields are"
                        + " label, id and timestamp");
            }
            kinds.remove(DEFAULT_LABEL, ColumnKind.LABEL);
            unseen.remove(DEFAULT_LABEL, "--label-column");
        }
    }

    private void require(ColumnKind kind, String name, String option) {
        if (name != null && !found.contains(kind)) {
            throw new IllegalArgumentException(
                    "field " + CsvColumn.shown(name) + " must have a value in each object (" + option + "), got none");
        }
    }

    /** Writes the value of a field, whose first token is the current one; afterwards its last token is. */
    private void value(JsonParser json, String path, int depth) throws IOException {
        if (count == 0 && names.size() <= MAX_SHOWN) {
            names.add(path);
        }
        if (!unseen.isEmpty()) {
            unseen.remove(path);
        }
        ColumnKind kind = kinds.get(path);
        JsonToken token = json.currentToken();
        boolean isWhole = kind == ColumnKind.IGNORED || kind == ColumnKind.LABEL;
        if (table != null && (isWhole || (isKey(kind) && token.isScalarValue()))) {
            table.add(path, kind, json);
        }
        if (kind == ColumnKind.IGNORED) {
            json.skipChildren();
        } else if (kind == ColumnKind.LABEL) {
            write(json, "label", kind, path);
        } else if (token == JsonToken.START_OBJECT) {
            object(json, path, depth);
        } else if (token == JsonToken.START_ARRAY) {
            array(json, path);
        } else if (kind == ColumnKind.ID) {
            if (token != JsonToken.VALUE_NULL && !json.getText().isEmpty()) {
                write(json, "id", kind, path);
            }
        } else if (kind == ColumnKind.TIME) {
            if (token != JsonToken.VALUE_NULL) {
                time(json, path);
            }
        } else {
            scalar(json, path, kind);
        }
    }

    private static boolean isKey(ColumnKind kind) {
        return kind == ColumnKind.ID || kind == ColumnKind.TIME;
    }

    private void write(JsonParser json, String field, ColumnKind kind, String path) throws IOException {
        if (!found.add(kind)) {
            throw new IllegalArgumentException("names must be unique, got '" + CsvColumn.shown(path) + "' twice");
        }
        head.writeFieldName(field);
        copy(json, head);
    }

    private void time(JsonParser json, String path) throws IOException {
        TimeFormat format = options.timeFormat();
        Long time = format == null ? EventTime.parse(json.getText()) : format.parse(json.getText());
        if (time == null) {
            throw EventTime.fault(json.getText(), format, "field " + CsvColumn.shown(path));
        }
        found.add(ColumnKind.TIME);
        head.writeNumberField("timestamp", time);
        if (dates.containsKey(path)) {
            dates(json, path, format);
        }
    }

    private void dates(JsonParser json, String path, TimeFormat format) throws IOException {
        Moment moment = format == null ? EventTime.ofAnyYear(json.getText()) : format.parseAnyYear(json.getText());
        if (moment == null) {
            throw EventTime.dateFault(json.getText(), format, "field " + CsvColumn.shown(path));
        }
        Map<String, Double> values = new LinkedHashMap<>();
        moment.addFeatures(options.namespaces().feature(path), dates.get(path), values);
        write(values);
    }

    private void write(Map<String, Double> values) throws IOException {
        for (Map.Entry<String, Double> value : values.entrySet()) {
            features.writeNumberField(value.getKey(), value.getValue());
        }
    }

    private void object(JsonParser json, String path, int depth) throws IOException {
        if (!nested.flattens() || depth == MAX_DEPTH) {
            throw refused(json, path, "--flatten makes a feature of each of its fields");
        }
        absent.remove(path);
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            json.nextToken();
            value(json, path + "." + name, depth + 1);
        }
    }

    private static IllegalArgumentException refused(JsonParser json, String path, String remedy) throws IOException {
        return new IllegalArgumentException("field " + CsvColumn.shown(path)
                + " must be a number, a boolean, a text or null, got "
                + (json.currentToken() == JsonToken.START_OBJECT ? "an object" : "an array") + " (" + remedy
                + ", --ignore " + ShellWord.of(path) + " leaves it out)");
    }

    private void array(JsonParser json, String path) throws IOException {
        if (nested.arrays() == null) {
            throw refused(json, path, "--arrays count, words or ignore takes arrays");
        }
        String feature = options.namespaces().feature(path);
        int elements = 0;
        Map<String, Double> words = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            elements++;
            if (nested.arrays() == NestedValues.Arrays.WORDS && json.currentToken() != JsonToken.VALUE_NULL) {
                if (json.currentToken().isStructStart()) {
                    throw refused(
                            json, path + "[" + (elements - 1) + "]", "--arrays count or ignore takes such arrays");
                }
                words.merge(feature + "=" + json.getText(), 1.0, Double::sum);
            }
            json.skipChildren();
        }
        if (nested.arrays() == NestedValues.Arrays.COUNT) {
            features.writeNumberField(feature + ".count", elements);
        }
        if (table != null) {
            describeArray(path, elements, words.keySet(), feature.length() + 1);
        }
        write(words);
        absent.remove(path);
    }

    private void describeArray(String path, int elements, Set<String> words, int start) {
        switch (nested.arrays()) {
            case COUNT -> table.addCount(path, elements);
            case WORDS ->
                table.addWords(
                        path, words.stream().map(each -> each.substring(start)).toList());
            case IGNORE -> table.add(path, "ignored");
        }
    }

    private void scalar(JsonParser json, String path, ColumnKind kind) throws IOException {
        String feature = options.namespaces().feature(path);
        boolean isText = json.currentToken() == JsonToken.VALUE_STRING;
        boolean isMissing = json.currentToken() == JsonToken.VALUE_NULL
                || options.missing().contains(json.getText())
                || (isText
                        && (kind == ColumnKind.NUMBERS || dates.containsKey(path))
                        && missing.contains(json.getText()));
        boolean isNone = isText
                && (kind == null
                        ? JsonExampleReader.isNoNumber(json.getText())
                        : kind == ColumnKind.TEXT && json.getText().isEmpty());
        if (!isMissing && !isNone) {
            absent.remove(path);
        }
        if (table != null) {
            describe(json, path, kind, isMissing);
        }
        if (isMissing) {
            features.writeNullField(feature);
        } else if (kind == ColumnKind.WORDS) {
            features.writeNumberField(feature + "=" + json.getText(), 1);
        } else if (kind == ColumnKind.TEXT) {
            Map<String, Double> words = new LinkedHashMap<>();
            CsvColumn.addWords(feature, json.getText(), words);
            write(words);
        } else if (dates.containsKey(path)) {
            dates(json, path, options.datesFormat());
        } else if (kind == ColumnKind.NUMBERS && isText) {
            features.writeNumberField(feature, number(json.getText(), path));
        } else {
            features.writeFieldName(feature);
            copy(json, features);
        }
    }

    private void describe(JsonParser json, String path, ColumnKind kind, boolean isMissing) throws IOException {
        if (isMissing) {
            table.addMissing(path);
        } else if (kind == ColumnKind.WORDS) {
            table.addWord(path, json.getText());
        } else if (kind == ColumnKind.TEXT) {
            table.addText(path, json.getText());
        } else if (dates.containsKey(path)) {
            table.addValue(path, json, "dates");
        } else if (kind == ColumnKind.NUMBERS && json.currentToken() == JsonToken.VALUE_STRING) {
            table.addNumber(path, number(json.getText(), path));
        } else {
            table.addValue(path, json);
        }
    }

    private double number(String text, String path) {
        double number = Amount.value(text, options.decimal() == null ? '.' : options.decimal());
        String other = units.computeIfAbsent(path, any -> new OneUnit()).unlike(text, number);
        if (other != null) {
            throw new IllegalArgumentException("value must be in one unit, as '" + CsvColumn.shown(other)
                    + "' before it, got '" + CsvColumn.shown(text) + "' (field " + CsvColumn.shown(path) + "; --ignore "
                    + ShellWord.of(path) + " takes none)");
        }
        if (Double.isFinite(number)) {
            return number;
        }
        throw new IllegalArgumentException("value must be a number, got '" + CsvColumn.shown(text) + "' (field "
                + CsvColumn.shown(path) + "; --missing " + ShellWord.of(text) + " takes it as missing)");
    }

    /** Copies a value, with numbers as they are written. */
    private static void copy(JsonParser json, JsonGenerator out) throws IOException {
        switch (json.currentToken()) {
            case START_OBJECT -> {
                out.writeStartObject();
                for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                    out.writeFieldName(name);
                    json.nextToken();
                    copy(json, out);
                }
                out.writeEndObject();
            }
            case START_ARRAY -> {
                out.writeStartArray();
                while (json.nextToken() != JsonToken.END_ARRAY) {
                    copy(json, out);
                }
                out.writeEndArray();
            }
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> out.writeNumber(json.getText());
            default -> out.copyCurrentEvent(json);
        }
    }

    /** Returns a note on names that none of the first examples has; null otherwise. */
    String note() {
        return count == FIRST_NOTE && !unseen.isEmpty()
                ? "none of the first " + FIRST_NOTE + " objects has " + unseenNames()
                : null;
    }

    /** Returns the fault of the whole text, after its last object; null if there is none. */
    String fault() {
        return count == 0 || unseen.isEmpty()
                ? null
                : "fields must be in an object, got none with " + unseenNames() + "; the first one has "
                        + CsvColumn.shown(String.join(", ", names.subList(0, Math.min(names.size(), MAX_SHOWN))))
                        + (names.size() > MAX_SHOWN ? ", …" : "")
                        + (unseen.containsValue("--label-column") ? " (--label-column names another, or none)" : "");
    }

    private String unseenNames() {
        List<String> shown = new ArrayList<>();
        unseen.forEach((name, option) -> shown.add("'" + CsvColumn.shown(name) + "' (" + option + ")"));
        return String.join(", ", shown);
    }
}
