package io.perceptronstreams.theory;

import java.util.stream.DoubleStream;

/**
 * A multiple c·w of weights, as the u of {@link HingeBound}.
 *
 * @param of name of the weights, in messages
 * @param scale c, not negative
 * @param squaredNorm |c·w|²
 * @param hingeLoss L(c·w), the sum of max(0, 1 - c·y·(w·x)) over the stream
 */
public record ScaledComparator(String of, double scale, double squaredNorm, double hingeLoss) {
    /**
     * The multiple with the least {@link HingeBound}; the least one on a tie.
     *
     * <p>The bound is at most S if (S - L)² >= X·S, that is if L(c·w) + c·sqrt(growth·S)·|w| <= S. For each S the left
     * side is convex in c and linear between the values 1/margin at which an example stops having a loss. So the best c
     * is one of these or 0. Cost: O(n log n).
     *
     * @param margins y·(w·x) of the n examples of a pass; an infinite one has no loss
     * @param passes over the examples
     * @param growth R², or R² + 2h/eta
     * @return null if a margin is NaN
     */
    public static ScaledComparator best(String of, double[] margins, long passes, double growth, double squaredNorm) {
        double[] sorted = DoubleStream.of(margins)
                .filter(margin -> margin != Double.POSITIVE_INFINITY)
                .sorted()
                .toArray();
        int n = sorted.length;
        if (n > 0 && Double.isNaN(sorted[n - 1])) {
            return null;
        }
        double sum = 0;
        for (double margin : sorted) {
            sum += margin;
        }
        double scale = 0;
        double least = HingeBound.of(growth, 0, (double) passes * n);
        // at 1/sorted[active] the examples with a loss are those below `active`, whose margins add up to `sum`
        for (int active = n - 1; active >= 0 && sorted[active] > 0; active--) {
            sum -= sorted[active];
            double c = 1 / sorted[active];
            double bound = HingeBound.of(growth, c * c * squaredNorm, passes * Math.max(0, active - c * sum));
            if (bound < least) {
                least = bound;
                scale = c;
            }
        }
        double loss = 0;
        for (double margin : sorted) {
            loss += Math.max(0, 1 - scale * margin);
        }
        return new ScaledComparator(of, scale, scale * scale * squaredNorm, passes * loss);
    }

    /** The bound on the updates. */
    public double bound(double growth) {
        return HingeBound.of(growth, squaredNorm, hingeLoss);
    }
}
