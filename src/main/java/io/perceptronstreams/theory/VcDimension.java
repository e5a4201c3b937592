package io.perceptronstreams.theory;

/**
 * Linear separators of P features have VC dimension P + 1: they can label some P + 1 points in every way, and no P + 2.
 *
 * <p>Assumes a bias; without one the VC dimension is P, and P + 1 still bounds it.
 *
 * <p>Source: Hardt and Recht 2021, claim under ULLN.
 */
public final class VcDimension {
    public static final Theorem THEOREM = new Theorem(
            "VC dimension", "P + 1", "Hardt and Recht 2021, claim under ULLN", "two classes, P features and a bias");

    private VcDimension() {}

    /** P + 1. */
    public static double of(long features) {
        return features + 1.0;
    }
}
