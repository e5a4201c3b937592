package io.perceptronstreams.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.learner.WeightSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;

/**
 * A model of the reference results with its training and test examples, and the engine's output for it.
 *
 * @param which way to predict, as named by the reference
 */
record GoldenModel(
        String name,
        JsonNode entry,
        String which,
        List<GenericRecord> train,
        List<GenericRecord> test,
        List<GenericRecord> predictions,
        List<GenericRecord> mistakes,
        List<GenericRecord> counts,
        List<GenericRecord> learned,
        List<GenericRecord> tested) {

    static GoldenModel of(
            String name, JsonNode entry, String which, List<GenericRecord> train, List<GenericRecord> test) {
        return new GoldenModel(
                name,
                entry,
                which,
                train,
                test,
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>());
    }

    JsonNode expected() {
        return entry.get("result");
    }

    String algorithm() {
        return entry.get("algorithm").asText();
    }

    /** Number of examples up to a tenth, where the reference counts and a window ends. */
    int tenth(int k) {
        return train.size() * k / 10;
    }

    /** Tenth of the example at a position. */
    int tenthOf(int position) {
        int k = 0;
        while (position >= tenth(k + 1)) {
            k++;
        }
        return k;
    }

    /** Adds a chunk of the snapshot after training or of the snapshot after the test examples. */
    void addChunk(GenericRecord chunk) {
        boolean isFirst = learned.isEmpty() || learned.get(0).get("offset").equals(chunk.get("offset"));
        (isFirst ? learned : tested).add(chunk);
    }

    /** Returns true if both snapshots have arrived, and with them all earlier output. */
    boolean isDone() {
        return !tested.isEmpty() && tested.size() == (Integer) tested.get(0).get("chunks");
    }

    /** The weights published after training, by vector. */
    Map<String, WeightSummary> weights() {
        return weights("weights", "bias", 1);
    }

    /** Sums of weights, as in the reference; a snapshot has their mean over {@code survivals}. */
    Map<String, WeightSummary> sums(long survivals) {
        return weights("averaged", "averagedBias", survivals);
    }

    private Map<String, WeightSummary> weights(String field, String biasField, long factor) {
        Map<String, WeightSummary> weights = new TreeMap<>();
        for (GenericRecord chunk : learned) {
            for (Object each : (List<?>) chunk.get("vectors")) {
                GenericRecord vector = (GenericRecord) each;
                SortedMap<Integer, Double> features = weights.computeIfAbsent(
                                vector.get("name").toString(),
                                any -> new WeightSummary(
                                        new TreeMap<>(), times((Double) vector.get(biasField), factor)))
                        .features();
                List<?> indices = (List<?>) vector.get("indices");
                List<?> values = (List<?>) vector.get(field);
                for (int k = 0; k < indices.size(); k++) {
                    double value = times((Double) values.get(k), factor);
                    if (value != 0) {
                        features.put((Integer) indices.get(k), value);
                    }
                }
            }
        }
        return weights;
    }

    /** Restores an integer that was divided; other values are unchanged. */
    private static double times(double mean, long factor) {
        if (factor == 1) {
            return mean;
        }
        double sum = mean * factor;
        double whole = Math.rint(sum);
        return Math.abs(sum - whole) <= 2 * Math.ulp(sum) ? whole : sum;
    }

    @Override
    public String toString() {
        return name;
    }
}
