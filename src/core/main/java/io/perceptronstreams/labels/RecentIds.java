package io.perceptronstreams.labels;

import io.perceptronstreams.example.TableSeed;
import io.perceptronstreams.example.Utf8Slice;
import java.util.Arrays;
import java.util.TreeSet;

/**
 * The ids of the last examples of a model, as hashes, and which of them have a label.
 *
 * <p>Ids are numbered from 0; the last ones, up to a limit, are kept in blocks of {@link #BLOCK}. A hash has 63 bits:
 * with N ids an id is mistaken for another one with probability N / 2^63. Heap: 8 bytes per id, and 16 to 32 for
 * finding it. Cost: O(1) per call, O(ids removed) for a smaller limit. Not thread-safe.
 */
public final class RecentIds {
    /** Number of ids in a stored block. */
    static final int BLOCK = 128;

    private static final int SHIFT = 7;
    private static final long LABELLED = 1;

    private final TreeSet<Long> changed = new TreeSet<>();
    private long lastChanged = -1;
    private long first;
    private long next;

    // Block b is at b modulo the length; a power of two.
    private long[][] blocks = new long[2][];

    // Numbers plus 1 by hash, with linear probing; 0 is free.
    private long[] slots = new long[16];
    private final TableSeed seed = new TableSeed();

    /** Hash of an id: FNV-1a, mixed as in MurmurHash3; the lowest bit is 0. Stored, so it never changes. */
    static long hash(Utf8Slice id) {
        long hash = 0xcbf29ce484222325L;
        for (int k = id.offset(); k < id.offset() + id.length(); k++) {
            hash = (hash ^ (id.bytes()[k] & 0xff)) * 0x100000001b3L;
        }
        hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
        hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
        return (hash ^ hash >>> 33) & ~LABELLED;
    }

    long first() {
        return first;
    }

    long next() {
        return next;
    }

    /** Returns true if the id is among the last ones. */
    public boolean contains(Utf8Slice id) {
        return slots[slot(hash(id))] != 0;
    }

    /** Returns true if the id is among the last ones and has a label. */
    public boolean isLabelled(Utf8Slice id) {
        long number = slots[slot(hash(id))] - 1;
        return number >= 0 && (at(number) & LABELLED) != 0;
    }

    /** Notes that an id has a label; does nothing if it is not among the last ones. */
    public void markLabelled(Utf8Slice id) {
        long number = slots[slot(hash(id))] - 1;
        if (number >= 0) {
            block(number)[(int) (number & BLOCK - 1)] |= LABELLED;
            markChanged(number >>> SHIFT);
        }
    }

    /** Adds the id of an example. */
    public void add(Utf8Slice id, boolean isLabelled) {
        long number = next++;
        if ((number & BLOCK - 1) == 0 || number == first) {
            startBlock(number >>> SHIFT);
        }
        block(number)[(int) (number & BLOCK - 1)] = hash(id) | (isLabelled ? LABELLED : 0);
        markChanged(number >>> SHIFT);
        index(number);
    }

    private void startBlock(long block) {
        long held = block - (first >>> SHIFT) + 1;
        if (held > blocks.length) {
            long[][] larger = new long[2 * blocks.length][];
            for (long b = first >>> SHIFT; b < block; b++) {
                larger[(int) (b & larger.length - 1)] = blocks[(int) (b & blocks.length - 1)];
            }
            blocks = larger;
        }
        blocks[(int) (block & blocks.length - 1)] = new long[BLOCK];
    }

    /** Removes the oldest ids above a limit. */
    public void limit(int ids) {
        while (next - first > ids) {
            unindex(first);
            first++;
            if ((first & BLOCK - 1) == 0 || first == next) {
                markChanged((first - 1) >>> SHIFT);
            }
        }
    }

    private void markChanged(long block) {
        if (block != lastChanged) {
            changed.add(block);
            lastChanged = block;
        }
    }

    private long[] block(long number) {
        return blocks[(int) (number >>> SHIFT & blocks.length - 1)];
    }

    private long at(long number) {
        return block(number)[(int) (number & BLOCK - 1)];
    }

    /** The slot of a hash, or a free one. */
    private int slot(long hash) {
        int slot = home(hash);
        while (slots[slot] != 0 && (at(slots[slot] - 1) & ~LABELLED) != hash) {
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
            sum += slots[slot] == 0 ? 0 : slot - home(at(slots[slot] - 1) & ~LABELLED) & slots.length - 1;
        }
        return sum;
    }

    private void index(long number) {
        if (2 * (next - first) > slots.length) {
            slots = new long[2 * slots.length];
            for (long k = first; k < next; k++) {
                slots[slot(at(k) & ~LABELLED)] = k + 1;
            }
        }
        slots[slot(at(number) & ~LABELLED)] = number + 1;
    }

    /** Frees the slot of a number, unless a later number has the same hash. */
    private void unindex(long number) {
        int free = slot(at(number) & ~LABELLED);
        if (slots[free] != number + 1) {
            return;
        }
        slots[free] = 0;
        int mask = slots.length - 1;
        for (int slot = free + 1 & mask; slots[slot] != 0; slot = slot + 1 & mask) {
            int home = home(at(slots[slot] - 1) & ~LABELLED);
            // may it move to the free slot? Not if its home lies behind it
            if ((slot - home & mask) >= (slot - free & mask)) {
                slots[free] = slots[slot];
                slots[slot] = 0;
                free = slot;
            }
        }
    }

    /**
     * Reads the ids from a store.
     *
     * @return false if one is missing; then there are none
     */
    boolean restore(long storedFirst, long storedNext, WaitingStore store) {
        clear();
        first = storedFirst;
        next = storedFirst;
        for (long block = storedFirst >>> SHIFT; next < storedNext; block++) {
            long[] ids = store.ids(block);
            long from = Math.max(storedFirst, block << SHIFT);
            long to = Math.min(storedNext, (block + 1) << SHIFT);
            if (ids == null || ids.length < to - (block << SHIFT)) {
                clear();
                first = storedNext;
                next = storedNext;
                return false;
            }
            startBlock(block);
            System.arraycopy(ids, 0, block(from), 0, (int) (to - (block << SHIFT)));
            while (next < to) {
                index(next++);
            }
        }
        return true;
    }

    /** Forgets all ids; does not change the store. */
    void clear() {
        first = 0;
        next = 0;
        blocks = new long[2][];
        slots = new long[16];
        changed.clear();
        lastChanged = -1;
    }

    /** Writes the changed blocks. */
    void drain(WaitingStore store) {
        for (long block : changed) {
            long end = Math.min(next, (block + 1) << SHIFT);
            store.putIds(
                    block,
                    end <= first
                            ? null
                            : Arrays.copyOf(blocks[(int) (block & blocks.length - 1)], (int) (end - (block << SHIFT))));
        }
        changed.clear();
        lastChanged = -1;
    }

    /** Estimated heap, in bytes. */
    long heapBytes() {
        return 8L * slots.length + (next - first) * 9 + 8L * blocks.length + 64L * changed.size();
    }
}
