package io.perceptronstreams.serde;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.RejectedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.PrimitivesArrays.DoubleArray;
import org.apache.avro.generic.PrimitivesArrays.IntArray;

/** Builds Avro records of the schema {@code Example} without boxing numbers. */
public final class ExampleRecords {
    public static final Schema EXAMPLE = EventSchemas.schema("Example");

    private static final int ID = position("id");
    private static final int LABEL = position("label");
    private static final int FEATURES = position("features");
    private static final int WEIGHT = position("weight");

    private static final Schema DENSE = featureSchema("DenseVector");
    private static final Schema SPARSE = featureSchema("SparseVector");
    private static final Schema NAMED = featureSchema("NamedFeatures");
    private static final Schema SEQUENCE = featureSchema("Sequence");
    private static final Schema CANDIDATES = featureSchema("Candidates");

    private static final Schema DOUBLES = DENSE.getField("values").schema();
    private static final Schema INTS = SPARSE.getField("indices").schema();

    private ExampleRecords() {}

    /**
     * Builds an Example.
     *
     * @param label null, an Integer, a String or a list of strings
     */
    public static GenericRecord example(String id, Object label, GenericRecord features, double weight) {
        GenericRecord example = new GenericData.Record(EXAMPLE);
        example.put(ID, id);
        example.put(LABEL, label);
        example.put(FEATURES, features);
        example.put(WEIGHT, weight);
        return example;
    }

    /**
     * Returns the label as it is decoded.
     *
     * @param label null, an Integer or a String
     * @throws RejectedException if the name is too long
     */
    public static Label label(Object label) {
        if (label instanceof Integer number) {
            return Label.of(number);
        }
        return label == null ? null : new Label.ClassName(LabelLimits.checked((String) label));
    }

    static GenericRecord dense(double[] values, int size) {
        GenericRecord features = new GenericData.Record(DENSE);
        features.put(0, doubles(values, size));
        return features;
    }

    public static GenericRecord sparse(int[] indices, double[] values, int size) {
        IntArray ints = new IntArray(size, INTS);
        for (int i = 0; i < size; i++) {
            ints.add(i, indices[i]);
        }
        GenericRecord features = new GenericData.Record(SPARSE);
        features.put(0, ints);
        features.put(1, doubles(values, size));
        return features;
    }

    public static GenericRecord named(Map<String, Double> values) {
        GenericRecord features = new GenericData.Record(NAMED);
        features.put(0, values);
        return features;
    }

    public static GenericRecord sequence(List<List<String>> tokens) {
        GenericRecord features = new GenericData.Record(SEQUENCE);
        features.put(0, tokens);
        return features;
    }

    /** A candidate output with its joint features. */
    record Candidate(String output, Map<String, Double> features) {}

    static GenericRecord candidates(List<Candidate> candidates) {
        Schema list = CANDIDATES.getField("candidates").schema();
        List<GenericRecord> records = new ArrayList<>(candidates.size());
        for (Candidate candidate : candidates) {
            GenericRecord record = new GenericData.Record(list.getElementType());
            record.put("output", candidate.output());
            record.put("features", candidate.features());
            records.add(record);
        }
        GenericRecord features = new GenericData.Record(CANDIDATES);
        features.put(0, records);
        return features;
    }

    private static DoubleArray doubles(double[] values, int size) {
        DoubleArray doubles = new DoubleArray(size, DOUBLES);
        for (int i = 0; i < size; i++) {
            doubles.add(i, values[i]);
        }
        return doubles;
    }

    private static int position(String field) {
        return EXAMPLE.getField(field).pos();
    }

    private static Schema featureSchema(String name) {
        Schema union = EXAMPLE.getField("features").schema();
        return union.getTypes().get(union.getIndexNamed(EXAMPLE.getNamespace() + "." + name));
    }
}
