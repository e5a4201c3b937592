package io.perceptronstreams.labels;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;
import java.util.List;

/**
 * An example that was predicted without a label and waits for it, or a label that came before its example.
 *
 * @param id of the example
 * @param value bytes of the record
 * @param offset of its record
 * @param time event time, in ms
 * @param due last stream time of the model at which the other event is in time, in ms
 * @param epoch of the model at the prediction; {@link #NO_EPOCH} for a label, which has none of the following either
 * @param version of the model at the prediction
 * @param emitted the predicted label; null if the model had none
 * @param shadowEpoch epoch of the shadow that predicted the example, too; {@link #NO_EPOCH} without one
 * @param shadowEmitted label predicted by that shadow, or null
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Waiting(
        Utf8Slice id,
        byte[] value,
        long offset,
        long time,
        long due,
        long epoch,
        long version,
        Label emitted,
        long shadowEpoch,
        Label shadowEmitted) {
    /** Epoch of a label, and of the shadow without a shadow. */
    public static final long NO_EPOCH = -1;

    /** Maximum number of UTF-16 units of tags that are kept. */
    private static final int MAX_TAGS = 20_000;

    private static final Label TOO_LONG = new Label.Tags(List.of());

    /** Leaves out predicted tags that are too long. */
    public Waiting {
        emitted = kept(emitted);
        shadowEmitted = kept(shadowEmitted);
    }

    /** Describes a label that waits for its example. */
    public static Waiting label(Utf8Slice id, byte[] value, long offset, long time, long due) {
        return new Waiting(id, value, offset, time, due, NO_EPOCH, 0, null, NO_EPOCH, null);
    }

    /** Returns true for a label, false for an example. */
    public boolean isLabel() {
        return epoch == NO_EPOCH;
    }

    private static Label kept(Label predicted) {
        return predicted instanceof Label.Tags tags
                        && tags.tags().stream().mapToInt(String::length).sum() > MAX_TAGS
                ? TOO_LONG
                : predicted;
    }

    /** The label that was emitted then; the one predicted now if that was too long to keep. */
    public Label emittedOr(Label now) {
        return TOO_LONG.equals(emitted) ? now : emitted;
    }

    /** Returns true if the model or shadow of this epoch has predicted the example. */
    public boolean isSeenIn(long thatEpoch) {
        return epoch == thatEpoch || shadowEpoch == thatEpoch;
    }

    /** The same example as the shadow has seen it. */
    public Waiting ofShadow() {
        return new Waiting(id, value, offset, time, due, shadowEpoch, version, shadowEmitted, NO_EPOCH, null);
    }

    Due dueEntry() {
        return new Due(due, offset, isLabel(), id);
    }
}
