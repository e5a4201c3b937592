package io.perceptronstreams.model;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;

/** Treatment of examples by a model. */
public enum ModelState {
    /** Predicts and learns. */
    LIVE,
    /** Predicts and counts; changes no weight. */
    FROZEN,
    /** Rejects examples until it is replaced or reset, because its weights are corrupt or would overflow. */
    QUARANTINED,
    /** Deleted; only the epoch is kept, so that old stored blocks are never read. */
    DELETED;

    /** Rejects an example if the model is quarantined. */
    void requireUsable() {
        if (this == QUARANTINED) {
            throw new RejectedException(
                    RejectReason.MODEL_QUARANTINED,
                    "the model is quarantined (see the alerts; promote a challenger, roll back, import weights, or reset"
                            + " it, which ends automatic challengers)");
        }
    }

    /** Returns the state after an example that was rejected for this reason. */
    ModelState afterReject(RejectReason reason) {
        return reason == RejectReason.MODEL_QUARANTINED ? QUARANTINED : this;
    }

    /** Returns the state after an example or new settings, with which a deleted model becomes a new one. */
    ModelState revived() {
        return this == DELETED ? LIVE : this;
    }

    /**
     * Returns the state after learning was stopped or resumed.
     *
     * @throws IllegalArgumentException if the model is quarantined
     */
    ModelState frozen(boolean isFrozen) {
        if (this == QUARANTINED) {
            throw new IllegalArgumentException(
                    "a quarantined model must first be replaced, got one that is quarantined (promote a challenger, roll"
                            + " back, import weights, or reset it, which ends automatic challengers)");
        }
        return isFrozen ? FROZEN : LIVE;
    }
}
