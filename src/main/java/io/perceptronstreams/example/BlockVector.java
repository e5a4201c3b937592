package io.perceptronstreams.example;

import java.util.Arrays;

/**
 * A sparse array of doubles, in blocks of 128 that are allocated when first touched and remember whether they were changed.
 *
 * <p>Each index may carry several numbers, its lanes: block {@code n} holds lane {@code l} of index {@code 128n + i} at {@code
 * 128l + i}. Numbers that are read and changed together so cost one look-up and are stored in one record. Untouched numbers
 * are 0.
 *
 * <p>Blocks are found in rows of 512, and rows in a directory that is as long as the largest index needs: 256 KiB at most. Rows are
 * allocated when first touched, too. This needs neither search nor comparison: where features are spread over many blocks, what
 * w·x costs is memory to wait for, and each step on the way to a block may be one more wait. Not thread-safe.
 */
public final class BlockVector implements Blocks {
    /** Indices in a block. */
    public static final int BLOCK = 128;

    /** {@code index >>> SHIFT} is the number of an index's block. */
    public static final int SHIFT = 7;

    /** {@code index & MASK} is the place of an index within its block. */
    public static final int MASK = BLOCK - 1;

    private static final int ROW_SHIFT = 9;
    private static final int ROW = 1 << ROW_SHIFT;
    private static final int MAX_ROWS = (Integer.MAX_VALUE >>> (SHIFT + ROW_SHIFT)) + 1;

    // These stand for a row that was never touched; nothing is ever put into them.
    private static final double[][] NO_BLOCKS = new double[ROW][];
    private static final boolean[] NO_CHANGES = new boolean[ROW];

    private final int lanes;

    private double[][][] rows = new double[0][][];
    private boolean[][] changed = new boolean[0][];
    private long directoryBytes;
    private int count;

    // Numbers of the changed blocks, in order of their first change.
    private int[] changedNumbers = new int[16];
    private int changedCount;

    /** An array of zeros with {@code lanes} numbers for each index. */
    public BlockVector(int lanes) {
        this.lanes = lanes;
    }

    /** The block of this number to be read, or null where it was never touched and hence is all 0. */
    public double[] find(int number) {
        int row = number >>> ROW_SHIFT;
        return row < rows.length ? rows[row][number & (ROW - 1)] : null;
    }

    /** The block of this number to be changed; allocates it where it is new. */
    public double[] touch(int number) {
        double[] block = find(number);
        if (block == null) {
            block = new double[lanes * BLOCK];
            insert(number, block);
        }
        boolean[] changedOfRow = changed[number >>> ROW_SHIFT];
        if (!changedOfRow[number & (ROW - 1)]) {
            changedOfRow[number & (ROW - 1)] = true;
            if (changedCount == changedNumbers.length) {
                changedNumbers = Arrays.copyOf(changedNumbers, 2 * changedCount);
            }
            changedNumbers[changedCount++] = number;
        }
        return block;
    }

    @Override
    public void drainChanged(Sink sink) {
        Arrays.sort(changedNumbers, 0, changedCount);
        for (int k = 0; k < changedCount; k++) {
            int number = changedNumbers[k];
            sink.accept(number, find(number));
            changed[number >>> ROW_SHIFT][number & (ROW - 1)] = false;
        }
        changedCount = 0;
    }

    @Override
    public void restore(int number, double[] block) {
        if (block.length != lanes * BLOCK) {
            throw new IllegalArgumentException(
                    "block " + number + " must have " + lanes * BLOCK + " numbers, got " + block.length);
        }
        if (find(number) != null) {
            throw new IllegalStateException("block " + number + " is already there");
        }
        insert(number, block);
    }

    /** Shows every touched block in ascending number. Cost: O(touched blocks). */
    public void forEach(Sink sink) {
        for (int row = 0; row < rows.length; row++) {
            for (int k = 0; rows[row] != NO_BLOCKS && k < ROW; k++) {
                if (rows[row][k] != null) {
                    sink.accept(row << ROW_SHIFT | k, rows[row][k]);
                }
            }
        }
    }

    /** How many blocks were touched. */
    public int count() {
        return count;
    }

    @Override
    public long heapBytes() {
        return (long) count * (lanes * BLOCK * Double.BYTES + 16) + directoryBytes + changedNumbers.length * 4L;
    }

    private void insert(int number, double[] block) {
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
}
