package io.perceptronstreams.example;

import java.util.Arrays;

/**
 * A feature vector, dense or sparse, in arrays that are reused from example to example.
 *
 * <p>Dense: the feature at position {@code k} has index {@code k}; {@link #indices} is unused. Sparse: it has index
 * {@code indices()[k]}, and indices are unique and ascending. Values are finite. The caller that fills the vector must
 * ensure this; learners rely on it. The vector owns its arrays, which may be longer than {@link #size}.
 */
public final class FeatureVector implements Features {
    /** Room of a vector that needs no attention, however many there are. */
    private static final int FEW = 64;

    /** About as many features as fit into a record. */
    static final int MAX_ROOM = 1 << 20;

    private int[] indices;
    private double[] values;
    private int size;
    private boolean dense;
    private boolean hashed;
    private double bias = 1;
    private int labelBefore;

    // Scratch of sortAndMerge.
    private long[] order = new long[0];
    private double[] unsorted = new double[0];

    // Allocated on first use by a learner.
    private int[] places = new int[0];

    // Allocated on first use by statistics of the features.
    private int[] found = new int[0];
    private double[] next = new double[0];

    // Allocated on first use by a learner that has numbers of an update for each feature.
    private double[] steps = new double[0];

    /** Creates a vector with room for 64 features. */
    public FeatureVector() {
        this(64);
    }

    /** Creates a vector with room for {@code capacity} features; it grows if needed. */
    FeatureVector(int capacity) {
        indices = new int[capacity];
        values = new double[capacity];
    }

    /** Clears this vector and makes it dense: fill it with {@link #append(double)}. */
    public FeatureVector resetDense() {
        size = 0;
        dense = true;
        hashed = false;
        bias = 1;
        labelBefore = 0;
        return this;
    }

    /** Clears this vector and makes it sparse: fill it with {@link #append(int, double)}. */
    public FeatureVector resetSparse() {
        size = 0;
        dense = false;
        hashed = false;
        bias = 1;
        labelBefore = 0;
        return this;
    }

    /** Makes a dense vector sparse; its features stay the same. */
    void becomeSparse() {
        if (dense) {
            for (int k = 0; k < size; k++) {
                indices[k] = k;
            }
            dense = false;
        }
    }

    /** Number of features for which there is memory. */
    int room() {
        return values.length;
    }

    /**
     * Returns true if reused vectors have more room than one record can need: each may once have been large.
     *
     * <p>Cost: O(used), after large vectors O(all).
     *
     * @param all vectors; null behind the last one that was ever used
     * @param used number of vectors that may have grown
     */
    static boolean areOversized(FeatureVector[] all, int used) {
        boolean isLarge = false;
        for (int k = 0; k < used; k++) {
            isLarge |= all[k].room() > FEW;
        }
        long room = 0;
        for (int k = 0; isLarge && k < all.length && all[k] != null; k++) {
            room += all[k].room();
        }
        return room > MAX_ROOM;
    }

    /** Ensures room for {@code capacity} features, to fill {@link #indices} and {@link #values} directly. */
    public void ensureCapacity(int capacity) {
        if (capacity > values.length) {
            int longer = Math.max(capacity, 2 * values.length);
            indices = Arrays.copyOf(indices, longer);
            values = Arrays.copyOf(values, longer);
        }
    }

    /** Sets the number of features after the arrays were filled directly. */
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

    /** Makes this vector a copy of another one. */
    public void set(FeatureVector other) {
        ensureCapacity(other.size);
        size = other.size;
        dense = other.dense;
        hashed = other.hashed;
        bias = other.bias;
        labelBefore = other.labelBefore;
        if (!dense) {
            System.arraycopy(other.indices, 0, indices, 0, size);
        }
        System.arraycopy(other.values, 0, values, 0, size);
    }

    /**
     * Sorts this sparse vector by index and adds the values of equal indices (hash collisions).
     *
     * <p>The values of one index are added in ascending order, so the sum does not depend on the order of the features.
     * Cost: O(n log n), no allocation once the scratch arrays have grown.
     */
    public void sortAndMerge() {
        fillOrder();
        Arrays.sort(order, 0, size);
        merge();
    }

    /** Does the same as {@link #sortAndMerge} in O(n). */
    void sortAndMerge(IndexSort sort) {
        fillOrder();
        order = sort.sort(order, size);
        merge();
    }

    private void fillOrder() {
        hashed = true;
        if (order.length < size) {
            order = new long[values.length];
            unsorted = new double[values.length];
        }
        for (int k = 0; k < size; k++) {
            order[k] = (long) indices[k] << 32 | k;
        }
    }

    private void merge() {
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

    /** Returns true if position and index are the same. */
    public boolean isDense() {
        return dense;
    }

    /** Returns true if the indices are hashes of names, which may collide. */
    public boolean isHashed() {
        return hashed;
    }

    /** Sets whether the indices are hashes of names, after the arrays were filled directly. */
    public void setHashed(boolean isHashed) {
        hashed = isHashed;
    }

    /** Value of the bias feature that a learner with a bias appends; 1 unless it was scaled with the others. */
    public double bias() {
        return bias;
    }

    /** Sets the value of the bias feature. */
    public void setBias(double value) {
        bias = value;
    }

    /** The label of the example before, -1 or +1; 0 if it is not known. */
    public int labelBefore() {
        return labelBefore;
    }

    /** Sets the label of the example before. */
    public void setLabelBefore(int sign) {
        labelBefore = sign;
    }

    /** Number of features in the arrays, explicit zeros included. */
    public int size() {
        return size;
    }

    @Override
    public long count() {
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
     * Scratch of the learner: where it stores the number of the feature at each position. It belongs to the vector, so
     * it takes no memory per model. Before that it has the places of the example before, mostly of the same features
     * where these are columns of a table.
     */
    public int[] places() {
        if (places.length < size) {
            places = new int[values.length];
        }
        return places;
    }

    /** As {@link #places}, of the statistics. A learner does not change it. */
    public int[] found() {
        if (found.length < size) {
            found = new int[values.length];
        }
        return found;
    }

    /** Scratch of the statistics: their next numbers, {@code lanes} for the feature at each position. */
    public double[] next(int lanes) {
        if (next.length < lanes * size) {
            next = new double[lanes * values.length];
        }
        return next;
    }

    /**
     * Scratch of a learner: {@code lanes} numbers of an update for the feature at each position, of any value until
     * set.
     */
    public double[] steps(int lanes) {
        if (steps.length < lanes * size) {
            steps = new double[lanes * values.length];
        }
        return steps;
    }

    /** Sum of the squares in ascending index; infinite if it overflows. */
    public double squaredNorm() {
        double sum = 0;
        for (int k = 0; k < size; k++) {
            sum += values[k] * values[k];
        }
        return sum;
    }

    /**
     * Divides every value by the Euclidean norm; leaves a vector of zeros unchanged.
     *
     * @throws RejectedException if the norm overflows
     */
    public void scaleToUnitNorm() {
        double norm = Math.sqrt(squaredNorm());
        if (norm != 0) {
            divide(norm);
        }
    }

    /**
     * Divides every value and the bias feature by the Euclidean norm of both together.
     *
     * @throws RejectedException if the norm overflows
     */
    public void scaleToUnitNormWithBias() {
        double norm = Math.sqrt(squaredNorm() + bias * bias);
        divide(norm);
        bias /= norm;
    }

    private void divide(double norm) {
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
