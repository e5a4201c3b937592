package io.perceptronstreams.learner;

import io.perceptronstreams.settings.Settings;

/**
 * The perceptron with dynamic margin: the largest margin but for a share alpha, without knowing it.
 *
 * <p>Panagiotakopoulos and Tsampouka 2011: with w the sum of M updates y·x, no unit vector separates the examples with
 * a margin above |w|/M. An update is made if the margin y·u/|w| is at most (1 - alpha) times that bound: y·u <= (1 -
 * alpha)·|w|^2/M. A score y·u <= 0 is a mistake, any other update a margin mistake. When no example is updated any
 * more, w has at least (1 - alpha) times the largest margin. alpha = 1 is the perceptron. Scores, labels, bias,
 * averages, stored state and cost are those of {@link Perceptron}.
 *
 * <p>A step is the weight of the example, and M the sum of the steps. Multiplying all steps by a number would change
 * nothing, so there is no eta.
 */
public final class DynamicMargin implements UpdateRule {
    @Override
    public double hinge(Settings settings, int y, NormCheck norm) {
        double hinge = (1 - settings.get(Settings.ALPHA)) * (norm.squaredNorm() / norm.steps());
        // not before the first update, nor with an imported state without the sum
        return norm.steps() > 0 && Double.isFinite(hinge) ? hinge : 0;
    }

    @Override
    public boolean isInclusive(Settings settings) {
        return true;
    }

    @Override
    public double step(Settings settings, double weight, double loss, double squaredLength) {
        return weight;
    }
}
