package io.perceptronstreams.learner;

import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.SparseRows;

/** Limits that imported blocks must meet before memory is allocated for them. */
public final class BlockLimits {
    /** Maximum length of a block of a {@link BlockVector}, which checks the exact length. */
    public static final int MAX_LANES = 3 * BlockVector.BLOCK;

    private BlockLimits() {}

    /** Checks a row of {@link SparseRows} with {@code columns} columns. */
    public static void requireRow(int number, int length, long rows, int columns) {
        requireNumber(number, rows);
        requireLength(length, 2 * SparseRows.roundedUp(columns));
    }

    public static void requireNumber(int number, long below) {
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
