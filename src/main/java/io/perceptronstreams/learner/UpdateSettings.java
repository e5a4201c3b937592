package io.perceptronstreams.learner;

import java.util.List;

/**
 * Settings of the learners for streams that change or that no hyperplane separates.
 *
 * @param loss whose gradient sgd follows
 * @param rate how the steps of sgd shrink
 * @param isNormalised whether sgd divides its steps by the scale of each feature
 * @param isImplicit whether a step of sgd is that of the gradient after it
 * @param averageHalfLife number of labelled examples in which an average forgets half of its past; 0: it never forgets
 * @param confidence probability with which scw wants a margin
 */
public record UpdateSettings(
        Loss loss, Rate rate, boolean isNormalised, boolean isImplicit, double averageHalfLife, double confidence) {
    /** How the steps of sgd shrink; k is the number of the update. */
    public enum Rate {
        /** eta. */
        CONSTANT,
        /** eta/sqrt(k) (Zinkevich 2003). */
        INVERSE_SQRT,
        /** eta/sqrt(G), where G sums the squared gradients of a feature (Duchi, Hazan and Singer 2011). */
        ADAGRAD
    }

    static final Setting<Loss> LOSS = new Setting<>(
            "loss",
            SettingType.oneOf(Loss.class),
            Loss.SIGMOID,
            settings -> settings.updates().loss(),
            "loss whose gradient sgd follows; sigmoid is bounded: examples that are wrong with confidence move little");
    static final Setting<Rate> RATE = new Setting<>(
            "rate",
            SettingType.oneOf(Rate.class),
            Rate.CONSTANT,
            settings -> settings.updates().rate(),
            "steps of sgd: eta, eta by the root of the number of updates, or eta by the root of the sum of the squared"
                    + " gradients of each feature");
    public static final Setting<Boolean> NORMALISED = new Setting<>(
            "normalised",
            SettingType.flag(),
            false,
            settings -> settings.updates().isNormalised(),
            "whether the steps of sgd are divided by the scale of each feature, so that scale=none suits any units");
    static final Setting<Boolean> IMPLICIT = new Setting<>(
            "implicit",
            SettingType.flag(),
            false,
            settings -> settings.updates().isImplicit(),
            "whether sgd shortens a step to the one that the gradient after it would make, so that none goes too far, however"
                    + " many features an example has; not with loss=perceptron");

    static final Setting<Double> AVERAGE_HALF_LIFE = new Setting<>(
            "average.halflife",
            SettingType.zeroOrNumber(1),
            0.0,
            settings -> settings.updates().averageHalfLife(),
            "number of labelled examples in which the average of predict=averaged forgets half of its past, for streams"
                    + " that change; 0: it never forgets");

    static final Setting<Double> CONFIDENCE = new Setting<>(
            "confidence",
            SettingType.between(0.5, 1),
            0.75,
            settings -> settings.updates().confidence(),
            "probability with which scw wants a score to have the right sign");

    /** In the order of {@link Settings#toMap}. */
    static final List<Setting<?>> DEFINED = List.of(LOSS, RATE, NORMALISED, IMPLICIT, AVERAGE_HALF_LIFE, CONFIDENCE);

    /** What is wrong with these settings together. */
    List<String> faults() {
        // its steps would end at a margin of 0, which is a mistake, and the first ones nowhere
        return isImplicit && loss == Loss.PERCEPTRON
                ? List.of("implicit must be false with loss=perceptron, got true (loss=hinge has such steps)")
                : List.of();
    }
}
