package io.perceptronstreams.model;

import io.perceptronstreams.drift.Trial;
import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Features;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.state.StoredFields;

/**
 * Trial of a shadow: a new model that learns the same examples as the current model after a drift.
 *
 * <p>Both are compared on the same labelled examples by a {@link Trial}. The shadow is dropped if it is found worse, if
 * there is no verdict until the limit, or when it cannot use an example that the current model could use.
 *
 * <p>A shadow that takes over equals, to the last bit, a new model that has seen only these examples.
 */
final class ShadowTrial {
    private final EpochModel shadow;
    private double[] raw = new double[0];
    private double rawBias;

    private Trial trial;
    private boolean isRefused;

    ShadowTrial(EpochModel shadow, Trial.Rules rules) {
        this.shadow = shadow;
        shadow.advisor().turnOff();
        restart(rules);
    }

    /** Starts the comparison again; the shadow stays what it is. */
    void restart(Trial.Rules rules) {
        trial = new Trial(rules);
    }

    EpochModel shadow() {
        return shadow;
    }

    boolean isBetter() {
        return trial.verdict() == Trial.Verdict.BETTER;
    }

    /** Returns true if the shadow will not be found better, or could not use an example. */
    boolean isFailed() {
        return isRefused || trial.verdict() == Trial.Verdict.WORSE || trial.isExpired();
    }

    /** Number of labelled examples on which both were compared, or that were the warm-up. */
    long examples() {
        return trial.examples();
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
     */
    void use(Example example, long timestamp, boolean isPresentWrong, Waiting then) {
        restore(example.features());
        boolean isSeen = then != null && then.shadowEpoch() == shadow.epoch();
        try {
            boolean isShadowWrong = shadow.use(
                            example, true, timestamp, isSeen ? then.ofShadow() : null, null, ModelListener.NONE)
                    .isError();
            if (example.label() != null && (then == null || isSeen)) {
                trial.add(isPresentWrong, isShadowWrong);
            }
        } catch (RejectedException e) {
            isRefused = true;
        }
    }

    /** Writes the values that were kept back to the example, for the shadow. */
    private void restore(Features x) {
        if (x instanceof FeatureVector vector) {
            System.arraycopy(raw, 0, vector.values(), 0, vector.size());
            vector.setBias(rawBias);
        }
    }

    /** Writes or restores the numbers of the comparison; the shadow itself is stored apart. */
    void exchange(StoredFields fields) {
        trial.exchange(fields);
    }
}
