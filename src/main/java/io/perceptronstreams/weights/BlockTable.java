package io.perceptronstreams.weights;

import java.util.Arrays;

/**
 * Where blocks of doubles lie by their number, and which of them were changed: what {@link BlockVector} and {@link SparseRows} share.
 *
 * <p>Blocks with numbers below 2^17, hence those of the indices below 2^24 in blocks of 128, are found in one array, which is as
 * long as the largest of them needs (512 KiB at most); those beyond by the digits of their number, in rows of 512 and regions of
 * 256 rows, which are allocated when first touched, so that memory is O(touched blocks) whatever the largest number. Neither needs
 * search nor comparison: where features are spread over many blocks, what w·x costs is steps on the way to a block, and each may
 * be one more wait for memory. A superclass and not a part, which would be such a step, too. Not thread-safe.
 */
abstract sealed class BlockTable implements Blocks permits SparseRows {
    private static final int ROW_SHIFT = 9;
    private static final int ROW = 1 << ROW_SHIFT;
    private static final int REGION_SHIFT = 17;
    private static final int REGION = 1 << (REGION_SHIFT - ROW_SHIFT);
    private static final int NEAR = 1 << REGION_SHIFT;

    /** Blocks whose numbers differ in the last digit only. */
    private static final class Row {
        private final double[][] blocks = new double[ROW][];
        private final boolean[] changed = new boolean[ROW];
    }

    // By number.
    private double[][] near = new double[0][];
    private boolean[] nearChanged = new boolean[0];

    // By region, where something of it was touched, and row; the first region is near.
    private Row[][] far = new Row[0][];
    private long directoryBytes;
    private int count;

    // Numbers of the changed blocks, in order of their first change.
    private int[] changedNumbers = new int[16];
    private int changedCount;

    /** The block of this number, not negative, to be read, or null where it was never touched and hence is all 0. */
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

    /** Notes that a block which is there is about to change. */
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
        show(near, 0, sink);
        for (int region = 0; region < far.length; region++) {
            for (int row = 0; far[region] != null && row < REGION; row++) {
                if (far[region][row] != null) {
                    show(far[region][row].blocks, region << REGION_SHIFT | row << ROW_SHIFT, sink);
                }
            }
        }
    }

    private static void show(double[][] blocks, int first, Sink sink) {
        for (int k = 0; k < blocks.length; k++) {
            if (blocks[k] != null) {
                sink.accept(first + k, blocks[k]);
            }
        }
    }

    /** Forgets every block; each is handed over once more, as null. Cost: O(touched blocks). */
    final void forgetAll() {
        forEach((number, block) -> {
            markChanged(number);
            replace(number, null);
        });
        count = 0;
    }

    @Override
    public final int count() {
        return count;
    }

    /** About how many bytes of heap it takes to find the blocks. */
    final long directoryBytes() {
        return directoryBytes + near.length * 5L + changedNumbers.length * 4L;
    }

    /** Puts a new block in its place. */
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

    /** Puts a longer block in the place of one that is there, or none. */
    final void replace(int number, double[] block) {
        if (number < NEAR) {
            near[number] = block;
        } else {
            row(number).blocks[number & (ROW - 1)] = block;
        }
    }

    /** Puts a block back that was handed over earlier. */
    final void putBack(int number, double[] block) {
        if (find(number) != null) {
            throw new IllegalStateException("block " + number + " is already there");
        }
        insert(number, block);
    }
}
