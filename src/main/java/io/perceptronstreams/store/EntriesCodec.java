package io.perceptronstreams.store;

import io.perceptronstreams.state.StoredFields;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;

/**
 * Encodes the entries of a small vector, which are stored in the header instead of in blocks.
 *
 * <p>Layout: the number of lanes, unsigned; then for each entry, in ascending index, its distance to the previous index
 * minus 1, unsigned (first entry: the index), and the doubles of its lanes. The caller writes the number of entries.
 *
 * <p>Size of an entry with two lanes: 18 to 22 bytes if both numbers use all bits, 5 to 9 for small whole numbers. Not
 * thread-safe.
 */
final class EntriesCodec implements Blocks.EntrySink {
    private final StoredFields fields;
    private final int lanes;
    private int count;
    private int last = -1;

    private EntriesCodec(StoredFields fields, int lanes) {
        this.fields = fields;
        this.lanes = lanes;
    }

    /** Writes the entries of a vector, or reads {@code count} of them into an empty vector. */
    static void exchange(StoredFields fields, int count, BlockVector vector) {
        int lanes = fields.upTo(Integer.MAX_VALUE, vector.lanes());
        if (lanes != vector.lanes()) {
            throw fields.fault("have entries of " + vector.lanes() + " lanes", lanes);
        }
        EntriesCodec codec = new EntriesCodec(fields, lanes);
        if (!fields.isReading()) {
            vector.forEachEntry(codec);
            if (codec.count != count) {
                throw new IllegalStateException(
                        "a vector must pass its " + count + " entries, got " + codec.count + " of them");
            }
            return;
        }
        // an entry has at least a byte of its index and one for two numbers
        vector.reserve(Math.min(count, fields.left() / 2));
        double[] numbers = new double[lanes];
        for (int k = 0; k < count; k++) {
            codec.exchange(0, numbers, 0);
            vector.restoreEntry(codec.last, numbers, 0);
        }
    }

    /** Writes an entry; called by the vector only. */
    @Override
    public void accept(int index, double[] numbers, int from) {
        if (index <= last) {
            throw new IllegalStateException("indices of entries must ascend, got " + index + " after " + last);
        }
        exchange(index, numbers, from);
    }

    private void exchange(int index, double[] numbers, int from) {
        last += 1 + fields.upTo(Integer.MAX_VALUE - last - 1, index - last - 1);
        fields.numbers(numbers, from, lanes);
        count++;
    }
}
