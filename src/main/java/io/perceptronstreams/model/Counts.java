package io.perceptronstreams.model;

import io.perceptronstreams.learner.Outcome;

/** Counts of examples and their outcomes, of a whole model or of one window. */
public final class Counts {
    long examples;
    long labelled;
    long errors;
    long mistakes;
    long marginMistakes;
    long updates;
    double hingeLoss;

    void add(boolean isLabelled, Outcome outcome) {
        examples++;
        if (isLabelled) {
            labelled++;
            errors += outcome.isError() ? 1 : 0;
            mistakes += outcome.kind() == Outcome.Kind.MISTAKE ? 1 : 0;
            marginMistakes += outcome.kind() == Outcome.Kind.MARGIN_MISTAKE ? 1 : 0;
            updates += outcome.isUpdated() ? 1 : 0;
            hingeLoss += outcome.hingeLoss();
        }
    }

    void clear() {
        restore(0, 0, 0, 0, 0, 0, 0);
    }

    Counts copy() {
        Counts copy = new Counts();
        copy.restore(this);
        return copy;
    }

    /** Copies the counts of another object. */
    void restore(Counts from) {
        restore(
                from.examples,
                from.labelled,
                from.errors,
                from.mistakes,
                from.marginMistakes,
                from.updates,
                from.hingeLoss);
    }

    /** Restores stored counts. */
    public void restore(
            long examples,
            long labelled,
            long errors,
            long mistakes,
            long marginMistakes,
            long updates,
            double hingeLoss) {
        this.examples = examples;
        this.labelled = labelled;
        this.errors = errors;
        this.mistakes = mistakes;
        this.marginMistakes = marginMistakes;
        this.updates = updates;
        this.hingeLoss = hingeLoss;
    }

    public long examples() {
        return examples;
    }

    public long labelled() {
        return labelled;
    }

    /** Wrong emitted labels. */
    public long errors() {
        return errors;
    }

    public long mistakes() {
        return mistakes;
    }

    public long marginMistakes() {
        return marginMistakes;
    }

    public long updates() {
        return updates;
    }

    /** Sum of max(0, h - y·u). */
    public double hingeLoss() {
        return hingeLoss;
    }
}
