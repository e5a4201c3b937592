package io.perceptronstreams.store;

/**
 * Settings that bound the models of a partition.
 *
 * @param models maximum number of models that exist
 * @param idleMs stream time without a record after which a model is deleted, in ms; 0 for never
 */
public record ModelLimits(int models, long idleMs) {
    /** As many as come, for ever. */
    static final ModelLimits NONE = new ModelLimits(Integer.MAX_VALUE, 0);

    /** Whether idle models are deleted. */
    boolean expires() {
        return idleMs > 0;
    }
}
