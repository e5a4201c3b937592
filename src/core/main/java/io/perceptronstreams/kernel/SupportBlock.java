package io.perceptronstreams.kernel;

import io.perceptronstreams.example.FeatureVector;

/**
 * Stored form of the features of a support vector.
 *
 * <p>The first number is the form. It is followed by the values from index 0 on, or by pairs of index and value,
 * whichever is shorter; trailing zeros are left out. If the bias feature was scaled, its value stands before them. A
 * vector with the same features as another one is a reference to its slot.
 */
final class SupportBlock {
    /** Maximum numbers in a block: it stays below 512 KiB. */
    static final int MAX_NUMBERS = (1 << 16) - 1;

    private static final double DENSE = 0;
    private static final double SPARSE = 1;
    private static final double REFERENCE = 2;
    private static final double DENSE_WITH_BIAS = 3;
    private static final double SPARSE_WITH_BIAS = 4;

    private SupportBlock() {}

    /** Number of numbers in the block of {@code x}. */
    static int numbers(FeatureVector x) {
        int nonZeros = 0;
        int last = -1;
        for (int k = 0; k < x.size(); k++) {
            if (x.values()[k] != 0) {
                nonZeros++;
                last = x.index(k);
            }
        }
        return head(x) + (int) Math.min(2L * nonZeros, last + 1L);
    }

    private static int head(FeatureVector x) {
        return x.bias() == 1 ? 1 : 2;
    }

    static double[] encode(FeatureVector x) {
        double[] block = new double[numbers(x)];
        int nonZeros = 0;
        for (int k = 0; k < x.size(); k++) {
            nonZeros += x.values()[k] != 0 ? 1 : 0;
        }
        int from = head(x);
        boolean isSparse = block.length == from + 2 * nonZeros;
        if (from == 1) {
            block[0] = isSparse ? SPARSE : DENSE;
        } else {
            block[0] = isSparse ? SPARSE_WITH_BIAS : DENSE_WITH_BIAS;
            block[1] = x.bias();
        }
        int at = from;
        for (int k = 0; k < x.size(); k++) {
            double value = x.values()[k];
            if (value != 0 && isSparse) {
                block[at++] = x.index(k);
                block[at++] = value;
            } else if (value != 0) {
                block[from + x.index(k)] = value;
            }
        }
        return block;
    }

    /** Fills {@code x} with the features of a block that is no reference. */
    static void decode(double[] block, FeatureVector x) {
        int from = from(block);
        if (isSparse(block)) {
            x.resetSparse();
            for (int at = from; at < block.length; at += 2) {
                x.append((int) block[at], block[at + 1]);
            }
        } else {
            x.resetDense();
            for (int at = from; at < block.length; at++) {
                x.append(block[at]);
            }
        }
        if (from == 2) {
            x.setBias(block[1]);
        }
    }

    private static boolean isSparse(double[] block) {
        return block[0] == SPARSE || block[0] == SPARSE_WITH_BIAS;
    }

    private static int from(double[] block) {
        return block[0] == DENSE || block[0] == SPARSE ? 1 : 2;
    }

    static double[] reference(int slot) {
        return new double[] {REFERENCE, slot};
    }

    static boolean isReference(double[] block) {
        return block[0] == REFERENCE;
    }

    /** The slot of a reference. */
    static int target(double[] reference) {
        return (int) reference[1];
    }

    /** Returns true if a restored block is one of {@link #encode} or {@link #reference}; the slot is not checked. */
    static boolean isValid(double[] block) {
        if (block == null || block.length == 0 || block.length > MAX_NUMBERS || !(block[0] >= DENSE)) {
            return false;
        }
        if (isReference(block)) {
            return block.length == 2 && block[1] == (int) block[1];
        }
        boolean isKnown = block[0] == DENSE || isSparse(block) || block[0] == DENSE_WITH_BIAS;
        int from = from(block);
        if (!isKnown || block.length < from || (from == 2 && !Double.isFinite(block[1]))) {
            return false;
        }
        if (!isSparse(block)) {
            return true;
        }
        boolean isRight = (block.length - from) % 2 == 0;
        int last = -1;
        for (int at = from; isRight && at < block.length; at += 2) {
            isRight = block[at] == (int) block[at] && block[at] > last;
            last = (int) block[at];
        }
        return isRight;
    }
}
