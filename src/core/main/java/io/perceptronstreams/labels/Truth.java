package io.perceptronstreams.labels;

import io.perceptronstreams.example.Label;

/**
 * The label that an example has, as long as another one can correct it.
 *
 * @param label as predictions name it
 * @param source who has said it; null for none
 * @param isDefault true if it is that of {@code label.default}
 * @param offset of the record that brought it; of a default the one before which it was learned
 * @param entered offset of the record at which this was noted; not before {@code offset}
 * @param counted offset of the record at which the example's first label was counted
 * @param number of the labels of what was emitted that were counted up to that one, this included; 0 if it is no part
 *     of these
 * @param isLearned true if the first label was one for the sets of labels, where the prediction had a set; it has moved
 *     them if the model knew it at the prediction
 * @param hasWaited true if the example had come without a label
 */
public record Truth(
        Label label,
        String source,
        boolean isDefault,
        long offset,
        long entered,
        long counted,
        long number,
        boolean isLearned,
        boolean hasWaited) {
    static final Truth NONE = new Truth(null, null, false, 0, 0, 0, 0, false, false);

    /** Returns the truth after another label. */
    public Truth corrected(Label other, String itsSource, long itsOffset, long now) {
        return new Truth(other, itsSource, false, itsOffset, now, counted, number, isLearned, hasWaited);
    }

    /** Returns the same as other weights than those that emit have counted it. */
    Truth ofWeights() {
        return new Truth(label, source, isDefault, offset, entered, counted, 0, isLearned, hasWaited);
    }
}
