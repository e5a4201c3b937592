package io.perceptronstreams.theory;

/**
 * For every learning rule on n examples, some distribution that a linear threshold function classifies without error
 * gives an expected test error of at least min((n-1)/2n, (d-1)/2n)·(1-1/n)^n.
 *
 * <p>Assumes: any deterministic rule, d features, n at least 1. The distribution may depend on n and on the rule: this
 * bounds what can be guaranteed without a margin, not the error on given data.
 *
 * <p>Source: Bartlett, theorem 3.1.
 */
public final class MinimaxLowerBound {
    public static final Theorem THEOREM = new Theorem(
            "minimax lower bound",
            "E R >= min((n-1)/2n, (d-1)/2n) (1-1/n)^n for the worst distribution",
            "Bartlett, theorem 3.1",
            "any deterministic rule that uses only n examples with d features, and the worst distribution for it");

    private MinimaxLowerBound() {}

    /** min((n-1)/2n, (d-1)/2n)·(1-1/n)^n. */
    public static double of(long examples, long features) {
        double n = examples;
        return Math.min((n - 1) / (2 * n), (features - 1) / (2 * n)) * Math.pow(1 - 1 / n, n);
    }
}
