package io.perceptronstreams.learner;

import io.perceptronstreams.example.Label;

/**
 * What came of one example: the prediction, made before any correction, and how it compares with the label.
 *
 * <p>One object is reused for a whole stream; the learner writes it, the caller reads it before the next example.
 */
public final class Outcome {
    /** How the learner's own score compares with the label. */
    public enum Kind {
        /** No label, or a label with enough margin. */
        CORRECT,
        /** y·u <= 0. */
        MISTAKE,
        /** 0 < y·u < h. */
        MARGIN_MISTAKE
    }

    Label predicted;
    double predictedScore;
    double score;
    double margin;
    double hingeLoss;
    Kind kind = Kind.CORRECT;
    boolean error;
    boolean updated;

    /** There is no class to predict yet. */
    void predictNothing() {
        predicted = null;
        predictedScore = 0;
        score = 0;
        margin = 0;
        hingeLoss = 0;
        kind = Kind.CORRECT;
        error = false;
        updated = false;
    }

    /** The emitted label; null while a model knows no class. */
    public Label predicted() {
        return predicted;
    }

    /** The score behind {@link #predicted}: that of the averaged weights where these predict. */
    public double predictedScore() {
        return predictedScore;
    }

    /** u: the score of the weights that learn. */
    public double score() {
        return score;
    }

    /** y·u; 0 without a label. */
    public double margin() {
        return margin;
    }

    /** max(0, h - y·u); 0 without a label. */
    public double hingeLoss() {
        return hingeLoss;
    }

    public Kind kind() {
        return kind;
    }

    /** Whether there is a label and {@link #predicted} is another one. */
    public boolean isError() {
        return error;
    }

    /** Whether the weights were changed. */
    public boolean isUpdated() {
        return updated;
    }
}
