package io.perceptronstreams.learner;

import io.perceptronstreams.example.Utf8Slice;
import java.util.function.IntFunction;

/**
 * The parts of a margin that were largest, before an update: why an example was a mistake.
 *
 * <p>A part is value·weight of a feature, or kernel·coefficient of an example of the support; for two classes times the
 * true label, -1 or +1, so that a negative part always pulled to the wrong answer. The parts with the largest absolute
 * values are kept, the lower index (the earlier example) first on a tie; the bias and the rest are numbers of their
 * own. Added from left to right, bias, parts and rest give the margin: y·score of two classes; otherwise the score of
 * the true label minus that of the best other one. Where numbers of very different size cancel, no double is that rest,
 * and the sum is off by a rounding of the largest.
 *
 * <p>One object is reused. Cost: O(parts) per call of {@link #add}, mostly O(1).
 */
public final class Evidence {
    /** Index of a part that belongs to no feature: a pair of tags, or an example. */
    public static final int NO_FEATURE = -1;

    private static final Utf8Slice NO_ID = new Utf8Slice();

    // shared: most models are never asked
    private static final int[] NO_INDICES = {};
    private static final String[] NO_TAGS = {};
    private static final double[] NO_NUMBERS = {};

    /** No evidence; never changed. */
    public static final Evidence NONE = new Evidence();

    private boolean isKnown;
    private int asked;
    private Utf8Slice id = NO_ID;
    private int limit;
    private int size;
    private int sign;
    private int[] indices = NO_INDICES;
    private String[] tags = NO_TAGS;
    private double[] values = NO_NUMBERS;
    private double[] weights = NO_NUMBERS;
    private double bias;
    private double rest;
    private double absolute;
    private double marginAfter = Double.NaN;

    /** Removes everything, but not what was asked for. */
    public void clear() {
        isKnown = false;
        size = 0;
        sign = 1;
        bias = 0;
        rest = 0;
        absolute = 0;
        marginAfter = Double.NaN;
    }

    /**
     * Asks learners for at most {@code parts} parts of the next mistakes; 0: for no evidence.
     *
     * @param exampleId of the next example; learners whose parts are examples may keep it
     */
    public void ask(int parts, Utf8Slice exampleId) {
        asked = parts;
        id = parts > 0 ? exampleId : NO_ID;
    }

    /** Id of the present example; empty unless evidence is asked for. */
    public Utf8Slice id() {
        return id;
    }

    boolean isAsked() {
        return asked > 0;
    }

    /** Begins with at most as many parts to keep as were asked for. */
    void begin() {
        clear();
        isKnown = true;
        if (limit != asked) {
            limit = asked;
            indices = new int[asked];
            tags = new String[asked];
            values = new double[asked];
            weights = new double[asked];
        }
    }

    /** Sets the true label of two classes, -1 or +1; before all parts. */
    public void setSign(int label) {
        sign = label;
    }

    /** Sets the part of the bias. */
    public void setBias(double part) {
        bias = sign * part;
        absolute += Math.abs(part);
    }

    public void add(int index, double value, double weight) {
        add(index, null, value, weight);
    }

    /**
     * Adds a part; one that is 0 is not kept.
     *
     * @param tag whose weight it is, or the pair of tags; null except for sequences
     */
    public void add(int index, String tag, double value, double weight) {
        double part = Math.abs(value * weight);
        absolute += part;
        if (part == 0 || limit == 0 || (size == limit && !isBefore(part, index, size - 1))) {
            return;
        }
        int at = size < limit ? size++ : size - 1;
        while (at > 0 && isBefore(part, index, at - 1)) {
            indices[at] = indices[at - 1];
            tags[at] = tags[at - 1];
            values[at] = values[at - 1];
            weights[at] = weights[at - 1];
            at--;
        }
        indices[at] = index;
        tags[at] = tag;
        values[at] = value;
        weights[at] = weight;
    }

    private boolean isBefore(double part, int index, int other) {
        double ofOther = Math.abs(contribution(other));
        return part > ofOther || (part == ofOther && index < indices[other]);
    }

    /** Turns parts that are no features, but were added with other indices, into named ones without index. */
    public void nameParts(IntFunction<String> names) {
        for (int k = 0; k < size; k++) {
            tags[k] = names.apply(indices[k]);
            indices[k] = NO_FEATURE;
        }
    }

    /** Ends with the margin, which gives the rest. */
    public void end(double margin) {
        double kept = bias;
        for (int k = 0; k < size; k++) {
            kept += contribution(k);
        }
        rest = margin - kept;
        // the difference is rounded, and may miss the margin by its last bit
        if (kept + rest < margin) {
            rest = Math.nextUp(rest);
        } else if (kept + rest > margin) {
            rest = Math.nextDown(rest);
        }
    }

    void setMarginAfter(double margin) {
        marginAfter = margin;
    }

    /** Number of kept parts. */
    public int size() {
        return size;
    }

    /** Returns true if nothing was explained; false for an example whose parts are all 0. */
    public boolean isEmpty() {
        return !isKnown;
    }

    /** Index of the feature, or {@link #NO_FEATURE}. */
    public int index(int number) {
        return indices[number];
    }

    /**
     * Tag of a sequence model whose weight it is; {@code before>after}, with start and end as {@code <s>}, for a pair;
     * id or {@code update NUMBER} of an example of the support.
     */
    public String tag(int number) {
        return tags[number];
    }

    /**
     * Value of the feature; K(x_s,x) of an example of the support; of structures the difference of its values in both
     * outputs.
     */
    public double value(int number) {
        return values[number];
    }

    /** Weight or coefficient before the update; of several classes the difference of the weights of both classes. */
    public double weight(int number) {
        return weights[number];
    }

    /** Value times weight, for two classes times the true label. */
    public double contribution(int number) {
        return sign * values[number] * weights[number];
    }

    /** |contribution| over the sum of all absolute parts, those that are not kept included. */
    public double share(int number) {
        return Math.abs(contribution(number)) / absolute;
    }

    /** Part of the bias. */
    public double bias() {
        return bias;
    }

    /** Sum of all other parts. */
    public double rest() {
        return rest;
    }

    /** Margin of the same example after the update; NaN without an update. */
    public double marginAfter() {
        return marginAfter;
    }
}
