package io.perceptronstreams.kernel;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.learner.BlockLimits;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * The support of a dual learner: vectors with coefficient, survival count and squared norm, in order of arrival.
 *
 * <p>Vectors with the same features share a row, by which a learner evaluates kernels. A vector keeps its slot, the
 * lowest that was free. The n-th vector in order is the n-th term of the score; the sum of the first n terms is the
 * score of the n-th weight vector.
 */
final class SupportSet {
    // Lanes of the stored terms. The serial number, from 1, gives the order; it is 0 in free slots.
    private static final int COEFFICIENT = 0;
    private static final int COUNT = 1;
    private static final int SERIAL = 2;

    // Number of slots that may be free in an import.
    private static final int FREE_SLOTS = 1 << 17;

    private final BlockVector terms = BlockVector.ofBlocks(3);
    private final SupportRows rows = new SupportRows();
    private final SupportIds ids = new SupportIds();
    private final List<Blocks> blocks = List.of(terms, rows, ids);
    private final BitSet used = new BitSet();

    // By slot.
    private double[] coefficients = new double[16];
    private double[] counts = new double[16];

    /** By row. */
    private double[] squaredNorms = new double[16];

    /** Slots in order; valid up to {@link #size}. */
    private int[] order = new int[16];

    private int size;
    private long units;

    /** Number of vectors. */
    int size() {
        return size;
    }

    /** Above every row in use. */
    int top() {
        return rows.top();
    }

    /** The row of the features in a slot. */
    int rowOf(int slot) {
        return rows.rowOf(slot);
    }

    /** The slot of the vector at a place in order. */
    int slot(int place) {
        return order[place];
    }

    /** By slot; not to be changed. */
    double[] coefficients() {
        return coefficients;
    }

    /** By slot; not to be changed. */
    double[] counts() {
        return counts;
    }

    /** By row; not to be changed. */
    double[] squaredNorms() {
        return squaredNorms;
    }

    /** |z|^2 of the vector in a slot. */
    double squaredNorm(int slot) {
        return squaredNorms[rows.rowOf(slot)];
    }

    /** The features of the vector in a slot, valid until the next call. */
    FeatureVector vector(int slot) {
        return rows.vector(slot);
    }

    /** The id of the example in a slot, or the number of its update if it was not kept. */
    String nameOf(int slot) {
        String id = ids.id(slot);
        return id == null ? "update " + (long) term(slot, SERIAL) : id;
    }

    /** Returns true if the id of an example was kept. */
    boolean hasIds() {
        return ids.count() > 0;
    }

    /** Number of blocks of 128 numbers in the features, at least one per vector. */
    long units() {
        return units;
    }

    /** Number of {@link #units} of the vector in a slot. */
    int unitsOf(int slot) {
        return rows.unitsOf(slot);
    }

    /** Writes ⟨x,z⟩, with the bias features if there are any, for the vector z of each row below {@link #top}. */
    void dots(FeatureVector x, boolean hasBias, double[] dots) {
        int top = top();
        rows.dots(x, dots);
        for (int row = 0; hasBias && row < top; row++) {
            dots[row] += x.bias() * rows.bias(row);
        }
    }

    /**
     * Appends a vector.
     *
     * @param serial greater than those of all others
     * @param id of the example, to be kept; empty for none
     */
    void add(FeatureVector x, double squaredNorm, double coefficient, double count, double serial, Utf8Slice id) {
        int slot = used.nextClearBit(0);
        used.set(slot);
        write(slot, coefficient, count, serial);
        rows.add(slot, x);
        ids.add(slot, id);
        append(slot, coefficient, count, squaredNorm);
    }

    private void write(int slot, double coefficient, double count, double serial) {
        terms.write(slot, COEFFICIENT, coefficient);
        terms.write(slot, COUNT, count);
        terms.write(slot, SERIAL, serial);
    }

    private void append(int slot, double coefficient, double count, double squaredNorm) {
        if (slot >= coefficients.length) {
            int length = Math.max(slot + 1, 2 * coefficients.length);
            coefficients = Arrays.copyOf(coefficients, length);
            counts = Arrays.copyOf(counts, length);
        }
        int row = rows.rowOf(slot);
        if (row >= squaredNorms.length) {
            squaredNorms = Arrays.copyOf(squaredNorms, Math.max(row + 1, 2 * squaredNorms.length));
        }
        if (size == order.length) {
            order = Arrays.copyOf(order, 2 * size);
        }
        coefficients[slot] = coefficient;
        counts[slot] = count;
        squaredNorms[row] = squaredNorm;
        order[size++] = slot;
        units += rows.unitsOf(slot);
    }

    /**
     * Removes every vector whose slot is in {@code leaving}.
     *
     * <p>The weight vector before takes over the survival count. Before the first one is the zero vector, so its count
     * is lost.
     *
     * @return the counts that are lost
     */
    double remove(BitSet leaving) {
        int kept = 0;
        double lost = 0;
        for (int place = 0; place < size; place++) {
            int slot = order[place];
            if (!leaving.get(slot)) {
                order[kept++] = slot;
                continue;
            }
            if (kept == 0) {
                lost += counts[slot];
            } else {
                setCount(order[kept - 1], counts[order[kept - 1]] + counts[slot]);
            }
            write(slot, 0, 0, 0);
            units -= rows.unitsOf(slot);
            rows.remove(slot);
            ids.remove(slot);
            used.clear(slot);
        }
        size = kept;
        return lost;
    }

    /** Counts an example that the present weight vector has survived. */
    void survive() {
        int slot = order[size - 1];
        setCount(slot, counts[slot] + 1);
    }

    private void setCount(int slot, double count) {
        counts[slot] = count;
        terms.write(slot, COUNT, count);
    }

    /** Stored by slot: terms, that is coefficient, count and serial number; features; id. */
    List<Blocks> blocks() {
        return blocks;
    }

    /**
     * Computes everything else from the restored blocks.
     *
     * @param updates maximum of the serial numbers
     * @throws IllegalArgumentException if the blocks contradict each other
     */
    void rebuild(boolean hasBias, double updates) {
        terms.forEach((number, block) -> {
            for (int i = 0; i < BlockVector.BLOCK; i++) {
                double serial = block[SERIAL * BlockVector.BLOCK + i];
                double count = block[COUNT * BlockVector.BLOCK + i];
                if (serial < 0 || serial > updates || count < 0) {
                    throw new IllegalArgumentException("a support vector must have a serial number up to " + updates
                            + " and a count >= 0, got " + serial + " and " + count);
                }
                if (serial != 0) {
                    used.set((number << BlockVector.SHIFT) + i);
                }
            }
        });
        rows.rebuild(used);
        ids.check(used);
        used.stream()
                .boxed()
                .sorted((a, b) -> Double.compare(term(a, SERIAL), term(b, SERIAL)))
                .forEach(slot -> append(
                        slot, term(slot, COEFFICIENT), term(slot, COUNT), squaredNorm(rows.vector(slot), hasBias)));
    }

    /** |x|^2, bias feature included if there is one. */
    static double squaredNorm(FeatureVector x, boolean hasBias) {
        return x.squaredNorm() + (hasBias ? x.bias() * x.bias() : 0);
    }

    /**
     * Checks a block to be imported: slots must not take much more memory than the blocks.
     *
     * <p>A vector takes the lowest free slot, so a high slot implies that the lower ones were in use. Beyond 2^17
     * slots, which take 9 MB, half of them must be in use.
     */
    void checkBlock(int vector, int number, int length) {
        Blocks of = blocks.get(vector);
        if (of == terms) {
            BlockLimits.requireNumber(number, (FREE_SLOTS >> BlockVector.SHIFT) + 2L * terms.count());
            BlockLimits.requireLength(length, 3 * BlockVector.BLOCK);
            return;
        }
        long below = FREE_SLOTS + 2L * rows.count();
        if (number >= below) {
            throw new IllegalArgumentException(
                    "a support vector must lie in a slot below " + below + ", got slot " + number);
        }
        BlockLimits.requireLength(length, of == rows ? SupportBlock.MAX_NUMBERS : SupportIds.MAX_NUMBERS);
    }

    private double term(int slot, int lane) {
        return terms.read(slot, lane);
    }
}
