package io.perceptronstreams.multiclass;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.learner.Evidence;
import io.perceptronstreams.learner.Learner;
import io.perceptronstreams.learner.Weights;
import io.perceptronstreams.weights.SparseRows;
import java.util.Arrays;

/**
 * The weight vectors w_c of all classes and the sums for their averages, one row per feature.
 *
 * <p>A row holds each weight w and the sum a of (survivals so far · change) over its changes, as in {@link Weights};
 * C·w - a is the survival-weighted sum of all past values of w. The bias is a feature of value 1 after all others, in a
 * matrix of its own. Sums run in ascending index, class by class; every product and sum is rounded.
 */
final class ClassWeights {
    private final SparseRows rows = new SparseRows();

    // One row, of index 0.
    private final SparseRows biases = new SparseRows();

    /** One row per feature. */
    SparseRows rows() {
        return rows;
    }

    /** One row for the bias, with index 0. */
    SparseRows biases() {
        return biases;
    }

    /**
     * Writes the score w_c·x of every class.
     *
     * @param scores receives the scores; its length is at least {@link SparseRows#roundedUp} of the number of classes
     */
    void score(FeatureVector x, boolean hasBias, double[] scores) {
        sum(x, hasBias, scores, false);
    }

    /** Writes a_c·x of every class. */
    void scoreAverage(FeatureVector x, boolean hasBias, double[] scores) {
        sum(x, hasBias, scores, true);
    }

    private void sum(FeatureVector x, boolean hasBias, double[] sums, boolean isAverage) {
        Arrays.fill(sums, 0);
        rows.addProduct(x, isAverage, sums);
        if (hasBias) {
            biases.addRow(0, x.bias(), isAverage, sums);
        }
    }

    /**
     * Growth of the sum of all |w_c|^2 by an update; changes nothing.
     *
     * @param survivals factor of the change in the averages' sums
     * @return not finite if a weight, its square or an average's sum would not be
     */
    double growth(FeatureVector x, boolean hasBias, double survivals, ClassChange change) {
        double growth = 0;
        for (int k = 0; k < x.size(); k++) {
            growth = growth(growth, rows.find(x.index(k)), x.values()[k], survivals, change);
        }
        return hasBias ? growth(growth, biases.find(0), x.bias(), survivals, change) : growth;
    }

    private static double growth(double before, double[] row, double value, double survivals, ClassChange change) {
        double growth = before;
        for (int k = 0; k < change.size(); k++) {
            growth += growth(row, change.at(k), change.step(k) * value, survivals);
        }
        return growth;
    }

    /**
     * Adds the parts of (w_plus - w_minus)·x.
     *
     * @param plus -1 for a class without weights; {@code minus} the same
     */
    void explain(FeatureVector x, boolean hasBias, int plus, int minus, Evidence evidence) {
        if (hasBias) {
            evidence.setBias(x.bias() * difference(biases.find(0), plus, minus));
        }
        for (int k = 0; k < x.size(); k++) {
            evidence.add(x.index(k), x.values()[k], difference(rows.find(x.index(k)), plus, minus));
        }
    }

    private static double difference(double[] row, int plus, int minus) {
        return (plus < 0 ? 0 : weight(row, plus)) - (minus < 0 ? 0 : weight(row, minus));
    }

    /** Growth of the squared weight of a class in a row by a change; not finite if a number would not be. */
    static double growth(double[] row, int c, double change, double survivals) {
        boolean isThere = row != null && c < SparseRows.columns(row);
        double before = isThere ? row[c] : 0;
        double after = before + change;
        double average = (isThere ? row[SparseRows.columns(row) + c] : 0) + survivals * change;
        // 0 · average is NaN if average is not finite
        return (after - before) * (after + before) + 0 * average;
    }

    /** Number of numbers that {@link #addScaled} would allocate for features, if rows have {@code columns} columns. */
    long newNumbers(FeatureVector x, int columns) {
        long count = 0;
        for (int k = 0; k < x.size(); k++) {
            if (x.values()[k] != 0) {
                count += rows.newNumbers(x.index(k), columns);
            }
        }
        return count;
    }

    /**
     * Makes an update; {@link #growth} must have been finite.
     *
     * <p>Zeros in x allocate nothing. Cost: O(non-zeros of x · changed classes), plus growing rows.
     */
    void addScaled(FeatureVector x, boolean hasBias, double survivals, ClassChange change) {
        for (int k = 0; k < x.size(); k++) {
            double value = x.values()[k];
            if (value != 0) {
                add(rows.touch(x.index(k), change.columns()), value, survivals, change);
            }
        }
        if (hasBias) {
            add(biases.touch(0, change.columns()), x.bias(), survivals, change);
        }
    }

    private static void add(double[] row, double value, double survivals, ClassChange change) {
        int columns = SparseRows.columns(row);
        for (int k = 0; k < change.size(); k++) {
            double added = change.step(k) * value;
            row[change.at(k)] += added;
            row[columns + change.at(k)] += survivals * added;
        }
    }

    /** Multiplies the averages' sums by a factor. Cost: O(numbers). */
    void multiplyAverages(double factor) {
        rows.multiplyAverages(factor);
        biases.multiplyAverages(factor);
    }

    /** Visits one class: every index with a non-zero w or average (C·w - a) / C. */
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
        return row != null && c < SparseRows.columns(row) ? row[c] : 0;
    }

    private static double average(double[] row, int c, double survivals) {
        return row != null && c < SparseRows.columns(row)
                ? Weights.average(row[c], row[SparseRows.columns(row) + c], survivals)
                : 0;
    }
}
