package io.perceptronstreams.example;

import java.util.Arrays;

/**
 * A sparse matrix of doubles with an average beside each: a row for every feature that was touched, a column for every class or
 * tag.
 *
 * <p>A row is one array of 2k numbers, {@code k} as large as its columns need: the number of column {@code c} stands at {@code c},
 * what its average needs at {@code k + c}; numbers of columns from {@code k} on are 0, and so are rows that were never touched.
 * One look-up gives the numbers of all columns side by side, so that scoring an example adds {@code x[i] * row[c]} over
 * contiguous columns while the sum of each column still runs in ascending index.
 *
 * <p>As {@link Blocks}, a row is the block whose number is its index. Not thread-safe.
 */
public final class Rows extends BlockDirectory {
    /** k is a multiple of this, so that not every new column makes a row move. */
    public static final int STEP = 4;

    private static final int HEADER_BYTES = 16;

    private long numbers;

    /** A matrix of zeros. */
    public Rows() {}

    /** The k of a row. */
    public static int columns(double[] row) {
        return row.length >> 1;
    }

    /** The k of a row that needs {@code columns} columns: the scores of an example need so many places. */
    public static int roundedUp(int columns) {
        return (columns + STEP - 1) & -STEP;
    }

    /**
     * The row of an index to be changed; allocates it where it is new, and replaces it by a longer one where it is too short.
     *
     * @param columns how many columns the row must have at least
     */
    public double[] touch(int index, int columns) {
        double[] row = find(index);
        if (row == null) {
            row = new double[2 * roundedUp(columns)];
            insert(index, row);
            numbers += row.length;
        } else if (row.length < 2 * columns) {
            row = lengthened(row, roundedUp(columns));
            replace(index, row);
        }
        markChanged(index);
        return row;
    }

    private double[] lengthened(double[] row, int k) {
        int before = columns(row);
        double[] longer = Arrays.copyOf(row, 2 * k);
        Arrays.fill(longer, before, 2 * before, 0);
        System.arraycopy(row, before, longer, k, before);
        numbers += longer.length - row.length;
        return longer;
    }

    /** How many numbers {@link #touch} would allocate beyond those that are there. */
    public int newNumbers(int index, int columns) {
        double[] row = find(index);
        int before = row == null ? 0 : row.length;
        return Math.max(0, 2 * roundedUp(columns) - before);
    }

    /** How many numbers all rows have together, averages included. */
    public long numbers() {
        return numbers;
    }

    @Override
    public void restore(int index, double[] row) {
        if (row.length % (2 * STEP) != 0) {
            throw new IllegalArgumentException(
                    "row " + index + " must have a multiple of " + 2 * STEP + " numbers, got " + row.length);
        }
        putBack(index, row);
        numbers += row.length;
    }

    @Override
    public long heapBytes() {
        return numbers * Double.BYTES + (long) count() * HEADER_BYTES + directoryBytes();
    }
}
