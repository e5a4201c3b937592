package io.perceptronstreams.labels;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;

/**
 * The label of an example that was sent without it, or another one for it.
 *
 * @param id of the example; not empty
 * @param weight positive and finite; a factor of the example's weight
 * @param source who has said it; null if it does not say
 * @param knowableAt event time from which on the source knew it, in ms; {@link #UNKNOWN} if it does not say
 */
public record LabelEvent(Utf8Slice id, Label label, double weight, String source, long knowableAt) {
    /** No time. */
    public static final long UNKNOWN = Long.MIN_VALUE;

    /** Describes a label without a source. */
    public LabelEvent(Utf8Slice id, Label label, double weight) {
        this(id, label, weight, null, UNKNOWN);
    }
}
