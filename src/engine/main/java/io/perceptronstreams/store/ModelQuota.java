package io.perceptronstreams.store;

/**
 * Limits on the models of a partition.
 *
 * @param models maximum number of existing models
 * @param idleMs stream time without a record after which a model is deleted, in ms; 0 for never
 */
public record ModelQuota(int models, long idleMs) {
    /** No limits. */
    static final ModelQuota NONE = new ModelQuota(Integer.MAX_VALUE, 0);

    /** Returns true if idle models are deleted. */
    boolean expires() {
        return idleMs > 0;
    }
}
