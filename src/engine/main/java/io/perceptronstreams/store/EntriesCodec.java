package io.perceptronstreams.store;

import io.perceptronstreams.state.StoredFields;
import io.perceptronstreams.weights.BlockVector;
import io.perceptronstreams.weights.Blocks;
import java.util.function.Consumer;

/**
 * Encodes the entries of a small vector, which are stored in the header instead of in blocks.
 *
 * <p>Of a vector with many entries a copy is stored in a record of its own ({@link #encodeCopy}), and the header
 * contains only the entries that have changed since. A checkpoint of a model that has learned one example takes bytes
 * for the features of this example, not for the whole model.
 *
 * <p>Layout: the number of lanes, unsigned; then for each entry, in ascending index, its distance to the previous index
 * minus 1, unsigned (first entry: the index), and the doubles of its lanes. The caller writes the number of entries.
 *
 * <p>Size of an entry with two lanes: 18 to 22 bytes if both numbers use all bits, 11 to 15 as long as one example has
 * changed it, which makes the average's sum a multiple of the weight, and 5 to 9 for small whole numbers. Not
 * thread-safe.
 */
final class EntriesCodec implements Blocks.EntrySink {
    private static final int FORM = 1;

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
        exchange(fields, count, vector, vector::forEachEntry, vector::restoreEntry);
    }

    /** Writes the entries that differ from the copy, or reads {@code count} of them into a vector with its copy. */
    static void exchangeChanged(StoredFields fields, int count, BlockVector vector) {
        exchange(fields, count, vector, vector::forEachChangedEntry, vector::restoreChangedEntry);
    }

    /** Encodes a copy of a small vector: the byte 1, the number of entries, unsigned, and the entries. */
    static byte[] encodeCopy(BlockVector vector) {
        StoredFields out = new StoredFields();
        out.form(FORM, "copy of entries");
        exchange(out, out.count(1, vector.entries()), vector);
        return out.toBytes();
    }

    /** Reads a copy into an empty vector. */
    static void decodeCopy(byte[] copy, BlockVector vector) {
        StoredFields in = new StoredFields(copy);
        in.form(FORM, "copy of entries");
        exchange(in, in.count(1, 0), vector);
        in.requireEnd();
        vector.markStored();
    }

    private static void exchange(
            StoredFields fields,
            int count,
            BlockVector vector,
            Consumer<Blocks.EntrySink> entries,
            Blocks.EntrySink restored) {
        int lanes = fields.upTo(Integer.MAX_VALUE, vector.lanes());
        if (lanes != vector.lanes()) {
            throw fields.fault("have entries of " + vector.lanes() + " lanes", lanes);
        }
        EntriesCodec codec = new EntriesCodec(fields, lanes);
        if (!fields.isReading()) {
            entries.accept(codec);
            if (codec.count != count) {
                throw new IllegalStateException(
                        "a vector must pass its " + count + " entries, got " + codec.count + " of them");
            }
            return;
        }
        if (vector.entries() == 0) {
            codec.readAll(count, vector);
            return;
        }
        double[] numbers = new double[lanes];
        for (int k = 0; k < count; k++) {
            codec.exchange(0, numbers, 0);
            restored.accept(codec.last, numbers, 0);
        }
    }

    private void readAll(int entries, BlockVector vector) {
        // an entry has at least a byte of its index and one for two numbers
        int most = Math.min(entries, fields.left() / 2);
        int[] indices = new int[most];
        double[] numbers = new double[lanes * most];
        while (count < entries) {
            exchange(0, numbers, lanes * count);
            indices[count - 1] = last;
        }
        vector.restoreEntries(indices, numbers);
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
