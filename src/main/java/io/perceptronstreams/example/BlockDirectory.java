package io.perceptronstreams.example;

import java.util.Arrays;

/**
 * Where blocks of doubles lie by their number, and which of them were changed: what {@link BlockVector} and {@link Rows} share.
 *
 * <p>Blocks are found in rows of 512, and rows in a directory that is as long as the largest number needs: for blocks of 128
 * indices 256 KiB at most, for blocks of one index 32 MiB at the index 2^31 - 1. Rows are allocated when first touched, too. This
 * needs neither search nor comparison: where features are spread over many blocks, what w·x costs is memory to wait for, and each
 * step on the way to a block may be one more wait. A superclass and not a part, which would cost every look-up one more step. Not
 * thread-safe.
 */
abstract sealed class BlockDirectory implements Blocks permits BlockVector, Rows {
    private static final int ROW_SHIFT = 9;
    private static final int ROW = 1 << ROW_SHIFT;
    private static final int MAX_ROWS = (Integer.MAX_VALUE >>> ROW_SHIFT) + 1;

    // These stand for a row that was never touched; nothing is ever put into them.
    private static final double[][] NO_BLOCKS = new double[ROW][];
    private static final boolean[] NO_CHANGES = new boolean[ROW];

    private double[][][] rows = new double[0][][];
    private boolean[][] changed = new boolean[0][];
    private long directoryBytes;
    private int count;

    // Numbers of the changed blocks, in order of their first change.
    private int[] changedNumbers = new int[16];
    private int changedCount;

    /** The block of this number to be read, or null where it was never touched and hence is all 0. */
    public final double[] find(int number) {
        int row = number >>> ROW_SHIFT;
        return row < rows.length ? rows[row][number & (ROW - 1)] : null;
    }

    /** Notes that a block which is there is about to change. */
    final void markChanged(int number) {
        boolean[] changedOfRow = changed[number >>> ROW_SHIFT];
        if (!changedOfRow[number & (ROW - 1)]) {
            changedOfRow[number & (ROW - 1)] = true;
            if (changedCount == changedNumbers.length) {
                changedNumbers = Arrays.copyOf(changedNumbers, 2 * changedCount);
            }
            changedNumbers[changedCount++] = number;
        }
    }

    @Override
    public final void drainChanged(Sink sink) {
        Arrays.sort(changedNumbers, 0, changedCount);
        for (int k = 0; k < changedCount; k++) {
            int number = changedNumbers[k];
            sink.accept(number, find(number));
            changed[number >>> ROW_SHIFT][number & (ROW - 1)] = false;
        }
        changedCount = 0;
    }

    /** Shows every touched block in ascending number. Cost: O(touched blocks). */
    public final void forEach(Sink sink) {
        for (int row = 0; row < rows.length; row++) {
            for (int k = 0; rows[row] != NO_BLOCKS && k < ROW; k++) {
                if (rows[row][k] != null) {
                    sink.accept(row << ROW_SHIFT | k, rows[row][k]);
                }
            }
        }
    }

    /** How many blocks were touched. */
    public final int count() {
        return count;
    }

    /** About how many bytes of heap it takes to find the blocks. */
    final long directoryBytes() {
        return directoryBytes + changedNumbers.length * 4L;
    }

    /** Puts a new block in its place. */
    final void insert(int number, double[] block) {
        int row = number >>> ROW_SHIFT;
        int length = rows.length;
        if (row >= length) {
            int longer = Math.min(MAX_ROWS, Math.max(row + 1, 2 * length));
            rows = Arrays.copyOf(rows, longer);
            changed = Arrays.copyOf(changed, longer);
            Arrays.fill(rows, length, longer, NO_BLOCKS);
            Arrays.fill(changed, length, longer, NO_CHANGES);
            directoryBytes += (longer - length) * 8L;
        }
        if (rows[row] == NO_BLOCKS) {
            rows[row] = new double[ROW][];
            changed[row] = new boolean[ROW];
            directoryBytes += ROW * 5 + 32;
        }
        rows[row][number & (ROW - 1)] = block;
        count++;
    }

    /** Puts a longer block in the place of one that is there. */
    final void replace(int number, double[] block) {
        rows[number >>> ROW_SHIFT][number & (ROW - 1)] = block;
    }

    /** Puts a block back that was handed over earlier. */
    final void putBack(int number, double[] block) {
        if (find(number) != null) {
            throw new IllegalStateException("block " + number + " is already there");
        }
        insert(number, block);
    }
}
