package io.perceptronstreams.weights;

import java.util.Arrays;

/** Directory of blocks by number, with the set of changed blocks. Superclass of {@link SparseRows}. Not thread-safe. */
abstract class BlockTable implements Blocks {
    /*
     * Blocks with numbers below 2^17 (indices below 2^24 in blocks of 128) are in one array, as long as the largest
     * number needs, at most 512 KiB. Larger numbers are found digit by digit, in rows of 512 and regions of 256 rows,
     * allocated on first touch, so memory is O(touched blocks). There is no search: when features are spread over many
     * blocks, the cost of w·x is the number of dependent memory reads on the way to a block. A field instead of a
     * superclass would add one more such read.
     */
    private static final int ROW_SHIFT = 9;
    private static final int ROW = 1 << ROW_SHIFT;
    private static final int REGION_SHIFT = 17;
    private static final int REGION = 1 << (REGION_SHIFT - ROW_SHIFT);
    private static final int NEAR = 1 << REGION_SHIFT;

    /** Blocks whose numbers differ in the lowest 9 bits only. */
    private static final class Row {
        private final double[][] blocks = new double[ROW][];
        private final boolean[] changed = new boolean[ROW];
    }

    // By number.
    private double[][] near = new double[0][];
    private boolean[] nearChanged = new boolean[0];

    // By region and row, null if untouched; the first region is in the near arrays.
    private Row[][] far = new Row[0][];
    private long directoryBytes;
    private int count;

    // Numbers of the changed blocks, in order of their first change.
    private int[] changedNumbers = new int[16];
    private int changedCount;

    /** The block with this number (not negative), to be read; null if it was never touched, hence all 0. */
    public final double[] find(int number) {
        return number < near.length ? near[number] : findFar(number);
    }

    private double[] findFar(int number) {
        Row row = row(number);
        return row == null ? null : row.blocks[number & (ROW - 1)];
    }

    private Row row(int number) {
        int region = number >>> REGION_SHIFT;
        return region < far.length && far[region] != null ? far[region][number >>> ROW_SHIFT & (REGION - 1)] : null;
    }

    /** Marks an existing block as changed; call it before the change. */
    final void markChanged(int number) {
        boolean[] changed = number < NEAR ? nearChanged : row(number).changed;
        int place = number < NEAR ? number : number & (ROW - 1);
        if (!changed[place]) {
            changed[place] = true;
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
            if (number < NEAR) {
                nearChanged[number] = false;
            } else {
                row(number).changed[number & (ROW - 1)] = false;
            }
        }
        changedCount = 0;
    }

    /** Cost: O(touched blocks), and O(largest number) below 2^17. */
    @Override
    public final void forEach(Sink sink) {
        passAll(near, 0, sink);
        for (int region = 0; region < far.length; region++) {
            for (int row = 0; far[region] != null && row < REGION; row++) {
                if (far[region][row] != null) {
                    passAll(far[region][row].blocks, region << REGION_SHIFT | row << ROW_SHIFT, sink);
                }
            }
        }
    }

    private static void passAll(double[][] blocks, int first, Sink sink) {
        for (int k = 0; k < blocks.length; k++) {
            if (blocks[k] != null) {
                sink.accept(first + k, blocks[k]);
            }
        }
    }

    @Override
    public final int count() {
        return count;
    }

    /** Estimated heap of the directory, in bytes. */
    final long directoryBytes() {
        return directoryBytes + near.length * 5L + changedNumbers.length * 4L;
    }

    /** Inserts a new block. */
    final void insert(int number, double[] block) {
        if (number < NEAR) {
            if (number >= near.length) {
                int longer = Math.min(NEAR, Math.max(number + 1, 2 * near.length));
                near = Arrays.copyOf(near, longer);
                nearChanged = Arrays.copyOf(nearChanged, longer);
            }
            near[number] = block;
        } else {
            newRow(number).blocks[number & (ROW - 1)] = block;
        }
        count++;
    }

    private Row newRow(int number) {
        int region = number >>> REGION_SHIFT;
        if (region >= far.length) {
            directoryBytes += (region + 1 - far.length) * 4L;
            far = Arrays.copyOf(far, region + 1);
        }
        if (far[region] == null) {
            far[region] = new Row[REGION];
            directoryBytes += REGION * 4 + 16;
        }
        int row = number >>> ROW_SHIFT & (REGION - 1);
        if (far[region][row] == null) {
            far[region][row] = new Row();
            directoryBytes += ROW * 5 + 56;
        }
        return far[region][row];
    }

    /** Replaces an existing block by a longer one, or by null. */
    final void replace(int number, double[] block) {
        if (number < NEAR) {
            near[number] = block;
        } else {
            row(number).blocks[number & (ROW - 1)] = block;
        }
    }

    /** Restores a stored block. */
    final void putBack(int number, double[] block) {
        if (find(number) != null) {
            throw new IllegalStateException("block " + number + " is already there");
        }
        insert(number, block);
    }
}
