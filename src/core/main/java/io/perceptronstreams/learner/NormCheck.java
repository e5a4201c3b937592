package io.perceptronstreams.learner;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;

/**
 * |w|^2 of a learner and an upper bound B that follows from its updates: a check of the state. Also R^2 and the sum of
 * the steps.
 *
 * <p>An update adds step·d to w, where d is y·x with two classes, f(x,y) - f(x,y*) with several classes or structures,
 * and y·phi(x) with a kernel, so |d|^2 = K(x,x). With the margin m = w·d before the update, |w|^2 changes by exactly
 * step^2·|d|^2 + 2·step·m. Hence, for any data, step, weight and h:
 *
 * <ul>
 * <li>|w|^2 is at most the sum B of step^2·|d|^2 + 2·step·max(0, m) over all updates. If all steps are 1 and m at most
 *     h, B is at most (R^2 + 2h)·M, and R^2·M for h = 0: the inequalities in the proofs of Novikoff 1962 and Bartlett
 *     (Hardt and Recht 2021 and Harvey 2018 for h = 1);
 * <li>|w|^2 is never negative;
 * <li>|m| is at most |w|·|d| (Cauchy and Schwarz).
 * </ul>
 */
public final class NormCheck {
    /*
     * m and the change of |w|^2 come from the stored weights, |w|^2 and B from sums kept beside them: if the two
     * disagree far enough, an inequality is broken.
     *
     * Tolerance. |w|^2 is a sum of products (after - before)·(after + before) over the d_k of all updates. Let e =
     * 2^-53, n the largest number of non-zeros, M the number of updates. By Cauchy and Schwarz, rounding in one update
     * adds at most about n·e times 2·step·|d|·|w| + step^2·|d|^2, over all updates at most n·e·(2·sqrt(M) + 1)·B;
     * rounding of the weights and the sums adds at most about 4·M·e·B. Both stay below 10^-6·B while n·sqrt(M) and M
     * are below 2·10^9, and in practice, where errors cancel, far beyond. The tolerance is relative to B and not to
     * |w|^2, because amounts that were added and subtracted again leave their rounding errors. The absolute 10^-300
     * covers subnormal numbers. After an overflow of B nothing is checked.
     */
    private static final double RELATIVE = 1e-6;
    private static final double ABSOLUTE = 1e-300;

    private double squaredNorm;
    private double most;
    private double steps;
    private double squaredRadius;

    /** |w|^2. */
    public double squaredNorm() {
        return squaredNorm;
    }

    /** B, the upper bound of |w|^2. */
    public double most() {
        return most;
    }

    /** Sum of all steps, M if they are 1; NaN if it does not bound a margin. */
    public double steps() {
        return steps;
    }

    /** R^2. */
    public double squaredRadius() {
        return squaredRadius;
    }

    /** Raises R^2 to the squared length of an example. */
    public void observe(double squaredLength) {
        squaredRadius = Math.max(squaredRadius, squaredLength);
    }

    /** Exchanges |w|^2 and R^2, which all learners store. */
    public void exchangeSquares(StateFields fields) {
        exchangeNorm(fields);
        exchangeRadius(fields);
    }

    public void exchangeNorm(StateFields fields) {
        squaredNorm = fields.square(squaredNorm);
    }

    public void exchangeRadius(StateFields fields) {
        squaredRadius = fields.square(squaredRadius);
    }

    /** Exchanges B and the sum of the steps. */
    public void exchangeSums(StateFields fields) {
        most = fields.notNegative(most);
        steps = fields.any(steps);
    }

    /** Sets |w|^2 after an update to which the inequalities do not apply; rounding may have made it negative. */
    public void replace(double newSquaredNorm) {
        squaredNorm = Math.max(0, newSquaredNorm);
        forget();
    }

    /** Sets B and the steps to unknown: nothing is checked any more. */
    public void forget() {
        most = Double.POSITIVE_INFINITY;
        steps = Double.NaN;
    }

    /** Restores |w|^2, B and the sum of the steps. */
    public void restore(double storedSquaredNorm, double storedMost, double storedSteps) {
        squaredNorm = storedSquaredNorm;
        most = storedMost;
        steps = storedSteps;
    }

    /**
     * Checks an update before it is made; changes nothing.
     *
     * @param step > 0
     * @param margin m = w·d
     * @param squaredLength |d|^2
     * @param growth of |w|^2 by this update, from the stored weights
     * @throws RejectedException with {@link RejectReason#SCORE_OVERFLOW} if |w|^2 would not be finite, with {@link
     *     RejectReason#MODEL_QUARANTINED} if an inequality is broken
     */
    public void check(double step, double margin, double squaredLength, double growth) {
        double norm = after(growth, step, "lower eta");
        double bound = most + addition(step, margin, squaredLength);
        double slack = RELATIVE * bound + ABSOLUTE;
        double largest = Math.sqrt(squaredNorm + slack) * Math.sqrt(squaredLength + ABSOLUTE) * (1 + RELATIVE);
        if (!(Math.abs(margin) <= largest)) {
            throw unsound("a score must be at most |w|·|x| = " + largest + ", got " + margin);
        }
        if (!(norm >= -slack && norm <= bound + slack)) {
            throw unsound("|w|^2 must be at least 0 and at most " + bound
                    + ", the largest norm that its updates allow, got " + norm);
        }
    }

    /**
     * |w|^2 after an update; changes nothing.
     *
     * @param growth of |w|^2 by this update; not finite if a number of the state would not be
     * @param step for the message
     * @param remedy of an overflow besides scaling the features
     * @throws RejectedException with {@link RejectReason#SCORE_OVERFLOW} if it would not be finite
     */
    public double after(double growth, double step, String remedy) {
        double norm = squaredNorm + growth;
        if (!Double.isFinite(norm)) {
            throw new RejectedException(
                    RejectReason.SCORE_OVERFLOW,
                    "the weights must stay finite after an update, got an overflow by a step of " + step
                            + " (lower the weight of the example, scale its features down, or " + remedy + ")");
        }
        return norm;
    }

    private static RejectedException unsound(String broken) {
        return new RejectedException(
                RejectReason.MODEL_QUARANTINED,
                broken + " (the stored weights are corrupt, or this is a bug; reset the model)");
    }

    /** Enters an update; {@link #check} must have passed. */
    public void enter(double step, double margin, double squaredLength, double growth) {
        squaredNorm = Math.max(0, squaredNorm + growth);
        most += addition(step, margin, squaredLength);
        steps += step;
    }

    /**
     * Enters the removal of terms from w, which decreases |w|^2 by {@code shrinkage}, or increases it if that is
     * negative.
     *
     * <p>B grows with |w|^2 and so stays above it. The steps become unknown.
     */
    public void enterRemoval(double shrinkage) {
        squaredNorm = Math.max(0, squaredNorm - shrinkage);
        most += Math.max(0, -shrinkage);
        loseSteps();
    }

    /** Sets the steps to unknown after an update for which {@link #steps} does not bound a margin. */
    public void loseSteps() {
        steps = Double.NaN;
    }

    // step·(step·|d|^2), because step^2 might overflow while |d| is 0
    private static double addition(double step, double margin, double squaredLength) {
        return step * (step * squaredLength) + 2 * step * Math.max(0, margin);
    }
}
