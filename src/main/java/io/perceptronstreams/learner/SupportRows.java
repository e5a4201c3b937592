package io.perceptronstreams.learner;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.weights.Blocks;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The features of the support vectors: by slot, one block each as they are stored, and by feature for scoring.
 *
 * <p>A block is written once, when its vector is added, and removed with it. It holds 0 and the values from index 0 on,
 * or 1 and pairs of index and value, whichever is shorter; trailing zeros are left out.
 */
final class SupportRows implements Blocks {
    /** Maximum numbers in a block: it stays below 512 KiB. */
    static final int MAX_NUMBERS = (1 << 16) - 1;

    // The maximum of blocks.max.
    private static final int MAX_SLOTS = 1 << 24;

    private static final double DENSE = 0;
    private static final double SPARSE = 1;

    // Numbers per unit of blocks.max, as many as in a block of weights.
    private static final int UNIT = 128;

    private final InvertedIndex index = new InvertedIndex();
    private final BitSet changed = new BitSet();
    private final FeatureVector row = new FeatureVector();

    /** By slot; null if a slot is free. */
    private double[][] rows = new double[16][];

    private int count;
    private long rowBytes;

    /** Number of numbers in the block of {@code x}. */
    static int numbers(FeatureVector x) {
        int nonZeros = 0;
        int last = -1;
        for (int k = 0; k < x.size(); k++) {
            if (x.values()[k] != 0) {
                nonZeros++;
                last = x.index(k);
            }
        }
        return 1 + (int) Math.min(2L * nonZeros, last + 1L);
    }

    /** Number of blocks of 128 for {@code numbers} numbers. */
    static int units(int numbers) {
        return (numbers + UNIT - 1) / UNIT;
    }

    /** Number of slots in use. */
    @Override
    public int count() {
        return count;
    }

    /** Number of blocks of 128 for the vector in a slot. */
    int unitsOf(int slot) {
        return units(rows[slot].length);
    }

    /** Copies {@code x} into a free slot; {@code top} must be above every slot in use. */
    void add(int slot, FeatureVector x, int top) {
        put(slot, encode(x));
        changed.set(slot);
        index.add(slot, x, top);
    }

    private void put(int slot, double[] block) {
        if (slot >= rows.length) {
            rows = Arrays.copyOf(rows, Math.max(slot + 1, 2 * rows.length));
        }
        count += (block == null ? 0 : 1) - (rows[slot] == null ? 0 : 1);
        rowBytes += heapBytes(block) - heapBytes(rows[slot]);
        rows[slot] = block;
    }

    private static long heapBytes(double[] block) {
        return block == null ? 0 : 16 + 8L * block.length;
    }

    private static double[] encode(FeatureVector x) {
        double[] block = new double[numbers(x)];
        int nonZeros = 0;
        for (int k = 0; k < x.size(); k++) {
            nonZeros += x.values()[k] != 0 ? 1 : 0;
        }
        boolean isSparse = block.length == 1 + 2 * nonZeros;
        block[0] = isSparse ? SPARSE : DENSE;
        int at = 1;
        for (int k = 0; k < x.size(); k++) {
            double value = x.values()[k];
            if (value != 0 && isSparse) {
                block[at++] = x.index(k);
                block[at++] = value;
            } else if (value != 0) {
                block[1 + x.index(k)] = value;
            }
        }
        return block;
    }

    /** The vector in a slot, valid until the next call. */
    FeatureVector row(int slot) {
        double[] block = rows[slot];
        boolean isSparse = block[0] == SPARSE;
        if (isSparse) {
            row.resetSparse();
            for (int at = 1; at < block.length; at += 2) {
                row.append((int) block[at], block[at + 1]);
            }
        } else {
            row.resetDense();
            for (int at = 1; at < block.length; at++) {
                row.append(block[at]);
            }
        }
        return row;
    }

    /** Empties a slot. */
    void remove(int slot) {
        index.remove(slot, row(slot));
        put(slot, null);
        changed.set(slot);
    }

    /** Writes ⟨x,z⟩ for the vector z of each slot below {@code top} into {@code dots}; 0 for free slots. */
    void dots(FeatureVector x, int top, double[] dots) {
        index.dots(x, top, dots);
    }

    /**
     * Prepares restored vectors for scoring.
     *
     * @throws IllegalArgumentException if a slot in use has no features, or a free one has some
     */
    void rebuild(BitSet used) {
        for (int slot = 0; slot < rows.length; slot++) {
            if (rows[slot] != null && !used.get(slot)) {
                throw new IllegalArgumentException("features must be those of a support vector, got some for " + slot);
            }
        }
        used.stream().forEach(this::check);
        for (int slot = used.nextSetBit(0); slot >= 0; slot = used.nextSetBit(slot + 1)) {
            index.add(slot, row(slot), used.length());
        }
    }

    private void check(int slot) {
        double[] block = slot < rows.length ? rows[slot] : null;
        boolean isRight = block != null && block.length > 0 && block.length <= MAX_NUMBERS;
        if (isRight && block[0] == SPARSE) {
            isRight = block.length % 2 == 1;
            int last = -1;
            for (int at = 1; isRight && at < block.length; at += 2) {
                isRight = block[at] == (int) block[at] && block[at] > last;
                last = (int) block[at];
            }
        }
        if (!isRight || !(block[0] == SPARSE || block[0] == DENSE)) {
            throw new IllegalArgumentException("the features of support vector " + slot + " must be there, got none");
        }
    }

    @Override
    public void drainChanged(Sink sink) {
        for (int slot = changed.nextSetBit(0); slot >= 0; slot = changed.nextSetBit(slot + 1)) {
            sink.accept(slot, rows[slot]);
        }
        changed.clear();
    }

    @Override
    public void forEach(Sink sink) {
        for (int slot = 0; slot < rows.length; slot++) {
            if (rows[slot] != null) {
                sink.accept(slot, rows[slot]);
            }
        }
    }

    @Override
    public void restore(int number, double[] block) {
        if (number < 0 || number >= MAX_SLOTS) {
            throw new IllegalArgumentException("slot must be from 0 to " + (MAX_SLOTS - 1) + ", got " + number);
        }
        if (number < rows.length && rows[number] != null) {
            throw new IllegalStateException("block " + number + " is already there");
        }
        put(number, block);
    }

    /** Includes about 64 bytes per slot for the arrays that scoring needs. */
    @Override
    public long heapBytes() {
        return rowBytes + rows.length * 64L + index.heapBytes();
    }
}
