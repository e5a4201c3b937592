package io.perceptronstreams.probability;

/** The logistic function, by {@link StrictMath}: the same bits on every machine. */
final class Logistic {
    private Logistic() {}

    /** 1 / (1 + exp(-odds)), without overflow. */
    static double probability(double odds) {
        double small = StrictMath.exp(-Math.abs(odds));
        double larger = 1 / (1 + small);
        // a choice of two numbers, not of two ways, which could not be foreseen
        return odds >= 0 ? larger : small * larger;
    }

    /** Log-odds of a probability between 0 and 1. */
    static double odds(double probability) {
        return StrictMath.log(probability / (1 - probability));
    }

    /** Rounds to 20 binary digits behind the first, half up: the last 32 of 64 bits are 0, and are not stored. */
    static double rounded(double number) {
        return Double.longBitsToDouble((Double.doubleToRawLongBits(number) + (1L << 31)) & -1L << 32);
    }
}
