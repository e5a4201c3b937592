package io.perceptronstreams.serde;

import io.perceptronstreams.event.SparseVector;
import org.apache.avro.Schema;
import org.apache.avro.generic.PrimitivesArrays.DoubleArray;
import org.apache.avro.generic.PrimitivesArrays.IntArray;

/** Lists of numbers for generated events, without an object for each number. */
public final class NumberLists {
    private static final Schema INTS =
            SparseVector.getClassSchema().getField("indices").schema();
    private static final Schema DOUBLES =
            SparseVector.getClassSchema().getField("values").schema();

    private NumberLists() {}

    static IntArray ints(int capacity) {
        return new IntArray(capacity, INTS);
    }

    static DoubleArray doubles(int capacity) {
        return new DoubleArray(capacity, DOUBLES);
    }

    /** Copies the first {@code size} ints. */
    public static IntArray ints(int[] values, int size) {
        IntArray ints = ints(size);
        for (int i = 0; i < size; i++) {
            ints.add(i, values[i]);
        }
        return ints;
    }

    /** Copies the first {@code size} doubles. */
    public static DoubleArray doubles(double[] values, int size) {
        DoubleArray doubles = doubles(size);
        for (int i = 0; i < size; i++) {
            doubles.add(i, values[i]);
        }
        return doubles;
    }
}
