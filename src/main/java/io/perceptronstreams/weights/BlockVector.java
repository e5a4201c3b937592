package io.perceptronstreams.weights;

import java.util.Arrays;

/**
 * A sparse array of doubles, in blocks of 128 that are allocated when first touched and remember whether they were changed.
 *
 * <p>Each index may carry several numbers, its lanes: block {@code n} holds lane {@code l} of index {@code 128n + i} at {@code
 * 128l + i}. Numbers that are read and changed together so cost one look-up and are stored in one record. Untouched numbers
 * are 0. Lane 0 can also be read from copies that lie closer together: {@link #front} and {@link #cache}. Not thread-safe.
 */
public final class BlockVector extends BlockDirectory {
    /** Indices in a block. */
    public static final int BLOCK = 128;

    /** {@code index >>> SHIFT} is the number of an index's block. */
    public static final int SHIFT = 7;

    /** {@code index & MASK} is the place of an index within its block. */
    public static final int MASK = BLOCK - 1;

    // 2 MiB with two lanes: more than stays in a processor's own caches.
    private static final int MANY = 1024;

    // 1 MiB: no more than stays there.
    private static final int MOST_IN_FRONT = 1024;

    private final int lanes;
    private double[] front;
    private NumberCache cache;

    /** An array of zeros with {@code lanes} numbers for each index. */
    public BlockVector(int lanes) {
        this.lanes = lanes;
    }

    /**
     * Lane 0 of the first indices once more, in one array without gaps, to be read.
     *
     * <p>On the way to a number in its block w·x waits for the directory, the block's length and the number, and what it needs of
     * them takes a multiple of the room in the processor's caches; here it waits for the number alone. The front is as long as the
     * largest power of two of blocks, at most 1,024, of which half was touched, so that it takes no more than twice the bytes
     * of their lane. Whoever reads this way tells of every change by {@link #changed}. Cost: O(1), and O(touched blocks) at the
     * first call.
     */
    public double[] front() {
        if (front == null) {
            front = new double[0];
            extendFront();
        }
        return front;
    }

    private void extendFront() {
        int length = 0;
        int touched = 0;
        for (int number = 0; number < MOST_IN_FRONT; number++) {
            touched += find(number) == null ? 0 : 1;
            if (Integer.bitCount(number + 1) == 1 && 2 * touched >= number + 1) {
                length = number + 1;
            }
        }
        int from = front.length / BLOCK;
        if (length > from) {
            front = Arrays.copyOf(front, length * BLOCK);
            for (int number = from; number < length; number++) {
                double[] block = find(number);
                if (block != null) {
                    System.arraycopy(block, 0, front, number * BLOCK, BLOCK);
                }
            }
        }
    }

    /** Whether so many blocks lie beyond {@link #front} that {@link #cache} finds the numbers of a sparse vector faster. */
    public boolean isSpread() {
        return count() - front().length / BLOCK >= MANY;
    }

    /**
     * Lane 0 of the indices that were {@link #read}, close together, where {@link #isSpread}.
     *
     * <p>Whoever reads this way tells of every change by {@link #changed}. It takes from 29 to 936 KiB.
     */
    public NumberCache cache() {
        if (cache == null) {
            cache = new NumberCache();
        }
        return cache;
    }

    /** Lane 0 of an index, 0 where it was never touched; from now on it is in {@link #cache}, until another one takes its place. */
    public double read(int index) {
        NumberCache known = cache();
        int slot = known.slot(index);
        if (known.index(slot) == index) {
            return known.number(slot);
        }
        double[] block = find(index >>> SHIFT);
        double number = block == null ? 0 : block[index & MASK];
        known.put(index, number);
        return number;
    }

    /** Tells {@link #front} and {@link #cache} that lane 0 of an index has changed in its block, and to what. */
    public void changed(int index, double number) {
        if (front != null && index < front.length) {
            front[index] = number;
        }
        if (cache != null) {
            int slot = cache.slot(index);
            if (cache.index(slot) == index) {
                cache.setNumber(slot, number);
            }
        }
    }

    /** The block of this number to be changed; allocates it where it is new. */
    public double[] touch(int number) {
        double[] block = find(number);
        if (block == null) {
            block = new double[lanes * BLOCK];
            insert(number, block);
            if (front != null && number < MOST_IN_FRONT) {
                extendFront();
            }
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
        front = null;
        cache = null;
        putBack(number, block);
    }

    /** Sets all to 0: forgets every block, and hands it over once more, as null. Cost: O(touched blocks). */
    public void clear() {
        front = null;
        cache = null;
        forgetAll();
    }

    @Override
    public long heapBytes() {
        return (long) count() * (lanes * BLOCK * Double.BYTES + 16)
                + directoryBytes()
                + (front == null ? 0 : front.length * (long) Double.BYTES)
                + (cache == null ? 0 : cache.heapBytes());
    }
}
