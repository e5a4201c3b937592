package io.perceptronstreams.learner;

import io.perceptronstreams.example.Label;

/**
 * The int label of the class -1 of a two-class model without names: -1 or 0; +1 is the other class of both.
 *
 * <p>With {@link #AUTO} the first label that is 0 or -1 decides. The states of that decision are values of the setting, so
 * that they survive wherever settings do, and every part of the engine that has the settings has the decision.
 */
public enum NegativeLabel {
    /** The first -1 or 0 decides; once a model has seen labels: -1. */
    AUTO("auto", -1),
    /** As AUTO; the model has seen labels, all of them 1. */
    AUTO_ONE("auto:1", -1),
    /** As AUTO; the first label that was not 1 was 0. */
    AUTO_ZERO("auto:0", 0),
    /** As AUTO; the labels were -1 and 1 before a drift reset the model, which has seen none since. */
    AUTO_MINUS_ONE("auto:-1", -1),
    /** Always -1. */
    MINUS_ONE("-1", -1),
    /** Always 0. */
    ZERO("0", 0);

    private final String spelling;
    private final int number;

    NegativeLabel(String spelling, int number) {
        this.spelling = spelling;
        this.number = number;
    }

    /** The label itself, an int. */
    public Label label() {
        return Label.of(number);
    }

    /**
     * Returns the value of this setting after an example with a label.
     *
     * @param settings before it
     * @param learner of the model
     * @param isFirst whether the model has seen no label before
     */
    public static NegativeLabel after(Label y, Settings settings, Algorithm learner, boolean isFirst) {
        NegativeLabel present = settings.get(Settings.NEGATIVE_LABEL);
        boolean isOpen = present == AUTO_ONE || (present == AUTO && isFirst);
        if (!isOpen || !settings.get(Settings.LABELS).isEmpty() || !learner.uses(Settings.NEGATIVE_LABEL)) {
            return present;
        }
        return y.equals(Label.PLUS_ONE) ? AUTO_ONE : y.equals(Label.ZERO) ? AUTO_ZERO : AUTO;
    }

    /** Returns the settings without a decision of earlier labels. */
    public static Settings undecided(Settings settings) {
        NegativeLabel present = settings.get(Settings.NEGATIVE_LABEL);
        boolean isDecided = present == AUTO_ONE || present == AUTO_ZERO || present == AUTO_MINUS_ONE;
        return isDecided ? settings.with(AUTO) : settings;
    }

    /**
     * Returns the settings with a decision of earlier labels that remains when the model forgets that it has seen them.
     *
     * @param learner of the model
     * @param hasLabels true if the model has seen labels
     */
    public static Settings kept(Settings settings, Algorithm learner, boolean hasLabels) {
        boolean isMinusOne = settings.get(Settings.NEGATIVE_LABEL) == AUTO
                && hasLabels
                && settings.get(Settings.LABELS).isEmpty()
                && learner.uses(Settings.NEGATIVE_LABEL);
        return isMinusOne ? settings.with(AUTO_MINUS_ONE) : settings;
    }

    /** Spelling for users. */
    @Override
    public String toString() {
        return spelling;
    }
}
