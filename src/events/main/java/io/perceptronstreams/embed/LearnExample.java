package io.perceptronstreams.embed;

import io.perceptronstreams.event.DenseVector;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.NamedFeatures;
import io.perceptronstreams.event.SparseVector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Example to predict and, with a label, to learn from: named features, features by index, or a dense vector.
 *
 * <p>Methods change this object and return it. Values are checked when a model uses the example. Not thread-safe.
 *
 * @since 0.2.0
 */
public final class LearnExample implements LearnInput {
    private final String id;
    private final Map<String, Double> named = new LinkedHashMap<>();
    private final TreeMap<Integer, Double> indexed = new TreeMap<>();
    private List<Double> dense;
    private Object label;
    private double weight = 1;

    private LearnExample(String id) {
        this.id = id;
    }

    /**
     * Creates an example without label and features, of weight 1.
     *
     * @param id copied into the result; at most 1,024 bytes in UTF-8
     */
    public static LearnExample of(String id) {
        return new LearnExample(id);
    }

    /** Sets the true label: a class name. */
    public LearnExample label(String name) {
        label = name;
        return this;
    }

    /** Sets the true label: -1, 0 or +1. */
    public LearnExample label(int number) {
        label = number;
        return this;
    }

    /** Sets a named feature, which is hashed to an index. */
    public LearnExample feature(String name, double value) {
        requireKind(indexed.isEmpty() && dense == null, name);
        named.put(wellFormed(name), value);
        return this;
    }

    /** A name as it is after it was stored: half a character has become a question mark. */
    private static String wellFormed(String name) {
        for (int k = 0; k < name.length(); k++) {
            if (Character.isSurrogate(name.charAt(k))) {
                return new String(name.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
            }
        }
        return name;
    }

    /** Sets a feature by its index. */
    public LearnExample feature(int index, double value) {
        requireKind(named.isEmpty() && dense == null, index);
        indexed.put(index, value);
        return this;
    }

    /** Sets a dense vector: the values of the features 0, 1, 2 and so on. */
    public LearnExample features(double... values) {
        requireKind(named.isEmpty() && indexed.isEmpty(), "a dense vector");
        dense = new ArrayList<>(values.length);
        for (double value : values) {
            dense.add(value);
        }
        return this;
    }

    /** Sets the weight, a positive number by which the update is scaled. */
    public LearnExample weight(double newWeight) {
        weight = newWeight;
        return this;
    }

    private void requireKind(boolean isOne, Object feature) {
        if (!isOne) {
            throw new IllegalArgumentException(
                    "features of an example must all have names, or all have indices, or be one" + " dense vector, got "
                            + feature + " after another kind (example '" + id + "')");
        }
    }

    String id() {
        return id;
    }

    /** Features with names; empty where there are others. */
    Map<String, Double> named() {
        return named;
    }

    /** Features with indices; empty where there are others. */
    Map<Integer, Double> indexed() {
        return indexed;
    }

    /** Values of a dense vector; null where there are other features. */
    List<Double> dense() {
        return dense;
    }

    double weight() {
        return weight;
    }

    /** A String, an Integer, or null without a label. */
    Object label() {
        return label;
    }

    /** Text of the label; null without a label. */
    String labelText() {
        return label == null ? null : label.toString();
    }

    Example event() {
        return new Example(id, label, vector(), weight);
    }

    private Object vector() {
        if (dense != null) {
            return new DenseVector(dense);
        }
        return indexed.isEmpty()
                ? new NamedFeatures(named)
                : new SparseVector(List.copyOf(indexed.keySet()), List.copyOf(indexed.values()));
    }
}
