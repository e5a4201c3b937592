package io.perceptronstreams.weights;

import io.perceptronstreams.example.FeatureVector;
import java.util.Arrays;

/**
 * A sparse array of doubles, stored in blocks of 128 indices that are allocated when first touched and remember whether they were changed.
 *
 * <p>Each index carries several numbers, its lanes; numbers that are read and changed together so cost one look-up. Untouched numbers
 * are 0. A stored block {@code n} holds lane {@code l} of index {@code 128n + i} at {@code 128l + i}. In memory the lanes of an
 * index lie side by side, at the place that {@link #find} and {@link #touch} return:
 *
 * <pre>{@code
 * int place = vector.touch(index);
 * vector.slab(place)[vector.from(place) + lane] += change;
 * }</pre>
 *
 * <p>There are two forms. Up to 512 touched indices the vector is small, a table of some 40 bytes for each index ({@link Entries});
 * beyond, or where a block is restored, its numbers lie in {@link Slabs}. Both give the same numbers and the same {@link #count}. A
 * small vector has no changed blocks: whoever stores it writes all its entries. Not thread-safe.
 */
public final class BlockVector implements Blocks {
    /** Indices in a block. */
    public static final int BLOCK = 128;

    /** {@code index >>> SHIFT} is the number of an index's block. */
    public static final int SHIFT = 7;

    /** {@code index & MASK} is the place of an index within its block. */
    public static final int MASK = BLOCK - 1;

    // number of a block's 128 indices whose entries in a table take about as much memory as the block
    private static final int DENSE = 64;

    private static final int[] NONE = {};

    private final int lanes;
    private final boolean isNeverSmall;

    // One of the two is null.
    private Entries small;
    private Slabs large;

    // Numbers of the blocks that it had before it was cleared, ascending, until they are handed over; of a small vector
    // only.
    private int[] forgotten = NONE;

    /** Takes one index. */
    @FunctionalInterface
    public interface EntrySink {
        /**
         * Takes an index.
         *
         * @param numbers owned by the giver, to be read before the call returns: the lanes stand at {@code from} and after it
         */
        void accept(int index, double[] numbers, int from);
    }

    /** An array of zeros with {@code lanes} numbers for each index. */
    public BlockVector(int lanes) {
        this(lanes, false);
    }

    private BlockVector(int lanes, boolean isNeverSmall) {
        this.lanes = lanes;
        this.isNeverSmall = isNeverSmall;
        small = isNeverSmall ? null : new Entries(lanes);
        large = isNeverSmall ? new Slabs(lanes) : null;
    }

    /** The same, never small: for indices that follow each other and are changed one by one. */
    public static BlockVector ofBlocks(int lanes) {
        return new BlockVector(lanes, true);
    }

    /** How many numbers an index has. */
    public int lanes() {
        return lanes;
    }

    /** Whether the numbers lie in a table of at most 512 indices. */
    public boolean isSmall() {
        return large == null;
    }

    /** How many indices were touched, where the vector {@link #isSmall}; else 0. */
    public int entries() {
        return small == null ? 0 : small.size();
    }

    /** How many blocks have a touched index. */
    @Override
    public int count() {
        return large != null ? large.count() : small.blocks();
    }

    /** Whether an index of this block was touched. Cost: O(1), and O(entries) where the vector is small. */
    public boolean hasBlock(int number) {
        return large != null ? large.hasBlock(number) : small.hasBlock(number);
    }

    /** The place of an index to be read, valid until the next {@link #touch}; -1 where all its numbers are 0. */
    public int find(int index) {
        return large != null ? large.find(index) : small.find(index);
    }

    /** The place of an index to be changed, valid until the next call. */
    public int touch(int index) {
        if (large != null) {
            return large.touch(index);
        }
        int place = small.find(index);
        if (place >= 0) {
            return place;
        }
        if (small.size() == Entries.MAX) {
            makeLarge();
            return large.touch(index);
        }
        return small.insert(index);
    }

    /** The array that holds the numbers of a place. */
    public double[] slab(int place) {
        return large != null ? large.slab(place) : small.numbers();
    }

    /** Where the numbers of a place begin in its {@link #slab}. */
    public int from(int place) {
        return large != null ? large.from(place) : place * lanes;
    }

    /**
     * The product of a lane with {@code x}; |x|^2 is {@link #squaredLength} afterwards.
     *
     * <p>One loop for both, because each sum by itself waits for its last addition. Both run in ascending index, products and sums are
     * rounded one by one. Cost: O(non-zeros of x), no allocation.
     */
    public double dot(FeatureVector x, int lane) {
        if (large == null) {
            return small.dot(x, lane);
        }
        return x.isDense()
                ? large.dotDense(x.values(), x.size(), lane)
                : large.dot(x.indices(), x.values(), x.size(), lane);
    }

    /** |x|^2 of the last {@link #dot}. */
    public double squaredLength() {
        return large != null ? large.squares() : small.squares();
    }

    /** Finds the {@link FeatureVector#places} of all features, -1 for none; how many of those that are not 0 have none. */
    public int find(FeatureVector x) {
        return large != null ? large.find(x) : small.find(x);
    }

    /**
     * Makes the features of {@code x} that are not 0 ready to be changed, at their {@link FeatureVector#places}.
     *
     * @param missing what {@link #find(FeatureVector)} has returned for {@code x}, since when nothing was touched
     */
    public void touch(FeatureVector x, int missing) {
        if (large == null && x.isDense() && x.size() >= DENSE) {
            makeLarge();
            find(x);
        }
        if (missing > 0) {
            double[] values = x.values();
            for (int k = 0; k < x.size(); k++) {
                if (values[k] != 0) {
                    touch(x.index(k));
                }
            }
            // each new index may have moved the others
            find(x);
        } else if (large != null) {
            large.markChanged(x);
        }
    }

    /** A number of an index. */
    public double read(int index, int lane) {
        int place = find(index);
        return place < 0 ? 0 : slab(place)[from(place) + lane];
    }

    /** Sets a number of an index. */
    public void write(int index, int lane, double number) {
        int place = touch(index);
        slab(place)[from(place) + lane] = number;
    }

    /** Sets all numbers of a block. */
    public void writeBlock(int number, double[] block) {
        makeLarge();
        large.write(large.touch(number << SHIFT), block);
    }

    private void makeLarge() {
        if (large == null) {
            Slabs slabs = new Slabs(lanes);
            forEachEntry((index, numbers, from) -> {
                int place = slabs.touch(index);
                System.arraycopy(numbers, from, slabs.slab(place), slabs.from(place), lanes);
            });
            for (int number : forgotten) {
                slabs.forget(number);
            }
            forgotten = NONE;
            large = slabs;
            small = null;
        }
    }

    /** Shows every touched index of a vector that is small, in ascending order; nothing of one that is not. */
    public void forEachEntry(EntrySink sink) {
        if (small != null) {
            small.forEach(sink);
        }
    }

    /**
     * Takes back an index that {@link #forEachEntry} has shown.
     *
     * @param numbers has the lanes at {@code from} and after it; copied
     */
    public void restoreEntry(int index, double[] numbers, int from) {
        if (index < 0) {
            throw new IllegalArgumentException("index must be >= 0, got " + index);
        }
        if (large != null || entries() == Entries.MAX) {
            throw new IllegalStateException(
                    "a vector with single entries must have at most " + Entries.MAX + " of them");
        }
        if (find(index) >= 0) {
            throw new IllegalStateException("index " + index + " is already there");
        }
        int place = touch(index);
        System.arraycopy(numbers, from, slab(place), from(place), lanes);
    }

    /** Nothing while the vector is small, but what {@link #clear} has made it forget; every block at the first call after that. */
    @Override
    public void drainChanged(Sink sink) {
        if (large != null) {
            large.drainChanged(sink);
        }
        for (int number : forgotten) {
            sink.accept(number, null);
        }
        forgotten = NONE;
    }

    /** Cost: O(touched blocks), and O(largest number) below 2^17. */
    @Override
    public void forEach(Sink sink) {
        if (large != null) {
            large.forEach(sink);
        } else {
            new Assembly(sink).showAll();
        }
    }

    /** Makes blocks of entries. */
    private final class Assembly {
        private final Sink sink;
        private final double[] block = new double[lanes * BLOCK];
        private int number = -1;

        Assembly(Sink sink) {
            this.sink = sink;
        }

        void showAll() {
            small.forEach(this::add);
            show();
        }

        private void add(int index, double[] numbers, int from) {
            if (index >>> SHIFT != number) {
                show();
                Arrays.fill(block, 0);
                number = index >>> SHIFT;
            }
            for (int lane = 0; lane < lanes; lane++) {
                block[lane * BLOCK + (index & MASK)] = numbers[from + lane];
            }
        }

        private void show() {
            if (number >= 0) {
                sink.accept(number, block);
            }
        }
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
        makeLarge();
        large.putBack(number, block);
    }

    /**
     * Sets all to 0 and forgets every block; each is handed over once more, as null, so that whoever has stored it removes it. The
     * vector is small afterwards, as it is when it is read back, unless it is one {@link #ofBlocks}. Cost: O(touched blocks).
     */
    public void clear() {
        if (large != null) {
            large.clear();
        }
        if (isNeverSmall) {
            return;
        }
        if (large != null) {
            forgotten = large.takeChanged();
            large = null;
        }
        small = new Entries(lanes);
    }

    @Override
    public long heapBytes() {
        return 32 + forgotten.length * (long) Integer.BYTES + (large != null ? large.heapBytes() : small.heapBytes());
    }
}
