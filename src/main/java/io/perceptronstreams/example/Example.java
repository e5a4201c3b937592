package io.perceptronstreams.example;

/**
 * Something to predict and, where it has a label, to learn from.
 *
 * <p>One object serves a whole stream: a decoder fills it, a model reads it, and the next record overwrites it. Whoever keeps
 * something of it must copy that.
 */
public final class Example {
    private final Utf8Slice id = new Utf8Slice();
    private final FeatureVector vector = new FeatureVector();
    private final Sequence sequence = new Sequence();
    private final Candidates candidates = new Candidates();
    private Features features = vector;
    private Label label;
    private double weight = 1;

    /** Unique per model; points into the record's own bytes. */
    public Utf8Slice id() {
        return id;
    }

    /** What is to be learned from: {@link #vector}, {@link #sequence} or {@link #candidates}. */
    public Features features() {
        return features;
    }

    /** Says which of this example's own three objects holds its features. */
    public void setFeatures(Features features) {
        this.features = features;
    }

    /** The vector that is reused for features of one output, to be filled by a decoder. */
    public FeatureVector vector() {
        return vector;
    }

    /** The sequence that is reused, to be filled by a decoder. */
    public Sequence sequence() {
        return sequence;
    }

    /** The candidates that are reused, to be filled by a decoder. */
    public Candidates candidates() {
        return candidates;
    }

    /** The true answer, or null where there is only something to predict. */
    public Label label() {
        return label;
    }

    public void setLabel(Label label) {
        this.label = label;
    }

    /** Importance: the update is scaled by it; positive and finite. */
    public double weight() {
        return weight;
    }

    public void setWeight(double weight) {
        this.weight = weight;
    }
}
