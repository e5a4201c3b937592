package io.perceptronstreams.weights;

/**
 * State kept in numbered blocks of doubles: what a model store writes, changed blocks only, and reads back.
 *
 * <p>A block has no fixed meaning or length here; each implementation says what its blocks hold.
 */
public interface Blocks {
    /** Takes one block. */
    @FunctionalInterface
    interface Sink {
        /**
         * Takes a block.
         *
         * @param block owned by the giver, to be read before the call returns; null for one that is there no more
         */
        void accept(int number, double[] block);
    }

    /** Hands over every block changed since the last call, in ascending number, and regards them as unchanged from then on. */
    void drainChanged(Sink sink);

    /** Shows every block in ascending number; changes nothing, not even which ones count as changed. */
    void forEach(Sink sink);

    /** How many blocks {@link #forEach} would show. */
    int count();

    /** Takes back a block that was handed over earlier; it counts as unchanged. May own {@code block} from then on. */
    void restore(int number, double[] block);

    /** About how many bytes of heap the blocks occupy. */
    long heapBytes();
}
