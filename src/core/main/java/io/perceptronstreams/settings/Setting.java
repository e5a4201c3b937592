package io.perceptronstreams.settings;

import io.perceptronstreams.example.Utf8Slice;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Definition of a setting of a model, and its key in {@link Settings}; source of messages, {@code --help} and {@code
 * docs/settings.md}.
 */
public final class Setting<T> {
    /** Event from which on the value of a setting must stay the same. */
    enum Fixed {
        NEVER,
        /** The first example, whose features it decides. */
        ONCE_SEEN,
        /** The first label, with which weights were learned for features of the size that it decides. */
        ONCE_LEARNED
    }

    private final int place;
    private final String name;
    private final SettingType<T> type;
    private final T defaultValue;
    private final Fixed fixed;
    private final boolean isOfModel;
    private final String description;

    /**
     * Defines a setting.
     *
     * @param place in {@link Settings#all}
     * @param fixed when it must stay the same
     * @param isOfModel whether it belongs to the model and not to its learner
     * @param description one sentence, without a period
     */
    Setting(
            int place,
            String name,
            SettingType<T> type,
            T defaultValue,
            Fixed fixed,
            boolean isOfModel,
            String description) {
        this.place = place;
        this.name = name;
        this.type = type;
        this.defaultValue = defaultValue;
        this.fixed = fixed;
        this.isOfModel = isOfModel;
        this.description = description;
    }

    int place() {
        return place;
    }

    public String name() {
        return name;
    }

    public T defaultValue() {
        return defaultValue;
    }

    Fixed fixed() {
        return fixed;
    }

    /** Returns true if it decides which features an example has. */
    boolean isFixed() {
        return fixed == Fixed.ONCE_SEEN;
    }

    boolean isOfModel() {
        return isOfModel;
    }

    /** Text of the default; empty for none. */
    public String defaultText() {
        return text(defaultValue);
    }

    /** The valid values, as in "a number >= 0.0". */
    public String rule() {
        return type.rule();
    }

    /** Learners that use it, in their order; the others accept only the default. */
    public List<? extends LearnerKind> usedBy() {
        return LearnerKind.all().stream().filter(kind -> kind.uses(this)).toList();
    }

    /** The description alone. */
    public String description() {
        return description;
    }

    /** The description, with the learners that use it unless all do. */
    public String help() {
        return usedBy().size() == LearnerKind.all().size() ? description : description + " (used by " + users() + ")";
    }

    /** The learners that use it, separated by commas. */
    String users() {
        return usedBy().stream()
                .filter(LearnerKind::isDecided)
                .map(LearnerKind::toString)
                .collect(Collectors.joining(", "));
    }

    /** Text of a value, which {@link #parse} accepts. */
    String text(T value) {
        return type.print().apply(value);
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

    /** The name. */
    @Override
    public String toString() {
        return name;
    }
}
