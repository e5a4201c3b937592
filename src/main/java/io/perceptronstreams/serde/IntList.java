package io.perceptronstreams.serde;

import java.util.Arrays;

/** Ints that become more, without an object for each. */
final class IntList {
    private int[] values = new int[8];
    private int size;

    void add(int value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = value;
    }

    /** As an Avro array. */
    void write(AvroWriter out) {
        out.numbers(values, size);
    }
}
