package io.perceptronstreams.labels;

import io.perceptronstreams.example.TableSeed;

/**
 * Hashes, each as often as it was added; open addressing with linear probing.
 *
 * <p>Heap: 16 to 64 bytes per hash. Cost: O(1) per call. Not thread-safe.
 */
final class HashBag {
    private static final int MIN_SLOTS = 16;

    // 0 is free; the lowest bit of a hash is set here, so that none is 0
    private long[] slots = new long[MIN_SLOTS];
    private final TableSeed seed = new TableSeed();
    private int size;

    int size() {
        return size;
    }

    void add(long hash) {
        if (2 * (size + 1) > slots.length) {
            resize(2 * slots.length);
        }
        size++;
        insert(hash | 1);
    }

    private void resize(int length) {
        long[] old = slots;
        slots = new long[length];
        for (long hash : old) {
            if (hash != 0) {
                insert(hash);
            }
        }
    }

    private void insert(long hash) {
        int slot = home(hash);
        while (slots[slot] != 0) {
            slot = slot + 1 & slots.length - 1;
        }
        slots[slot] = hash;
    }

    boolean contains(long hash) {
        return slots[slot(hash | 1)] != 0;
    }

    /** Removes the hash once; does nothing if it is not there. */
    void remove(long hash) {
        int free = slot(hash | 1);
        if (slots[free] == 0) {
            return;
        }
        slots[free] = 0;
        size--;
        int mask = slots.length - 1;
        for (int slot = free + 1 & mask; slots[slot] != 0; slot = slot + 1 & mask) {
            // may it move to the free slot? Not if its home lies behind it
            if ((slot - home(slots[slot]) & mask) >= (slot - free & mask)) {
                slots[free] = slots[slot];
                slots[slot] = 0;
                free = slot;
            }
        }
        if (slots.length > MIN_SLOTS && 8 * size < slots.length) {
            resize(slots.length / 2);
        }
    }

    /** The first slot of a hash, or a free one. */
    private int slot(long hash) {
        int slot = home(hash);
        while (slots[slot] != 0 && slots[slot] != hash) {
            slot = slot + 1 & slots.length - 1;
        }
        return slot;
    }

    private int home(long hash) {
        return seed.slot(hash, slots.length);
    }

    /** Sum of the distances of all entries from the slots to which they belong. Cost: O(slots). */
    long distances() {
        long sum = 0;
        for (int slot = 0; slot < slots.length; slot++) {
            sum += slots[slot] == 0 ? 0 : slot - home(slots[slot]) & slots.length - 1;
        }
        return sum;
    }

    void clear() {
        slots = new long[MIN_SLOTS];
        size = 0;
    }

    /** Estimated heap, in bytes. */
    long heapBytes() {
        return 8L * slots.length;
    }
}
