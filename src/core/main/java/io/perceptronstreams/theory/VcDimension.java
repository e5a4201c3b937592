package io.perceptronstreams.theory;

/**
 * Linear separators of P features with a bias have VC dimension P + 1: they can label some P + 1 points in every way,
 * and no P + 2.
 *
 * <p>Without a bias the VC dimension is P. Source: Hardt and Recht 2021, chapter 3.
 */
public final class VcDimension {
    public static final Theorem THEOREM = new Theorem(
            "VC dimension", "P + 1", "Hardt and Recht 2021, chapter 3", "two classes, P features and a bias");

    private VcDimension() {}

    /** P + 1. */
    public static double of(long features) {
        return features + 1.0;
    }
}
