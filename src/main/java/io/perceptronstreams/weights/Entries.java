package io.perceptronstreams.weights;

import io.perceptronstreams.example.FeatureVector;
import java.util.Arrays;

/**
 * The numbers of at most {@link #MAX} indices in an open-addressing table: the small form of a {@link BlockVector}.
 *
 * <p>A place is a slot of the table, valid until the next insertion. Linear probing (Knuth 1973, section 6.4, algorithm
 * L) with a load of at most 3/4; the table grows by half from 16 slots, so an index with two numbers takes 27 to 40
 * bytes. Not thread-safe.
 */
final class Entries {
    /** Maximum number of indices; a record of the store must hold them all. */
    static final int MAX = 2048;

    /** Up to this number the indices are in a table even where blocks would take less memory: a table is one record. */
    static final int ALWAYS = 512;

    private static final int MIN_SLOTS = 16;

    // Up to this number of slots a search of all of them is faster than 128 look-ups.
    private static final int SCANNED = 1024;
    private static final int NONE = -1;
    private static final int[] NO_KEYS = {NONE};
    private static final double[] NO_NUMBERS = {};

    private final int lanes;

    /** By slot: the index, or -1. */
    private int[] keys = NO_KEYS;

    /** By slot: {@code lanes} numbers, all 0 if the slot is free. */
    private double[] numbers = NO_NUMBERS;

    private int size;

    // Number of blocks with an index in the table.
    private int blocks;
    private int largest = NONE;
    private double squares;

    Entries(int lanes) {
        this.lanes = lanes;
    }

    int size() {
        return size;
    }

    int blocks() {
        return blocks;
    }

    /** Holds lane {@code l} of place {@code p} at {@code lanes * p + l}. */
    double[] numbers() {
        return numbers;
    }

    /** The place of an index, or -1. */
    int find(int index) {
        int[] table = keys;
        int slot = slot(index, table.length);
        int key;
        while ((key = table[slot]) != index) {
            if (key == NONE) {
                return NONE;
            }
            slot = slot + 1 == table.length ? 0 : slot + 1;
        }
        return slot;
    }

    /** Dot product in ascending index; {@link #squares} returns |x|^2 afterwards. */
    double dot(FeatureVector x, int lane) {
        double[] values = x.values();
        int length = x.size();
        double sum = 0;
        double sumOfSquares = 0;
        for (int k = 0; k < length; k++) {
            double value = values[k];
            sumOfSquares += value * value;
            int place = find(x.index(k));
            if (place >= 0) {
                sum += numbers[lanes * place + lane] * value;
            }
        }
        squares = sumOfSquares;
        return sum;
    }

    double squares() {
        return squares;
    }

    /** Sets the places of all features; returns how many non-zero features have none. */
    int find(FeatureVector x) {
        int[] places = x.places();
        int missing = 0;
        for (int k = 0; k < x.size(); k++) {
            places[k] = find(x.index(k));
            missing += places[k] < 0 && x.values()[k] != 0 ? 1 : 0;
        }
        return missing;
    }

    /** Fibonacci hashing: neighbours and multiples of powers of two get different slots. */
    private static int slot(int index, int slots) {
        return (int) ((Integer.toUnsignedLong(index * 0x9e3779b1) * slots) >>> Integer.SIZE);
    }

    /** Inserts a new index with zeros; returns its place. */
    int insert(int index) {
        if (isNewBlock(index)) {
            blocks++;
        }
        largest = Math.max(largest, index);
        if (4 * (size + 1) > 3 * keys.length) {
            grow();
        }
        size++;
        return put(index);
    }

    /** Returns true if no index of its block is in the table. Cost: O(1) if the index is the largest, else O(slots). */
    private boolean isNewBlock(int index) {
        return index > largest
                ? largest == NONE || index >>> BlockVector.SHIFT != largest >>> BlockVector.SHIFT
                : !hasBlock(index >>> BlockVector.SHIFT);
    }

    /** Returns true if an index of this block is in the table. Cost: O(slots), at most 128 look-ups. */
    boolean hasBlock(int number) {
        if (keys.length > SCANNED) {
            for (int k = 0; k < BlockVector.BLOCK; k++) {
                if (find((number << BlockVector.SHIFT) + k) >= 0) {
                    return true;
                }
            }
            return false;
        }
        for (int key : keys) {
            // the block number of a free slot is larger than any other
            if (key >>> BlockVector.SHIFT == number) {
                return true;
            }
        }
        return false;
    }

    /** Returns true if another index does not belong here: there are {@link #MAX}, or blocks would take less memory. */
    boolean isFull() {
        if (size < ALWAYS) {
            return false;
        }
        int slots = 4 * (size + 1) > 3 * keys.length ? grownSlots() : keys.length;
        return size == MAX || bytes(slots) > (long) blocks * BlockVector.BLOCK * lanes * Double.BYTES;
    }

    private long bytes(int slots) {
        return slots * (Integer.BYTES + (long) lanes * Double.BYTES);
    }

    private int grownSlots() {
        return Math.max(MIN_SLOTS, keys.length + keys.length / 2);
    }

    private void grow() {
        int[] oldKeys = keys;
        double[] oldNumbers = numbers;
        int slots = grownSlots();
        keys = new int[slots];
        Arrays.fill(keys, NONE);
        numbers = new double[lanes * slots];
        for (int slot = 0; slot < oldKeys.length; slot++) {
            if (oldKeys[slot] != NONE) {
                System.arraycopy(oldNumbers, lanes * slot, numbers, lanes * put(oldKeys[slot]), lanes);
            }
        }
    }

    private int put(int index) {
        int slot = slot(index, keys.length);
        while (keys[slot] != NONE) {
            slot = slot + 1 == keys.length ? 0 : slot + 1;
        }
        keys[slot] = index;
        return slot;
    }

    /** Passes every index in ascending order. */
    void forEach(BlockVector.EntrySink sink) {
        int[] sorted = new int[size];
        int count = 0;
        for (int key : keys) {
            if (key != NONE) {
                sorted[count++] = key;
            }
        }
        Arrays.sort(sorted);
        for (int index : sorted) {
            sink.accept(index, numbers, lanes * find(index));
        }
    }

    long heapBytes() {
        return 56 + (size == 0 ? 0 : 32 + bytes(keys.length));
    }
}
