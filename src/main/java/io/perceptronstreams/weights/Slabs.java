package io.perceptronstreams.weights;

import io.perceptronstreams.example.FeatureVector;
import java.util.Arrays;

/**
 * The numbers of any number of indices: the form of a {@link BlockVector} with more than a few.
 *
 * <p>64 blocks that follow each other are a chunk. The numbers of its touched blocks lie in one array, its slab, in the order in which they
 * came; those of one index lie side by side. A byte for each block is its position in the slab. A slab that has room for all blocks of
 * its chunk is full: then they lie in the order of their numbers, zeros where one was never touched, and are read without that byte.
 *
 * <p>The place of an index is {@code chunk << 13 | position of the block << 7 | index & 127}. It is valid until the next insertion into
 * the chunk.
 *
 * <p>Chunks with numbers below 2^11, hence those of the indices below 2^24, stand in the arrays at their number; those beyond, in the
 * order of their arrival, behind the first 2^11, where a table with open addressing has their positions. Not thread-safe.
 */
final class Slabs {
    /*
     * What w·x costs is waiting for memory. A number is found in three steps: the slab of its chunk (8 KiB of references for 2^24 indices),
     * the length of the slab, which lies before its first number (2,048 cache lines), and the number. Only the last one is as far away
     * as in a flat array. With one array for each block the lengths are as far away as the numbers: two far steps. With an int for each
     * block and slabs that chunks share, the directory has 512 KiB, which compete with the numbers for the cache.
     *
     * A mask for each chunk could replace the bytes if the blocks always lay in the order of their numbers: a block's position is the
     * number of bits below its own. But then a new block moves those above it; to touch 2^17 blocks in any order took 45 to 60 µs for
     * each of them.
     *
     * A full slab has 128 KiB with two lanes, which is less than half of the smallest region of G1: it is no humongous object.
     */
    private static final int CHUNK_SHIFT = 13;
    private static final int IN_CHUNK = (1 << CHUNK_SHIFT) - 1;
    private static final int BLOCKS_SHIFT = CHUNK_SHIFT - BlockVector.SHIFT;
    private static final int BLOCKS = 1 << BLOCKS_SHIFT;
    private static final int NEAR = 1 << 11;
    private static final int NONE = -1;
    private static final int MIN_FAR_SLOTS = 16;
    private static final double[] NOTHING = {};
    private static final double[] ZERO = {0};
    private static final int[] NO_NUMBERS = {};

    private final int lanes;
    private final int blockLength;
    private final int fullLength;

    // By position of the chunk. A slab may have room for more blocks than are touched.
    private double[][] slabs = {};

    // By position of the chunk: how many of its blocks were touched.
    private byte[] sizes = {};

    // 64 for each chunk: the position of the block in its slab, or -1.
    private byte[] positions = {};

    // By position of the chunk: which blocks were changed since they were handed over.
    private long[] changed = {};

    // Chunks below this number stand at their number.
    private int near;

    // A far chunk's number, or -1, and its position, by turns.
    private int[] farTable = NO_NUMBERS;

    // Numbers of the far chunks by position, from NEAR.
    private int[] farNumbers = NO_NUMBERS;
    private int farCount;

    private int count;
    private long slabBytes;
    private double squares;

    // Numbers of the changed blocks, in order of their first change.
    private int[] changedNumbers = NO_NUMBERS;
    private int changedCount;

    Slabs(int lanes) {
        this.lanes = lanes;
        blockLength = lanes * BlockVector.BLOCK;
        fullLength = BLOCKS * blockLength;
    }

    /** How many blocks were touched. */
    int count() {
        return count;
    }

    /** The place of an index, or -1 where its block was never touched. */
    int find(int index) {
        int chunk = chunk(index);
        if (chunk < 0) {
            return NONE;
        }
        int position = positions[ofBlock(chunk, index)];
        return position < 0 ? NONE : place(chunk, position, index);
    }

    /** Where the block of an index stands in {@link #positions}. */
    private static int ofBlock(int chunk, int index) {
        return chunk << BLOCKS_SHIFT | (index >>> BlockVector.SHIFT & (BLOCKS - 1));
    }

    private static int place(int chunk, int position, int index) {
        return chunk << CHUNK_SHIFT | position << BlockVector.SHIFT | (index & BlockVector.MASK);
    }

    private int chunk(int index) {
        int number = index >>> CHUNK_SHIFT;
        return number < near ? number : farChunk(number);
    }

    /** Finds the places of all features; how many of those that are not 0 have none. */
    int find(FeatureVector x) {
        int[] places = x.places();
        double[] values = x.values();
        int size = x.size();
        int missing = 0;
        for (int k = 0; k < size; k++) {
            int place = find(x.index(k));
            places[k] = place;
            if (place < 0 && values[k] != 0) {
                missing++;
            }
        }
        return missing;
    }

    /** The array with the numbers of a place. */
    double[] slab(int place) {
        return slabs[place >>> CHUNK_SHIFT];
    }

    /** Where the numbers of a place begin in their array. */
    int from(int place) {
        return (place & IN_CHUNK) * lanes;
    }

    /** The sum of the products of a lane with the values, in ascending index; {@link #squares} is that of the squares afterwards. */
    double dot(int[] indices, double[] values, int size, int lane) {
        // fields once: the compiler does not know that the loop leaves them as they are
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
                int at = position << BlockVector.SHIFT | (index & BlockVector.MASK);
                sum += slab[at * stride + lane] * value;
            }
        }
        squares = sumOfSquares;
        return sum;
    }

    /** The same for a vector of which each value stands at its index. */
    double dotDense(double[] values, int size, int lane) {
        double sum = 0;
        double sumOfSquares = 0;
        for (int first = 0; first < size; first += BlockVector.BLOCK) {
            int last = Math.min(size, first + BlockVector.BLOCK);
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

    private int farChunk(int number) {
        if (farCount == 0) {
            return NONE;
        }
        int slot = farSlot(number);
        return farTable[slot] == number ? farTable[slot + 1] : NONE;
    }

    private int farSlot(int number) {
        int mask = farTable.length - 2;
        int slot = (number * 0x9e3779b1) >>> Integer.numberOfLeadingZeros(mask) & mask;
        while (farTable[slot] != number && farTable[slot] != NONE) {
            slot = slot + 2 & mask;
        }
        return slot;
    }

    /** The place of an index to be changed; its block counts as touched and as changed. */
    int touch(int index) {
        int chunk = chunk(index);
        if (chunk < 0) {
            chunk = insertChunk(index >>> CHUNK_SHIFT);
        }
        int position = positions[ofBlock(chunk, index)];
        if (position < 0) {
            position = insert(chunk, index);
        }
        markChanged(chunk, index >>> BlockVector.SHIFT);
        return place(chunk, position, index);
    }

    /** Notes that the features of {@code x} that are not 0 are about to change; all of them have places. */
    void markChanged(FeatureVector x) {
        int[] places = x.places();
        double[] values = x.values();
        int size = x.size();
        for (int k = 0; k < size; k++) {
            if (values[k] != 0) {
                markChanged(places[k] >>> CHUNK_SHIFT, x.index(k) >>> BlockVector.SHIFT);
            }
        }
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
        if (number < NEAR) {
            near = Math.min(NEAR, Math.max(number + 1, 2 * near));
            lengthen(near);
            return number;
        }
        int chunk = NEAR + farCount;
        lengthen(chunk + 1);
        if (farCount == farNumbers.length) {
            farNumbers = Arrays.copyOf(farNumbers, Math.max(4, 2 * farCount));
            int[] old = farTable;
            farTable = new int[Math.max(MIN_FAR_SLOTS, 2 * old.length)];
            Arrays.fill(farTable, NONE);
            for (int slot = 0; slot < old.length; slot += 2) {
                if (old[slot] != NONE) {
                    enter(old[slot], old[slot + 1]);
                }
            }
        }
        farNumbers[farCount++] = number;
        enter(number, chunk);
        return chunk;
    }

    private void enter(int number, int chunk) {
        int slot = farSlot(number);
        farTable[slot] = number;
        farTable[slot + 1] = chunk;
    }

    private void lengthen(int length) {
        int before = slabs.length;
        if (length > before) {
            int longer = length <= NEAR ? length : Math.max(length, NEAR + 2 * (before - NEAR));
            sizes = Arrays.copyOf(sizes, longer);
            positions = Arrays.copyOf(positions, longer << BLOCKS_SHIFT);
            Arrays.fill(positions, before << BLOCKS_SHIFT, positions.length, (byte) NONE);
            changed = Arrays.copyOf(changed, longer);
            slabs = Arrays.copyOf(slabs, longer);
            Arrays.fill(slabs, before, longer, NOTHING);
        }
    }

    /** Makes room for a block of zeros; its position. */
    private int insert(int chunk, int index) {
        int size = sizes[chunk]++;
        if (slabs[chunk].length == size * blockLength) {
            lengthenSlab(chunk, size);
        }
        boolean isFull = slabs[chunk].length == fullLength;
        int position = isFull ? index >>> BlockVector.SHIFT & (BLOCKS - 1) : size;
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

    /** Whether this block was touched. */
    boolean hasBlock(int number) {
        return find(number << BlockVector.SHIFT) >= 0;
    }

    /** Takes a block with lanes apart; it does not count as changed. */
    void putBack(int number, double[] block) {
        int index = number << BlockVector.SHIFT;
        int chunk = chunk(index);
        chunk = chunk < 0 ? insertChunk(index >>> CHUNK_SHIFT) : chunk;
        if (positions[ofBlock(chunk, index)] >= 0) {
            throw new IllegalStateException("block " + number + " is already there");
        }
        write(place(chunk, insert(chunk, index), index), block);
    }

    /** Copies a block with lanes apart to the place of its first index. */
    void write(int place, double[] block) {
        double[] slab = slab(place);
        int from = from(place);
        for (int i = 0; i < BlockVector.BLOCK; i++) {
            for (int lane = 0; lane < lanes; lane++) {
                slab[from++] = block[lane * BlockVector.BLOCK + i];
            }
        }
    }

    private void read(int place, double[] block) {
        double[] slab = slab(place);
        int from = from(place);
        for (int i = 0; i < BlockVector.BLOCK; i++) {
            for (int lane = 0; lane < lanes; lane++) {
                block[lane * BlockVector.BLOCK + i] = slab[from++];
            }
        }
    }

    void drainChanged(Blocks.Sink sink) {
        int[] numbers = takeChanged();
        double[] block = new double[numbers.length == 0 ? 0 : blockLength];
        for (int number : numbers) {
            int place = find(number << BlockVector.SHIFT);
            if (place >= 0) {
                read(place, block);
            }
            sink.accept(number, place >= 0 ? block : null);
        }
    }

    /** Numbers of the changed blocks, ascending; they count as unchanged from then on. */
    int[] takeChanged() {
        int[] numbers = Arrays.copyOf(changedNumbers, changedCount);
        Arrays.sort(numbers);
        for (int number : numbers) {
            changed[chunk(number << BlockVector.SHIFT)] &= ~(1L << number);
        }
        changedCount = 0;
        return numbers;
    }

    /** Notes that a block which is not here, but may be stored, is to be handed over as null. */
    void forget(int number) {
        int chunk = chunk(number << BlockVector.SHIFT);
        markChanged(chunk < 0 ? insertChunk(number >>> BLOCKS_SHIFT) : chunk, number);
    }

    void forEach(Blocks.Sink sink) {
        double[] block = new double[blockLength];
        for (int chunk = 0; chunk < near; chunk++) {
            show(chunk, chunk, block, sink);
        }
        int[] numbers = Arrays.copyOf(farNumbers, farCount);
        Arrays.sort(numbers);
        for (int number : numbers) {
            show(number, farChunk(number), block, sink);
        }
    }

    private void show(int number, int chunk, double[] numbers, Blocks.Sink sink) {
        for (int block = 0; block < BLOCKS; block++) {
            int position = positions[chunk << BLOCKS_SHIFT | block];
            if (position >= 0) {
                read(place(chunk, position, 0), numbers);
                sink.accept(number << BLOCKS_SHIFT | block, numbers);
            }
        }
    }

    /** Forgets every block; each is handed over once more, as null. */
    void clear() {
        forEach((number, block) -> markChanged(chunk(number << BlockVector.SHIFT), number));
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
                + (farTable.length + farNumbers.length + changedNumbers.length) * (long) Integer.BYTES;
    }
}
