package io.perceptronstreams.learner;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;

/**
 * Passive-Aggressive updates: the smallest change of w that gives the example a margin of 1, or comes as near as C lets it.
 *
 * <p>Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, figure 1: with the loss l = max(0, 1 - y·u), where it is not 0,
 * w += tau·y·x. A score y·u <= 0 is a mistake, one between 0 and 1 a margin mistake, and both are corrected. Scores, labels, bias,
 * averages and what is stored are the {@link Perceptron}'s; so is the price, O(non-zeros of x).
 *
 * <p>The weight of an example multiplies C, the price of its loss: that is what an importance means in the problem which an
 * update solves. PA has no such price, whence weights do not matter to it. An example without features and bias cannot be given
 * a margin and changes nothing.
 */
enum PassiveAggressive implements UpdateRule {
    /** min |w' - w|^2 where the loss becomes 0: tau = l/|x|^2. One wrong label turns w as far as it takes. */
    PA {
        @Override
        double tau(double cost, double loss, double squaredLength) {
            return loss / squaredLength;
        }
    },
    /** min |w' - w|^2/2 + C·loss: tau = min(C, l/|x|^2). */
    PA_I {
        @Override
        double tau(double cost, double loss, double squaredLength) {
            return Math.min(cost, loss / squaredLength);
        }
    },
    /** min |w' - w|^2/2 + C·loss^2: tau = l/(|x|^2 + 1/(2C)). */
    PA_II {
        @Override
        double tau(double cost, double loss, double squaredLength) {
            return loss / (squaredLength + 1 / (2 * cost));
        }
    };

    /**
     * The step.
     *
     * @param cost C times the example's weight
     */
    abstract double tau(double cost, double loss, double squaredLength);

    @Override
    public void requireFit(Settings settings) {
        UpdateRule.requireNoHingeAndStep(settings, "the Passive-Aggressive learners");
    }

    @Override
    public double hinge(Settings settings) {
        return 1;
    }

    @Override
    public double step(Settings settings, double weight, double loss, double squaredLength) {
        if (squaredLength == 0) {
            return 0;
        }
        double tau = tau(settings.c() * weight, loss, squaredLength);
        if (!Double.isFinite(tau)) {
            throw new RejectedException(
                    RejectReason.SCORE_OVERFLOW,
                    "the step loss/|x|^2 of an update must be finite, got |x|^2 = " + squaredLength
                            + " (scale the features up)");
        }
        return tau;
    }
}
