package io.perceptronstreams.weights;

import java.util.Arrays;

/**
 * Some numbers of a sparse array once more, close together, each in the one slot where it may be.
 *
 * <p>Where features are hashed into many blocks, each of them is alone in its block, and w·x waits three times for each: for the
 * directory, the block's length and the number. Here it waits for the displacement, which is near, and the number. Hash and displace
 * (Pagh 1999): an index's slot is its hash, moved by the displacement of its bucket, which is another hash; displacements are chosen
 * so that no two indices have the same slot. A reader has nothing to choose, which no processor could foresee, and may look once, when
 * it has read all, whether the slots were those of its indices:
 *
 * <pre>{@code
 * int slot = cache.slot(index);
 * differences |= cache.index(slot) ^ index;
 * sum += cache.number(slot) * value;
 * }</pre>
 *
 * <p>Slots become twice as many when five in eight are taken, from 2,048 to 65,536. When as many of those are, no bucket is moved any more;
 * then, and where no displacement is found, an index whose slot is taken takes it from the other one. Not thread-safe.
 */
public final class NumberCache {
    private static final int FEWEST_SLOT_BITS = 11;
    private static final int MOST_SLOT_BITS = 16;

    // Eight slots for a bucket: with fewer, displacements take more of the processor's first cache; with more, they are
    // harder to find.
    private static final int BUCKET_SHIFT = 3;
    private static final int MOST_IN_BUCKET = 16;

    // Less than there are slots: no step leads out of them.
    private static final int MOST_STEPS = (1 << FEWEST_SLOT_BITS) - 1;

    private static final int NONE = -1;

    private int slotBits;
    private int count;

    // By bucket. Its members are linked by their slots.
    private char[] displacements;
    private char[] firsts;
    private byte[] sizes;

    // By slot: whose it is, or -1.
    private int[] indices;
    private double[] numbers;
    private char[] nexts;

    // Slots of a bucket's members.
    private final int[] members = new int[MOST_IN_BUCKET];

    NumberCache() {
        allocate(FEWEST_SLOT_BITS);
    }

    private void allocate(int bits) {
        slotBits = bits;
        displacements = new char[1 << (bits - BUCKET_SHIFT)];
        firsts = new char[displacements.length];
        sizes = new byte[displacements.length];
        indices = new int[1 << bits];
        numbers = new double[1 << bits];
        nexts = new char[1 << bits];
        Arrays.fill(indices, NONE);
        count = 0;
    }

    /** The slot where an index is if it is here. Cost: two products, and no branch. */
    public int slot(int index) {
        return hash(index, slotBits) ^ displacements[bucket(index, slotBits)];
    }

    /** Fibonacci hashing (Knuth 1973, section 6.4): neighbours and multiples of powers of two get different hashes. */
    private static int hash(int index, int bits) {
        return (index * 0x9e3779b1) >>> (Integer.SIZE - bits);
    }

    /** The same with the digits of the square root of 2 in place of those of the golden ratio. */
    private static int bucket(int index, int bits) {
        return ((index ^ index >>> 16) * 0x6a09e667) >>> (Integer.SIZE + BUCKET_SHIFT - bits);
    }

    /** Whose number a slot has; negative where nobody's. */
    public int index(int slot) {
        return indices[slot];
    }

    /** The number in a slot. */
    public double number(int slot) {
        return numbers[slot];
    }

    void setNumber(int slot, double number) {
        numbers[slot] = number;
    }

    /** Takes the number of an index that is not here. Cost: O(1) but when slots become more, with up to 2,047 looks for free ones. */
    void put(int index, double number) {
        if (isFull() && slotBits < MOST_SLOT_BITS) {
            grow();
        }
        insert(index, number);
    }

    private boolean isFull() {
        return count >= indices.length / 8 * 5;
    }

    private void grow() {
        int[] oldIndices = indices;
        double[] oldNumbers = numbers;
        allocate(slotBits + 1);
        for (int slot = 0; slot < oldIndices.length; slot++) {
            if (oldIndices[slot] != NONE) {
                insert(oldIndices[slot], oldNumbers[slot]);
            }
        }
    }

    private void insert(int index, double number) {
        int bucket = bucket(index, slotBits);
        if (sizes[bucket] == MOST_IN_BUCKET) {
            remove(firsts[bucket]);
        }
        if (indices[slot(index)] != NONE && (isFull() || !displace(bucket, slot(index)))) {
            remove(slot(index));
        }
        int slot = slot(index);
        indices[slot] = index;
        numbers[slot] = number;
        nexts[slot] = firsts[bucket];
        firsts[bucket] = (char) slot;
        sizes[bucket]++;
        count++;
    }

    private void remove(int slot) {
        int bucket = bucket(indices[slot], slotBits);
        if (firsts[bucket] == slot) {
            firsts[bucket] = nexts[slot];
        } else {
            int before = firsts[bucket];
            while (nexts[before] != slot) {
                before = nexts[before];
            }
            nexts[before] = nexts[slot];
        }
        sizes[bucket]--;
        indices[slot] = NONE;
        count--;
    }

    /** Moves a bucket to where all of its members and one more have free slots. */
    private boolean displace(int bucket, int oneMore) {
        int size = sizes[bucket];
        int slot = firsts[bucket];
        for (int k = 0; k < size; k++) {
            if (slot == oneMore) {
                return false; // both hashes are the same: no displacement will ever part them
            }
            members[k] = slot;
            slot = nexts[slot];
        }
        for (int step = 1; step <= MOST_STEPS; step++) {
            if (isFree(step, oneMore, size)) {
                move(bucket, step, size);
                return true;
            }
        }
        return false;
    }

    private boolean isFree(int step, int oneMore, int size) {
        boolean isFree = indices[oneMore ^ step] == NONE;
        for (int k = 0; k < size && isFree; k++) {
            isFree = indices[members[k] ^ step] == NONE;
        }
        return isFree;
    }

    private void move(int bucket, int step, int size) {
        for (int k = 0; k < size; k++) {
            int from = members[k];
            int to = from ^ step;
            indices[to] = indices[from];
            numbers[to] = numbers[from];
            nexts[to] = (char) (nexts[from] ^ step);
            indices[from] = NONE;
        }
        firsts[bucket] ^= (char) step;
        displacements[bucket] ^= (char) step;
    }

    long heapBytes() {
        return (long) indices.length * (Integer.BYTES + Double.BYTES + Character.BYTES)
                + (long) sizes.length * (Byte.BYTES + 2 * Character.BYTES);
    }
}
