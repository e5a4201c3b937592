package io.perceptronstreams.format;

import io.perceptronstreams.event.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.NumberTexts;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.serde.JsonExampleReader;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * One JSON object per line: {@code {"id":"7","label":1,"features":…,"weight":1,"timestamp":1700000000000}}; only the
 * features are required. Or an array of such objects, whose numbers then take the place of line numbers.
 *
 * <p>Features as on the examples topic: {@code [0.1,2]}, {@code {"indices":[3],"values":[0.5]}}, {@code {"age":0.3}},
 * {@code {"tokens":[["w=the"]]}} or {@code {"candidates":[{"output":"a","features":{"f":1}}]}}. With options of fields,
 * objects of any form ({@link JsonFields}).
 */
final class JsonlReader extends LineExampleReader {
    /**
     * A number of JSON, except for those that look like codes: with a leading zero, or of more digits than a double
     * has.
     */
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]{0,14})(\\.[0-9]+)?([eE][-+]?[0-9]+)?");

    private static final int MAX_NUMBER_TEXTS = 5;

    private final String file;
    private final LabelType labelType;
    private final JsonExampleReader reader;
    private final JsonFields fields;
    private final Consumer<String> notes;
    private final Set<String> numberTexts = new HashSet<>();
    private final Set<String> missingWords = new HashSet<>();
    private final NumberTexts texts = new NumberTexts();
    private Long timestamp;
    private long examples;

    // Null unless the fields are to be described.
    private FieldTable table;

    /**
     * @param file for commands in messages
     * @param fields null if the objects are examples
     * @param notes receives a line for each of the first features whose values are texts that stand for numbers
     */
    JsonlReader(
            LineReader lines,
            String file,
            ExampleIds ids,
            LabelType labelType,
            JsonFields fields,
            Consumer<String> notes) {
        super(lines, ids);
        this.file = file;
        this.labelType = labelType;
        this.fields = fields;
        reader = new JsonExampleReader(labelType == LabelType.STRING);
        this.notes = notes;
    }

    @Override
    public Example next() throws IOException {
        while (lines.advance()) {
            if (!lines.text().isBlank()) {
                try {
                    Example example = example();
                    examples++;
                    return example;
                } catch (RejectedException | IllegalArgumentException e) {
                    MalformedExampleException fault = lines.malformed(e.getMessage() + remedy(e));
                    // the first line: the others are most likely of the same form
                    throw examples == 0 ? fault.ofAll() : fault;
                }
            }
        }
        String fault = fields == null ? null : fields.fault();
        if (fault != null) {
            throw lines.malformed(fault).ofAll();
        }
        return null;
    }

    private Example example() {
        byte[] text = lines.bytes();
        int start = lines.start();
        int length = lines.end() - start;
        byte[] made = fields == null ? null : fields.example(text, start, length);
        if (made == null) {
            reader.readExample(text, start, length);
            if (table != null) {
                JsonFields.describe(text, start, length, table);
            }
        } else {
            reader.readExample(made, 0, made.length);
        }
        Label label = reader.label();
        if (labelType == LabelType.INT && label instanceof Label.ClassName) {
            throw new IllegalArgumentException(
                    "label must be a whole number or a boolean (--label-type int), got \"" + label + "\"");
        }
        timestamp = reader.timestamp();
        reader.forEachText(this::noteNumber);
        reader.forEachNoNumber(feature -> notes.accept(
                "feature " + CsvColumn.shown(feature) + " is missing where it is the text NaN, as null is"));
        if (fields != null && fields.note() != null) {
            notes.accept(fields.note());
        }
        return reader.record(reader.id() == null ? ids.ofLine(lines.number()) : ids.given(reader.id()));
    }

    private void noteNumber(String feature, String text) {
        if (CsvColumn.MISSING.contains(text) && missingWords.size() < MAX_NUMBER_TEXTS && missingWords.add(feature)) {
            notes.accept("feature " + CsvColumn.shown(feature) + " is the word \"" + text
                    + "\", where a table would have no value; --missing " + (text.isEmpty() ? "''" : ShellWord.of(text))
                    + " takes it as missing");
        }
        if (numberTexts.size() >= MAX_NUMBER_TEXTS || numberTexts.contains(feature)) {
            return;
        }
        texts.add(feature, text);
        NumberTexts.Finding found = texts.of(feature);
        String name = CsvColumn.shown(feature);
        if (found != null && found.form() == NumberTexts.Form.BASE64) {
            notes.accept("feature " + name + " seems to have numbers as bytes: \"" + CsvColumn.shown(found.text())
                    + "\" is a word of its own (" + found.form().remedy() + ")");
            numberTexts.add(feature);
        } else if (NUMBER.matcher(text).matches() || found != null) {
            String shown = found == null ? text : found.text();
            boolean isRead = Double.isFinite(Amount.value(shown, '.'));
            notes.accept("feature " + name + " is sent as text: \"" + CsvColumn.shown(shown)
                    + "\" is a word of its own (send numbers without quotes"
                    + (isRead ? "; --numbers " + ShellWord.of(feature) + " reads them)" : ")"));
            numberTexts.add(feature);
        }
    }

    /** Returns the remedy for a line that is no example, but could be read as one otherwise; empty without one. */
    private String remedy(Exception fault) {
        String text = lines.text();
        if (examples == 0 && isBegun(text)) {
            return ": the object goes on in other lines (" + oneLine("jq -c .") + "; " + oneLine("jq -c '.NAME[]'")
                    + " takes the objects of an array NAME)";
        }
        if (examples == 0 && fault.getMessage().contains("more text after the object")) {
            return "; " + oneLine("jq -c .") + " writes each object in a line of its own";
        }
        if (fields != null
                || !(fault instanceof RejectedException rejected && rejected.reason() == RejectReason.MALFORMED_JSON)) {
            return "";
        }
        JsonFields.Form form = JsonFields.form(lines.bytes(), lines.start(), lines.end() - lines.start());
        if (form == JsonFields.Form.OTHER) {
            return "; --label-column NAME takes the field NAME as label and all other fields as features";
        }
        return form == JsonFields.Form.EXAMPLE
                        && fault.getMessage().startsWith("feature ")
                        && !fault.getMessage().startsWith("feature values ")
                ? "; --flatten makes a feature of each field of an object, --arrays count, words or ignore takes arrays"
                : "";
    }

    /** The command that writes objects in lines. */
    private String oneLine(String command) {
        return file.equals(InputFile.STANDARD_INPUT)
                ? command
                : command + " " + ShellWord.of(file) + " > " + ForeignFile.text(file, ".jsonl");
    }

    /** Returns true if an object begins that does not end. */
    private static boolean isBegun(String text) {
        int depth = 0;
        boolean isText = false;
        for (int k = 0; k < text.length(); k++) {
            char c = text.charAt(k);
            if (isText) {
                isText = c != '"';
                k += c == '\\' ? 1 : 0;
            } else if (c == '"') {
                isText = true;
            } else {
                depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
            }
        }
        return depth > 0 && !isText && text.stripLeading().startsWith("{");
    }

    @Override
    public void describe() {
        table = new FieldTable();
        if (fields != null) {
            fields.describe(table);
        }
    }

    @Override
    public List<String> description() {
        return table == null ? List.of() : table.lines();
    }

    @Override
    public Long timestamp() {
        return timestamp;
    }
}
