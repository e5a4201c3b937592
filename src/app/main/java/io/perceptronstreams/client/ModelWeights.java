package io.perceptronstreams.client;

import com.fasterxml.jackson.core.JsonGenerator;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.format.ExampleSource;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * A model's weights at one position of the log.
 *
 * @param updates of the model
 * @param hasher of the model, which also makes the names of crosses
 * @param vectors by class name; the name is empty if the model has only one vector
 * @param names of the features that have some
 */
public record ModelWeights(
        long epoch,
        long updates,
        long examples,
        long labelled,
        long mistakes,
        FeatureHasher hasher,
        Map<String, Vector> vectors,
        FeatureNames names) {

    /** @param averaged survival-weighted mean of all values of {@code last} */
    record Weight(double last, double averaged) {}

    /** @param weights by index */
    record Vector(double bias, double averagedBias, SortedMap<Integer, Weight> weights) {
        Vector top(int count, ToDoubleFunction<Weight> part) {
            SortedMap<Integer, Weight> largest = new TreeMap<>();
            weights.entrySet().stream()
                    .sorted(Comparator.comparingDouble(entry -> -Math.abs(part.applyAsDouble(entry.getValue()))))
                    .limit(count)
                    .forEach(entry -> largest.put(entry.getKey(), entry.getValue()));
            return new Vector(bias, averagedBias, largest);
        }
    }

    /** Keeps the {@code count} weights of largest absolute value per vector; ties by index. */
    public ModelWeights top(int count) {
        return top(count, Weight::last);
    }

    /** Like {@link #top(int)}, by the given value of a weight. */
    ModelWeights top(int count, ToDoubleFunction<Weight> part) {
        if (count == Integer.MAX_VALUE) {
            return this;
        }
        Map<String, Vector> largest = new TreeMap<>();
        vectors.forEach((name, vector) -> largest.put(name, vector.top(count, part)));
        return new ModelWeights(epoch, updates, examples, labelled, mistakes, hasher, largest, names);
    }

    /**
     * Returns these weights with the feature names of a file besides their own.
     *
     * @throws CommandFailedException if its examples have no names
     */
    public ModelWeights withNames(ExampleSource source) throws IOException {
        FeatureNames found = FeatureNames.of(source, hasher);
        found.add(names);
        return new ModelWeights(epoch, updates, examples, labelled, mistakes, hasher, vectors, found);
    }

    /** Writes one JSON object on one line, without zeros; doubles are shortened, but read back to the same bits. */
    public void writeJson(String model, PrintWriter out) {
        EventFormat.writeJson(out, json -> {
            json.writeStringField("model", model);
            json.writeNumberField("epoch", epoch);
            json.writeNumberField("updates", updates);
            json.writeNumberField("examples", examples);
            json.writeNumberField("labelled", labelled);
            json.writeNumberField("mistakes", mistakes);
            if (vectors.keySet().equals(java.util.Set.of(""))) {
                write(vectors.get(""), json);
            } else {
                json.writeObjectFieldStart("classes");
                for (Map.Entry<String, Vector> each : vectors.entrySet()) {
                    json.writeObjectFieldStart(each.getKey());
                    write(each.getValue(), json);
                    json.writeEndObject();
                }
                json.writeEndObject();
            }
        });
        out.println();
    }

    private void write(Vector vector, JsonGenerator json) throws IOException {
        json.writeNumberField("bias", vector.bias());
        write("weights", vector, Weight::last, json);
        json.writeNumberField("averagedBias", vector.averagedBias());
        write("averaged", vector, Weight::averaged, json);
        if (!names.isEmpty()) {
            json.writeObjectFieldStart("names");
            for (int index : vector.weights().keySet()) {
                json.writeStringField(Integer.toString(index), names.of(index));
            }
            json.writeEndObject();
        }
    }

    private static void write(String name, Vector vector, ToDoubleFunction<Weight> part, JsonGenerator json)
            throws IOException {
        json.writeObjectFieldStart(name);
        for (Map.Entry<Integer, Weight> each : vector.weights().entrySet()) {
            double weight = part.applyAsDouble(each.getValue());
            if (weight != 0) {
                json.writeNumberField(each.getKey().toString(), weight);
            }
        }
        json.writeEndObject();
    }

    /** Writes the {@code count} largest weights per vector, largest first. */
    public void writeText(String model, int count, PrintWriter out) {
        out.println(String.format(
                Locale.ROOT,
                "%s: %d updates in epoch %d, %d examples, %d labelled, %d mistakes",
                model,
                updates,
                epoch,
                examples,
                labelled,
                mistakes));
        vectors.forEach((name, vector) -> {
            out.println(String.format(
                    Locale.ROOT,
                    "%s%d weights, bias %.6g (averaged %.6g)",
                    name.isEmpty() ? "" : name + ": ",
                    vector.weights().size(),
                    vector.bias(),
                    vector.averagedBias()));
            out.println(String.format(Locale.ROOT, "%12s %14s %14s", "index", "weight", "averaged")
                    + (names.isEmpty() ? "" : "  name"));
            vector.top(count, Weight::last).weights().entrySet().stream()
                    .sorted(Comparator.comparingDouble(
                            entry -> -Math.abs(entry.getValue().last())))
                    .forEach(entry -> out.println(String.format(
                                    Locale.ROOT,
                                    "%12d %14.6g %14.6g  %s",
                                    entry.getKey(),
                                    entry.getValue().last(),
                                    entry.getValue().averaged(),
                                    names.of(entry.getKey()).replaceAll("\\p{Cntrl}", "?"))
                            .stripTrailing()));
        });
    }
}
