package io.perceptronstreams.embed;

import io.perceptronstreams.event.Candidate;
import io.perceptronstreams.event.Candidates;
import io.perceptronstreams.event.DenseVector;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.NamedFeatures;
import io.perceptronstreams.event.Sequence;
import io.perceptronstreams.event.SparseVector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;

/**
 * Example to predict and, with a label, to learn from: named features, features by index, a dense vector, the tokens of
 * a sequence, or outputs to choose from.
 *
 * <pre>{@code
 * LearnExample named = LearnExample.of("a1").label("fraud").feature("amount", 3.5).feature("night", 1);
 * LearnExample byIndex = LearnExample.of("a2").label(-1).feature(7, 0.5).feature(90_000, 1);
 * LearnExample dense = LearnExample.of("a3").label(1).features(0.1, 2, -3).weight(2);
 * LearnExample sequence = LearnExample.of("s1").tags("DET", "NOUN").token("w=the").token("w=cat", "prev=the");
 * LearnExample choice = LearnExample.of("c1").label("left")
 *         .candidate("left", Map.of("distance", 2.0)).candidate("right", Map.of("distance", 5.0));
 * LearnResult result = model.learn(named);
 * }</pre>
 *
 * <p>Methods change this object and return it. Values are checked when a model uses the example. Not thread-safe.
 *
 * @since 0.2.0
 */
@NullMarked
public final class LearnExample implements LearnInput {
    /** What the features of an example are. Stored by its code. */
    enum Kind {
        NAMED(0),
        INDEXED(1),
        DENSE(2),
        SEQUENCE(3),
        CANDIDATES(4);

        private final byte code;

        Kind(int code) {
            this.code = (byte) code;
        }

        byte code() {
            return code;
        }

        static Kind of(byte code) {
            for (Kind each : values()) {
                if (each.code == code) {
                    return each;
                }
            }
            throw new IllegalStateException("a stored input must have a known kind, got " + code);
        }
    }

    /** An output to choose, and its joint features f(x, y). */
    record Choice(String output, Map<String, Double> features) {}

    private final String id;
    private Kind kind = Kind.NAMED;
    private Map<String, Double> named = Map.of();
    // of features by index, or of a dense vector, which has no indices; the first size are used
    private int[] indices = {};
    private double[] values = {};
    private int size;
    private boolean isAscending = true;
    private List<List<String>> tokens = List.of();
    private List<Choice> candidates = List.of();
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

    /** Sets the true label: the name of a class, or the output of a candidate. */
    public LearnExample label(String name) {
        label = name;
        return this;
    }

    /** Sets the true label: -1, 0 or +1. */
    public LearnExample label(int number) {
        label = number;
        return this;
    }

    /** Sets the true label of a sequence: a tag for each token. */
    public LearnExample tags(String... tags) {
        label = List.of(tags);
        return this;
    }

    /** Sets a named feature, which is hashed to an index. */
    public LearnExample feature(String name, double value) {
        begin(Kind.NAMED, name);
        if (named.isEmpty()) {
            named = new LinkedHashMap<>();
        }
        named.put(wellFormed(name), value);
        return this;
    }

    /** Returns a text as it is after encoding in UTF-8: a lone surrogate has become a question mark. */
    static String wellFormed(String text) {
        for (int k = 0; k < text.length(); k++) {
            if (Character.isSurrogate(text.charAt(k))) {
                return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
            }
        }
        return text;
    }

    /** Sets a feature by its index. Cost: O(1) in ascending order. */
    public LearnExample feature(int index, double value) {
        begin(Kind.INDEXED, index);
        if (size == values.length) {
            int capacity = Math.max(16, 2 * size);
            indices = Arrays.copyOf(indices, capacity);
            values = Arrays.copyOf(values, capacity);
        }
        isAscending = isAscending && (size == 0 || indices[size - 1] < index);
        indices[size] = index;
        values[size] = value;
        size++;
        return this;
    }

    /** Sets a dense vector: the values of the features 0, 1, 2 and so on. */
    public LearnExample features(double... newValues) {
        begin(Kind.DENSE, "a dense vector");
        values = newValues.clone();
        size = values.length;
        return this;
    }

    /** Appends a token of a sequence: the names of its features, each of value 1. */
    public LearnExample token(String... names) {
        begin(Kind.SEQUENCE, "a token");
        if (tokens.isEmpty()) {
            tokens = new ArrayList<>();
        }
        tokens.add(List.of(names));
        return this;
    }

    /**
     * Appends an output to choose.
     *
     * @param features of the example together with this output, by name; copied
     */
    public LearnExample candidate(String output, Map<String, Double> features) {
        begin(Kind.CANDIDATES, "a candidate");
        if (candidates.isEmpty()) {
            candidates = new ArrayList<>();
        }
        Map<String, Double> copy = new LinkedHashMap<>();
        features.forEach((name, value) -> copy.put(wellFormed(name), value));
        candidates.add(new Choice(output, copy));
        return this;
    }

    /** Sets the weight, a positive number by which the update is scaled. */
    public LearnExample weight(double newWeight) {
        weight = newWeight;
        return this;
    }

    private void begin(Kind newKind, Object feature) {
        if (newKind != kind && !isEmpty()) {
            throw new IllegalArgumentException(
                    "features of an example must all have names, or all have indices, or be one dense vector, tokens or"
                            + " candidates, got " + feature + " after another kind (example '" + id + "')");
        }
        kind = newKind;
    }

    private boolean isEmpty() {
        return kind != Kind.DENSE && named.isEmpty() && size == 0 && tokens.isEmpty() && candidates.isEmpty();
    }

    String id() {
        return id;
    }

    Kind kind() {
        return kind;
    }

    /** Features with names. */
    Map<String, Double> named() {
        return named;
    }

    /** Number of features with indices, or of a dense vector. */
    int size() {
        sort();
        return size;
    }

    /** The first {@link #size} are indices, each once and ascending. */
    int[] indices() {
        sort();
        return indices;
    }

    /** The first {@link #size} are values of features with indices, or of a dense vector. */
    double[] values() {
        sort();
        return values;
    }

    /** Of several values of an index the last one stays. */
    private void sort() {
        if (isAscending) {
            return;
        }
        Map<Integer, Double> sorted = new TreeMap<>();
        for (int k = 0; k < size; k++) {
            sorted.put(indices[k], values[k]);
        }
        size = 0;
        for (Map.Entry<Integer, Double> feature : sorted.entrySet()) {
            indices[size] = feature.getKey();
            values[size] = feature.getValue();
            size++;
        }
        isAscending = true;
    }

    /** Names of features by token of a sequence. */
    List<List<String>> tokens() {
        return tokens;
    }

    /** Outputs to choose from. */
    List<Choice> candidates() {
        return candidates;
    }

    double weight() {
        return weight;
    }

    /** A String, an Integer, a List of tags, or null without a label. */
    Object label() {
        return label;
    }

    /** Text of the label; null without a label. */
    String labelText() {
        return label == null ? null : label.toString();
    }

    Example event() {
        return new Example(id, label, features(), weight);
    }

    private Object features() {
        return switch (kind) {
            case NAMED -> new NamedFeatures(named);
            case INDEXED ->
                new SparseVector(Arrays.stream(indices(), 0, size()).boxed().toList(), boxedValues());
            case DENSE -> new DenseVector(boxedValues());
            case SEQUENCE -> new Sequence(tokens);
            case CANDIDATES ->
                new Candidates(candidates.stream()
                        .map(each -> new Candidate(each.output(), each.features()))
                        .toList());
        };
    }

    private List<Double> boxedValues() {
        return Arrays.stream(values(), 0, size()).boxed().toList();
    }
}
