package io.perceptronstreams.learner;

import io.perceptronstreams.settings.Settings;

/**
 * The sum C of the survival counts of all weight vectors, for an average that may forget.
 *
 * <p>With e = 1, or {@code survival.start} after an update, labelled example t changes the sums of an average A/C to A
 * = l·A + e·w and C = l·C + e, where w are the weights after it and l = 2^(-1/average.halflife); l = 1 if nothing is
 * forgotten.
 *
 * <p>Instead of the past, which is spread over all weights, the present is rescaled: example t counts q = l^-t. So C
 * and the sums of {@link Weights} are those of an average that never forgets, with e·q for e. When q reaches 2^256, all
 * three are multiplied by 2^-256, which is exact except for what is too small to count. l is {@link StrictMath}'s: the
 * same bits on every machine.
 */
public final class Survivals {
    /** Factor by which sums are multiplied where {@link #add} requires it. */
    public static final double SHRINKAGE = 0x1p-256;

    private static final double LARGEST = 0x1p256;

    private double sum;

    // q
    private double unit = 1;

    // 1/l
    private double growth = 1;

    public void configure(Settings settings) {
        double halfLife = settings.get(Settings.AVERAGE_HALF_LIFE);
        growth = halfLife == 0 ? 1 : StrictMath.pow(2, 1 / halfLife);
    }

    /** C; an integer if nothing was ever forgotten. */
    public double sum() {
        return sum;
    }

    /**
     * Counts an example.
     *
     * @param count 0 or 1
     * @return true if the sums of the average must be multiplied by {@link #SHRINKAGE}
     */
    public boolean add(int count) {
        sum += count * unit;
        unit *= growth;
        if (unit < LARGEST) {
            return false;
        }
        sum *= SHRINKAGE;
        unit *= SHRINKAGE;
        return true;
    }

    public void exchangeSum(StateFields fields) {
        sum = fields.notNegative(sum);
    }

    /**
     * Exchanges q; a state without it, as those of earlier versions, has q = 1.
     *
     * @param after number of further numbers that a state may have
     */
    public void exchangeUnit(StateFields fields, int after) {
        boolean isStored =
                fields.isReading() ? fields.left() == 1 || (after > 0 && fields.left() == 1 + after) : unit != 1;
        if (isStored) {
            unit = fields.positive(unit);
        }
    }
}
