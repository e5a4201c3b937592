package io.perceptronstreams.serde;

import java.util.Arrays;

/** Growing array of doubles without boxing. */
final class DoubleList {
    private double[] values = new double[8];
    private int size;

    void add(double value) {
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
