package io.perceptronstreams.example;

/**
 * One example: features, an optional label and a weight.
 *
 * <p>One object serves a whole stream: a decoder fills it, a model reads it, and the next record overwrites it. Copy
 * what must outlive the record.
 */
public final class Example {
    private final Utf8Slice id = new Utf8Slice();
    private final FeatureVector vector = new FeatureVector();
    private final Sequence sequence = new Sequence();
    private final Candidates candidates = new Candidates();
    private Features features = vector;
    private Label label;
    private double weight = 1;
    private NameSource names;

    /**
     * Makes this a copy of an example with a vector, without the names of its features; the id points into the same
     * bytes.
     */
    public void set(Example other) {
        id.set(other.id.bytes(), other.id.offset(), other.id.length());
        vector.set(other.vector);
        features = vector;
        label = other.label;
        weight = other.weight;
        names = null;
    }

    /** Unique per model; points into the record's own bytes. */
    public Utf8Slice id() {
        return id;
    }

    /** The features: {@link #vector}, {@link #sequence} or {@link #candidates}. */
    public Features features() {
        return features;
    }

    /** Selects the features: one of the three objects of this example. */
    public void setFeatures(Features features) {
        this.features = features;
    }

    /** The reused vector, filled by a decoder. */
    public FeatureVector vector() {
        return vector;
    }

    /** The reused sequence, filled by a decoder. */
    public Sequence sequence() {
        return sequence;
    }

    /** The reused candidates, filled by a decoder. */
    public Candidates candidates() {
        return candidates;
    }

    /** The names of the features; null if they are not available. */
    public NameSource names() {
        return names;
    }

    /** Sets the names of the features, or null. */
    public void setNames(NameSource source) {
        names = source;
    }

    /** The true label, or null if the example has none. */
    public Label label() {
        return label;
    }

    public void setLabel(Label label) {
        this.label = label;
    }

    /** Importance weight, positive and finite; scales the update. */
    public double weight() {
        return weight;
    }

    public void setWeight(double weight) {
        this.weight = weight;
    }
}
