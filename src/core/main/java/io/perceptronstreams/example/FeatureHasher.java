package io.perceptronstreams.example;

import java.util.Arrays;

/**
 * Maps feature names to indices in [0, 2^bits): the "hashing trick" (Weinberger et al. 2009), without signs.
 *
 * <p>The index is the lowest {@code bits} bits of MurmurHash3 (x86, 32 bits, seed 0; Appleby, public domain) of the
 * UTF-8 bytes. Crosses fold the whole hashes of their features, see {@link #crossed}. Both functions are part of every
 * stored model and must never change.
 */
public final class FeatureHasher {
    /** Maximum number of bits; indices are non-negative ints. */
    public static final int MAX_BITS = 30;

    private final int mask;
    private final FeatureRules rules;

    /**
     * Creates a hasher for features that are all used and not crossed.
     *
     * @param bits from 1 to {@link #MAX_BITS}; there are 2^bits indices
     */
    public FeatureHasher(int bits) {
        this(bits, null);
    }

    /** @param rules for the features of an example, or null for none */
    public FeatureHasher(int bits, FeatureRules rules) {
        if (bits < 1 || bits > MAX_BITS) {
            throw new IllegalArgumentException("hash.bits must be from 1 to " + MAX_BITS + ", got " + bits);
        }
        this.mask = (1 << bits) - 1;
        this.rules = rules;
    }

    /** Returns true if both map all features in the same way. */
    public boolean isSameAs(FeatureHasher other) {
        return this == other || (mask == other.mask && rules == null && other.rules == null);
    }

    /** The rules for the features of an example, or null. */
    public FeatureRules rules() {
        return rules;
    }

    /** Returns the index of a name of {@code length} bytes. */
    public int index(byte[] utf8, int offset, int length) {
        return murmur3(utf8, offset, length) & mask;
    }

    /** Returns the index of a name by its {@linkplain #murmur3 whole hash}. */
    public int index(int hash) {
        return hash & mask;
    }

    /**
     * Returns the index of a name to show, which with crosses may be the name of one: {@code item^7*user^42}.
     *
     * <p>Names of single features that contain {@code *} cannot be told from those: a model with crosses does not keep
     * them.
     */
    public int shownIndex(byte[] utf8, int offset, int length) {
        if (!isCross(utf8, offset, length)) {
            return index(utf8, offset, length);
        }
        int[] hashes = new int[length];
        int count = 0;
        for (int from = offset, at = offset; at <= offset + length; at++) {
            if (at == offset + length || utf8[at] == '*') {
                hashes[count++] = murmur3(utf8, from, at - from);
                from = at + 1;
            }
        }
        int[] ascending = Arrays.copyOf(hashes, count);
        sort(ascending);
        return crossed(ascending, count);
    }

    /** Returns true if a name to show names a cross. */
    public boolean isCross(byte[] utf8, int offset, int length) {
        if (rules == null || !rules.hasCrosses()) {
            return false;
        }
        for (int at = offset; at < offset + length; at++) {
            if (utf8[at] == '*') {
                return true;
            }
        }
        return false;
    }

    private static void sort(int[] hashes) {
        for (int k = 0; k < hashes.length; k++) {
            hashes[k] ^= Integer.MIN_VALUE;
        }
        Arrays.sort(hashes);
        for (int k = 0; k < hashes.length; k++) {
            hashes[k] ^= Integer.MIN_VALUE;
        }
    }

    /**
     * Returns the index of a cross: the hashes of its features, ascending as unsigned numbers, folded by h := ((h ·
     * 0x9e3779b1) xor next) · 0x85ebca6b, and mixed as at the end of MurmurHash3.
     *
     * <p>Without the last step the lowest bits would depend on the lowest bits of the hashes alone: names of equal
     * index would have equal indices in all crosses, too.
     *
     * @param ascending hashes of names, or indices of features without names
     */
    int crossed(int[] ascending, int count) {
        int hash = ascending[0];
        for (int k = 1; k < count; k++) {
            hash = fold(hash, ascending[k]);
        }
        return last(hash) & mask;
    }

    /** Crosses two hashes in any order, as {@link #crossed(int[], int)} does. */
    int crossed(int one, int other) {
        boolean isAscending = Integer.compareUnsigned(one, other) <= 0;
        return last(fold(isAscending ? one : other, isAscending ? other : one)) & mask;
    }

    private static int fold(int hash, int next) {
        return (hash * 0x9e3779b1 ^ next) * 0x85ebca6b;
    }

    /** Returns the whole hash of a name, whose lowest bits are its index. */
    public static int murmur3(byte[] bytes, int offset, int length) {
        int hash = 0;
        int wholeWords = length & ~3;
        for (int k = 0; k < wholeWords; k += 4) {
            int at = offset + k;
            int word = (bytes[at] & 0xff)
                    | (bytes[at + 1] & 0xff) << 8
                    | (bytes[at + 2] & 0xff) << 16
                    | bytes[at + 3] << 24;
            hash = Integer.rotateLeft(hash ^ mixed(word), 13) * 5 + 0xe6546b64;
        }
        int tail = 0;
        for (int k = length - 1; k >= wholeWords; k--) {
            tail = tail << 8 | (bytes[offset + k] & 0xff);
        }
        return last(hash ^ mixed(tail) ^ length);
    }

    private static int last(int mixed) {
        int hash = (mixed ^ mixed >>> 16) * 0x85ebca6b;
        hash = (hash ^ hash >>> 13) * 0xc2b2ae35;
        return hash ^ hash >>> 16;
    }

    private static int mixed(int word) {
        return Integer.rotateLeft(word * 0xcc9e2d51, 15) * 0x1b873593;
    }
}
