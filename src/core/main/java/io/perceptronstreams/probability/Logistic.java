package io.perceptronstreams.probability;

import io.perceptronstreams.state.StoredBits;

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

    /** Rounds to a multiple of 1/parts, a power of two; half to even. */
    static double rounded(double number, int parts) {
        // no -0.0, which would be stored as 0.0
        return Math.rint(number * parts) / parts + 0.0;
    }

    /** Exchanges a number that {@link #rounded(double)} has made. */
    static double exchange(StoredBits bits, double number) {
        return Double.longBitsToDouble(bits.raw(Integer.SIZE, Double.doubleToRawLongBits(number) >>> 32) << 32);
    }

    /** Exchanges a number that {@link #rounded(double, int)} has made. */
    static double exchange(StoredBits bits, StoredBits.Kind kind, double number, int parts) {
        return (double) bits.signed(kind, (long) (number * parts)) / parts;
    }
}
