package io.perceptronstreams.theory;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;

/**
 * A sum Σ n_i·y_i·x_i with n_i > 0, computed exactly: if it is 0, no hyperplane separates the examples.
 *
 * <p>A separator u would have y_i·(u·x_i) > 0 for all i, and thus u·(Σ n_i·y_i·x_i) > 0 (Gordan 1873: exactly one of
 * the two exists). If the weights of a perceptron return to an earlier value, its updates in between are such a sum,
 * except for rounding.
 */
public final class ZeroSum {
    public static final Theorem THEOREM = new Theorem(
            "no separator",
            "no u has y_i (u·x_i) > 0 for all i if sum n_i y_i x_i = 0 for some n_i >= 0 that are not all 0",
            "Gordan 1873",
            "none; the sum is computed exactly");

    private static final int BIAS = -1;

    private final Map<Integer, BigDecimal> sums = new HashMap<>();
    private int terms;

    /**
     * Adds n·weight·y·x; their product need not be a double.
     *
     * @param indices of the features of x, not negative
     * @param values of the features
     * @param size number of features
     * @param hasBias whether x has another feature of value 1
     * @param n number of updates, times y; not 0
     * @param weight of the example, positive
     */
    public void add(int[] indices, double[] values, int size, boolean hasBias, int n, double weight) {
        BigDecimal factor = new BigDecimal(weight).multiply(BigDecimal.valueOf(n));
        for (int k = 0; k < size; k++) {
            sums.merge(indices[k], factor.multiply(new BigDecimal(values[k])), BigDecimal::add);
        }
        if (hasBias) {
            sums.merge(BIAS, factor, BigDecimal::add);
        }
        terms++;
    }

    /** Returns true if there is a term, and all features of the sum are exactly 0. */
    public boolean isZero() {
        return terms > 0 && sums.values().stream().allMatch(sum -> sum.signum() == 0);
    }
}
