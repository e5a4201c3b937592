package io.perceptronstreams.learner;

/**
 * When {@link Perceptron} corrects its weights, and by how much: what tells the learners apart that add a multiple of y·x.
 *
 * <p>The learner makes an update where y·u is not above the hinge (below it, or not above 0), and asks how long a step to make.
 */
interface UpdateRule {
    /**
     * Refuses settings that the rule would not heed.
     *
     * @throws IllegalArgumentException if there is one
     */
    void requireFit(Settings settings);

    /** The hinge h >= 0: 0 < y·u < h is a margin mistake. */
    double hinge(Settings settings);

    /**
     * The factor of y·x in an update, before anything is changed.
     *
     * @param weight of the example
     * @param loss max(0, h - y·u)
     * @param squaredLength |x|^2 with the bias feature
     * @return >= 0, and finite unless the learner is to find an overflow
     * @throws io.perceptronstreams.example.RejectedException if there is no such step for this example
     */
    double step(Settings settings, double weight, double loss, double squaredLength);

    /**
     * Refuses h and eta for a learner that has a hinge of 1 and finds its own step.
     *
     * @throws IllegalArgumentException if one is set
     */
    static void requireNoHingeAndStep(Settings settings, String who) {
        if (settings.h() != 0 || settings.isHInclusive() || settings.eta() != 1) {
            throw new IllegalArgumentException("h, h.inclusive and eta must keep their defaults 0, false and 1 for "
                    + who
                    + ", which have a hinge of 1 and steps of their own, got h=" + settings.h() + ", h.inclusive="
                    + settings.isHInclusive() + ", eta=" + settings.eta());
        }
    }
}
