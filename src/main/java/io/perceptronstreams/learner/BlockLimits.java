package io.perceptronstreams.learner;

import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.SparseRows;

/** Which blocks a learner can have: what imported ones are checked by before there is memory for them. */
public final class BlockLimits {
    /** The longest block of a {@link BlockVector}, which checks the exact length itself. */
    public static final int MAX_LANES = 3 * BlockVector.BLOCK;

    private BlockLimits() {}

    /** Checks a row of {@link SparseRows} with so many columns. */
    static void requireRow(int number, int length, long rows, int columns) {
        requireNumber(number, rows);
        requireLength(length, 2 * SparseRows.roundedUp(columns));
    }

    static void requireNumber(int number, long below) {
        if (number >= below) {
            throw new IllegalArgumentException("a block must have a number below " + below + ", got " + number);
        }
    }

    public static void requireLength(int length, int most) {
        if (length > most) {
            throw new IllegalArgumentException("a block must have at most " + most + " numbers, got " + length);
        }
    }
}
