package io.perceptronstreams.store;

import io.perceptronstreams.weights.BlockVector;

/**
 * The entries of a vector of few touched indices, which lie in the header and not in blocks.
 *
 * <p>Layout: the number of lanes, unsigned; then for each entry, in ascending index, the distance of its index to the one before
 * minus 1, unsigned (the first: the index itself), and the doubles of its lanes as {@link ByteWriter} writes them. The number of entries
 * stands in front and is not part of it.
 *
 * <p>Size of an entry with two lanes: 18 to 22 bytes where both numbers have all bits, 5 to 9 where they are small whole ones. Not
 * thread-safe.
 */
final class EntriesCodec implements BlockVector.EntrySink {
    private final ByteWriter out;
    private int lanes;
    private int count;
    private int last;

    EntriesCodec(ByteWriter out) {
        this.out = out;
    }

    void write(BlockVector vector) {
        lanes = vector.lanes();
        count = 0;
        last = -1;
        out.writeUnsigned(lanes);
        vector.forEachEntry(this);
        if (count != vector.entries()) {
            throw new IllegalStateException(
                    "a vector must show its " + vector.entries() + " entries, got " + count + " of them");
        }
    }

    /** Writes an entry; for the vector alone. */
    @Override
    public void accept(int index, double[] numbers, int from) {
        if (index <= last) {
            throw new IllegalStateException("indices of entries must ascend, got " + index + " after " + last);
        }
        out.writeUnsigned(index - last - 1L);
        out.writeDoubles(numbers, from, lanes);
        last = index;
        count++;
    }

    /** Reads so many entries into a vector that has none. */
    static void read(ByteReader in, int count, BlockVector vector) {
        int lanes = in.readInt(Integer.MAX_VALUE);
        if (lanes != vector.lanes()) {
            throw in.fault("have entries of " + vector.lanes() + " lanes", lanes);
        }
        double[] numbers = new double[lanes];
        int last = -1;
        for (int k = 0; k < count; k++) {
            int index = last + 1 + in.readInt(Integer.MAX_VALUE - last - 1);
            in.readDoubles(numbers, 0, lanes);
            vector.restoreEntry(index, numbers, 0);
            last = index;
        }
    }
}
