package io.perceptronstreams.example;

/**
 * Maps feature names to indices in [0, 2^bits): the "hashing trick" (Weinberger et al. 2009), without signs.
 *
 * <p>The index is the lowest {@code bits} bits of MurmurHash3 (x86, 32 bits, seed 0; Appleby, public domain) of the
 * UTF-8 bytes. The function is part of every stored model and must never change.
 */
public final class FeatureHasher {
    /** Maximum number of bits; indices are non-negative ints. */
    public static final int MAX_BITS = 30;

    private final int mask;

    /** @param bits from 1 to {@link #MAX_BITS}; there are 2^bits indices */
    public FeatureHasher(int bits) {
        if (bits < 1 || bits > MAX_BITS) {
            throw new IllegalArgumentException("hash.bits must be from 1 to " + MAX_BITS + ", got " + bits);
        }
        this.mask = (1 << bits) - 1;
    }

    /** Returns the index of a name of {@code length} bytes. */
    public int index(byte[] utf8, int offset, int length) {
        return murmur3(utf8, offset, length) & mask;
    }

    static int murmur3(byte[] bytes, int offset, int length) {
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
        hash ^= mixed(tail) ^ length;
        hash = (hash ^ hash >>> 16) * 0x85ebca6b;
        hash = (hash ^ hash >>> 13) * 0xc2b2ae35;
        return hash ^ hash >>> 16;
    }

    private static int mixed(int word) {
        return Integer.rotateLeft(word * 0xcc9e2d51, 15) * 0x1b873593;
    }
}
