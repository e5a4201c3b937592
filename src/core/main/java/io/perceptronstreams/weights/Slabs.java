package io.perceptronstreams.weights;

import io.perceptronstreams.example.FeatureVector;
import java.util.Arrays;

/**
 * The numbers of many indices: the large form of a {@link BlockVector}.
 *
 * <p>The place of an index is {@code chunk << 13 | position of the block << 7 | index & 127}, valid until the next
 * insertion. Not thread-safe.
 */
final class Slabs {
    /*
     * A chunk is 64 consecutive blocks. The numbers of its touched blocks are in one array, its slab, in order of
     * arrival, with the lanes of an index side by side; one byte per block holds its position in the slab. A slab with
     * room for all blocks is full: its blocks are in the order of their numbers, with zeros for untouched ones, and are
     * read without the position byte.
     *
     * Chunks below 2^11 (indices below 2^24) are in the arrays at their number. Larger ones follow behind them in order
     * of arrival, and move up when a near chunk needs the room; an open-addressing table maps their numbers to
     * positions. Behind room for all 2^11 they would never move, but that room is 160 KB, and the statistics of every
     * model with scale=standard have an index as large as can be.
     *
     * The cost of w·x is memory latency. A number takes three reads: the reference to the slab (8 KiB for 2^24
     * indices), the length of the slab, next to its first number (2,048 cache lines), and the number itself. Only the
     * last one is as far away as in a flat array. With one array per block the lengths would be as far away as the
     * numbers. With an int per block and slabs shared by chunks, a directory of 512 KiB would compete with the numbers
     * for the cache.
     *
     * One bit mask per chunk could replace the bytes if blocks were always in the order of their numbers. A new block
     * would then move those above it: touching 2^17 blocks in random order took 45 to 60 µs each.
     *
     * A full slab with two lanes has 128 KiB, less than half of the smallest G1 region, so it is not a humongous
     * object.
     */
    // the public constants of BlockVector
    static final int SHIFT = 7;
    static final int BLOCK = 1 << SHIFT;
    static final int MASK = BLOCK - 1;

    private static final int CHUNK_SHIFT = 13;
    private static final int IN_CHUNK = (1 << CHUNK_SHIFT) - 1;
    private static final int BLOCKS_SHIFT = CHUNK_SHIFT - SHIFT;
    private static final int BLOCKS = 1 << BLOCKS_SHIFT;
    private static final int NEAR = 1 << 11;
    private static final int NONE = -1;
    private static final double[] NOTHING = {};
    private static final double[] ZERO = {0};
    private static final int[] NO_NUMBERS = {};

    private final int lanes;
    private final int blockLength;
    private final int fullLength;

    // By position of the chunk. A slab may have room for untouched blocks.
    private double[][] slabs = {};

    // By position of the chunk: number of touched blocks.
    private byte[] sizes = {};

    // 64 per chunk: position of the block in its slab, or -1.
    private byte[] positions = {};

    // By position of the chunk: bit mask of the changed blocks.
    private long[] changed = {};

    // Chunks below this number are at their number.
    private int near;

    // Chunks from number NEAR on: position near plus their position here.
    private final FarChunks far = new FarChunks();

    private int count;
    private long slabBytes;
    private double squares;

    // Numbers of the changed blocks, in order of their first change.
    private int[] changedNumbers = NO_NUMBERS;
    private int changedCount;

    Slabs(int lanes) {
        this.lanes = lanes;
        blockLength = lanes * BLOCK;
        fullLength = BLOCKS * blockLength;
    }

    int count() {
        return count;
    }

    /** The place of an index, or -1 if its block was never touched. */
    int find(int index) {
        int chunk = chunk(index);
        if (chunk < 0) {
            return NONE;
        }
        int position = positions[ofBlock(chunk, index)];
        return position < 0 ? NONE : place(chunk, position, index);
    }

    /** Index of a block in {@link #positions}. */
    private static int ofBlock(int chunk, int index) {
        return chunk << BLOCKS_SHIFT | (index >>> SHIFT & (BLOCKS - 1));
    }

    private static int place(int chunk, int position, int index) {
        return chunk << CHUNK_SHIFT | position << SHIFT | (index & MASK);
    }

    private int chunk(int index) {
        int number = index >>> CHUNK_SHIFT;
        return number < near ? number : farChunk(number);
    }

    private int farChunk(int number) {
        int position = far.find(number);
        return position < 0 ? NONE : near + position;
    }

    /** Sets the places of all features; returns how many non-zero features have none. */
    int find(FeatureVector x, int[] places) {
        return x.isDense() ? findDense(x.values(), x.size(), places) : findSparse(x, places);
    }

    private int findSparse(FeatureVector x, int[] places) {
        double[] values = x.values();
        int[] indices = x.indices();
        int size = x.size();
        int missing = 0;
        for (int k = 0; k < size; k++) {
            int place = find(indices[k]);
            places[k] = place;
            if (place < 0 && values[k] != 0) {
                missing++;
            }
        }
        return missing;
    }

    /** A block has one place for its first index, and the others follow. */
    private int findDense(double[] values, int size, int[] places) {
        int missing = 0;
        for (int first = 0; first < size; first += BLOCK) {
            int last = Math.min(size, first + BLOCK);
            int place = find(first);
            int step = place < 0 ? 0 : 1;
            for (int k = first; k < last; k++) {
                places[k] = place + (k - first) * step;
            }
            for (int k = first; place < 0 && k < last; k++) {
                missing += values[k] != 0 ? 1 : 0;
            }
        }
        return missing;
    }

    /** The array that holds the numbers of a place. */
    double[] slab(int place) {
        return slabs[place >>> CHUNK_SHIFT];
    }

    /** Offset of the numbers of a place in their array. */
    int from(int place) {
        return (place & IN_CHUNK) * lanes;
    }

    /** Dot product in ascending index; {@link #squares} returns |x|^2 afterwards. */
    double dot(int[] indices, double[] values, int size, int lane) {
        // local copies: the compiler cannot prove that the loop leaves the fields unchanged
        double[][] allSlabs = slabs;
        byte[] allPositions = positions;
        int full = fullLength;
        int firstFar = near;
        int stride = lanes;
        double sum = 0;
        double sumOfSquares = 0;
        for (int k = 0; k < size; k++) {
            int index = indices[k];
            double value = values[k];
            sumOfSquares += value * value;
            int chunk = index >>> CHUNK_SHIFT;
            if (chunk >= firstFar) {
                chunk = farChunk(chunk);
                if (chunk < 0) {
                    continue;
                }
            }
            double[] slab = allSlabs[chunk];
            if (slab.length == full) {
                sum += slab[(index & IN_CHUNK) * stride + lane] * value;
                continue;
            }
            int position = allPositions[ofBlock(chunk, index)];
            if (position >= 0) {
                int at = position << SHIFT | (index & MASK);
                sum += slab[at * stride + lane] * value;
            }
        }
        squares = sumOfSquares;
        return sum;
    }

    /** Dot product with a dense vector. */
    double dotDense(double[] values, int size, int lane) {
        double sum = 0;
        double sumOfSquares = 0;
        for (int first = 0; first < size; first += BLOCK) {
            int last = Math.min(size, first + BLOCK);
            int place = find(first);
            double[] numbers = place < 0 ? ZERO : slab(place);
            int from = place < 0 ? 0 : from(place) + lane;
            int stride = place < 0 ? 0 : lanes;
            for (int k = first; k < last; k++) {
                sumOfSquares += values[k] * values[k];
                sum += numbers[from + (k - first) * stride] * values[k];
            }
        }
        squares = sumOfSquares;
        return sum;
    }

    double squares() {
        return squares;
    }

    /** The place of an index to be changed; marks its block as touched and changed. */
    int touch(int index) {
        int chunk = chunk(index);
        if (chunk < 0) {
            chunk = insertChunk(index >>> CHUNK_SHIFT);
        }
        int position = positions[ofBlock(chunk, index)];
        if (position < 0) {
            position = insert(chunk, index);
        }
        markChanged(chunk, index >>> SHIFT);
        return place(chunk, position, index);
    }

    /** Marks the blocks of the non-zero features of {@code x} as changed; all of these must have places. */
    void markChanged(FeatureVector x) {
        int[] places = x.places();
        double[] values = x.values();
        int size = x.size();
        for (int k = 0; k < size; k++) {
            if (values[k] != 0) {
                changed(x.index(k), places[k]);
                // the others of a dense vector in this block
                k |= x.isDense() ? MASK : 0;
            }
        }
    }

    /** Marks the blocks of the first features of {@code x} as changed, zeros included; all must have places. */
    void markChanged(FeatureVector x, int size, int[] places) {
        int step = x.isDense() ? BLOCK : 1;
        for (int k = 0; k < size; k += step) {
            changed(x.index(k), places[k]);
        }
    }

    /** Marks the block of an index at a place as changed. */
    private void changed(int index, int place) {
        markChanged(place >>> CHUNK_SHIFT, index >>> SHIFT);
    }

    private void markChanged(int chunk, int number) {
        long bit = 1L << number;
        if ((changed[chunk] & bit) == 0) {
            changed[chunk] |= bit;
            if (changedCount == changedNumbers.length) {
                changedNumbers = Arrays.copyOf(changedNumbers, Math.max(16, 2 * changedCount));
            }
            changedNumbers[changedCount++] = number;
        }
    }

    private int insertChunk(int number) {
        int room = slabs.length - near;
        if (number < NEAR) {
            resize(Math.min(NEAR, Math.max(number + 1, 2 * near)), room);
            return number;
        }
        int position = far.add(number);
        if (position == room) {
            resize(near, Math.max(1, 2 * room));
        }
        return near + position;
    }

    /** Gives room to chunks at their number and to those behind them; neither becomes less. */
    private void resize(int ofNear, int ofFar) {
        double[][] oldSlabs = slabs;
        byte[] oldSizes = sizes;
        byte[] oldPositions = positions;
        long[] oldChanged = changed;
        int length = ofNear + ofFar;
        slabs = new double[length][];
        Arrays.fill(slabs, NOTHING);
        sizes = new byte[length];
        positions = new byte[length << BLOCKS_SHIFT];
        Arrays.fill(positions, (byte) NONE);
        changed = new long[length];
        for (int from = 0; from < oldSlabs.length; from++) {
            int to = from < near ? from : from - near + ofNear;
            slabs[to] = oldSlabs[from];
            sizes[to] = oldSizes[from];
            System.arraycopy(oldPositions, from << BLOCKS_SHIFT, positions, to << BLOCKS_SHIFT, BLOCKS);
            changed[to] = oldChanged[from];
        }
        near = ofNear;
    }

    /** Inserts a block of zeros; returns its position. */
    private int insert(int chunk, int index) {
        int size = sizes[chunk]++;
        if (slabs[chunk].length == size * blockLength) {
            lengthenSlab(chunk, size);
        }
        boolean isFull = slabs[chunk].length == fullLength;
        int position = isFull ? index >>> SHIFT & (BLOCKS - 1) : size;
        positions[ofBlock(chunk, index)] = (byte) position;
        count++;
        return position;
    }

    private void lengthenSlab(int chunk, int size) {
        double[] slab = slabs[chunk];
        int room = Math.min(BLOCKS, size + Math.max(1, size / 2));
        double[] longer = new double[room * blockLength];
        if (room < BLOCKS) {
            System.arraycopy(slab, 0, longer, 0, slab.length);
        } else {
            int first = chunk << BLOCKS_SHIFT;
            for (int block = 0; block < BLOCKS; block++) {
                int position = positions[first + block];
                if (position >= 0) {
                    System.arraycopy(slab, position * blockLength, longer, block * blockLength, blockLength);
                    positions[first + block] = (byte) block;
                }
            }
        }
        slabs[chunk] = longer;
        slabBytes += arrayBytes(longer) - arrayBytes(slab);
    }

    private static long arrayBytes(double[] slab) {
        return slab.length == 0 ? 0 : 16 + (long) slab.length * Double.BYTES;
    }

    /** Returns true if this block was touched. */
    boolean hasBlock(int number) {
        return find(number << SHIFT) >= 0;
    }

    /** Restores a stored block, which counts as unchanged. */
    void putBack(int number, double[] block) {
        int index = number << SHIFT;
        int chunk = chunk(index);
        chunk = chunk < 0 ? insertChunk(index >>> CHUNK_SHIFT) : chunk;
        if (positions[ofBlock(chunk, index)] >= 0) {
            throw new IllegalStateException("block " + number + " is already there");
        }
        write(place(chunk, insert(chunk, index), index), block);
    }

    /** Copies a stored block to the place of its first index. */
    void write(int place, double[] block) {
        double[] slab = slab(place);
        int from = from(place);
        for (int i = 0; i < BLOCK; i++) {
            for (int lane = 0; lane < lanes; lane++) {
                slab[from++] = block[lane * BLOCK + i];
            }
        }
    }

    private void read(int place, double[] block) {
        double[] slab = slab(place);
        int from = from(place);
        for (int i = 0; i < BLOCK; i++) {
            for (int lane = 0; lane < lanes; lane++) {
                block[lane * BLOCK + i] = slab[from++];
            }
        }
    }

    /** Returns a copy of which all blocks count as changed, and the removed ones. */
    Slabs copy() {
        Slabs copy = new Slabs(lanes);
        for (int k = 0; k < changedCount; k++) {
            if (!hasBlock(changedNumbers[k])) {
                copy.markRemoved(changedNumbers[k]);
            }
        }
        forEach((number, block) -> copy.write(copy.touch(number << SHIFT), block));
        return copy;
    }

    /** Returns true if blocks, their numbers and the changed ones are equal. */
    boolean isSame(Slabs other) {
        return count == other.count
                && near == other.near
                && Arrays.equals(sizes, other.sizes)
                && Arrays.equals(positions, other.positions)
                && Arrays.equals(changed, other.changed)
                && far.isSame(other.far)
                && Arrays.deepEquals(slabs, other.slabs);
    }

    void drainChanged(Blocks.Sink sink) {
        int[] numbers = takeChanged();
        double[] block = new double[numbers.length == 0 ? 0 : blockLength];
        for (int number : numbers) {
            int place = find(number << SHIFT);
            if (place >= 0) {
                read(place, block);
            }
            sink.accept(number, place >= 0 ? block : null);
        }
    }

    /** Returns the ascending numbers of the changed blocks and marks them as unchanged. */
    int[] takeChanged() {
        int[] numbers = Arrays.copyOf(changedNumbers, changedCount);
        Arrays.sort(numbers);
        for (int number : numbers) {
            changed[chunk(number << SHIFT)] &= ~(1L << number);
        }
        changedCount = 0;
        return numbers;
    }

    /** Marks a block that may be stored as removed, so that the next {@link #drainChanged} passes null. */
    void markRemoved(int number) {
        int chunk = chunk(number << SHIFT);
        markChanged(chunk < 0 ? insertChunk(number >>> BLOCKS_SHIFT) : chunk, number);
    }

    void forEach(Blocks.Sink sink) {
        double[] block = new double[blockLength];
        for (int chunk = 0; chunk < near; chunk++) {
            passAll(chunk, chunk, block, sink);
        }
        for (int number : far.sorted()) {
            passAll(number, farChunk(number), block, sink);
        }
    }

    private void passAll(int number, int chunk, double[] numbers, Blocks.Sink sink) {
        for (int block = 0; block < BLOCKS; block++) {
            int position = positions[chunk << BLOCKS_SHIFT | block];
            if (position >= 0) {
                read(place(chunk, position, 0), numbers);
                sink.accept(number << BLOCKS_SHIFT | block, numbers);
            }
        }
    }

    /** Removes every block; the next {@link #drainChanged} passes null for each. */
    void clear() {
        forEach((number, block) -> markChanged(chunk(number << SHIFT), number));
        Arrays.fill(sizes, (byte) 0);
        Arrays.fill(positions, (byte) NONE);
        Arrays.fill(slabs, NOTHING);
        slabBytes = 0;
        count = 0;
    }

    long heapBytes() {
        return slabBytes
                + 200
                + slabs.length * (4L + 8 + 1 + BLOCKS)
                + far.heapBytes()
                + changedNumbers.length * (long) Integer.BYTES;
    }
}
