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
    private long heapBytes;
    private int[] scratch = {};

    private ArrayPool() {}

    /** The pool of the calling thread. */
    static ArrayPool ofThread() {
        return OF_THREAD.get();
    }

    /** An array of at least this length for the next call of the thread, with anything in it. */
    int[] scratch(int length) {
        if (scratch.length < length) {
            scratch = new int[2 * length];
        }
        return scratch;
    }

    /** Returns zeros. */
    double[] doubles(int length) {
        Deque<double[]> free = doubles.get(length);
        if (free == null || free.isEmpty()) {
            return new double[length];
        }
        double[] taken = free.pop();
        heapBytes -= (long) length * Double.BYTES;
        Arrays.fill(taken, 0);
        return taken;
    }

    /** Returns zeros. */
    int[] ints(int length) {
        Deque<int[]> free = ints.get(length);
        if (free == null || free.isEmpty()) {
            return new int[length];
        }
        int[] taken = free.pop();
        heapBytes -= (long) length * Integer.BYTES;
        Arrays.fill(taken, 0);
        return taken;
    }

    /** Takes an array that is not used any more. */
    void giveBack(double[] array) {
        long bytes = (long) array.length * Double.BYTES;
        Deque<double[]> free = doubles.computeIfAbsent(array.length, length -> new ArrayDeque<>());
        if (hasRoom(free.size(), bytes)) {
            free.push(array);
            heapBytes += bytes;
        }
    }

    /** Takes an array that is not used any more. */
    void giveBack(int[] array) {
        long bytes = (long) array.length * Integer.BYTES;
        Deque<int[]> free = ints.computeIfAbsent(array.length, length -> new ArrayDeque<>());
        if (hasRoom(free.size(), bytes)) {
            free.push(array);
            heapBytes += bytes;
        }
    }

    private boolean hasRoom(int free, long bytes) {
        return (free + 1) * bytes <= MAX_BYTES_OF_LENGTH && heapBytes + bytes <= MAX_BYTES;
    }

    /** Heap of the arrays, in bytes. Cost: O(1). */
    long heapBytes() {
        return heapBytes;
    }
}
