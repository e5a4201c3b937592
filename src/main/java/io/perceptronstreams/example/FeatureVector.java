package io.perceptronstreams.example;

import java.util.Arrays;

/**
 * A vector of features, dense or sparse, in arrays that are reused from example to example.
 *
 * <p>Dense: feature {@code k} stands at position {@code k} and {@link #indices} means nothing. Sparse: position {@code k} holds
 * feature {@code indices()[k]}; indices ascend and are unique. Values are finite. Whoever fills the vector sees to that; the
 * learners rely on it. The arrays are this vector's own and may be longer than {@link #size}.
 */
public final class FeatureVector implements Features {
    private int[] indices;
    private double[] values;
    private int size;
    private boolean dense;

    // Only for named features, whose indices come in any order.
    private long[] order = new long[0];
    private double[] unsorted = new double[0];

    // Only for vectors that are learned from.
    private int[] places = new int[0];

    /** A vector with room for what most examples have. */
    public FeatureVector() {
        this(64);
    }

    /** A vector with room for {@code capacity} features; it grows where there are more. */
    FeatureVector(int capacity) {
        indices = new int[capacity];
        values = new double[capacity];
    }

    /** Empties this vector, to be filled as a dense one with {@link #append(double)}. */
    public FeatureVector resetDense() {
        size = 0;
        dense = true;
        return this;
    }

    /** Empties this vector, to be filled as a sparse one with {@link #append(int, double)}. */
    public FeatureVector resetSparse() {
        size = 0;
        dense = false;
        return this;
    }

    /** Makes room for {@code capacity} features, so that {@link #indices} and {@link #values} can be filled directly. */
    public void ensureCapacity(int capacity) {
        if (capacity > values.length) {
            int longer = Math.max(capacity, 2 * values.length);
            indices = Arrays.copyOf(indices, longer);
            values = Arrays.copyOf(values, longer);
        }
    }

    /** Says how many features the arrays hold after they were filled directly. */
    public void setSize(int size) {
        this.size = size;
    }

    /** Appends the next feature of a dense vector. */
    public void append(double value) {
        ensureCapacity(size + 1);
        values[size++] = value;
    }

    /** Appends a feature of a sparse vector. */
    public void append(int index, double value) {
        ensureCapacity(size + 1);
        indices[size] = index;
        values[size++] = value;
    }

    /**
     * Sorts this sparse vector by index and adds the values of equal indices: hashed names come in any order and may collide.
     *
     * <p>The values of one index are added in ascending order, so that the sum does not depend on the order of arrival. Cost:
     * O(n log n), no allocation once the scratch arrays have grown.
     */
    public void sortAndMerge() {
        if (order.length < size) {
            order = new long[values.length];
            unsorted = new double[values.length];
        }
        for (int k = 0; k < size; k++) {
            order[k] = (long) indices[k] << 32 | k;
        }
        Arrays.sort(order, 0, size);
        System.arraycopy(values, 0, unsorted, 0, size);
        int distinct = 0;
        for (int from = 0, to; from < size; from = to) {
            int index = (int) (order[from] >>> 32);
            for (to = from; to < size && (int) (order[to] >>> 32) == index; to++) {
                values[to] = unsorted[(int) order[to]];
            }
            if (to - from > 2) {
                Arrays.sort(values, from, to);
            }
            double sum = values[from];
            for (int k = from + 1; k < to; k++) {
                sum += values[k];
            }
            indices[distinct] = index;
            values[distinct++] = sum;
        }
        size = distinct;
    }

    /** Whether position and index are the same. */
    public boolean isDense() {
        return dense;
    }

    /** How many features stand in the arrays, explicit zeros included. */
    public int size() {
        return size;
    }

    /** The index of the feature at a position. */
    public int index(int position) {
        return dense ? position : indices[position];
    }

    /** Indices of a sparse vector, valid up to {@link #size}. */
    public int[] indices() {
        return indices;
    }

    /** Values, valid up to {@link #size}. */
    public double[] values() {
        return values;
    }

    /**
     * Scratch for whoever reads this vector, by position: where the numbers of its features lie. Examples share vectors, so that
     * this takes no memory of a model.
     */
    public int[] places() {
        if (places.length < size) {
            places = new int[values.length];
        }
        return places;
    }

    /** Sum of the squares in ascending index; infinite where it exceeds the range of a double. */
    public double squaredNorm() {
        double sum = 0;
        for (int k = 0; k < size; k++) {
            sum += values[k] * values[k];
        }
        return sum;
    }

    /**
     * Divides every value by the vector's Euclidean norm; a vector of zeros stays as it is.
     *
     * @throws RejectedException if the norm exceeds the range of a double
     */
    public void scaleToUnitNorm() {
        double norm = Math.sqrt(squaredNorm());
        if (norm == 0) {
            return;
        }
        if (Double.isInfinite(norm)) {
            throw new RejectedException(
                    RejectReason.SCORE_OVERFLOW,
                    "the norm of an example must be finite, got an overflow (scale its features down)");
        }
        for (int k = 0; k < size; k++) {
            values[k] /= norm;
        }
    }
}
