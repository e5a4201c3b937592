package io.perceptronstreams.labels;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;

/**
 * The label of an example that was sent without it.
 *
 * @param id of the example; not empty
 * @param weight positive and finite; a factor of the example's weight
 */
public record LabelEvent(Utf8Slice id, Label label, double weight) {}
