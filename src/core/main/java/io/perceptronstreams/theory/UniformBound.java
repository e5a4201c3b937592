package io.perceptronstreams.theory;

/**
 * Training error and test error of any linear separator differ by at most sqrt((P+1)·ln(N+1)/N) + δ.
 *
 * <p>Assumes: N examples drawn independently from one distribution, P features and a bias. Holds with probability at
 * least 1 - exp(-N·δ²/2) for all separators at once, also for one chosen after seeing the examples.
 *
 * <p>Source: Hardt and Recht 2021, chapter 3, by a uniform law of large numbers.
 */
public final class UniformBound {
    public static final Theorem THEOREM = new Theorem(
            "uniform bound",
            "|training error - test error| <= sqrt((P+1) ln(N+1) / N) + delta with probability 1 - exp(-N delta^2 / 2)",
            "Hardt and Recht 2021, chapter 3, by a uniform law of large numbers",
            "examples drawn independently from one distribution, two classes, weights for P features known before the draw");

    private UniformBound() {}

    /** sqrt((P+1)·ln(N+1)/N) + δ. */
    public static double of(long features, long examples, double delta) {
        return Math.sqrt(VcDimension.of(features) * Math.log1p((double) examples) / examples) + delta;
    }

    /** The δ for a probability with which the bound holds, at least: 1 - exp(-N·δ²/2). */
    public static double delta(long examples, double confidence) {
        return Math.sqrt(-2 * Math.log1p(-confidence) / examples);
    }
}
