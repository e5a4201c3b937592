package io.perceptronstreams.sending;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Delay of a label after its example.
 *
 * @param amount of ms of event time, or of further examples
 */
public record LabelDelay(long amount, boolean isInExamples) {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,12})(ms|ex)");

    @Override
    @JsonValue
    public String toString() {
        return amount + (isInExamples ? "ex" : "ms");
    }

    /**
     * Parses a delay such as 1000ms or 100ex.
     *
     * @throws IllegalArgumentException if it is another text
     */
    public static LabelDelay parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "must be a number of ms or examples such as 1000ms or 100ex, got '" + text + "'");
        }
        return new LabelDelay(Long.parseLong(matcher.group(1)), matcher.group(2).equals("ex"));
    }
}
