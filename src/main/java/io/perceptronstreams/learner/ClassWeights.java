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
    // How many rows are added in one pass, and up to how many classes need none.
    private static final int TOGETHER = 4;

    private final Rows rows = new Rows();

    // One row, of index 0.
    private final Rows biases = new Rows();

    // Stands for rows that are not there.
    private double[] zeros = new double[0];

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

    // Four rows are added in one pass over the sums: the processor takes several columns at once, and a sum is read and
    // written a quarter as often. Rows are not first put into an array of rows: what the garbage collector has done on
    // each such store costs more than the products.
    private void sum(FeatureVector x, boolean hasBias, double[] sums, boolean isAverage) {
        if (sums.length == TOGETHER) {
            sumOfFour(x, hasBias, sums, isAverage);
            return;
        }
        if (zeros.length < 2 * sums.length) {
            zeros = new double[2 * sums.length];
        }
        Arrays.fill(sums, 0);
        double[] values = x.values();
        int k = 0;
        for (; k + TOGETHER <= x.size(); k += TOGETHER) {
            double[] row0 = row(x, k);
            double[] row1 = row(x, k + 1);
            double[] row2 = row(x, k + 2);
            double[] row3 = row(x, k + 3);
            int longest = Math.max(Math.max(row0.length, row1.length), Math.max(row2.length, row3.length));
            int shortest = Math.min(Math.min(row0.length, row1.length), Math.min(row2.length, row3.length));
            int columns = Math.min(shortest >> 1, sums.length);
            addFour(row0, row1, row2, row3, values, k, columns, sums, isAverage);
            if (columns < sums.length && shortest < longest) {
                addFrom(columns, row0, values[k], sums, isAverage);
                addFrom(columns, row1, values[k + 1], sums, isAverage);
                addFrom(columns, row2, values[k + 2], sums, isAverage);
                addFrom(columns, row3, values[k + 3], sums, isAverage);
            }
        }
        for (; k < x.size(); k++) {
            addFrom(0, row(x, k), values[k], sums, isAverage);
        }
        double[] bias = hasBias ? biases.find(0) : null;
        if (bias != null) {
            addFrom(0, bias, 1, sums, isAverage);
        }
    }

    /** Up to four classes: every row has four columns, whose sums are made in registers. */
    private void sumOfFour(FeatureVector x, boolean hasBias, double[] sums, boolean isAverage) {
        double[] values = x.values();
        double[] bias = hasBias ? biases.find(0) : null;
        int size = bias == null ? x.size() : x.size() + 1;
        double sum0 = 0;
        double sum1 = 0;
        double sum2 = 0;
        double sum3 = 0;
        for (int k = 0; k < size; k++) {
            double[] row = k < x.size() ? rows.find(x.index(k)) : bias;
            if (row != null) {
                int from = isAverage ? Rows.columns(row) : 0;
                double value = k < x.size() ? values[k] : 1;
                sum0 += value * row[from];
                sum1 += value * row[from + 1];
                sum2 += value * row[from + 2];
                sum3 += value * row[from + 3];
            }
        }
        sums[0] = sum0;
        sums[1] = sum1;
        sums[2] = sum2;
        sums[3] = sum3;
    }

    private double[] row(FeatureVector x, int k) {
        double[] row = rows.find(x.index(k));
        return row == null ? zeros : row;
    }

    private static void addFour(
            double[] row0,
            double[] row1,
            double[] row2,
            double[] row3,
            double[] values,
            int k,
            int columns,
            double[] sums,
            boolean isAverage) {
        double value0 = values[k];
        double value1 = values[k + 1];
        double value2 = values[k + 2];
        double value3 = values[k + 3];
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
    }

    private static void addFrom(int first, double[] row, double value, double[] sums, boolean isAverage) {
        int columns = Math.min(Rows.columns(row), sums.length);
        int from = isAverage ? Rows.columns(row) : 0;
        for (int c = first; c < columns; c++) {
            sums[c] += value * row[from + c];
        }
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
