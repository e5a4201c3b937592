package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Rows;
import java.util.Arrays;

/**
 * The weight vectors w_c of all classes and what their averages need, a row for every feature; every inner loop of {@link
 * Multiclass} is here.
 *
 * <p>Averages are kept as in {@link Weights}: beside each weight stands the sum a of (survivals so far · change) over all changes,
 * and C·w - a is the survival-weighted sum of all weights that ever stood there. The bias is a feature of value 1 after all
 * others, in a matrix of its own. Sums run in ascending index, class by class; products and sums are rounded one by one.
 */
final class ClassWeights {
    // So many sums are made four at a time, in registers. More of them lie in memory, and four rows are added in one
    // pass over them: the processor takes several columns at once.
    private static final int FEW = 8;
    private static final int ROWS = 4;

    private final Rows rows = new Rows();

    // One row, of index 0.
    private final Rows biases = new Rows();

    // Of the example that is scored: the rows that are there, and what they are multiplied by.
    private double[][] found = new double[0][];
    private double[] factors = new double[0];

    /** The row for every feature. */
    Rows rows() {
        return rows;
    }

    /** The row of the bias, index 0. */
    Rows biases() {
        return biases;
    }

    /**
     * Writes the score w_c·x of every class.
     *
     * @param scores of the classes from 0 on, with {@link Rows#roundedUp} places for them
     */
    void score(FeatureVector x, boolean hasBias, double[] scores) {
        sum(x, hasBias, scores, false);
    }

    /** Writes a_c·x of every class. */
    void scoreAverage(FeatureVector x, boolean hasBias, double[] scores) {
        sum(x, hasBias, scores, true);
    }

    private void sum(FeatureVector x, boolean hasBias, double[] sums, boolean isAverage) {
        int size = find(x, hasBias);
        if (sums.length <= FEW) {
            for (int c = 0; c < sums.length; c += Rows.STEP) {
                sumFour(c, size, sums, isAverage);
            }
            return;
        }
        Arrays.fill(sums, 0);
        int k = 0;
        for (; k + ROWS <= size; k += ROWS) {
            int columns = addFour(k, sums, isAverage);
            for (int j = k; j < k + ROWS; j++) {
                add(j, columns, sums, isAverage);
            }
        }
        for (; k < size; k++) {
            add(k, 0, sums, isAverage);
        }
    }

    private void sumFour(int c, int size, double[] sums, boolean isAverage) {
        double sum0 = 0;
        double sum1 = 0;
        double sum2 = 0;
        double sum3 = 0;
        for (int k = 0; k < size; k++) {
            double[] row = found[k];
            int columns = Rows.columns(row);
            if (c < columns) {
                int from = isAverage ? columns + c : c;
                double value = factors[k];
                sum0 += value * row[from];
                sum1 += value * row[from + 1];
                sum2 += value * row[from + 2];
                sum3 += value * row[from + 3];
            }
        }
        sums[c] = sum0;
        sums[c + 1] = sum1;
        sums[c + 2] = sum2;
        sums[c + 3] = sum3;
    }

    /** Adds the columns that all four rows have, and returns how many those are. */
    private int addFour(int k, double[] sums, boolean isAverage) {
        double[] row0 = found[k];
        double[] row1 = found[k + 1];
        double[] row2 = found[k + 2];
        double[] row3 = found[k + 3];
        double value0 = factors[k];
        double value1 = factors[k + 1];
        double value2 = factors[k + 2];
        double value3 = factors[k + 3];
        int fewest = Math.min(Math.min(row0.length, row1.length), Math.min(row2.length, row3.length)) / 2;
        int columns = Math.min(fewest, sums.length);
        int from0 = isAverage ? Rows.columns(row0) : 0;
        int from1 = isAverage ? Rows.columns(row1) : 0;
        int from2 = isAverage ? Rows.columns(row2) : 0;
        int from3 = isAverage ? Rows.columns(row3) : 0;
        for (int c = 0; c < columns; c++) {
            sums[c] = sums[c]
                    + value0 * row0[from0 + c]
                    + value1 * row1[from1 + c]
                    + value2 * row2[from2 + c]
                    + value3 * row3[from3 + c];
        }
        return columns;
    }

    private void add(int k, int first, double[] sums, boolean isAverage) {
        double[] row = found[k];
        double value = factors[k];
        int columns = Math.min(Rows.columns(row), sums.length);
        int from = isAverage ? Rows.columns(row) : 0;
        for (int c = first; c < columns; c++) {
            sums[c] += value * row[from + c];
        }
    }

    /** Finds the rows of the features and, last, of the bias, and returns how many there are. */
    private int find(FeatureVector x, boolean hasBias) {
        if (found.length <= x.size()) {
            found = new double[x.values().length + 1][];
            factors = new double[found.length];
        }
        double[] values = x.values();
        boolean isDense = x.isDense();
        int[] indices = x.indices();
        int size = 0;
        for (int k = 0; k < x.size(); k++) {
            double[] row = rows.find(isDense ? k : indices[k]);
            if (row != null) {
                found[size] = row;
                factors[size++] = values[k];
            }
        }
        double[] row = hasBias ? biases.find(0) : null;
        if (row != null) {
            found[size] = row;
            factors[size++] = 1;
        }
        return size;
    }

    /**
     * By how much the sum of all |w_c|^2 would grow if step·x were added to one class and taken from another; changes nothing.
     *
     * @param minus -1 for none
     * @param survivals factor of the change in the averages' sums
     * @return not finite where a weight, its square or an average's sum would not be
     */
    double growth(FeatureVector x, boolean hasBias, double step, double survivals, int plus, int minus) {
        double growth = 0;
        for (int k = 0; k < x.size(); k++) {
            double[] row = rows.find(x.index(k));
            double change = step * x.values()[k];
            growth += growth(row, plus, change, survivals);
            if (minus >= 0) {
                growth += growth(row, minus, -change, survivals);
            }
        }
        if (hasBias) {
            double[] row = biases.find(0);
            growth += growth(row, plus, step, survivals);
            if (minus >= 0) {
                growth += growth(row, minus, -step, survivals);
            }
        }
        return growth;
    }

    private static double growth(double[] row, int c, double change, double survivals) {
        boolean isThere = row != null && c < Rows.columns(row);
        double before = isThere ? row[c] : 0;
        double after = before + change;
        double average = (isThere ? row[Rows.columns(row) + c] : 0) + survivals * change;
        // 0 · average is 0 where it is finite and NaN where not
        return (after - before) * (after + before) + 0 * average;
    }

    /** How many numbers {@link #addScaled} would allocate for features. */
    long newNumbers(FeatureVector x, int plus, int minus) {
        int columns = Math.max(plus, minus) + 1;
        long count = 0;
        for (int k = 0; k < x.size(); k++) {
            if (x.values()[k] != 0) {
                count += rows.newNumbers(x.index(k), columns);
            }
        }
        return count;
    }

    /**
     * Adds step·x to one class and takes it from another, after {@link #growth} has found that everything stays finite.
     *
     * <p>Zeros in x allocate nothing. Cost: O(non-zeros of x), but for rows that have to grow.
     *
     * @param minus -1 for none
     */
    void addScaled(FeatureVector x, boolean hasBias, double step, double survivals, int plus, int minus) {
        int columns = Math.max(plus, minus) + 1;
        for (int k = 0; k < x.size(); k++) {
            double value = x.values()[k];
            if (value != 0) {
                change(rows.touch(x.index(k), columns), step * value, survivals, plus, minus);
            }
        }
        if (hasBias) {
            change(biases.touch(0, columns), step, survivals, plus, minus);
        }
    }

    private static void change(double[] row, double change, double survivals, int plus, int minus) {
        int k = Rows.columns(row);
        row[plus] += change;
        row[k + plus] += survivals * change;
        if (minus >= 0) {
            row[minus] -= change;
            row[k + minus] -= survivals * change;
        }
    }

    /** Shows one class: every index at which w or the weighted mean of all weights, (C·w - a) / C, is not 0. */
    void forEach(int c, String name, double survivals, Learner.WeightVisitor visitor) {
        double[] bias = biases.find(0);
        visitor.vector(name, weight(bias, c), average(bias, c, survivals));
        rows.forEach((index, row) -> {
            double weight = weight(row, c);
            double average = average(row, c, survivals);
            if (weight != 0 || average != 0) {
                visitor.weight(index, weight, average);
            }
        });
    }

    private static double weight(double[] row, int c) {
        return row != null && c < Rows.columns(row) ? row[c] : 0;
    }

    private static double average(double[] row, int c, double survivals) {
        return row != null && c < Rows.columns(row)
                ? Weights.average(row[c], row[Rows.columns(row) + c], survivals)
                : 0;
    }
}
