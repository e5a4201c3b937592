package io.perceptronstreams.theory;

/**
 * Lower and upper bound on the margin γ of the best unit vector, from the learner's own numbers.
 *
 * <p>Lower: w/|w| is a unit vector, so γ is at least margin(w), the smallest y·(w·x)/|w|. Upper: w is the sum of
 * step·y·x over all updates, so w·u* is at least γ times the sum of the steps for the best unit vector u*, and at most
 * |w| (Cauchy and Schwarz); hence γ is at most |w| over the sum of the steps, which is M if all steps are 1. Sources:
 * first half of the proofs in Lin 2021, Bartlett (theorem 2.1) and Harvey 2018 (claim 1.2).
 *
 * <p>Assumes: w = 0 at the start, and updates by multiples of y·x, or of f(x,y) - f(x,y*); any h, eta, weights and
 * order. If the examples are not separable, there is no γ.
 *
 * @param lower margin(w); NaN if it is unknown or not positive
 * @param upper |w| over the sum of the steps; NaN if it is undefined
 */
public record MarginCertificate(double lower, double upper) {
    public static final Theorem THEOREM = new Theorem(
            "margin certificate",
            "margin(w) <= gamma <= |w|/M",
            "first half of the proofs in Lin 2021, Bartlett (theorem 2.1) and Harvey 2018 (claim 1.2)",
            "w = 0 at the start and updates by multiples of y·x (M is the sum of the steps where they are not 1)");

    /**
     * Returns the certificate of a model.
     *
     * @param margin the smallest y·(w·x)/|w| over all examples, or NaN
     * @param norm |w|
     * @param steps the sum of the steps of all updates, or NaN
     */
    public static MarginCertificate of(double margin, double norm, double steps) {
        return new MarginCertificate(margin > 0 ? margin : Double.NaN, upper(norm, steps));
    }

    /** Upper bound: |w| over the sum of the steps; NaN before the first update and if the sum is unknown. */
    public static double upper(double norm, double steps) {
        return steps > 0 && steps < Double.POSITIVE_INFINITY ? norm / steps : Double.NaN;
    }
}
