package io.perceptronstreams.learner;

/**
 * Natural logarithms of millionths, in whole millionths, by a table and a polynomial: a third of the time of {@link
 * StrictMath#log}, with the same result for each of the million arguments (a test compares all). Cost: O(1).
 */
final class LogLoss {
    private static final int UNIT = Outcome.UNIT;
    private static final int TABLE_BITS = 7;
    private static final int SHIFT = 52 - TABLE_BITS;
    private static final double LN_2 = StrictMath.log(2);
    private static final double LN_UNIT = StrictMath.log(UNIT);

    // For the middle c of each of 128 parts of [1, 2): 1/c, rounded, and the negative logarithm of that.
    private static final double[] INVERSE = new double[1 << TABLE_BITS];
    private static final double[] LN = new double[INVERSE.length];

    static {
        for (int k = 0; k < INVERSE.length; k++) {
            INVERSE[k] = 1 / (1 + (k + 0.5) / INVERSE.length);
            LN[k] = -StrictMath.log(INVERSE[k]);
        }
    }

    private LogLoss() {}

    /** -ln(p/1,000,000) in millionths, for p from 1 to a million, rounded to the nearest. */
    static long millionths(int p) {
        // p = 2^e·m with m in [1, 2); ln m = ln c + ln(1 + r) with |r| < 2^-8, whose series is cut after r^6/6 < 10^-15
        long bits = Double.doubleToRawLongBits(p);
        int e = (int) (bits >>> 52) - 1023;
        int part = (int) (bits >>> SHIFT) & (INVERSE.length - 1);
        double m = Double.longBitsToDouble((bits & ((1L << 52) - 1)) | (1023L << 52));
        double r = m * INVERSE[part] - 1;
        double series = r * (1 - r * (1 / 2.0 - r * (1 / 3.0 - r * (1 / 4.0 - r * (1 / 5.0)))));
        double loss = LN_UNIT - e * LN_2 - LN[part] - series;
        return (long) (UNIT * loss + 0.5);
    }
}
