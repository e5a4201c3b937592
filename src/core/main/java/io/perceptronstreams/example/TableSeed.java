package io.perceptronstreams.example;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Two random factors of a hash table whose keys a client chooses: the slots of the keys follow from them.
 *
 * <p>Linear probing takes time linear in the number of keys that belong to neighbouring slots. Whoever knows the hash
 * function finds such keys in seconds; nobody finds them for factors that are drawn when the table is made.
 *
 * <p>This is the only chance in the packages that learn. It decides the order of entries in memory, and nothing else:
 * what is learned, stored, sent or counted must not follow from that order. Immutable.
 */
public final class TableSeed {
    /*
     * Multiplication by a random odd number (Dietzfelbinger et al. 1997) leaves the terms of an arithmetic progression
     * together for one number in some tens, in any progression. The second round separates these. The first step
     * makes the lowest bits of a key depend on the highest ones, without which multiples of a large power of two stay a
     * progression.
     */
    private final long first = oddNumber();
    private final long second = oddNumber();

    /** Draws the factors. */
    public TableSeed() {}

    /** Draws an odd number. */
    public static long oddNumber() {
        return ThreadLocalRandom.current().nextLong() | 1;
    }

    /**
     * The slot to which a key belongs.
     *
     * @param slots number of slots, a power of two of at most 2^30
     */
    public int slot(long key, int slots) {
        long mixed = (key ^ key >>> 32) * first;
        mixed = (mixed ^ mixed >>> 32) * second;
        return (int) (mixed >>> 33) & slots - 1;
    }

    /** The hash of a text: other texts of the same hash are found by nobody. */
    public long hash(byte[] bytes, int offset, int length) {
        long hash = first;
        for (int k = offset; k < offset + length; k++) {
            hash = (hash ^ (bytes[k] & 0xff)) * second;
            hash ^= hash >>> 32;
        }
        return hash;
    }
}
