package io.perceptronstreams.weights;

/**
 * State in numbered blocks of doubles, which a model store writes (changed blocks only) and restores.
 *
 * <p>The implementation defines the meaning and length of a block.
 */
public interface Blocks {
    /** Receives blocks. */
    @FunctionalInterface
    interface Sink {
        /**
         * Accepts a block.
         *
         * @param block valid during the call only; null if the block was removed
         */
        void accept(int number, double[] block);
    }

    /** Receives the numbers of single indices. */
    @FunctionalInterface
    interface EntrySink {
        /**
         * Accepts an index.
         *
         * @param numbers holds the lanes from {@code from} on; valid during the call only
         */
        void accept(int index, double[] numbers, int from);
    }

    /** Passes every block changed since the last call, in ascending number, and marks it as unchanged. */
    void drainChanged(Sink sink);

    /** Passes every block in ascending number; does not affect which blocks count as changed. */
    void forEach(Sink sink);

    /** Number of blocks that {@link #forEach} passes. */
    int count();

    /** Restores a block, which counts as unchanged. May keep {@code block}. */
    void restore(int number, double[] block);

    /** Estimated heap of the blocks, in bytes. */
    long heapBytes();
}
