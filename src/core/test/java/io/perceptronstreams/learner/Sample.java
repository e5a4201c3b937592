package io.perceptronstreams.learner;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.Label;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** An immutable example, unlike {@link Example}: sparse, indices ascending. */
public final class Sample {
    public final int y;
    public final double weight;
    public final int[] indices;
    public final double[] values;

    private Sample(int y, double weight, int[] indices, double[] values) {
        this.y = y;
        this.weight = weight;
        this.indices = indices;
        this.values = values;
    }

    public static Sample sparse(int y, int[] indices, double[] values) {
        return new Sample(y, 1, indices, values);
    }

    /** Every value stands, zeros included. */
    public static Sample dense(int y, double... values) {
        int[] indices = new int[values.length];
        for (int k = 0; k < indices.length; k++) {
            indices[k] = k;
        }
        return new Sample(y, 1, indices, values);
    }

    public Sample withWeight(double newWeight) {
        return new Sample(y, newWeight, indices, values);
    }

    public Example example() {
        Example example = new Example();
        fill(example);
        return example;
    }

    public void fill(Example example) {
        fill(example.vector());
        example.setLabel(Label.of(y));
        example.setWeight(weight);
    }

    public FeatureVector vector() {
        return fill(new FeatureVector());
    }

    FeatureVector fill(FeatureVector x) {
        x.resetSparse();
        for (int k = 0; k < indices.length; k++) {
            x.append(indices[k], values[k]);
        }
        return x;
    }

    /** u·x in ascending index. */
    public double dot(double[] u) {
        double sum = 0;
        for (int k = 0; k < indices.length; k++) {
            sum += u[indices[k]] * values[k];
        }
        return sum;
    }

    double squaredNorm() {
        double sum = 0;
        for (double value : values) {
            sum += value * value;
        }
        return sum;
    }

    /** Parses {@code +1 3:0.5 7:2}. */
    public static Sample parse(String libsvmLine) {
        String[] fields = libsvmLine.trim().split("\\s+", -1);
        int[] indices = new int[fields.length - 1];
        double[] values = new double[fields.length - 1];
        for (int k = 0; k < indices.length; k++) {
            String[] pair = fields[k + 1].split(":", -1);
            indices[k] = Integer.parseInt(pair[0]);
            values[k] = Double.parseDouble(pair[1]);
        }
        return sparse(Integer.parseInt(fields[0]), indices, values);
    }

    /** Reads a LIBSVM file, compressed if its name ends with {@code .gz}. */
    public static List<Sample> read(Path file) throws IOException {
        List<Sample> samples = new ArrayList<>();
        boolean isCompressed = file.toString().endsWith(".gz");
        try (InputStream in = Files.newInputStream(file);
                InputStream plain = isCompressed ? new GZIPInputStream(in) : in;
                BufferedReader lines = new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                samples.add(parse(line));
            }
        }
        return samples;
    }
}
