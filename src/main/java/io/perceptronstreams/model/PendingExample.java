package io.perceptronstreams.model;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.learner.Settings;
import java.util.List;

/**
 * An example that was predicted without a label and waits for it.
 *
 * @param value bytes of the example's record
 * @param offset of its record
 * @param time event time of the example, in ms
 * @param due last stream time of the model at which the label is in time, in ms
 * @param epoch of the model at the prediction
 * @param version of the model at the prediction
 * @param emitted the predicted label; null if the model had none
 * @param shadowEpoch epoch of the shadow that predicted the example, too; {@link #NO_SHADOW} without one
 * @param shadowEmitted label predicted by that shadow, or null
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record PendingExample(
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
    /** The shadow's epoch without a shadow. */
    public static final long NO_SHADOW = -1;

    /** Maximum number of UTF-16 units of tags that are kept. */
    private static final int MAX_TAGS = 20_000;

    private static final Label TOO_LONG = new Label.Tags(List.of());

    /**
     * Describes the last processed example of a model, which had no label and now waits for it.
     *
     * @param value its bytes
     * @param seenVersion the model's version at its prediction
     */
    public static PendingExample of(Model model, Example example, byte[] value, InputRecord record, long seenVersion) {
        // a shadow waits while the model is frozen
        Model shadow = model.state() == ModelState.LIVE ? model.drift().shadow() : null;
        return new PendingExample(
                example.id().copy(),
                value,
                record.offset(),
                record.timestamp(),
                record.timestamp() + model.settings().get(Settings.AWAIT_LABELS_MS),
                model.epoch(),
                seenVersion,
                kept(model.outcome().predicted()),
                shadow == null ? NO_SHADOW : shadow.epoch(),
                shadow == null ? null : kept(shadow.outcome().predicted()));
    }

    /** Returns a predicted label in the form in which it is kept: tags that are too long are left out. */
    private static Label kept(Label predicted) {
        return predicted instanceof Label.Tags tags
                        && tags.tags().stream().mapToInt(String::length).sum() > MAX_TAGS
                ? TOO_LONG
                : predicted;
    }

    /** The label that was emitted then; the one predicted now if that was too long to keep. */
    Label emittedOr(Label now) {
        return TOO_LONG.equals(emitted) ? now : emitted;
    }

    /** Returns true if the model or shadow of this epoch has predicted the example. */
    boolean isSeenIn(long thatEpoch) {
        return epoch == thatEpoch || shadowEpoch == thatEpoch;
    }

    /** The same example as the shadow has seen it. */
    PendingExample ofShadow() {
        return new PendingExample(id, value, offset, time, due, shadowEpoch, version, shadowEmitted, NO_SHADOW, null);
    }

    Due dueEntry() {
        return new Due(due, offset, false, id);
    }
}
