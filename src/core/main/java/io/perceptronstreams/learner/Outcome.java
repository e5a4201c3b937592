package io.perceptronstreams.learner;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Result of one example: the prediction, made before any correction, and its comparison with the label.
 *
 * <p>One object is reused for a whole stream: the learner writes it, the caller reads it before the next example.
 */
public final class Outcome {
    /** Comparison of the learner's own score with the label. */
    public enum Kind {
        /** No label, or a label with enough margin. */
        CORRECT,
        /** y·u <= 0; with several classes: another class than the true one has the largest score, or wins the tie. */
        MISTAKE,
        /** No mistake, but a margin < h. */
        MARGIN_MISTAKE
    }

    /** Probabilities are whole numbers of this unit: what is counted of them is exact, and they are short as text. */
    public static final int UNIT = 1_000_000;

    private static final int NO_PROBABILITY = -1;

    public Label predicted;
    public double predictedScore;
    public double score;
    public double margin;
    public double hingeLoss;
    public Kind kind = Kind.CORRECT;
    public boolean error;
    public boolean updated;
    int scoreCount;
    int labelBefore;

    private int probability = NO_PROBABILITY;

    // negative before it is asked for: it is counted in the window and in the totals
    private long logLoss = -1;
    private List<Label> labelSet;
    private int knownSize;
    private boolean covered;
    private Decision decision = Decision.NONE;

    // null until it is asked for: most models are never asked
    private Evidence evidence;

    // All labels that the learner has chosen from, and their scores; null if it has not made them.
    private List<? extends Label> choice = List.of();
    private int choiceSize;
    private double[] choiceScores;

    // Those that the prediction shows.
    private List<? extends Label> scoredLabels = List.of();
    private double[] scores;
    private int[] probabilities;

    /** Sets a prediction, without a comparison. */
    public void predict(Label label, double labelScore, double lastScore) {
        // no reference is written that is there: the collector would read what is around it
        if (predicted != label) {
            predicted = label;
        }
        predictedScore = labelScore;
        score = lastScore;
        margin = 0;
        hingeLoss = 0;
        if (kind != Kind.CORRECT) {
            kind = Kind.CORRECT;
        }
        error = false;
        updated = false;
        scoreCount = 0;
        labelBefore = 0;
        choiceSize = 0;
        clearForecast();
    }

    /**
     * Sets the labels from which a prediction was chosen.
     *
     * @param labels in the order that decides ties; two of which the second is +1, or classes; read, not copied
     * @param labelScores one for each label, from the weights that predict; of two labels null: they are the score and
     *     its negative; read, not copied
     */
    public void chosenFrom(List<? extends Label> labels, double[] labelScores) {
        if (choice != labels) {
            choice = labels;
        }
        // a first label of its class is added to the list
        choiceSize = labels.size();
        if (choiceScores != labelScores) {
            choiceScores = labelScores;
        }
    }

    /**
     * Adds scores to a prediction: those of all labels in their order, or where there are more than {@code max} the
     * largest, the largest first; equal ones in the order of their labels.
     *
     * @param labels read, not copied
     * @param labelScores one for each label; read, not copied
     * @param max maximum number of scores
     */
    public void addScores(List<? extends Label> labels, double[] labelScores, int max) {
        scoredLabels = labels;
        scores = labelScores;
        scoreCount = labels.size();
        if (scoreCount > max) {
            keepLargest(max);
        }
    }

    /** Cost for n labels: O(n log max + max²) on average over their orders, O(n·max) with ascending scores. */
    private void keepLargest(int max) {
        int[] largest = new int[max];
        int found = 0;
        for (int k = 0; k < scoreCount; k++) {
            int place = found;
            int low = 0;
            while (low < place) {
                int middle = (low + place) >>> 1;
                if (scores[largest[middle]] < scores[k]) {
                    place = middle;
                } else {
                    low = middle + 1;
                }
            }
            if (place < max) {
                found = Math.min(found + 1, max);
                System.arraycopy(largest, place, largest, place + 1, found - 1 - place);
                largest[place] = k;
            }
        }
        List<Label> labels = new ArrayList<>(max);
        double[] kept = new double[max];
        for (int k = 0; k < max; k++) {
            labels.add(scoredLabels.get(largest[k]));
            kept[k] = scores[largest[k]];
        }
        scoredLabels = labels;
        scores = kept;
        scoreCount = max;
    }

    /** Copies the scores, before the learner uses them for another example. */
    void keepScores() {
        if (scoreCount > 0) {
            scores = Arrays.copyOf(scores, scoreCount);
        }
        if (choiceScores != null) {
            choiceScores = Arrays.copyOf(choiceScores, choiceSize);
        }
    }

    /** Sets no prediction: there is no class yet. */
    public void predictNothing() {
        predict(null, 0, 0);
    }

    /** The emitted label; null while a model has no class. */
    public Label predicted() {
        return predicted;
    }

    /** Returns true if there is no prediction: the model knows no label yet. */
    public boolean isAbstained() {
        return predicted == null;
    }

    /** Score of {@link #predicted}; by the averaged weights if they predict. */
    public double predictedScore() {
        return predictedScore;
    }

    /** u: score by the weights that learn; with several classes the largest one. */
    public double score() {
        return score;
    }

    /**
     * y·u; with several classes the score of the true one (0 if it is new) minus the largest other score.
     *
     * <p>0 without a label, and if there is no other class.
     */
    public double margin() {
        return margin;
    }

    /** max(0, h - {@link #margin}); 0 without a label, and if there is no other class. */
    public double hingeLoss() {
        return hingeLoss;
    }

    public Kind kind() {
        return kind;
    }

    /** Returns true if there is a label and {@link #predicted} is another one. */
    public boolean isError() {
        return error;
    }

    /**
     * Replaces {@link #predicted} by the label that was emitted earlier for the same example; the comparison of the
     * present score stays.
     *
     * @param isWrong whether that label was wrong
     */
    public void emittedEarlier(Label label, boolean isWrong) {
        predicted = label;
        error = isWrong;
        logLoss = -1;
    }

    /**
     * Sets how sure the prediction is.
     *
     * @param millionths probability that {@link #predicted} is right
     * @param set labels of which one is the true one with the coverage of the model; null if it has none
     */
    public void forecast(int millionths, List<Label> set) {
        forecast(millionths, set, choiceSize);
    }

    /** Sets the same of an earlier prediction, which was chosen from the first {@code known} labels of the present. */
    public void forecast(int millionths, List<Label> set, int known) {
        knownSize = known;
        probability = millionths;
        logLoss = -1;
        if (probabilities != null) {
            probabilities = null;
        }
        if (labelSet != set) {
            labelSet = set;
        }
        covered = false;
    }

    /** Sets the probabilities of the labels with scores, in millionths; not copied. */
    public void forecastAll(int[] millionths) {
        probabilities = millionths;
    }

    /** Removes probability and set of labels. */
    public void clearForecast() {
        forecast(NO_PROBABILITY, null);
        decide(Decision.NONE);
    }

    /** Returns true if the prediction has a probability. */
    public boolean hasProbability() {
        return probability != NO_PROBABILITY;
    }

    /** Probability that {@link #predicted} is right, in millionths; -1 if there is none. */
    public int millionths() {
        return probability;
    }

    /** Probability that {@link #predicted} is right. */
    public double probability() {
        return (double) probability / UNIT;
    }

    /**
     * -ln of the probability that what came true had, in millionths: of {@link #predicted}, or that it is wrong. Only
     * with a probability and a label.
     */
    public long logLossMillionths() {
        if (logLoss < 0) {
            logLoss = logLossMillionths(probability, error);
        }
        return logLoss;
    }

    /** The same of a predicted label with a probability in millionths. */
    public static long logLossMillionths(int millionths, boolean isError) {
        return LogLoss.millionths(isError ? UNIT - millionths : millionths);
    }

    /** Returns true if each label with a score has a probability. */
    public boolean hasProbabilities() {
        return probabilities != null;
    }

    /** Probability of {@link #scoredLabel}. */
    public double probability(int number) {
        return (double) probabilities[number] / UNIT;
    }

    /** The labels of which one is the true one with the coverage of the model; null if it has none. */
    public List<Label> labelSet() {
        return labelSet;
    }

    /** Number of labels that {@link #labelSet} could have: the first ones of the choice. */
    public int knownSize() {
        return knownSize;
    }

    /** What to do about the prediction. */
    public Decision decision() {
        return decision;
    }

    /** Sets what to do about the prediction. */
    public void decide(Decision made) {
        if (decision != made) {
            decision = made;
        }
    }

    /** Returns true if {@link #labelSet} has the true label; false without one. */
    public boolean isCovered() {
        return covered;
    }

    /** Sets whether {@link #labelSet} has the true label. */
    public void cover(boolean isCovered) {
        covered = isCovered;
    }

    /**
     * Number of labels from which the prediction was chosen, where it is a vote by the model itself; 0 of structures.
     */
    public int choiceSize() {
        return choiceSize;
    }

    /** Returns true if the prediction was chosen from two labels by the sign of the score. */
    public boolean isOfTwo() {
        return choiceSize == 2 && choiceScores == null;
    }

    /** A label from which the prediction was chosen. */
    public Label choice(int number) {
        return choice.get(number);
    }

    /** Score of {@link #choice}, of a model of several classes. */
    public double choiceScore(int number) {
        return choiceScores[number];
    }

    /**
     * Replaces prediction and comparison by those of a vote, of which every wrong label is a mistake; evidence and
     * scores are removed.
     *
     * @param label null if no voter has one
     * @param labelScore of the vote
     * @param lead of the true label before all others; 0 without a label
     */
    public void vote(Label label, double labelScore, double lead, boolean isWrong) {
        clearEvidence();
        predicted = label;
        predictedScore = labelScore;
        score = labelScore;
        margin = lead;
        hingeLoss = Math.max(0, -lead);
        kind = isWrong ? Kind.MISTAKE : Kind.CORRECT;
        error = isWrong;
        scoreCount = 0;
        clearForecast();
    }

    /** Number of labels with a score; 0 without {@code predict.scores}. */
    public int scoreCount() {
        return scoreCount;
    }

    /** A label with a score, in the order of {@link #addScores}. */
    public Label scoredLabel(int number) {
        return scoredLabels.get(number);
    }

    /** Score of {@link #scoredLabel}, from the same weights as {@link #predictedScore}. */
    public double score(int number) {
        return scores[number];
    }

    /** Why it was a mistake or margin mistake; empty unless {@code explain} is set. Not to be changed. */
    public Evidence evidence() {
        return evidence == null ? Evidence.NONE : evidence;
    }

    /** Asks learners for evidence of the next mistakes, as {@link Evidence#ask}. */
    public void ask(int parts, Utf8Slice exampleId) {
        if (parts > 0 || evidence != null) {
            ownEvidence().ask(parts, exampleId);
        }
    }

    /** Removes the evidence of the last example. */
    public void clearEvidence() {
        if (evidence != null) {
            evidence.clear();
        }
    }

    /** The evidence, to be changed. */
    Evidence ownEvidence() {
        evidence = evidence == null ? new Evidence() : evidence;
        return evidence;
    }

    /** The label before, -1 or +1, that a second stage has used; 0 if none was known, or there is no second stage. */
    public int labelBefore() {
        return labelBefore;
    }

    /** Sets {@link #labelBefore} as it was at an earlier prediction. */
    public void precededBy(int sign) {
        labelBefore = sign;
    }

    /** Returns true if the weights were changed. */
    public boolean isUpdated() {
        return updated;
    }
}
