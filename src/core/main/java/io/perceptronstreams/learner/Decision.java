package io.perceptronstreams.learner;

/** What to do about a prediction of two classes. */
public enum Decision {
    /** No decision is asked for. */
    NONE(0),
    NEGATIVE(1),
    /** An alert. */
    POSITIVE(2),
    /** For the positive class, but above the limit of alerts: as {@link #NEGATIVE}. */
    WITHHELD(3);

    private final int number;

    Decision(int number) {
        this.number = number;
    }

    /** Number in stored state; never changes. */
    public int number() {
        return number;
    }
}
