package io.perceptronstreams.example;

/**
 * A sparse array of doubles, in blocks of 128 that are allocated when first touched and remember whether they were changed.
 *
 * <p>Each index may carry several numbers, its lanes: block {@code n} holds lane {@code l} of index {@code 128n + i} at {@code
 * 128l + i}. Numbers that are read and changed together so cost one look-up and are stored in one record. Untouched numbers
 * are 0. Not thread-safe.
 */
public final class BlockVector extends BlockDirectory {
    /** Indices in a block. */
    public static final int BLOCK = 128;

    /** {@code index >>> SHIFT} is the number of an index's block. */
    public static final int SHIFT = 7;

    /** {@code index & MASK} is the place of an index within its block. */
    public static final int MASK = BLOCK - 1;

    private final int lanes;

    /** An array of zeros with {@code lanes} numbers for each index. */
    public BlockVector(int lanes) {
        this.lanes = lanes;
    }

    /** The block of this number to be changed; allocates it where it is new. */
    public double[] touch(int number) {
        double[] block = find(number);
        if (block == null) {
            block = new double[lanes * BLOCK];
            insert(number, block);
        }
        markChanged(number);
        return block;
    }

    @Override
    public void restore(int number, double[] block) {
        if (block.length != lanes * BLOCK) {
            throw new IllegalArgumentException(
                    "block " + number + " must have " + lanes * BLOCK + " numbers, got " + block.length);
        }
        if (number < 0 || number > Integer.MAX_VALUE >>> SHIFT) {
            throw new IllegalArgumentException("block number must be from 0 to 2^24 - 1, got " + number);
        }
        putBack(number, block);
    }

    /** Sets all to 0: forgets every block, and hands it over once more, as null. Cost: O(touched blocks). */
    public void clear() {
        forgetAll();
    }

    @Override
    public long heapBytes() {
        return (long) count() * (lanes * BLOCK * Double.BYTES + 16) + directoryBytes();
    }
}
