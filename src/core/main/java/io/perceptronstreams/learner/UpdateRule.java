package io.perceptronstreams.learner;

import io.perceptronstreams.settings.Settings;

/**
 * Hinge and step of a learner that adds multiples of y·x to the weights.
 *
 * <p>{@link Perceptron} makes an update if y·u <= 0 or y·u is below the hinge.
 */
interface UpdateRule {
    /**
     * Hinge h >= 0 of the class y, -1 or +1: 0 < y·u < h is a margin mistake.
     *
     * @param norm of the weights; the hinge is computed again after each update
     */
    double hinge(Settings settings, int y, NormCheck norm);

    /** Returns true if y·u = h is a margin mistake, too. */
    default boolean isInclusive(Settings settings) {
        return settings.get(Settings.H_INCLUSIVE);
    }

    /**
     * Factor of y·x in an update; changes nothing.
     *
     * @param weight of the example
     * @param loss max(0, h - y·u)
     * @param squaredLength |x|^2 with the bias feature
     * @return >= 0; the learner rejects an infinite one
     * @throws io.perceptronstreams.example.RejectedException if there is no step for this example
     */
    double step(Settings settings, double weight, double loss, double squaredLength);
}
