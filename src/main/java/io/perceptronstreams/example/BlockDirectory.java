package io.perceptronstreams.example;

import java.util.Arrays;

/**
 * Where blocks of doubles lie by their number, and which of them were changed: what {@link BlockVector} and {@link Rows} share.
 *
 * <p>Blocks are found by the digits of their number: in rows of 512, and rows in regions of 256. Both are allocated when first
 * touched, so that memory is O(touched blocks) whatever the largest number. This needs neither search nor comparison. The first
 * region, that of the numbers below 2^17, hence of the indices below 2^24 in blocks of 128, is found without looking up regions:
 * where features are spread over many blocks, what w·x costs is memory to wait for, and each step on the way to a block may be one
 * more wait. A superclass and not a part, which would be such a step, too. Not thread-safe.
 */
abstract sealed class BlockDirectory implements Blocks permits BlockVector, Rows {
    private static final int ROW_SHIFT = 9;
    private static final int ROW = 1 << ROW_SHIFT;
    private static final int REGION_SHIFT = 17;
    private static final int REGION = 1 << (REGION_SHIFT - ROW_SHIFT);

    // These stand for what was never touched; nothing is ever put into them.
    private static final double[][] NO_BLOCKS = new double[ROW][];
    private static final double[][][] NO_ROWS = new double[0][][];
    private static final boolean[][] NO_CHANGES = new boolean[0][];

    // By region, row and place in the row; regions and each region are as long as what was touched needs.
    private double[][][][] regions = new double[0][][][];
    private boolean[][][] changed = new boolean[0][][];

    // The first region.
    private double[][][] near = NO_ROWS;
    private long directoryBytes;
    private int count;

    // Numbers of the changed blocks, in order of their first change.
    private int[] changedNumbers = new int[16];
    private int changedCount;

    /** The block of this number to be read, or null where it was never touched and hence is all 0. */
    public final double[] find(int number) {
        int region = number >>> REGION_SHIFT;
        double[][][] rows = region == 0 ? near : region < regions.length ? regions[region] : NO_ROWS;
        int row = row(number);
        return row < rows.length ? rows[row][number & (ROW - 1)] : null;
    }

    /** The row of a block within its region. */
    private static int row(int number) {
        return (number >>> ROW_SHIFT) & (REGION - 1);
    }

    /** Notes that a block which is there is about to change. */
    final void markChanged(int number) {
        boolean[] changedOfRow = changed[number >>> REGION_SHIFT][row(number)];
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
            changed[number >>> REGION_SHIFT][row(number)][number & (ROW - 1)] = false;
        }
        changedCount = 0;
    }

    /** Shows every touched block in ascending number. Cost: O(touched blocks). */
    public final void forEach(Sink sink) {
        for (int region = 0; region < regions.length; region++) {
            for (int row = 0; row < regions[region].length; row++) {
                double[][] blocks = regions[region][row];
                for (int k = 0; blocks != NO_BLOCKS && k < ROW; k++) {
                    if (blocks[k] != null) {
                        sink.accept(region << REGION_SHIFT | row << ROW_SHIFT | k, blocks[k]);
                    }
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
        int region = number >>> REGION_SHIFT;
        int row = row(number);
        int length = regions.length;
        if (region >= length) {
            regions = Arrays.copyOf(regions, region + 1);
            changed = Arrays.copyOf(changed, region + 1);
            Arrays.fill(regions, length, region + 1, NO_ROWS);
            Arrays.fill(changed, length, region + 1, NO_CHANGES);
            directoryBytes += (region + 1 - length) * 8L;
        }
        int rows = regions[region].length;
        if (row >= rows) {
            int longer = Math.min(REGION, Math.max(row + 1, 2 * rows));
            regions[region] = Arrays.copyOf(regions[region], longer);
            changed[region] = Arrays.copyOf(changed[region], longer);
            Arrays.fill(regions[region], rows, longer, NO_BLOCKS);
            directoryBytes += (longer - rows) * 8L;
            near = regions[0];
        }
        if (regions[region][row] == NO_BLOCKS) {
            regions[region][row] = new double[ROW][];
            changed[region][row] = new boolean[ROW];
            directoryBytes += ROW * 5 + 32;
        }
        regions[region][row][number & (ROW - 1)] = block;
        count++;
    }

    /** Puts a longer block in the place of one that is there. */
    final void replace(int number, double[] block) {
        regions[number >>> REGION_SHIFT][row(number)][number & (ROW - 1)] = block;
    }

    /** Puts a block back that was handed over earlier. */
    final void putBack(int number, double[] block) {
        if (find(number) != null) {
            throw new IllegalStateException("block " + number + " is already there");
        }
        insert(number, block);
    }
}
