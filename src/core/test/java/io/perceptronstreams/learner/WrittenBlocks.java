package io.perceptronstreams.learner;

import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;

/** The written form of blocks, as in a store of blocks only. */
public final class WrittenBlocks {
    private WrittenBlocks() {}

    /** Hands over the changed blocks, or all of a vector that is small and does not keep which ones were changed. */
    public static void drain(Blocks blocks, Blocks.Sink sink) {
        blocks.drainChanged(sink);
        if (blocks instanceof BlockVector vector && vector.isSmall()) {
            vector.forEach(sink);
        }
    }
}
