package io.perceptronstreams.evaluation;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.learner.Outcome;

/**
 * Comparisons of one prediction with the label that was counted for it, and with another one that takes its place.
 *
 * @param emitted the predicted label; null if there was none
 * @param millionths its probability; -1 without one
 * @param hasSet true if the prediction had a set of labels
 * @param before the label that was counted, as predictions name it
 * @param after the other label, likewise
 * @param number of the labels that were counted up to the first one of the example, this included
 */
public record Correction(
        Label emitted,
        int millionths,
        boolean hasSet,
        Label before,
        boolean wasError,
        boolean wasCovered,
        Label after,
        boolean isError,
        boolean isCovered,
        long number) {
    boolean hasProbability() {
        return millionths >= 0;
    }

    /** Squared distance of the probability from what came true, in millionths. */
    static long squaredMillionths(int millionths, boolean isError) {
        long ofEvent = isError ? Outcome.UNIT - millionths : millionths;
        long missing = Outcome.UNIT - ofEvent;
        return (missing * missing + Outcome.UNIT / 2) / Outcome.UNIT;
    }
}
