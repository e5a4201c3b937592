package io.perceptronstreams.learner;

import io.perceptronstreams.weights.BlockVector;

/** A learner that can be compared with fixed weights. */
public interface HasComparator {
    /**
     * Ends the present comparison, and pins the learner's own weights after {@code updates} more updates.
     *
     * @param updates 0 for the present weights; negative: pins nothing
     * @throws IllegalArgumentException if there is no room for a copy; then nothing has changed
     */
    void pin(long updates);

    /**
     * Pins other weights.
     *
     * @param weights in one lane; copied
     * @throws IllegalArgumentException as {@link #pin(long)}
     */
    void pin(BlockVector weights, double bias);

    /** The pinned weights and the comparison with them, or null if none are pinned. */
    ComparatorWeights pinned();
}
