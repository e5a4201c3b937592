package io.perceptronstreams.serde;

import java.util.Arrays;

/** Growing array of ints without boxing. */
final class IntList {
    private int[] values = new int[8];
    private int size;

    void add(int value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = value;
    }

    /** Writes this list as an Avro array. */
    void write(AvroWriter out) {
        out.writeArray(values, size);
    }
}
