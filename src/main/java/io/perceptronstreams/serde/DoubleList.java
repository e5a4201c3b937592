package io.perceptronstreams.serde;

import java.util.Arrays;

/** Doubles that become more, without an object for each. */
final class DoubleList {
    private double[] values = new double[8];
    private int size;

    void add(double value) {
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
