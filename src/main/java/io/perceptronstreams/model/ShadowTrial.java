package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.RejectedException;
import java.util.List;

/**
 * A shadow on trial: a model that began when the world seemed to change, and learns the same examples as the present one.
 *
 * <p>Both are compared on the same labelled examples, in rounds of {@code drift.window}. Let b be how often in the round only the
 * present model was wrong, and c how often only the shadow was. At the end of a round the shadow is better if b - c > 2·sqrt(b + c):
 * its error rate in the round was lower, and by more than twice the deviation that the difference of two equally good models
 * would have (McNemar 1947). It is not worth keeping if it was not better in {@link #ROUNDS} rounds, or cannot use an example
 * that the present model could use.
 *
 * <p>The shadow is a whole model: one that takes over is, to the last bit, what a new model would be that had seen these examples
 * only.
 */
final class ShadowTrial {
    /** Maximum number of rounds before the shadow is dropped. */
    static final int ROUNDS = 10;

    /** What has come of it so far. */
    enum Verdict {
        OPEN,
        BETTER,
        FAILED
    }

    private final Model shadow;
    private double[] raw = new double[0];

    private int rounds;
    private int count;
    private int onlyPresentWrong;
    private int onlyShadowWrong;

    ShadowTrial(Model shadow) {
        this.shadow = shadow;
    }

    Model shadow() {
        return shadow;
    }

    /** Whether the first round is over. */
    boolean isPastFirstRound() {
        return rounds > 0;
    }

    /** Remembers an example's values before the present model scales them in place. */
    void remember(Features x) {
        if (x instanceof FeatureVector vector) {
            if (raw.length < vector.size()) {
                raw = new double[vector.values().length];
            }
            System.arraycopy(vector.values(), 0, raw, 0, vector.size());
        }
    }

    /**
     * Lets the shadow learn from an example that the present model has used.
     *
     * @param isPresentWrong whether the present model's emitted label was wrong
     * @param window labelled examples in a round
     */
    Verdict process(Example example, long timestamp, boolean isPresentWrong, int window) {
        if (example.features() instanceof FeatureVector vector) {
            System.arraycopy(raw, 0, vector.values(), 0, vector.size());
        }
        boolean isShadowWrong;
        try {
            isShadowWrong = shadow.process(example, timestamp).isError();
        } catch (RejectedException e) {
            return Verdict.FAILED;
        }
        if (example.label() == null) {
            return Verdict.OPEN;
        }
        onlyPresentWrong += isPresentWrong && !isShadowWrong ? 1 : 0;
        onlyShadowWrong += isShadowWrong && !isPresentWrong ? 1 : 0;
        // not ==, because the setting may have changed
        return ++count >= window ? endRound() : Verdict.OPEN;
    }

    private Verdict endRound() {
        long difference = (long) onlyPresentWrong - onlyShadowWrong;
        boolean isBetter = difference > 0 && difference * difference > 4L * (onlyPresentWrong + onlyShadowWrong);
        rounds++;
        count = 0;
        onlyPresentWrong = 0;
        onlyShadowWrong = 0;
        return isBetter ? Verdict.BETTER : rounds >= ROUNDS ? Verdict.FAILED : Verdict.OPEN;
    }

    /** The numbers are rounds, and of the present round examples and how often only the one or the other was wrong. */
    List<Double> state() {
        return List.of((double) rounds, (double) count, (double) onlyPresentWrong, (double) onlyShadowWrong);
    }

    void restore(List<Double> state) {
        rounds = state.get(0).intValue();
        count = state.get(1).intValue();
        onlyPresentWrong = state.get(2).intValue();
        onlyShadowWrong = state.get(3).intValue();
    }
}
