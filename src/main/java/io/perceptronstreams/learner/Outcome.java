package io.perceptronstreams.learner;

import io.perceptronstreams.example.Label;
import java.util.List;

/**
 * Result of one example: the prediction, made before any correction, and how it compares with the label.
 *
 * <p>One object is reused for a whole stream; the learner writes it, the caller reads it before the next example.
 */
public final class Outcome {
    /** How the learner's own score compares with the label. */
    public enum Kind {
        /** No label, or a label with enough margin. */
        CORRECT,
        /** y·u <= 0; for several classes: another class than the true one has the largest score, or wins the tie. */
        MISTAKE,
        /** No mistake, but a margin < h. */
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
    int scoreCount;
    private List<? extends Label> scoredLabels = List.of();
    private double[] scores = new double[0];

    /** A prediction, without a label so far. */
    void predict(Label label, double labelScore, double lastScore) {
        predicted = label;
        predictedScore = labelScore;
        score = lastScore;
        margin = 0;
        hingeLoss = 0;
        kind = Kind.CORRECT;
        error = false;
        updated = false;
        scoreCount = 0;
    }

    /**
     * Adds the scores of all labels to a prediction.
     *
     * @param labels read, not copied
     * @param labelScores one for each label; read, not copied
     */
    void addScores(List<? extends Label> labels, double[] labelScores) {
        scoredLabels = labels;
        scores = labelScores;
        scoreCount = labels.size();
    }

    /** There is no class to predict yet. */
    void predictNothing() {
        predict(null, 0, 0);
    }

    /** The emitted label; null while a model knows no class. */
    public Label predicted() {
        return predicted;
    }

    /** The score behind {@link #predicted}: that of the averaged weights where these predict. */
    public double predictedScore() {
        return predictedScore;
    }

    /** u: the score of the weights that learn; for several classes that of the class which has the largest. */
    public double score() {
        return score;
    }

    /**
     * y·u; for several classes the score of the true one (0 where it is new) minus the largest of the others.
     *
     * <p>0 without a label, and where no other class is known.
     */
    public double margin() {
        return margin;
    }

    /** max(0, h - {@link #margin}); 0 without a label, and where no other class is known. */
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

    /** How many labels have a score to be shown; 0 unless {@code predict.scores=true}. */
    public int scoreCount() {
        return scoreCount;
    }

    /** A label that has a score, in the order in which the model knows them. */
    public Label scoredLabel(int number) {
        return scoredLabels.get(number);
    }

    /** The score of {@link #scoredLabel}, from the same weights as {@link #predictedScore}. */
    public double score(int number) {
        return scores[number];
    }

    /** Whether the weights were changed. */
    public boolean isUpdated() {
        return updated;
    }
}
