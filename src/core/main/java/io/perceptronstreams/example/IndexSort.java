package io.perceptronstreams.example;

import java.util.Arrays;

/**
 * Sorts keys, whose upper 32 bits are not negative and whose lower 32 bits ascend, by radix: O(n), for the many
 * features that crosses make.
 */
final class IndexSort {
    // below, comparisons are faster
    private static final int MIN_SIZE = 128;

    private static final int MAX_DIGIT_BITS = 10;

    private final int[] ends = new int[1 << MAX_DIGIT_BITS];
    private long[] other = new long[0];

    /** Returns {@code keys}, or an array that is as long and reused, with the first {@code size} keys sorted. */
    long[] sort(long[] keys, int size) {
        if (size < MIN_SIZE) {
            Arrays.sort(keys, 0, size);
            return keys;
        }
        if (other.length != keys.length) {
            other = new long[keys.length];
        }
        long all = 0;
        for (int k = 0; k < size; k++) {
            all |= keys[k];
        }
        int bits = Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros((int) (all >>> Integer.SIZE)));
        int digits = (bits + MAX_DIGIT_BITS - 1) / MAX_DIGIT_BITS;
        int digitBits = (bits + digits - 1) / digits;
        long[] from = keys;
        long[] to = other;
        for (int digit = 0; digit < digits; digit++) {
            distribute(from, to, size, Integer.SIZE + digit * digitBits, digitBits);
            long[] sorted = to;
            to = from;
            from = sorted;
        }
        other = to;
        return from;
    }

    /** Copies the keys in the order of one digit; keys of equal digits stay in their order. */
    private void distribute(long[] from, long[] to, int size, int shift, int digitBits) {
        int mask = (1 << digitBits) - 1;
        Arrays.fill(ends, 0, mask + 1, 0);
        for (int k = 0; k < size; k++) {
            ends[(int) (from[k] >>> shift) & mask]++;
        }
        for (int value = 1; value <= mask; value++) {
            ends[value] += ends[value - 1];
        }
        for (int k = size - 1; k >= 0; k--) {
            to[--ends[(int) (from[k] >>> shift) & mask]] = from[k];
        }
    }
}
