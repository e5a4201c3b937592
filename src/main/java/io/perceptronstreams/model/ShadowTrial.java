package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.state.StoredFields;

/**
 * Trial of a shadow: a new model that learns the same examples as the current model after a drift.
 *
 * <p>Both are compared on the same labelled examples, in rounds of {@code drift.window}. Let b be the number of
 * examples in the round that only the current model got wrong, and c those that only the shadow got wrong. The shadow
 * is better if b - c > 2·sqrt(b + c) at the end of a round: its error rate is lower by more than twice the standard
 * deviation of the difference between two equally good models (McNemar 1947). It is dropped after {@link #ROUNDS}
 * rounds, or when it cannot use an example that the current model could use.
 *
 * <p>A shadow that takes over equals, to the last bit, a new model that has seen only these examples.
 */
final class ShadowTrial {
    /** Maximum number of rounds before the shadow is dropped. */
    static final int ROUNDS = 10;

    /** Result of the trial so far. */
    enum Verdict {
        OPEN,
        BETTER,
        FAILED
    }

    private final EpochModel shadow;
    private double[] raw = new double[0];
    private double rawBias;

    private Verdict verdict = Verdict.OPEN;
    private int rounds;
    private int count;
    private int onlyPresentWrong;
    private int onlyShadowWrong;

    ShadowTrial(EpochModel shadow) {
        this.shadow = shadow;
        shadow.advisor().turnOff();
    }

    EpochModel shadow() {
        return shadow;
    }

    /** Result after the last example. */
    Verdict verdict() {
        return verdict;
    }

    /** Returns true if the first round is over. */
    boolean isPastFirstRound() {
        return rounds > 0;
    }

    /** Keeps the values of an example, the bias included, before the current model scales them in place. */
    void remember(Features x) {
        if (x instanceof FeatureVector vector) {
            if (raw.length < vector.size()) {
                raw = new double[vector.values().length];
            }
            System.arraycopy(vector.values(), 0, raw, 0, vector.size());
            rawBias = vector.bias();
        }
    }

    /**
     * Lets the shadow learn from an example that the model has used, and compares both if the shadow had predicted it, too.
     *
     * @param then the earlier prediction of an example whose label comes now, or null
     * @param window labelled examples in a round
     */
    void use(Example example, long timestamp, boolean isPresentWrong, Waiting then, int window) {
        restore(example.features());
        boolean isSeen = then != null && then.shadowEpoch() == shadow.epoch();
        try {
            boolean isShadowWrong = shadow.use(
                            example, true, timestamp, isSeen ? then.ofShadow() : null, null, ModelListener.NONE)
                    .isError();
            verdict = example.label() == null || (then != null && !isSeen)
                    ? Verdict.OPEN
                    : compare(isPresentWrong, isShadowWrong, window);
        } catch (RejectedException e) {
            verdict = Verdict.FAILED;
        }
    }

    /** Writes the values that were kept back to the example, for the shadow. */
    private void restore(Features x) {
        if (x instanceof FeatureVector vector) {
            System.arraycopy(raw, 0, vector.values(), 0, vector.size());
            vector.setBias(rawBias);
        }
    }

    private Verdict compare(boolean isPresentWrong, boolean isShadowWrong, int window) {
        onlyPresentWrong += isPresentWrong && !isShadowWrong ? 1 : 0;
        onlyShadowWrong += isShadowWrong && !isPresentWrong ? 1 : 0;
        // not ==, because the setting may have been lowered
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

    /** Writes or restores the counts; the shadow itself is stored apart. */
    void exchange(StoredFields fields) {
        rounds = fields.upTo(ROUNDS, rounds);
        count = fields.upTo(Integer.MAX_VALUE, count);
        onlyPresentWrong = fields.upTo(Integer.MAX_VALUE, onlyPresentWrong);
        onlyShadowWrong = fields.upTo(Integer.MAX_VALUE, onlyShadowWrong);
    }
}
