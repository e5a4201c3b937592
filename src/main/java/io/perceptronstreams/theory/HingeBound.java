package io.perceptronstreams.theory;

import io.perceptronstreams.learner.ComparatorWeights;

/**
 * On any data the perceptron makes at most R²|u|² + 2·L(u) mistakes, for any comparison vector u.
 *
 * <p>L(u) is the sum of max(0, 1 - y·(u·x)) over all examples. Assumes: |x| at most R, h = 0, step 1, w = 0 at the
 * start; nothing about the data. Source: Lin 2021, theorem for inseparable data.
 */
public final class HingeBound {
    /*
     * The general form. Let the run start at some w_s, with steps s_t (eta times the weight of the example, at most s+)
     * and margin mistakes below h. Let S be the sum of the steps of all updates, L the sum of s_t·max(0, 1 - y·(u·x))
     * over all examples, a = u·w_s and K = s+·R² + 2h. As in the proof of Lin 2021,
     *
     *   u·w  >= a + sum of s_t(1 - loss_t) over updates >= a + S - L
     *   |w|² <= |w_s|² + sum of s_t²|x|² + 2·s_t·h      <= |w_s|² + S·K
     *   u·w  <= |u||w|
     *
     * hence (S + a - L)² <= |u|²(|w_s|² + S·K) if S + a - L is positive. Solved for S, without the term L², which Lin
     * also drops, and with X = |u|²·K:
     *
     *   S <= (L - a + X/2) + sqrt((L - a + X/2)² + 2·a·L + |u|²|w_s|² - a²)
     *
     * For w_s = 0 this is X + 2L, and with step 1 and h = 0 the bound of Lin. The number of updates is at most S over
     * the smallest step.
     */
    public static final Theorem THEOREM = new Theorem(
            "hinge bound",
            "M <= R^2 |u|^2 + 2 L(u) for any u; from h > 0, M <= (R^2 + 2h/eta) |u|^2 + 2 L(u)",
            "Lin 2021, theorem for inseparable data",
            "|x| <= R, all steps equal, w = 0 at the start (there is a form for any start); nothing about the data");

    private HingeBound() {}

    /**
     * R²|u|² + 2·L(u).
     *
     * @param radius R
     * @param norm |u|
     * @param hingeLoss L(u)
     */
    public static double of(double radius, double norm, double hingeLoss) {
        return radius * radius * norm * norm + 2 * hingeLoss;
    }

    /** Bound on the updates since the comparison weights were set; NaN if it overflows. */
    public static double updates(ComparatorWeights u) {
        if (u.examples() == 0) {
            return 0;
        }
        double growth = u.largestStep() * u.squaredRadius() + 2 * u.largestH();
        return steps(growth, u.squaredNorm(), u.stepLoss(), u.startProduct(), u.startSquaredNorm()) / u.smallestStep();
    }

    /**
     * Bound on the sum of the steps of all updates of a run.
     *
     * @param growth K, the largest step times R², plus 2h
     * @param squaredNorm |u|²
     * @param stepLoss L, the sum of step times hinge loss
     * @param startProduct a = u·w_s
     * @param startSquaredNorm |w_s|²
     */
    public static double steps(
            double growth, double squaredNorm, double stepLoss, double startProduct, double startSquaredNorm) {
        if (stepLoss == Double.POSITIVE_INFINITY) {
            return stepLoss;
        }
        double half = squaredNorm * growth / 2;
        double middle = stepLoss - startProduct + half;
        // not negative except by rounding (Cauchy and Schwarz)
        double start = Math.max(0, squaredNorm * startSquaredNorm - startProduct * startProduct);
        double square = middle * middle + 2 * startProduct * stepLoss + start;
        return middle + Math.sqrt(Math.max(0, square));
    }
}
