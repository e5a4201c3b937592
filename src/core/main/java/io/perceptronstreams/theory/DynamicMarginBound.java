package io.perceptronstreams.theory;

/**
 * The perceptron with dynamic margin ends with a margin of at least (1 - alpha)·γ, γ the largest one, and bounds its
 * updates.
 *
 * <p>Assumes: |x| at most R; some unit vector u* with y·(u*·x) at least γ > 0 for every example; equal steps and w = 0
 * at the start; for the margin, passes until one makes no update. Source: Panagiotakopoulos and Tsampouka 2011.
 */
public final class DynamicMarginBound {
    /*
     * Let q = (R/γ)², c = 2(1 - alpha) and steps of 1. An update is made at y·u <= (1 - alpha)|w|²/M, so that
     *
     *   |w_{M+1}|² <= |w_M|²(1 + c/M) + R², |w_1|² <= R², hence |w_M|² <= R²·a_M with a_{M+1} = a_M(1 + c/M) + 1, a_1 =
     *   1
     *
     * and |w_M| >= M·γ, hence M² <= q·a_M. For c different from 1 a_M = (c·P_M - M)/(c - 1), where P_M is the product
     * of 1 + c/k for k < M (by induction). If c > 1, P_M <= M^c (Bernoulli), hence M <= (q·c/(c - 1))^(1/(2 - c)). If c
     * < 1, a_M <= M/(1 - c), hence M <= q/(1 - c). Neither is of use near c = 1. But a_M grows with c, so the bound of
     * each smaller alpha holds, too.
     */
    public static final Theorem THEOREM = new Theorem(
            "dynamic margin",
            "margin(w) >= (1 - alpha)|w|/M >= (1 - alpha) gamma; M <= (R/gamma)^2/(2 alpha - 1) for alpha > 1/2, M <="
                    + " ((R/gamma)^2 (2 - 2 alpha)/(1 - 2 alpha))^(1/(2 alpha)) for alpha < 1/2, and the bounds of all"
                    + " smaller alpha",
            "Panagiotakopoulos and Tsampouka 2011",
            "some unit vector separates all examples with margin gamma > 0, |x| <= R, all steps equal, w = 0 at the start;"
                    + " for the margin, a last pass without update");

    private static final int TRIED = 1000;

    private DynamicMarginBound() {}

    /** Bound on the updates: the least one of alpha and of numbers below it. */
    public static double updates(double radius, double gamma, double alpha) {
        double least = Double.POSITIVE_INFINITY;
        for (int part = 1; part <= TRIED; part++) {
            least = Math.min(least, closedForm(radius / gamma * (radius / gamma), alpha * part / TRIED));
        }
        return least;
    }

    private static double closedForm(double q, double alpha) {
        if (2 * alpha > 1) {
            return q / (2 * alpha - 1);
        }
        // infinite for 1/2
        return Math.pow(q * (2 - 2 * alpha) / (1 - 2 * alpha), 1 / (2 * alpha));
    }
}
