package io.perceptronstreams.weights;

import io.perceptronstreams.example.TableSeed;
import java.util.Arrays;

/** Positions of numbers in their order of arrival: an open-addressing table with linear probing, at most half full. */
final class FarChunks {
    private static final int NONE = -1;
    private static final int MIN_LENGTH = 16;

    // Pairs: a number, or -1, and its position.
    private int[] table = {};

    private final TableSeed seed = new TableSeed();

    // By position.
    private int[] numbers = {};
    private int count;

    /** Returns the position of a number, or -1. */
    int find(int number) {
        if (count == 0) {
            return NONE;
        }
        int slot = slot(number);
        return table[slot] == number ? table[slot + 1] : NONE;
    }

    private int slot(int number) {
        int mask = table.length - 2;
        int slot = 2 * seed.slot(number, table.length / 2);
        while (table[slot] != number && table[slot] != NONE) {
            slot = slot + 2 & mask;
        }
        return slot;
    }

    /** Sum of the distances of all entries from the slots to which they belong. Cost: O(slots). */
    long distances() {
        long sum = 0;
        for (int number : Arrays.copyOf(numbers, count)) {
            sum += (slot(number) / 2 - seed.slot(number, table.length / 2)) & (table.length / 2 - 1);
        }
        return sum;
    }

    /** Adds a number that is not there; returns its position. */
    int add(int number) {
        if (count == numbers.length) {
            numbers = Arrays.copyOf(numbers, Math.max(4, 2 * count));
            table = new int[Math.max(MIN_LENGTH, 2 * table.length)];
            Arrays.fill(table, NONE);
            for (int position = 0; position < count; position++) {
                enter(numbers[position], position);
            }
        }
        numbers[count] = number;
        enter(number, count);
        return count++;
    }

    private void enter(int number, int position) {
        int slot = slot(number);
        table[slot] = number;
        table[slot + 1] = position;
    }

    /** Returns all numbers, ascending. */
    int[] sorted() {
        int[] sorted = Arrays.copyOf(numbers, count);
        Arrays.sort(sorted);
        return sorted;
    }

    /** Returns true if the numbers have the same positions. */
    boolean isSame(FarChunks other) {
        return Arrays.equals(numbers, 0, count, other.numbers, 0, other.count);
    }

    long heapBytes() {
        return 64 + (table.length + numbers.length) * (long) Integer.BYTES;
    }
}
