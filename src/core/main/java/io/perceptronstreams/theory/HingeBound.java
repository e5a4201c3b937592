package io.perceptronstreams.theory;

import io.perceptronstreams.learner.ComparatorWeights;

/**
 * On any data the perceptron makes at most R²|u|² + 2·L(u) mistakes, for any comparison vector u; this is a tighter
 * form.
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
     * hence (S + a - L)² <= |u|²(|w_s|² + S·K) if S + a - L is positive. Solved for S, with X = |u|²·K:
     *
     *   S <= L - a + X/2 + sqrt(L·X + (X/2 - a)² + |u|²|w_s|² - a²)
     *
     * For w_s = 0 this is L + X/2 + sqrt(L·X + X²/4), never more than X + 2L, the bound of Lin, whose last step drops a
     * term L². The number of updates is at most S over the smallest step.
     */
    public static final Theorem THEOREM = new Theorem(
            "hinge bound",
            "M <= L(u) + X/2 + sqrt(L(u) X + X^2/4) <= X + 2 L(u) for any u, with X = R^2 |u|^2, or (R^2 + 2h/eta) |u|^2",
            "Lin 2021, theorem for inseparable data",
            "|x| <= R, all steps equal, w = 0 at the start (there is a form for any start); nothing about the data");

    private HingeBound() {}

    /**
     * L(u) + X/2 + sqrt(L(u)·X + X²/4).
     *
     * @param growth R², or R² + 2h/eta
     * @param squaredNorm |u|²
     * @param hingeLoss L(u)
     */
    public static double of(double growth, double squaredNorm, double hingeLoss) {
        return steps(growth, squaredNorm, hingeLoss, 0, 0);
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
        // not negative except by rounding (Cauchy and Schwarz)
        double start = Math.max(0, squaredNorm * startSquaredNorm - startProduct * startProduct);
        double square = 2 * half * stepLoss + (half - startProduct) * (half - startProduct) + start;
        return stepLoss - startProduct + half + Math.sqrt(square);
    }
}
