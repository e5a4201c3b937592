package io.perceptronstreams.learner;

import io.perceptronstreams.example.Utf8Slice;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Definition of a setting of a model; source of messages, {@code --help} and {@code docs/settings.md}.
 *
 * @param value reads it from {@link Settings}
 * @param description one sentence, without a period
 */
public record Setting<T>(
        String name, SettingType<T> type, T defaultValue, Function<Settings, T> value, String description) {

    /** Text of the default; empty for none. */
    public String defaultText() {
        return type.print().apply(defaultValue);
    }

    /** The valid values, as in "a number >= 0.0". */
    public String rule() {
        return type.rule();
    }

    /** Algorithms that use it, in their order; the others accept only the default. */
    public Set<Algorithm> usedBy() {
        return Algorithm.users(this);
    }

    /** The description, with the algorithms that use it unless all do. */
    public String help() {
        return usedBy().size() == Algorithm.values().length ? description : description + " (used by " + users() + ")";
    }

    /** The algorithms that use it, separated by commas. */
    String users() {
        return usedBy().stream()
                .filter(Algorithm::isDecided)
                .map(Algorithm::toString)
                .collect(Collectors.joining(", "));
    }

    /** Text of the value in {@code settings}. */
    String text(Settings settings) {
        return type.print().apply(value.apply(settings));
    }

    /**
     * Parses a value.
     *
     * @throws IllegalArgumentException with name, rule and value if it is wrong
     */
    public T parse(String text) {
        try {
            return type.parse().apply(text);
        } catch (NumberFormatException e) {
            throw fault(text, "");
        } catch (IllegalArgumentException e) {
            throw fault(text, e.getMessage() == null ? "" : " (" + e.getMessage() + ")");
        }
    }

    private IllegalArgumentException fault(String text, String detail) {
        return new IllegalArgumentException(
                name + " must be " + rule() + detail + ", got '" + Utf8Slice.shortened(text, 80) + "'");
    }
}
