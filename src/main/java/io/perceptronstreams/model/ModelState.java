package io.perceptronstreams.model;

/** Treatment of examples by a model. */
public enum ModelState {
    /** Predicts and learns. */
    LIVE,
    /** Predicts and counts; changes no weight. */
    FROZEN,
    /** Rejects examples until it is reset or deleted, because its weights are corrupt or would overflow. */
    QUARANTINED,
    /** Deleted; only the epoch is kept, so that old stored blocks are never read. */
    DELETED
}
