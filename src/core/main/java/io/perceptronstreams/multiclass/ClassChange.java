package io.perceptronstreams.multiclass;

import java.util.Arrays;

/** Multiples of x that an update adds to the weight vectors of some classes. Reused for every update. */
final class ClassChange {
    private int[] classes = new int[4];
    private double[] steps = new double[4];
    private int size;
    private int columns;

    void clear() {
        size = 0;
        columns = 0;
    }

    /** Adds step·x to the vector of a class that has no step yet. */
    void add(int c, double step) {
        if (size == classes.length) {
            classes = Arrays.copyOf(classes, 2 * size);
            steps = Arrays.copyOf(steps, 2 * size);
        }
        classes[size] = c;
        steps[size] = step;
        size++;
        columns = Math.max(columns, c + 1);
    }

    /** Number of classes. */
    int size() {
        return size;
    }

    /** Number of columns that a row needs: that of the last of these classes, and 1. */
    int columns() {
        return columns;
    }

    /** The number of the k-th class. */
    int at(int k) {
        return classes[k];
    }

    long heapBytes() {
        return 12L * classes.length;
    }

    /** The step of the k-th class. */
    double step(int k) {
        return steps[k];
    }
}
