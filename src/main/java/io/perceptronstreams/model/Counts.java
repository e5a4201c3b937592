package io.perceptronstreams.model;

import io.perceptronstreams.learner.Outcome;
import java.util.Arrays;

/**
 * Counts of examples and their outcomes, of a whole model or of one window.
 *
 * <p>A new counter is a constant of {@link Counter} and a line in {@link #add}. Copies and comparisons include it; the stored
 * form lists its counters by name, so it needs a new version.
 */
public final class Counts {
    /** What is counted. */
    public enum Counter {
        EXAMPLES,
        LABELLED,
        /** Wrong emitted labels. */
        ERRORS,
        MISTAKES,
        MARGIN_MISTAKES,
        UPDATES,
        /** Examples without a label in time, and without a default. */
        UNLABELLED,
        /** Examples learned with the default label. */
        DEFAULTED,
        /** Labels that came after their examples in time. */
        LATE,
        /** Refused examples whose ids had come before. */
        DUPLICATES,
        /** Labelled examples on which the model was compared with the baselines. */
        COMPARED,
        /** Errors of the model on these. */
        COMPARED_ERRORS,
        /** Errors of predicting the commonest true label so far. */
        MAJORITY_ERRORS,
        /** Errors of predicting the last true label. */
        SAME_ERRORS
    }

    private final long[] counts = new long[Counter.values().length];
    private double hingeLoss;

    void add(boolean isLabelled, Outcome outcome) {
        count(Counter.EXAMPLES, true);
        if (isLabelled) {
            addLabel(outcome);
        }
    }

    /** Counts the label of an example that is counted already. */
    void addLabel(Outcome outcome) {
        count(Counter.LABELLED, true);
        count(Counter.ERRORS, outcome.isError());
        count(Counter.MISTAKES, outcome.kind() == Outcome.Kind.MISTAKE);
        count(Counter.MARGIN_MISTAKES, outcome.kind() == Outcome.Kind.MARGIN_MISTAKE);
        count(Counter.UPDATES, outcome.isUpdated());
        hingeLoss += outcome.hingeLoss();
    }

    /** Adds 1 to a count. */
    void increment(Counter counter) {
        count(counter, true);
    }

    /** Counts a label on which the model and both baselines were compared. */
    void compare(boolean isError, boolean isMajority, boolean isSame) {
        count(Counter.COMPARED, true);
        count(Counter.COMPARED_ERRORS, isError);
        count(Counter.MAJORITY_ERRORS, !isMajority);
        count(Counter.SAME_ERRORS, !isSame);
    }

    /** Returns true if nothing is counted. */
    boolean isEmpty() {
        for (long count : counts) {
            if (count != 0) {
                return false;
            }
        }
        return true;
    }

    private void count(Counter counter, boolean isCounted) {
        counts[place(counter)] += isCounted ? 1 : 0;
    }

    @SuppressWarnings("EnumOrdinal") // this array is never stored or sent: its order has no meaning
    private static int place(Counter counter) {
        return counter.ordinal();
    }

    void clear() {
        Arrays.fill(counts, 0);
        hingeLoss = 0;
    }

    Counts copy() {
        Counts copy = new Counts();
        copy.restore(this);
        return copy;
    }

    /** Copies the counts of another object. */
    void restore(Counts from) {
        System.arraycopy(from.counts, 0, counts, 0, counts.length);
        hingeLoss = from.hingeLoss;
    }

    /** Sets a stored count; returns this object. */
    public Counts set(Counter counter, long count) {
        counts[place(counter)] = count;
        return this;
    }

    /** Sets a stored hinge loss; returns this object. */
    public Counts setHingeLoss(double sum) {
        hingeLoss = sum;
        return this;
    }

    public long of(Counter counter) {
        return counts[place(counter)];
    }

    public long examples() {
        return of(Counter.EXAMPLES);
    }

    public long labelled() {
        return of(Counter.LABELLED);
    }

    /** Wrong emitted labels. */
    public long errors() {
        return of(Counter.ERRORS);
    }

    public long mistakes() {
        return of(Counter.MISTAKES);
    }

    public long marginMistakes() {
        return of(Counter.MARGIN_MISTAKES);
    }

    public long updates() {
        return of(Counter.UPDATES);
    }

    /** Sum of max(0, h - y·u). */
    public double hingeLoss() {
        return hingeLoss;
    }
}
