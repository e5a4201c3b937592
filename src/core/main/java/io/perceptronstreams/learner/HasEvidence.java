package io.perceptronstreams.learner;

import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectedException;

/**
 * A learner whose scores are sums over features or examples, so that a mistake can be explained by its largest parts.
 */
public interface HasEvidence extends Learner {
    /**
     * Writes the parts of the last outcome by the present weights; changes nothing else.
     *
     * @param outcome that of {@link #evaluate} for the same example; its margin is set, if that was not needed for a
     *     right one
     * @param evidence has begun; this method ends it
     */
    void explain(Features x, Label y, Outcome outcome, Evidence evidence);

    /**
     * Explains the last outcome in {@link Outcome#evidence} if that was asked for, and it is a mistake or margin
     * mistake. {@link #learn} must call it before its update.
     */
    default void explainIfAsked(Features x, Label y, Outcome outcome) {
        if (outcome.evidence().isAsked() && outcome.kind() != Outcome.Kind.CORRECT) {
            outcome.ownEvidence().begin();
            explain(x, y, outcome, outcome.ownEvidence());
        }
    }

    /**
     * Explains an outcome of any kind in {@link Outcome#evidence}.
     *
     * @param parts maximum number of parts
     * @param outcome that of {@link #evaluate} for the same example
     */
    default void explain(Features x, Label y, int parts, Outcome outcome) {
        Evidence evidence = outcome.ownEvidence();
        evidence.ask(parts, evidence.id());
        evidence.begin();
        explain(x, y, outcome, evidence);
    }

    /** Adds the margin of an example after its update to {@link Outcome#evidence}. */
    default void explainUpdate(Features x, Label y, Outcome outcome) {
        outcome.keepScores();
        Outcome after = new Outcome();
        try {
            evaluate(x, y, after);
            outcome.ownEvidence().setMarginAfter(after.margin());
        } catch (RejectedException e) {
            // the update has made the score overflow: there is no margin, and the update stays
            outcome.ownEvidence().setMarginAfter(Double.NaN);
        }
    }
}
