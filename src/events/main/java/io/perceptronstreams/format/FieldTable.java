package io.perceptronstreams.format;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.perceptronstreams.serde.JsonExampleReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What the fields of JSON objects are taken for, as {@code --dry-run} shows it: a line for each field, with its values
 * by kind, because a field may have numbers in one object and texts in another.
 *
 * <p>Bounded: at most {@link #MAX_FIELDS} fields and {@link #MAX_VALUES} different values of each. Not thread-safe.
 */
final class FieldTable {
    static final int MAX_FIELDS = 1_000;
    static final int MAX_VALUES = 1_000;

    private static final int MAX_SHOWN = 5;

    /** Minimum number of different texts that are worth a hint. */
    private static final int MIN_TEXTS = 20;

    private static final class Field {
        /** Role of the field, regardless of its values; null for features. */
        private String kind;

        private long present;
        private long numbers;
        private double minimum = Double.POSITIVE_INFINITY;
        private double maximum = Double.NEGATIVE_INFINITY;
        private long texts;
        private long counted;
        private long elements;
        private final Map<String, Long> values = new LinkedHashMap<>();
        private final Map<String, Long> booleans = new LinkedHashMap<>();
        private final Map<String, Long> words = new LinkedHashMap<>();
        private boolean isOtherThanDate;

        void count(Map<String, Long> counts, String value) {
            String shown = CsvColumn.shown(value);
            if (counts.size() < MAX_VALUES || counts.containsKey(shown)) {
                counts.merge(shown, 1L, Long::sum);
            }
        }

        String takenFor(String name) {
            List<String> parts = new ArrayList<>();
            if (kind != null) {
                parts.add(kind);
            }
            if (numbers > 0) {
                parts.add("numbers, " + CsvColumn.shown(minimum) + " to " + CsvColumn.shown(maximum));
            }
            if (!booleans.isEmpty()) {
                parts.add("1 for true, 0 for false: " + mostFrequent(booleans));
            }
            if (!words.isEmpty()) {
                parts.add("words: " + mostFrequent(words));
            }
            if (texts > 0) {
                parts.add("the words in its texts");
            }
            if (counted > 0) {
                parts.add("numbers of elements, as " + CsvColumn.shown(name) + ".count: " + elements + " in all");
            }
            return parts.isEmpty() ? "no value" : String.join("; ", parts) + hint(name);
        }

        /** The option that makes more of texts; empty without one. */
        private String hint(String name) {
            if (kind != null || words.isEmpty()) {
                return "";
            }
            String option = " " + ShellWord.of(name);
            if (!isOtherThanDate && numbers == 0) {
                return "; all are dates or times: --dates" + option + " takes weekday and hour, --days" + option
                        + " the days since 1970";
            }
            long count = words.values().stream().mapToLong(Long::longValue).sum();
            long several = words.keySet().stream()
                    .filter(each -> each.strip().indexOf(' ') > 0)
                    .count();
            return words.size() >= MIN_TEXTS && 2L * words.size() > count && 2 * several > words.size()
                    ? "; most are different texts: --text" + option + " takes the words in them"
                    : "";
        }

        private static String mostFrequent(Map<String, Long> counts) {
            List<String> first = counts.entrySet().stream()
                    .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
                    .limit(MAX_SHOWN)
                    .map(each -> each.getKey() + " " + each.getValue())
                    .toList();
            return String.join(", ", first) + (counts.size() > MAX_SHOWN ? ", …" : "");
        }
    }

    private final Map<String, Field> fields = new LinkedHashMap<>();
    private long objects;
    private boolean isCut;

    /** Begins the next object. */
    void next() {
        objects++;
    }

    /** Null for one field too many. */
    private Field field(String path) {
        Field known = fields.get(path);
        if (known == null && fields.size() < MAX_FIELDS) {
            known = new Field();
            fields.put(path, known);
        }
        isCut |= known == null;
        return known;
    }

    /** Adds a field that is no feature, or one of several features. */
    void add(String path, ColumnKind kind, JsonParser json) throws IOException {
        Field field = field(path);
        if (field != null) {
            field.kind = switch (kind) {
                case LABEL -> "labels";
                case ID -> "ids";
                case TIME -> "event times";
                default -> "ignored";
            };
            if (json.currentToken() != JsonToken.VALUE_NULL) {
                field.present++;
                if (json.currentToken().isScalarValue()) {
                    field.count(field.values, json.getText());
                }
            }
        }
    }

    /** Adds a field that is described by itself. */
    void add(String path, String kind) {
        Field field = field(path);
        if (field != null) {
            field.kind = kind;
            field.present++;
        }
    }

    /** Adds a missing value. */
    void addMissing(String path) {
        var unused = field(path);
    }

    void addNumber(String path, double value) {
        Field field = present(path, Double.toString(value));
        if (field != null) {
            field.numbers++;
            field.minimum = Math.min(field.minimum, value);
            field.maximum = Math.max(field.maximum, value);
        }
    }

    void addBoolean(String path, boolean value) {
        Field field = present(path, Boolean.toString(value));
        if (field != null) {
            field.count(field.booleans, Boolean.toString(value));
        }
    }

    void addWord(String path, String word) {
        Field field = present(path, word);
        if (field != null) {
            field.count(field.words, word);
            field.isOtherThanDate = field.isOtherThanDate || !EventTime.isDate(word);
        }
    }

    void addText(String path, String text) {
        Field field = present(path, text);
        if (field != null) {
            field.texts++;
        }
    }

    /** Adds a value that is no feature. */
    void addValue(String path, JsonParser json, String kind) throws IOException {
        addValue(path, json);
        Field field = field(path);
        if (field != null) {
            field.kind = kind;
        }
    }

    /** Adds the value of a feature as the reader of examples takes it: the current token. */
    void addValue(String path, JsonParser json) throws IOException {
        switch (json.currentToken()) {
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> addNumber(path, json.getDoubleValue());
            case VALUE_TRUE, VALUE_FALSE -> addBoolean(path, json.getBooleanValue());
            case VALUE_STRING -> {
                if (JsonExampleReader.isNoNumber(json.getText())) {
                    addMissing(path);
                } else {
                    addWord(path, json.getText());
                }
            }
            default -> addMissing(path);
        }
    }

    /** Adds an array whose number of elements is a feature. */
    void addCount(String path, int elements) {
        Field field = present(path, Integer.toString(elements));
        if (field != null) {
            field.counted++;
            field.elements += elements;
        }
    }

    /** Adds an array whose elements are words, each of them once. */
    void addWords(String path, List<String> words) {
        Field field = field(path);
        if (field != null) {
            field.present++;
            // no option makes dates of an array's elements
            field.isOtherThanDate = true;
            words.forEach(each -> {
                field.count(field.values, each);
                field.count(field.words, each);
            });
        }
    }

    private Field present(String path, String value) {
        Field field = field(path);
        if (field != null) {
            field.present++;
            field.count(field.values, value);
        }
        return field;
    }

    /** A line for each field, in the order in which they were seen, with a head; empty without any. */
    List<String> lines() {
        if (fields.isEmpty()) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT, "%s%,d fields of %,d objects", isCut ? "the first " : "", fields.size(), objects));
        lines.add(String.format(Locale.ROOT, "%-20s %9s %9s  %s", "field", "missing", "different", "taken for"));
        fields.forEach((path, field) -> lines.add(String.format(
                Locale.ROOT,
                "%-20s %9d %9s  %s",
                CsvColumn.shown(path),
                Math.max(0, objects - field.present),
                field.values.size() < MAX_VALUES ? Integer.toString(field.values.size()) : MAX_VALUES + "+",
                field.takenFor(path))));
        return lines;
    }
}
