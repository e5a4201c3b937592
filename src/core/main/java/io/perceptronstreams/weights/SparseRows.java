package io.perceptronstreams.weights;

import io.perceptronstreams.example.FeatureVector;
import java.util.Arrays;

/**
 * A sparse matrix of doubles with an average beside each number: one row per touched feature, one column per class or
 * tag.
 *
 * <p>A row is one array of 2k numbers, with {@code k} large enough for its columns: column {@code c} is at {@code c},
 * the number for its average at {@code k + c}. Columns from {@code k} on and untouched rows are 0. One look-up returns
 * all columns side by side; each column is still summed in ascending index.
 *
 * <p>As {@link Blocks}, a row is the block whose number is its index. Not thread-safe.
 */
public final class SparseRows extends BlockTable {
    /** k is a multiple of this, so that few new columns reallocate a row. */
    public static final int STEP = 4;

    private static final int HEADER_BYTES = 16;

    // Number of rows added in one pass over the sums.
    private static final int TOGETHER = 4;

    private final boolean hasAverages;
    private long numbers;

    // Used for untouched rows.
    private double[] zeros = new double[0];

    /** Creates a matrix of zeros. */
    public SparseRows() {
        this(true);
    }

    private SparseRows(boolean hasAverages) {
        this.hasAverages = hasAverages;
    }

    /**
     * Creates a matrix of zeros without averages: column {@code c} of a row is at {@code c}, and a row has k numbers.
     */
    public static SparseRows withoutAverages() {
        return new SparseRows(false);
    }

    /** k of a row with averages. */
    public static int columns(double[] row) {
        return row.length >> 1;
    }

    /** k for {@code columns} columns, which is also the length of an array of scores. */
    public static int roundedUp(int columns) {
        return (columns + STEP - 1) & -STEP;
    }

    /**
     * The row of an index to be changed; allocates it, or replaces it if it is too short.
     *
     * @param columns minimum number of columns
     */
    public double[] touch(int index, int columns) {
        double[] row = find(index);
        if (row == null) {
            row = new double[length(columns)];
            insert(index, row);
            numbers += row.length;
        } else if (row.length < (hasAverages ? 2 * columns : columns)) {
            row = lengthened(row, length(columns));
            replace(index, row);
        }
        markChanged(index);
        return row;
    }

    private int length(int columns) {
        return hasAverages ? 2 * roundedUp(columns) : roundedUp(columns);
    }

    private double[] lengthened(double[] row, int length) {
        double[] longer = Arrays.copyOf(row, length);
        if (hasAverages) {
            int before = columns(row);
            Arrays.fill(longer, before, 2 * before, 0);
            System.arraycopy(row, before, longer, columns(longer), before);
        }
        numbers += longer.length - row.length;
        return longer;
    }

    /**
     * Adds the product of x with this matrix to {@code sums}: for each column c the products {@code x[i] * row[c]}, in
     * ascending i.
     *
     * <p>Columns beyond the length of {@code sums} are ignored. Cost: O(non-zeros of x · columns), no allocation.
     *
     * @param ofAverages whether to use the numbers for the averages instead
     * @param sums one per column, of length {@link #roundedUp}
     */
    public void addProduct(FeatureVector x, boolean ofAverages, double[] sums) {
        if (sums.length == STEP) {
            addToFour(x, ofAverages, sums);
            return;
        }
        if (zeros.length < 2 * sums.length) {
            zeros = new double[2 * sums.length];
        }
        double[] values = x.values();
        int k = 0;
        for (; k + TOGETHER <= x.size(); k += TOGETHER) {
            addRows(x, k, ofAverages, sums);
        }
        for (; k < x.size(); k++) {
            addRow(rowOrZeros(x, k), values[k], 0, ofAverages, sums);
        }
    }

    /** Adds a row to {@code sums}; does nothing if it was never touched. */
    public void addRow(int index, boolean ofAverages, double[] sums) {
        addRow(index, 1, ofAverages, sums);
    }

    /** Adds a multiple of a row to {@code sums}; does nothing if it was never touched. */
    public void addRow(int index, double factor, boolean ofAverages, double[] sums) {
        double[] row = find(index);
        if (row != null) {
            addRow(row, factor, 0, ofAverages, sums);
        }
    }

    // Four sums in registers.
    private void addToFour(FeatureVector x, boolean ofAverages, double[] sums) {
        double[] values = x.values();
        double sum0 = sums[0];
        double sum1 = sums[1];
        double sum2 = sums[2];
        double sum3 = sums[3];
        for (int k = 0; k < x.size(); k++) {
            double[] row = find(x.index(k));
            if (row != null) {
                int from = ofAverages ? columns(row) : 0;
                sum0 += values[k] * row[from];
                sum1 += values[k] * row[from + 1];
                sum2 += values[k] * row[from + 2];
                sum3 += values[k] * row[from + 3];
            }
        }
        sums[0] = sum0;
        sums[1] = sum1;
        sums[2] = sum2;
        sums[3] = sum3;
    }

    // Four rows in one pass: the compiler vectorizes over columns, and each sum is read and written a quarter as often.
    // The rows are not collected in an array first: the write barrier of each store costs more than the products.
    private void addRows(FeatureVector x, int k, boolean ofAverages, double[] sums) {
        double[] row0 = rowOrZeros(x, k);
        double[] row1 = rowOrZeros(x, k + 1);
        double[] row2 = rowOrZeros(x, k + 2);
        double[] row3 = rowOrZeros(x, k + 3);
        double value0 = x.values()[k];
        double value1 = x.values()[k + 1];
        double value2 = x.values()[k + 2];
        double value3 = x.values()[k + 3];
        int shortest = Math.min(Math.min(row0.length, row1.length), Math.min(row2.length, row3.length));
        int columns = Math.min(shortest >> 1, sums.length);
        addRows(row0, value0, row1, value1, row2, value2, row3, value3, columns, ofAverages, sums);
        if (columns < sums.length) {
            addRow(row0, value0, columns, ofAverages, sums);
            addRow(row1, value1, columns, ofAverages, sums);
            addRow(row2, value2, columns, ofAverages, sums);
            addRow(row3, value3, columns, ofAverages, sums);
        }
    }

    private static void addRows(
            double[] row0,
            double value0,
            double[] row1,
            double value1,
            double[] row2,
            double value2,
            double[] row3,
            double value3,
            int columns,
            boolean ofAverages,
            double[] sums) {
        int from0 = ofAverages ? columns(row0) : 0;
        int from1 = ofAverages ? columns(row1) : 0;
        int from2 = ofAverages ? columns(row2) : 0;
        int from3 = ofAverages ? columns(row3) : 0;
        for (int c = 0; c < columns; c++) {
            sums[c] = sums[c]
                    + value0 * row0[from0 + c]
                    + value1 * row1[from1 + c]
                    + value2 * row2[from2 + c]
                    + value3 * row3[from3 + c];
        }
    }

    private double[] rowOrZeros(FeatureVector x, int k) {
        double[] row = find(x.index(k));
        return row == null ? zeros : row;
    }

    private static void addRow(double[] row, double value, int first, boolean ofAverages, double[] sums) {
        int columns = Math.min(columns(row), sums.length);
        int from = ofAverages ? columns(row) : 0;
        for (int c = first; c < columns; c++) {
            sums[c] += value * row[from + c];
        }
    }

    /** Multiplies the numbers for the averages by a factor. Cost: O(numbers). */
    public void multiplyAverages(double factor) {
        forEach((index, shown) -> {
            double[] row = touch(index, columns(shown));
            for (int c = columns(row); c < row.length; c++) {
                row[c] *= factor;
            }
        });
    }

    /** Number of additional numbers that {@link #touch} would allocate. */
    public int newNumbers(int index, int columns) {
        double[] row = find(index);
        int before = row == null ? 0 : row.length;
        return Math.max(0, length(columns) - before);
    }

    /** Number of numbers in all rows, averages included. */
    public long numbers() {
        return numbers;
    }

    @Override
    public void restore(int index, double[] row) {
        int multiple = hasAverages ? 2 * STEP : STEP;
        if (row.length % multiple != 0) {
            throw new IllegalArgumentException(
                    "row " + index + " must have a multiple of " + multiple + " numbers, got " + row.length);
        }
        putBack(index, row);
        numbers += row.length;
    }

    @Override
    public long heapBytes() {
        return numbers * Double.BYTES + (long) count() * HEADER_BYTES + directoryBytes();
    }
}
