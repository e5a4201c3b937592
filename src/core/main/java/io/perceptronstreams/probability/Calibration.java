package io.perceptronstreams.probability;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.state.StoredBits;
import io.perceptronstreams.state.StoredFields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.function.ToDoubleFunction;

/**
 * Says how sure a prediction is, and learns from its label how sure the next ones may be.
 *
 * <p>With two classes {@link PlattScaling} makes the probability of the positive class of the score. With several it
 * makes the probability that the predicted label is right, of the lead of its score before the second largest one, and
 * {@link OtherClasses} divides the rest. {@link LabelSets} makes sets of labels of their probabilities. All are rounded
 * to millionths, and that of a predicted label is never 0 or 1.
 *
 * <p>Depends on scores and labels alone. Each label counts once; weights of examples are not used. Cost: O(1) for two
 * classes, O(classes) for several. Not thread-safe.
 */
public final class Calibration {
    /** Number of {@link #numbers}. */
    public static final int NUMBERS = PlattScaling.NUMBERS + 3;

    /** Estimated heap, without a number for each class. */
    public static final long HEAP_BYTES = 560;

    private static final int UNIT = Outcome.UNIT;
    private static final double MIN_DISTANCE = -100;
    private static final double[] NONE = {};

    private final PlattScaling scaling = new PlattScaling();
    private final OtherClasses otherClasses = new OtherClasses();
    private final LabelSets sets = new LabelSets();
    private boolean isStarted;

    // All sets of the last two labels, which are the same for most examples.
    private List<List<Label>> setsOfTwo = List.of(List.of(), List.of(), List.of(), List.of());

    // Of the last forecast: the place of the predicted label in its choice, and its probability in millionths.
    private boolean isOfTwo;
    private int predictedPlace;
    private int predicted;

    // Of the last forecast of several classes: in which parts the others have the rest, and the sum of these, 0 before
    // they are needed; and the largest score of the others.
    private double[] parts = NONE;
    private double sum;
    private double second;

    /**
     * Sets probability and set of labels of a prediction, from what was learned before it; none where it has no label.
     *
     * @param coverage share of sets that have the true label; 0 for no sets
     */
    public void forecast(Outcome outcome, double coverage) {
        if (isPossible(outcome)) {
            second = isOfTwo ? 0 : second(outcome);
            boolean isAlone = outcome.choiceSize() < 2;
            scale(isOfTwo ? outcome.predictedScore() : isAlone ? 0 : Math.max(0, outcome.predictedScore() - second));
            end(outcome, coverage);
        }
    }

    /**
     * Sets probability and set of labels of a vote.
     *
     * @param outcome with the choice of the model itself
     * @param pooled mean of the probabilities of a label by all voters
     */
    public void forecastVote(Outcome outcome, double coverage, ToDoubleFunction<Label> pooled) {
        if (isPossible(outcome)) {
            double p = pooled.applyAsDouble(isOfTwo ? outcome.choice(1) : outcome.predicted());
            scale(Logistic.odds(Math.max(1.0 / UNIT, Math.min(1 - 1.0 / UNIT, p))));
            if (!isOfTwo && (coverage > 0 || outcome.scoreCount() > 0)) {
                divide(outcome, k -> pooled.applyAsDouble(outcome.choice(k)));
                if (sum == 0) {
                    divide(outcome, k -> 1);
                }
            }
            end(outcome, coverage);
        }
    }

    private boolean isPossible(Outcome outcome) {
        if (outcome.isAbstained() || outcome.choiceSize() == 0) {
            return false;
        }
        isOfTwo = outcome.isOfTwo();
        if (!isStarted) {
            // not before a label: a forecast for anybody who asks must change nothing that is stored
            scaling.start(isOfTwo);
        }
        predictedPlace = place(outcome, outcome.predicted(), 0);
        sum = 0;
        return true;
    }

    private double second(Outcome outcome) {
        double largest = Double.NEGATIVE_INFINITY;
        for (int k = 0; k < outcome.choiceSize(); k++) {
            if (k != predictedPlace) {
                largest = Math.max(largest, outcome.choiceScore(k));
            }
        }
        return largest;
    }

    private void scale(double score) {
        double ofEvent = scaling.probability(score, isOfTwo);
        double probability = isOfTwo && predictedPlace == 0 ? 1 - ofEvent : ofEvent;
        predicted = Math.max(1, Math.min(UNIT - 1, (int) (probability * UNIT + 0.5)));
    }

    private void end(Outcome outcome, double coverage) {
        outcome.forecast(predicted, coverage == 0 ? null : set(outcome, sets.least(coverage)));
        if (outcome.scoreCount() > 0) {
            int[] shown = new int[outcome.scoreCount()];
            for (int k = 0; k < shown.length; k++) {
                shown[k] = of(outcome, place(outcome, outcome.scoredLabel(k), k));
            }
            outcome.forecastAll(shown);
        }
    }

    private List<Label> set(Outcome outcome, double least) {
        if (isOfTwo) {
            return setOfTwo(outcome, least * UNIT);
        }
        List<Label> set = new ArrayList<>(2);
        for (int k = 0; k < outcome.choiceSize(); k++) {
            if (of(outcome, k) >= least * UNIT) {
                set.add(outcome.choice(k));
            }
        }
        return set;
    }

    private List<Label> setOfTwo(Outcome outcome, double least) {
        Label negative = outcome.choice(0);
        Label positive = outcome.choice(1);
        List<Label> both = setsOfTwo.get(3);
        if (both.isEmpty() || !both.get(0).equals(negative) || !both.get(1).equals(positive)) {
            setsOfTwo = List.of(List.of(), List.of(negative), List.of(positive), List.of(negative, positive));
        }
        return setsOfTwo.get((of(outcome, 0) >= least ? 1 : 0) + (of(outcome, 1) >= least ? 2 : 0));
    }

    /**
     * Probability of a label by the last forecast, which was not a vote, from 0 to 1.
     *
     * @param outcome of that forecast
     */
    public double probability(Outcome outcome, Label label) {
        return (double) of(outcome, place(outcome, label, predictedPlace)) / UNIT;
    }

    /** The place of a label in a choice; its size if it is not there. */
    private static int place(Outcome outcome, Label label, int likely) {
        int size = outcome.choiceSize();
        if (likely < size && outcome.choice(likely).equals(label)) {
            return likely;
        }
        for (int k = 0; k < size; k++) {
            if (outcome.choice(k).equals(label)) {
                return k;
            }
        }
        return size;
    }

    /** Probability of a label in millionths; 0 of one that is unknown. */
    private int of(Outcome outcome, int place) {
        if (place == predictedPlace) {
            return predicted;
        }
        if (place >= outcome.choiceSize()) {
            return 0;
        }
        if (isOfTwo) {
            return UNIT - predicted;
        }
        if (sum == 0) {
            divide(outcome, k -> otherClasses.weight(distance(outcome, k)));
        }
        return (int) Math.round((UNIT - predicted) * (parts[place] / sum));
    }

    /**
     * Distance of a score from the largest of the classes that were not predicted, in mean leads, from -100 to 0: the
     * square of one that is larger would count for a long time.
     */
    private double distance(Outcome outcome, int place) {
        double size = scaling.size();
        return size > 0 ? Math.max(MIN_DISTANCE, (outcome.choiceScore(place) - second) / size) : 0;
    }

    private void divide(Outcome outcome, IntToDoubleFunction part) {
        if (parts.length < outcome.choiceSize()) {
            parts = new double[2 * outcome.choiceSize()];
        }
        sum = 0;
        for (int k = 0; k < outcome.choiceSize(); k++) {
            parts[k] = k == predictedPlace ? 0 : part.applyAsDouble(k);
            sum += parts[k];
        }
    }

    /**
     * Learns from the label of the last forecast.
     *
     * @param outcome of that forecast
     * @param truth the label
     * @param isWrong true if the predicted label was wrong
     */
    public void learn(Outcome outcome, Label truth, boolean isWrong) {
        learnVote(isWrong);
        if (!isOfTwo && isWrong) {
            // an int may stand for a name
            int place = namedPlace(outcome, truth.toString());
            if (place < outcome.choiceSize() && place != predictedPlace) {
                learnOther(outcome, place);
            }
        }
    }

    /**
     * Learns from the label of a vote, the last forecast.
     *
     * @param isWrong true if the predicted label was wrong
     */
    public void learnVote(boolean isWrong) {
        isStarted = true;
        scaling.learn(isOfTwo ? isWrong == (predictedPlace == 0) : !isWrong);
    }

    private static int namedPlace(Outcome outcome, String name) {
        int place = 0;
        while (place < outcome.choiceSize() && !outcome.choice(place).toString().equals(name)) {
            place++;
        }
        return place;
    }

    private void learnOther(Outcome outcome, int truth) {
        if (sum == 0) {
            divide(outcome, k -> otherClasses.weight(distance(outcome, k)));
        }
        double mean = 0;
        double meanSquare = 0;
        for (int k = 0; k < outcome.choiceSize(); k++) {
            if (k != predictedPlace) {
                double distance = distance(outcome, k);
                mean += parts[k] / sum * distance;
                meanSquare += parts[k] / sum * distance * distance;
            }
        }
        otherClasses.learn(distance(outcome, truth), mean, meanSquare);
    }

    /**
     * The step of the sets of labels after one that had the true label, which the model knew, or had it not. The
     * difference of both does not depend on the coverage.
     */
    public static double setStep(boolean isCovered, double coverage) {
        return LabelSets.step(isCovered, coverage);
    }

    /** Moves the sets of labels by {@link #setStep}, or by the difference of two. */
    public void moveSets(double step) {
        sets.move(step);
    }

    /** Writes or restores what was learned, in few bits. */
    public void exchange(StoredBits bits) {
        isStarted = bits.flag(isStarted);
        if (isStarted) {
            scaling.exchange(bits);
            sets.exchange(bits);
            otherClasses.exchange(bits);
        }
    }

    /** Writes or restores what was learned as {@link #numbers}. */
    public void exchange(StoredFields fields) {
        isStarted = fields.flag(isStarted);
        if (isStarted) {
            double[] state = state();
            fields.numbers(state, 0, state.length);
            if (fields.isReading()) {
                restore(state);
            }
        }
    }

    /** What was learned, as {@link #NUMBERS} numbers; empty if nothing was learned yet. */
    public List<Double> numbers() {
        return isStarted ? Arrays.stream(state()).boxed().toList() : List.of();
    }

    /**
     * Returns a calibration that has learned {@link #numbers}.
     *
     * @throws IllegalArgumentException if they are not valid
     */
    public static Calibration of(List<Double> numbers) {
        Calibration restored = new Calibration();
        if (numbers.size() == NUMBERS) {
            restored.isStarted = true;
            restored.restore(numbers.stream().mapToDouble(Double::doubleValue).toArray());
            if (restored.isValid()) {
                return restored;
            }
        }
        throw new IllegalArgumentException(
                "there must be " + NUMBERS + " numbers that predictions can have led to, got " + numbers);
    }

    private boolean isValid() {
        boolean isOfOthers = otherClasses.temperature() >= 0
                && otherClasses.curvature() > 0
                && Double.isFinite(otherClasses.temperature())
                && Double.isFinite(otherClasses.curvature());
        return isOfOthers && sets.isValid() && scaling.isValid();
    }

    private double[] state() {
        double[] state = Arrays.copyOf(scaling.state(), NUMBERS);
        state[PlattScaling.NUMBERS] = sets.state();
        state[PlattScaling.NUMBERS + 1] = otherClasses.temperature();
        state[PlattScaling.NUMBERS + 2] = otherClasses.curvature();
        return state;
    }

    private void restore(double[] state) {
        scaling.restore(state);
        sets.restore(state[PlattScaling.NUMBERS]);
        otherClasses.restore(state[PlattScaling.NUMBERS + 1], state[PlattScaling.NUMBERS + 2]);
    }
}
