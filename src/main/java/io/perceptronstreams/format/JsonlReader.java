package io.perceptronstreams.format;

import io.perceptronstreams.event.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.serde.JsonExampleReader;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * One JSON object per line: {@code {"id":"7","label":1,"features":…,"weight":1,"timestamp":1700000000000}}; only the features
 * are required. Or an array of such objects, whose numbers then take the place of line numbers.
 *
 * <p>Features as on the examples topic: {@code [0.1,2]}, {@code {"indices":[3],"values":[0.5]}}, {@code {"age":0.3}},
 * {@code {"tokens":[["w=the"]]}} or {@code {"candidates":[{"output":"a","features":{"f":1}}]}}.
 */
final class JsonlReader extends LineExampleReader {
    /** A number of JSON, except for those that look like codes: with a leading zero, or of more digits than a double has. */
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]{0,14})(\\.[0-9]+)?([eE][-+]?[0-9]+)?");

    private static final int MAX_NUMBER_TEXTS = 5;

    private final LabelType labelType;
    private final JsonExampleReader reader;
    private final Consumer<String> notes;
    private final Set<String> numberTexts = new HashSet<>();
    private Long timestamp;

    /** @param notes receives a line for each of the first features whose value is a text that spells a number */
    JsonlReader(LineReader lines, ExampleIds ids, LabelType labelType, Consumer<String> notes) {
        super(lines, ids);
        this.labelType = labelType;
        reader = new JsonExampleReader(labelType == LabelType.STRING);
        this.notes = notes;
    }

    @Override
    public Example next() throws IOException {
        while (lines.advance()) {
            if (!lines.text().isBlank()) {
                try {
                    return example();
                } catch (RejectedException e) {
                    throw lines.malformed(e.getMessage());
                }
            }
        }
        return null;
    }

    private Example example() throws MalformedExampleException {
        reader.readExample(lines.bytes(), lines.start(), lines.end() - lines.start());
        Label label = reader.label();
        if (labelType == LabelType.INT && label instanceof Label.ClassName) {
            throw lines.malformed(
                    "label must be a whole number or a boolean (--label-type int), got \"" + label + "\"");
        }
        timestamp = reader.timestamp();
        reader.forEachText(this::noteNumber);
        return reader.record(reader.id() == null ? ids.ofLine(lines.number()) : ids.given(reader.id()));
    }

    private void noteNumber(String feature, String text) {
        if (numberTexts.size() < MAX_NUMBER_TEXTS && NUMBER.matcher(text).matches() && numberTexts.add(feature)) {
            notes.accept("feature " + feature + " is sent as text: \"" + text
                    + "\" is a word of its own (send numbers without quotes)");
        }
    }

    @Override
    public Long timestamp() {
        return timestamp;
    }
}
