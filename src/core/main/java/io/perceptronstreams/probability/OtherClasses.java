package io.perceptronstreams.probability;

import io.perceptronstreams.state.StoredBits;

/**
 * How the classes that were not predicted share the rest of the probability: in proportion to exp(t·d), where d is the
 * distance of a score from the largest of theirs, in mean leads. t follows the true ones by Newton steps that forget.
 */
final class OtherClasses {
    private static final double KEPT = 0.998;
    private static final double NONE = 0.002;

    private double temperature = 1;
    private double curvature = 1;

    /** Share of a class before it is divided by the sum of all. */
    double weight(double distance) {
        return StrictMath.exp(temperature * distance);
    }

    /**
     * Learns which of them was true.
     *
     * @param ofTrue its distance
     * @param mean of the distances, by the shares
     * @param meanSquare of their squares
     */
    void learn(double ofTrue, double mean, double meanSquare) {
        curvature = Logistic.rounded(KEPT * curvature + (meanSquare - mean * mean) + NONE);
        temperature = Logistic.rounded(Math.max(0, temperature + (ofTrue - mean) / curvature));
    }

    double temperature() {
        return temperature;
    }

    double curvature() {
        return curvature;
    }

    void restore(double storedTemperature, double storedCurvature) {
        temperature = Logistic.rounded(storedTemperature);
        curvature = Logistic.rounded(storedCurvature);
    }

    /** Writes or restores what was learned. */
    void exchange(StoredBits bits) {
        if (bits.flag(temperature != 1 || curvature != 1)) {
            temperature = Logistic.exchange(bits, temperature);
            curvature = Logistic.exchange(bits, curvature);
        }
    }
}
