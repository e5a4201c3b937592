package io.perceptronstreams.store;

import io.perceptronstreams.model.ConfusionMatrix;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes a confusion matrix that is not empty.
 *
 * <p>Layout, with numbers and strings as in {@link ByteWriter}:
 *
 * <pre>
 * unsigned  number of names; 0 for two classes, whose labels are in the settings
 * strings   the names
 * unsigned  errors between labels without a row; only with names
 * counts    row by row, of all labels and, with names, the rest: unsigned; after a 0 the number of further zeros
 * </pre>
 */
final class ConfusionCodec {
    private ConfusionCodec() {}

    static void write(ConfusionMatrix matrix, ByteWriter out) {
        List<String> names = matrix.names();
        out.writeUnsigned(names.size());
        names.forEach(out::writeString);
        if (!names.isEmpty()) {
            out.writeUnsigned(matrix.otherErrors());
        }
        int side = names.isEmpty() ? 2 : matrix.size() + 1;
        int zeros = 0;
        for (int k = 0; k < side * side; k++) {
            long count = matrix.count(k / side, k % side);
            if (count == 0) {
                zeros++;
                continue;
            }
            writeZeros(zeros, out);
            zeros = 0;
            out.writeUnsigned(count);
        }
        writeZeros(zeros, out);
    }

    private static void writeZeros(int zeros, ByteWriter out) {
        if (zeros > 0) {
            out.writeUnsigned(0);
            out.writeUnsigned(zeros - 1);
        }
    }

    /**
     * Restores a matrix.
     *
     * @throws IllegalArgumentException if it is not valid
     */
    static void read(ByteReader in, ConfusionMatrix matrix) {
        List<String> names = new ArrayList<>();
        for (int left = in.readInt(ConfusionMatrix.MAX_LABELS); left > 0; left--) {
            names.add(in.readString());
        }
        long otherErrors = names.isEmpty() ? 0 : in.readUnsigned();
        int side = names.isEmpty() ? 2 : names.size() + 1;
        long[] counts = new long[side * side];
        for (int k = 0; k < counts.length; k++) {
            counts[k] = in.readUnsigned();
            if (counts[k] == 0) {
                k += in.readInt(counts.length - 1 - k);
            }
        }
        matrix.restore(names, counts, otherErrors);
    }
}
