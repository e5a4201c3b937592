package io.perceptronstreams.learner;

import io.perceptronstreams.example.Label;

/** Outcomes that no learner has to reach. */
public final class Outcomes {
    private Outcomes() {}

    /** The outcome of an example with this true label; {@code emitted} may be null. */
    public static Outcome of(Label truth, Label emitted, double score) {
        Outcome outcome = new Outcome();
        outcome.predict(emitted, score, score);
        outcome.error = !truth.equals(emitted);
        return outcome;
    }
}
