package io.perceptronstreams.store;

import io.perceptronstreams.weights.BlockVector;

/**
 * Encodes the entries of a small vector, which are stored in the header instead of in blocks.
 *
 * <p>Layout: the number of lanes, unsigned; then for each entry, in ascending index, its distance to the previous index
 * minus 1, unsigned (first entry: the index), and the doubles of its lanes, as in {@link ByteWriter}. The caller writes
 * the number of entries.
 *
 * <p>Size of an entry with two lanes: 18 to 22 bytes if both numbers use all bits, 5 to 9 for small whole numbers. Not
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
                    "a vector must pass its " + vector.entries() + " entries, got " + count + " of them");
        }
    }

    /** Writes an entry; called by the vector only. */
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

    /** Reads {@code count} entries into an empty vector. */
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
