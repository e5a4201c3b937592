package io.perceptronstreams.settings;

import io.perceptronstreams.example.Label;

/**
 * The int label of the class -1 of a two-class model without names; +1 is the other class.
 *
 * <p>With {@link #AUTO} the first label that is -1 or 0 decides. The decision is state of the model: it replaces AUTO
 * in the settings of the learner, but not in those that the user has set.
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

    /** Returns what a label decides: its own value if it is -1 or 0. */
    static NegativeLabel of(Label y) {
        return y.equals(Label.ZERO) ? ZERO : y.equals(Label.MINUS_ONE) ? MINUS_ONE : AUTO;
    }

    /** Text of this decision as events show it: {@code auto:0} or {@code auto:-1}, {@code auto} for none. */
    public String decision() {
        return this == AUTO ? spelling : LEARNED + spelling;
    }

    /** Returns the decision in a text of events, {@link #AUTO} for none. */
    public static NegativeLabel ofDecision(String text) {
        return ZERO.decision().equals(text) ? ZERO : MINUS_ONE.decision().equals(text) ? MINUS_ONE : AUTO;
    }

    /** Spelling for users. */
    @Override
    public String toString() {
        return spelling;
    }
}
