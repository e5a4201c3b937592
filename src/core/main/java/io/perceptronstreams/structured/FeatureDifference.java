package io.perceptronstreams.structured;

import io.perceptronstreams.example.TableSeed;
import java.util.Arrays;

/**
 * A sparse matrix that collects f(x, y) - f(x, y*), entry by entry, before any weight changes.
 *
 * <p>Entries are added in any order. {@link #sort} drops zeros and sorts by row, then column. Cost: O(1) per addition,
 * O(n log n) for sorting n entries; no allocation once the arrays have grown. Not thread-safe.
 */
final class FeatureDifference {
    private static final int KEPT = 1 << 16;

    // Open addressing: 1 + the position of an entry, or 0. A power of two, at least twice the entries.
    private int[] slots = new int[256];
    private final TableSeed seed = new TableSeed();
    private long[] keys = new long[128];
    private double[] values = new double[128];
    private int size;

    // Scratch of sort: keys and values in their order.
    private long[] order = new long[128];
    private double[] sorted = new double[128];

    void clear() {
        if (slots.length > KEPT) {
            slots = new int[256];
            keys = new long[128];
            values = new double[128];
            order = new long[128];
            sorted = new double[128];
        } else {
            Arrays.fill(slots, 0);
        }
        size = 0;
    }

    /** Adds to an entry; not after {@link #sort}. */
    void add(int row, int column, double value) {
        long key = (long) row << 32 | column;
        int slot = slot(key);
        if (slots[slot] != 0) {
            values[slots[slot] - 1] += value;
            return;
        }
        if (size == keys.length) {
            grow();
            slot = slot(key);
        }
        keys[size] = key;
        values[size] = value;
        slots[slot] = ++size;
    }

    /** The slot of the key, or the slot to insert it. */
    private int slot(long key) {
        int slot = seed.slot(key, slots.length);
        while (slots[slot] != 0 && keys[slots[slot] - 1] != key) {
            slot = (slot + 1) & (slots.length - 1);
        }
        return slot;
    }

    /** Sum of the distances of all entries from the slots to which they belong. Cost: O(slots). */
    long distances() {
        long sum = 0;
        for (int k = 0; k < size; k++) {
            sum += (slot(keys[k]) - seed.slot(keys[k], slots.length)) & (slots.length - 1);
        }
        return sum;
    }

    private void grow() {
        keys = Arrays.copyOf(keys, 2 * size);
        values = Arrays.copyOf(values, 2 * size);
        slots = new int[4 * size];
        for (int k = 0; k < size; k++) {
            slots[slot(keys[k])] = k + 1;
        }
    }

    /** Sorts the entries and drops zeros. Nothing can be added until {@link #clear}. */
    void sort() {
        if (order.length < size) {
            order = new long[keys.length];
            sorted = new double[keys.length];
        }
        System.arraycopy(keys, 0, order, 0, size);
        Arrays.sort(order, 0, size);
        int count = 0;
        for (int k = 0; k < size; k++) {
            double value = values[slots[slot(order[k])] - 1];
            if (value != 0) {
                sorted[count] = value;
                order[count++] = order[k];
            }
        }
        System.arraycopy(order, 0, keys, 0, count);
        System.arraycopy(sorted, 0, values, 0, count);
        size = count;
    }

    /** Number of entries. */
    int size() {
        return size;
    }

    /** The row of an entry, from 0. */
    int row(int position) {
        return (int) (keys[position] >>> 32);
    }

    /** The column of an entry, from 0. */
    int column(int position) {
        return (int) keys[position];
    }

    /** The value of an entry, not 0 after {@link #sort}. */
    double value(int position) {
        return values[position];
    }

    /** The sum of the squares of all entries. */
    double squaredNorm() {
        double sum = 0;
        for (int k = 0; k < size; k++) {
            sum += values[k] * values[k];
        }
        return sum;
    }

    /** Estimated heap of the arrays, in bytes. */
    long heapBytes() {
        return 4L * slots.length + 8L * (keys.length + values.length + order.length + sorted.length);
    }
}
