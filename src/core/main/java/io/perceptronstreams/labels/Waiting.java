package io.perceptronstreams.labels;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;
import java.util.ArrayList;
import java.util.List;

/**
 * An example that was predicted without a label and waits for it, or a label that came before its example.
 *
 * @param id of the example
 * @param value bytes of the record
 * @param offset of its record
 * @param part number of the example, from 0, in a record of several; otherwise 0
 * @param time event time, in ms
 * @param due last stream time of the model at which the other event is in time, in ms
 * @param epoch of the model at the prediction; {@link #NO_EPOCH} for a label, which has none of the following either
 * @param version of the model at the prediction
 * @param emitted the predicted label; null if the model had none
 * @param challengers labels predicted by the challengers that predicted the example, too; and by the model itself if
 *     the emitted one is that of a vote
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Waiting(
        Utf8Slice id,
        byte[] value,
        long offset,
        int part,
        long time,
        long due,
        long epoch,
        long version,
        Label emitted,
        List<Emitted> challengers) {
    /** Epoch of a label. */
    public static final long NO_EPOCH = -1;

    /** Maximum number of UTF-16 units of tags that are kept of one prediction, and of the challengers' together. */
    private static final int MAX_TAGS = 20_000;

    private static final int MAX_TAGS_OF_CHALLENGERS = 2 * MAX_TAGS;
    private static final Label TOO_LONG = new Label.Tags(List.of());

    /**
     * Prediction of a challenger.
     *
     * @param epoch of the challenger
     * @param label null if the challenger had none
     */
    public record Emitted(long epoch, Label label) {
        /** Leaves out predicted tags that are too long. */
        public Emitted {
            label = kept(label, MAX_TAGS);
        }
    }

    /** Leaves out predicted tags that are too long. */
    public Waiting {
        emitted = kept(emitted, MAX_TAGS);
        challengers = kept(challengers);
    }

    /** Describes a label that waits for its example. */
    public static Waiting label(Utf8Slice id, byte[] value, long offset, long time, long due) {
        return new Waiting(id, value, offset, 0, time, due, NO_EPOCH, 0, null, List.of());
    }

    /** Returns true for a label, false for an example. */
    public boolean isLabel() {
        return epoch == NO_EPOCH;
    }

    private static Label kept(Label predicted, int max) {
        return length(predicted) > max ? TOO_LONG : predicted;
    }

    private static int length(Label predicted) {
        return predicted instanceof Label.Tags tags
                ? tags.tags().stream().mapToInt(String::length).sum()
                : 0;
    }

    private static List<Emitted> kept(List<Emitted> challengers) {
        if (challengers.isEmpty()) {
            return challengers;
        }
        List<Emitted> kept = new ArrayList<>();
        int left = MAX_TAGS_OF_CHALLENGERS;
        for (Emitted each : challengers) {
            Emitted bounded = new Emitted(each.epoch, kept(each.label, left));
            left -= length(bounded.label);
            kept.add(bounded);
        }
        return List.copyOf(kept);
    }

    /** The label that was emitted then; the one predicted now if that was too long to keep. */
    public Label emittedOr(Label now) {
        return TOO_LONG.equals(emitted) ? now : emitted;
    }

    /** Returns true if the model or challenger of this epoch has predicted the example. */
    public boolean isSeenIn(long thatEpoch) {
        return epoch == thatEpoch || ofChallenger(thatEpoch) != null;
    }

    private Emitted ofChallenger(long thatEpoch) {
        for (Emitted each : challengers) {
            if (each.epoch == thatEpoch) {
                return each;
            }
        }
        return null;
    }

    /** The same example as the model or challenger of an epoch has seen it, which must have predicted it. */
    public Waiting asSeenIn(long thatEpoch) {
        // the model itself is among the challengers if a vote has emitted another label
        Emitted own = ofChallenger(thatEpoch);
        Label label = own == null ? emitted : own.label;
        return new Waiting(id, value, offset, part, time, due, thatEpoch, version, label, List.of());
    }

    Due dueEntry() {
        return new Due(due, offset, part, isLabel(), id);
    }
}
