package io.perceptronstreams.learner;

import io.perceptronstreams.example.Label;
import java.util.Map;

/**
 * The int label of the class -1 of a two-class model without names; +1 is the other class.
 *
 * <p>With {@link #AUTO} the first label that is -1 or 0 decides. The decision is state of the model: it replaces AUTO in the
 * settings of the learner, but not in those that the user has set.
 */
public enum NegativeLabel {
    /** Undecided; -1 until a label decides. */
    AUTO("auto", -1, 0),
    MINUS_ONE("-1", -1, 1),
    ZERO("0", 0, 2);

    private static final String LEARNED = "auto:";

    private final String spelling;
    private final int label;
    private final int number;

    /** @param number in stored headers; never changes */
    NegativeLabel(String spelling, int label, int number) {
        this.spelling = spelling;
        this.label = label;
        this.number = number;
    }

    /** Number in stored headers; never changes. */
    public int number() {
        return number;
    }

    /** The label itself, an int. */
    public Label label() {
        return Label.of(label);
    }

    /** Returns the settings of a learner after an example with a label; the same object unless the label decides. */
    public static Settings decided(Settings settings, Algorithm learner, Label y) {
        NegativeLabel negative = y.equals(Label.ZERO) ? ZERO : y.equals(Label.MINUS_ONE) ? MINUS_ONE : AUTO;
        boolean isChange = negative != AUTO
                && settings.get(Settings.NEGATIVE_LABEL) == AUTO
                && settings.get(Settings.LABELS).isEmpty()
                && learner.uses(Settings.NEGATIVE_LABEL);
        return isChange ? settings.with(Settings.NEGATIVE_LABEL, negative) : settings;
    }

    /** Returns settings with this decision, unless they have an own negative label. */
    public Settings in(Settings settings) {
        boolean isOpen = this != AUTO && settings.get(Settings.NEGATIVE_LABEL) == AUTO;
        return isOpen ? settings.with(Settings.NEGATIVE_LABEL, this) : settings;
    }

    /** Adds this decision to the texts of settings, as {@code auto:0} or {@code auto:-1}. */
    public void addTo(Map<String, String> texts) {
        if (this != AUTO) {
            texts.put(Settings.NEGATIVE_LABEL.name(), LEARNED + spelling);
        }
    }

    /** Returns the decision in texts of settings, {@link #AUTO} for none. */
    public static NegativeLabel of(Map<String, String> texts) {
        String text = texts.getOrDefault(Settings.NEGATIVE_LABEL.name(), "");
        return text.equals(LEARNED + ZERO) ? ZERO : text.equals(LEARNED + MINUS_ONE) ? MINUS_ONE : AUTO;
    }

    /** Returns the text of a setting without a decision. */
    static String withoutDecision(String text) {
        return text.equals(LEARNED + ZERO) || text.equals(LEARNED + MINUS_ONE) ? AUTO.spelling : text;
    }

    /** Spelling for users. */
    @Override
    public String toString() {
        return spelling;
    }
}
