package io.perceptronstreams.sizing;

/**
 * Shares of the examples that models have by their rank r: proportional to r^-s (Zipf 1949), equal for s = 0.
 *
 * <p>Sums over ranks are exact up to 4,096 and integrals beyond, with the trapezoidal correction of Euler and
 * Maclaurin: relative error below 1e-6. Cost: O(1). Immutable.
 */
final class Shares {
    private static final int EXACT = 4096;

    private final double exponent;
    private final double count;
    private final double total;

    /**
     * Creates the shares of some models.
     *
     * @param count number of models, at least 1
     * @param exponent s, not negative
     */
    Shares(double count, double exponent) {
        this.count = count;
        this.exponent = exponent;
        this.total = sum(count);
    }

    /** Share of all models up to a rank. */
    double upTo(double rank) {
        return rank >= count ? 1 : sum(rank) / total;
    }

    /** Share of the model of a rank. */
    double of(double rank) {
        return Math.pow(rank, -exponent) / total;
    }

    /** A value for each share, to be summed. */
    interface OfShare {
        double of(double share);
    }

    /**
     * The sum of a function of the share over all models: exact up to rank 4,096, beyond by the middles of intervals
     * that are a hundredth of their first rank long.
     */
    double sum(OfShare function) {
        double sum = 0;
        double exact = Math.min(count, EXACT);
        for (int rank = 1; rank <= exact; rank++) {
            sum += function.of(of(rank));
        }
        for (double from = exact + 0.5; from < count; ) {
            double to = Math.min(count + 0.5, from * 1.01);
            sum += (to - from) * function.of(of((from + to) / 2));
            from = to;
        }
        return sum;
    }

    /** The sum of r^-s for the ranks up to {@code last}. */
    private double sum(double last) {
        double sum = 0;
        double exact = Math.min(last, EXACT);
        for (int rank = 1; rank <= exact; rank++) {
            sum += Math.pow(rank, -exponent);
        }
        if (last <= EXACT) {
            return sum;
        }
        double first = EXACT;
        double integral = exponent == 1
                ? Math.log(last / first)
                : (Math.pow(last, 1 - exponent) - Math.pow(first, 1 - exponent)) / (1 - exponent);
        return sum + integral + (Math.pow(last, -exponent) - Math.pow(first, -exponent)) / 2;
    }
}
