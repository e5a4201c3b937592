package io.perceptronstreams.learner;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.settings.Settings;

/**
 * Passive-Aggressive updates: the smallest change of w that gives the example a margin of 1, or as much of it as C
 * allows.
 *
 * <p>Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, figure 1: with the loss l = max(0, 1 - y·u), if l > 0, w
 * += tau·y·x. A score y·u <= 0 is a mistake, one between 0 and 1 a margin mistake. Scores, labels, bias, averages,
 * stored state and cost are those of {@link Perceptron}.
 *
 * <p>The weight of an example multiplies C, the price of its loss. PA has no price and ignores weights. An example
 * without features and bias cannot get a margin and changes nothing.
 */
public enum PassiveAggressive implements UpdateRule {
    /** min |w' - w|^2 with loss 0: tau = l/|x|^2. A single wrong label can turn w completely. */
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
    public double hinge(Settings settings, int y, NormCheck norm) {
        return 1;
    }

    @Override
    public double step(Settings settings, double weight, double loss, double squaredLength) {
        if (squaredLength == 0) {
            return 0;
        }
        double tau = tau(settings.get(Settings.C) * weight, loss, squaredLength);
        if (!Double.isFinite(tau)) {
            throw new RejectedException(
                    RejectReason.SCORE_OVERFLOW,
                    "the step loss/|x|^2 of an update must be finite, got |x|^2 = " + squaredLength
                            + " (scale the features up)");
        }
        return tau;
    }
}
