package io.perceptronstreams.weights;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Arrays that tables of the thread have outgrown, for others that grow to their size.
 *
 * <p>Many models that learn outgrow kilobytes with every other example. As garbage these arrays would have been copied
 * by the collector while they were young, and would fill the old generation, which only a pause of a third of a second
 * empties.
 *
 * <p>An array that is given back must have no other reference. Memory: at most 256 KiB for each length and 16 MiB in
 * all, without the headers of the arrays. Not thread-safe.
 */
final class ArrayPool {
    private static final int MAX_BYTES_OF_LENGTH = 256 * 1024;
    private static final int MAX_BYTES = 16 * 1024 * 1024;
    private static final ThreadLocal<ArrayPool> OF_THREAD = ThreadLocal.withInitial(ArrayPool::new);

    private final Map<Integer, Deque<double[]>> doubles = new HashMap<>();
    private final Map<Integer, Deque<int[]>> ints = new HashMap<>();
    private final Map<Integer, Deque<char[]>> chars = new HashMap<>();
    private long heapBytes;

    private ArrayPool() {}

    /** The pool of the calling thread. */
    static ArrayPool ofThread() {
        return OF_THREAD.get();
    }

    /** Returns an array with anything in it. */
    double[] doubles(int length) {
        double[] free = take(doubles, length, Double.BYTES);
        return free == null ? new double[length] : free;
    }

    /** Returns an array with anything in it. */
    int[] ints(int length) {
        int[] free = take(ints, length, Integer.BYTES);
        return free == null ? new int[length] : free;
    }

    /** Returns zeros. */
    char[] chars(int length) {
        char[] free = take(chars, length, Character.BYTES);
        if (free == null) {
            return new char[length];
        }
        Arrays.fill(free, (char) 0);
        return free;
    }

    private <T> T take(Map<Integer, Deque<T>> arrays, int length, int bytes) {
        Deque<T> free = arrays.get(length);
        if (free == null || free.isEmpty()) {
            return null;
        }
        heapBytes -= (long) length * bytes;
        return free.pop();
    }

    /** Takes an array that is not used any more. */
    void giveBack(double[] array) {
        put(doubles, array, array.length, Double.BYTES);
    }

    /** Takes an array that is not used any more. */
    void giveBack(int[] array) {
        put(ints, array, array.length, Integer.BYTES);
    }

    /** Takes an array that is not used any more. */
    void giveBack(char[] array) {
        put(chars, array, array.length, Character.BYTES);
    }

    private <T> void put(Map<Integer, Deque<T>> arrays, T array, int length, int bytesEach) {
        long bytes = (long) length * bytesEach;
        Deque<T> free = arrays.computeIfAbsent(length, any -> new ArrayDeque<>());
        if ((free.size() + 1) * bytes <= MAX_BYTES_OF_LENGTH && heapBytes + bytes <= MAX_BYTES) {
            free.push(array);
            heapBytes += bytes;
        }
    }

    /** Heap of the arrays, in bytes. Cost: O(1). */
    long heapBytes() {
        return heapBytes;
    }
}
