package io.perceptronstreams.weights;

import io.perceptronstreams.example.FeatureVector;
import java.util.Arrays;

/**
 * A sparse array of doubles in blocks of 128 indices, allocated on first touch. Changed blocks are tracked.
 *
 * <p>Each index has several numbers, its lanes, so one look-up serves numbers that are read and changed together.
 * Untouched numbers are 0. A stored block {@code n} holds lane {@code l} of index {@code 128n + i} at {@code 128l + i}.
 * In memory the lanes of an index are adjacent, at the place that {@link #find} and {@link #touch} return:
 *
 * <pre>{@code
 * int place = vector.touch(index);
 * vector.slab(place)[vector.from(place) + lane] += change;
 * }</pre>
 *
 * <p>A vector of at most 512 touched indices is small: a table of about 25 bytes per index ({@link Entries}). So is one
 * of up to 8,192 indices as long as blocks would take more than twice the memory. A larger one, and one with restored
 * blocks, uses {@link Slabs}. Both forms hold the same numbers and return the same {@link #count}. A small vector has
 * no changed blocks: a store writes all its entries, or those that differ from a copy that it has stored. Not
 * thread-safe.
 */
public final class BlockVector implements Blocks {
    /** Indices per block. */
    public static final int BLOCK = Slabs.BLOCK;

    /** {@code index >>> SHIFT} is the number of the block of an index. */
    public static final int SHIFT = Slabs.SHIFT;

    /** {@code index & MASK} is the position of an index in its block. */
    public static final int MASK = Slabs.MASK;

    // Number of indices per block at which a table takes about as much memory as the block.
    private static final int DENSE = 64;

    private static final int[] NONE = {};

    private final int lanes;
    private final boolean isNeverSmall;
    private boolean isTaken;

    // At most one of the two is not null, and neither while nothing is touched: most models never touch some vectors.
    private Entries small;
    private Slabs large;

    // Number of entries of the stored copy, which may be out of use; 0 without one.
    private int storedEntries;

    // Small vector: ascending numbers of the blocks before clear(), until the next drainChanged().
    private int[] forgotten = NONE;

    /** Creates an array of zeros with {@code lanes} numbers per index. */
    public BlockVector(int lanes) {
        this(lanes, false);
    }

    private BlockVector(int lanes, boolean isNeverSmall) {
        this.lanes = lanes;
        this.isNeverSmall = isNeverSmall;
        large = isNeverSmall ? new Slabs(lanes) : null;
    }

    /** The table of a small vector, to be changed. */
    private Entries table() {
        if (small == null) {
            if (isTaken) {
                throw new IllegalStateException("the numbers of this vector belong to another one");
            }
            small = new Entries(lanes);
        }
        return small;
    }

    /** Creates a vector that is never small, for consecutive indices that are changed one by one. */
    public static BlockVector ofBlocks(int lanes) {
        return new BlockVector(lanes, true);
    }

    /** Heap of arrays that vectors of the calling thread have outgrown, kept for others that grow. Cost: O(1). */
    public static long outgrownBytesOfThread() {
        return ArrayPool.ofThread().heapBytes();
    }

    /** Number of lanes. */
    public int lanes() {
        return lanes;
    }

    /** Returns true if the numbers are in a table. */
    public boolean isSmall() {
        return large == null;
    }

    /** Number of touched indices if the vector {@link #isSmall}, else 0. */
    public int entries() {
        return small == null ? 0 : small.size();
    }

    /** Number of blocks with a touched index. Cost: O(1); O(n log n) for the n entries of a small vector. */
    @Override
    public int count() {
        return large != null ? large.count() : small == null ? 0 : small.blocks();
    }

    /** Upper bound of {@link #count}. Cost: O(1). */
    public int maxCount() {
        return large != null ? large.count() : entries();
    }

    /** Returns true if an index of this block was touched. Cost: O(1). */
    public boolean hasBlock(int number) {
        return large != null ? large.hasBlock(number) : small != null && small.hasBlock(number);
    }

    /** The place of an index to be read, or -1 if all its numbers are 0. Valid until the next {@link #touch}. */
    public int find(int index) {
        return large != null ? large.find(index) : small == null ? -1 : small.find(index);
    }

    /** Reads from what finds the places of a small vector, and changes nothing; returns a number without a meaning. */
    public int readAhead() {
        return small == null ? 0 : small.readAhead();
    }

    /** The place of an index to be changed; allocates it. Valid until the next call. */
    public int touch(int index) {
        if (large != null) {
            return large.touch(index);
        }
        Entries table = table();
        int place = table.find(index);
        if (place >= 0) {
            table.markChanged(place);
            return place;
        }
        if (table.isFull()) {
            makeLarge();
            return large.touch(index);
        }
        return table.insert(index);
    }

    /**
     * Marks the first features of {@code x} as changed, at the places that {@link #find(FeatureVector, int[])} has set;
     * does the same as {@link #touch(int)} for each.
     */
    public void markChanged(FeatureVector x, int size, int[] places) {
        if (large != null) {
            large.markChanged(x, size, places);
        } else {
            table().markChanged(size, places);
        }
    }

    /** The array that holds the numbers of a place. */
    public double[] slab(int place) {
        return large != null ? large.slab(place) : table().numbers();
    }

    /** Offset of the numbers of a place in its {@link #slab}. */
    public int from(int place) {
        return large != null ? large.from(place) : table().from(place);
    }

    /**
     * The dot product of a lane with {@code x}; {@link #squaredLength} returns |x|^2 afterwards.
     *
     * <p>Both sums run in ascending index, in one loop because each alone would wait for its last addition; products
     * and sums are rounded one by one. Cost: O(non-zeros of x), no allocation.
     */
    public double dot(FeatureVector x, int lane) {
        if (large == null) {
            return table().dot(x, lane);
        }
        return x.isDense()
                ? large.dotDense(x.values(), x.size(), lane)
                : large.dot(x.indices(), x.values(), x.size(), lane);
    }

    /** |x|^2 of the last {@link #dot}. */
    public double squaredLength() {
        return large != null ? large.squares() : table().squares();
    }

    /**
     * Does the same as {@link #find(FeatureVector)} for the {@code x} of the last {@link #dot}, with no {@code touch}
     * since. Cost: O(1) for a small vector, whose {@code dot} has found the places.
     */
    public int findScored(FeatureVector x) {
        return large != null ? large.find(x, x.places()) : table().missing();
    }

    /** Sets {@link FeatureVector#places}, -1 if untouched; returns how many non-zero features are untouched. */
    public int find(FeatureVector x) {
        return find(x, x.places());
    }

    /**
     * Does the same with other places; faster in a small vector if they were those of the same features, as of columns
     * of a table in the row before.
     */
    public int find(FeatureVector x, int[] places) {
        return large != null ? large.find(x, places) : table().find(x, places);
    }

    /**
     * Prepares the non-zero features of {@code x} for a change, at their {@link FeatureVector#places}.
     *
     * @param missing result of {@link #find(FeatureVector)} for {@code x}, with no {@code touch} since
     */
    public void touch(FeatureVector x, int missing) {
        if (large == null && x.isDense() && x.size() >= DENSE) {
            makeLarge();
            find(x);
        }
        if (missing > 0 && (large != null || !table().insert(x, missing))) {
            insert(x, missing);
            // the vector may have become large
            find(x);
        }
        if (large != null) {
            large.markChanged(x);
        } else {
            table().markChanged(x);
        }
    }

    private void insert(FeatureVector x, int missing) {
        reserve(missing);
        double[] values = x.values();
        int[] places = x.places();
        for (int k = 0; k < x.size(); k++) {
            if (places[k] < 0 && values[k] != 0) {
                touch(x.index(k));
            }
        }
    }

    /** Returns one number of an index. */
    public double read(int index, int lane) {
        int place = find(index);
        return place < 0 ? 0 : slab(place)[from(place) + lane];
    }

    /** Sets one number of an index. */
    public void write(int index, int lane, double number) {
        int place = touch(index);
        slab(place)[from(place) + lane] = number;
    }

    /** Multiplies all numbers by a factor. Cost: O(touched blocks). */
    public void multiply(double factor) {
        for (int lane = 0; lane < lanes; lane++) {
            multiply(lane, factor);
        }
    }

    /** Multiplies the numbers of a lane by a factor. Cost: O(touched blocks). */
    public void multiply(int lane, double factor) {
        if (large == null) {
            if (small == null) {
                return;
            }
            small.markAllChanged();
            double[] numbers = small.numbers();
            for (int i = small.from(0) + lane; i < numbers.length; i += lanes) {
                numbers[i] *= factor;
            }
            return;
        }
        large.forEach((number, block) -> {
            for (int i = lane * BLOCK; i < (lane + 1) * BLOCK; i++) {
                block[i] *= factor;
            }
            large.write(large.touch(number << SHIFT), block);
        });
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
                slabs.markRemoved(number);
            }
            forgotten = NONE;
            large = slabs;
            small = null;
        }
    }

    /** Passes every touched index of a small vector in ascending order; nothing if the vector is not small. */
    public void forEachEntry(EntrySink sink) {
        if (small != null) {
            small.forEach(sink);
        }
    }

    /** Number of entries of the stored copy of a small vector, 0 without one. A large vector may still have one. */
    public int storedEntries() {
        return storedEntries;
    }

    /** Notes that all entries of a small vector, and no others, are in a stored copy. */
    public void markStored() {
        storedEntries = entries();
        table().markStored();
    }

    /** Notes that there is no stored copy. */
    public void forgetStored() {
        storedEntries = 0;
        if (small != null) {
            small.markAllChanged();
        }
    }

    /** Number of entries of a small vector that differ from its stored copy; all without one. */
    public int changedEntries() {
        return small == null ? 0 : small.changed();
    }

    /** Passes every index of a small vector that differs from its stored copy, in ascending order. */
    public void forEachChangedEntry(EntrySink sink) {
        if (small != null) {
            small.forEachChanged(sink);
        }
    }

    /** Makes room for further entries of a small vector, so that their number does not cost allocations. */
    public void reserve(int more) {
        if (large == null) {
            table().reserve(more);
        }
    }

    /**
     * Restores an entry passed by {@link #forEachEntry}.
     *
     * @param numbers holds the lanes from {@code from} on; copied
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
        insert(index, numbers, from);
    }

    /**
     * Restores all entries of an empty vector, as {@link #restoreEntry} does with each.
     *
     * @param indices not negative, different ones
     * @param numbers the lanes of each; copied
     */
    public void restoreEntries(int[] indices, double[] numbers) {
        if (large != null || entries() > 0 || indices.length > Entries.MAX) {
            throw new IllegalStateException(
                    "a vector with single entries must have at most " + Entries.MAX + " of them");
        }
        table().restore(indices, numbers);
    }

    /** Restores an entry passed by {@link #forEachChangedEntry}, which replaces the one of the stored copy. */
    public void restoreChangedEntry(int index, double[] numbers, int from) {
        if (find(index) < 0) {
            restoreEntry(index, numbers, from);
        } else {
            System.arraycopy(numbers, from, slab(0), from(touch(index)), lanes);
        }
    }

    private void insert(int index, double[] numbers, int from) {
        // not touch(): entries arrive in another order than when they were learned, and the vector stays small
        int place = table().insert(index);
        System.arraycopy(numbers, from, slab(place), from(place), lanes);
    }

    /** Returns a copy of which everything counts as changed. Cost: O(touched blocks). */
    public BlockVector copy() {
        BlockVector copy = new BlockVector(lanes, isNeverSmall);
        // it takes the place of this vector in a store
        copy.storedEntries = storedEntries;
        copy.forgotten = forgotten;
        copy.small = small == null ? null : small.copy();
        copy.large = large == null ? null : large.copy();
        return copy;
    }

    /** Returns true if all numbers are 0 and nothing of the vector is stored or to be removed. */
    public boolean isUntouched() {
        return large == null && entries() == 0 && storedEntries == 0 && forgotten.length == 0;
    }

    /** Takes over the numbers of another vector of as many lanes, which cannot be used afterwards. */
    public void take(BlockVector other) {
        small = other.small;
        large = other.large;
        storedEntries = other.storedEntries;
        forgotten = other.forgotten;
        other.small = null;
        other.large = null;
        other.isTaken = true;
    }

    /**
     * Returns true if both have the same numbers, bit for bit, and differ in the same way from what is stored, as two
     * that were changed in the same way. Not always true of those that were not. Cost: O(touched blocks).
     */
    public boolean isSame(BlockVector other) {
        return lanes == other.lanes
                && storedEntries == other.storedEntries
                && Arrays.equals(forgotten, other.forgotten)
                && isSmall() == other.isSmall()
                && (isSmall() ? table().isSame(other.table()) : large.isSame(other.large));
    }

    /**
     * A small vector passes no blocks except, once, null for each block it had before {@link #clear}. After it has
     * become large, the first call passes every block.
     */
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
            new Assembly(sink).passAll();
        }
    }

    /** Assembles blocks from entries. */
    private final class Assembly {
        private final Sink sink;
        private final double[] block = new double[lanes * BLOCK];
        private int number = -1;

        Assembly(Sink sink) {
            this.sink = sink;
        }

        void passAll() {
            forEachEntry(this::add);
            pass();
        }

        private void add(int index, double[] numbers, int from) {
            if (index >>> SHIFT != number) {
                pass();
                Arrays.fill(block, 0);
                number = index >>> SHIFT;
            }
            for (int lane = 0; lane < lanes; lane++) {
                block[lane * BLOCK + (index & MASK)] = numbers[from + lane];
            }
        }

        private void pass() {
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
     * Sets all numbers to 0. The next {@link #drainChanged} passes null for every removed block. The vector is small
     * afterwards, unless created by {@link #ofBlocks}. Cost: O(touched blocks).
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
        small = null;
    }

    @Override
    public long heapBytes() {
        long bytes = 40 + forgotten.length * (long) Integer.BYTES;
        return bytes + (large != null ? large.heapBytes() : small == null ? 0 : small.heapBytes());
    }
}
