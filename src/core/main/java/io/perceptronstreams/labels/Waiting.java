package io.perceptronstreams.labels;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.learner.Decision;
import io.perceptronstreams.learner.Outcome;
import java.util.ArrayList;
import java.util.List;

/**
 * An example that was predicted without a label and waits for it, one with a label that can still be corrected, or a
 * label that came before its example.
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
 * @param forecast how sure the prediction was; null if it did not say
 * @param challengers labels predicted by the challengers that predicted the example, too; and by the model itself if
 *     the emitted one is that of a vote. Of an example with a label they are those that were counted
 * @param truth the label of an example that can be corrected; otherwise null
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
        Forecast forecast,
        List<Emitted> challengers,
        Truth truth) {
    /**
     * How sure a prediction was, and which label before it had.
     *
     * @param millionths probability of its label, in millionths; -1 if it had none
     * @param set labels of which one is the true one with the coverage of the model; null if it had none
     * @param known number of labels that the set could have, the first ones of the model; 0 without a set
     * @param decision what was to be done about it
     * @param labelBefore label of the example before, -1 or +1; 0 if a second stage did not know it, or there was none
     */
    public record Forecast(int millionths, List<Label> set, int known, Decision decision, int labelBefore) {
        /** Describes a prediction without a second stage. */
        public Forecast(int millionths, List<Label> set, int known, Decision decision) {
            this(millionths, set, known, decision, 0);
        }

        /** Copies that of a prediction; null if it has none. */
        public static Forecast of(Outcome outcome) {
            return outcome.hasProbability() || outcome.decision() != Decision.NONE || outcome.labelBefore() != 0
                    ? new Forecast(
                            outcome.millionths(),
                            outcome.labelSet(),
                            outcome.labelSet() == null ? 0 : outcome.knownSize(),
                            outcome.decision(),
                            outcome.labelBefore())
                    : null;
        }

        private Forecast withoutSet() {
            return new Forecast(millionths, null, 0, decision, labelBefore);
        }

        /** Makes it that of a prediction. */
        public void copyTo(Outcome outcome) {
            outcome.forecast(millionths, set, known);
            outcome.decide(decision);
            outcome.precededBy(labelBefore);
        }
    }

    /** Epoch of a label. */
    public static final long NO_EPOCH = -1;

    /** Maximum number of UTF-16 units of tags that are kept of one prediction, and of the challengers' together. */
    private static final int MAX_TAGS = 20_000;

    private static final int MAX_TAGS_OF_CHALLENGERS = 2 * MAX_TAGS;

    /**
     * Maximum number of UTF-16 units of the challengers' sets of labels together. The model's own set is always kept:
     * the names of its classes have at most 256 KiB.
     */
    private static final int MAX_SETS_OF_CHALLENGERS = 50_000;

    private static final Label TOO_LONG = new Label.Tags(List.of());

    /**
     * Prediction of a challenger.
     *
     * @param epoch of the challenger
     * @param label null if the challenger had none
     * @param forecast how sure it was; null if it did not say
     */
    public record Emitted(long epoch, Label label, Forecast forecast) {
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

    /** Describes an example that waits, or a label. */
    public Waiting(
            Utf8Slice id,
            byte[] value,
            long offset,
            int part,
            long time,
            long due,
            long epoch,
            long version,
            Label emitted,
            Forecast forecast,
            List<Emitted> challengers) {
        this(id, value, offset, part, time, due, epoch, version, emitted, forecast, challengers, null);
    }

    /** Describes a label that waits for its example. */
    public static Waiting label(Utf8Slice id, byte[] value, long offset, long time, long due) {
        return new Waiting(id, value, offset, 0, time, due, NO_EPOCH, 0, null, null, List.of());
    }

    /**
     * Describes the same example with a label that can be corrected.
     *
     * @param until last stream time of the model at which it can
     * @param itsEpoch of the model when the label was counted
     * @param counted predictions that were counted, other than the emitted one
     */
    public Waiting with(Truth its, long until, long itsEpoch, Emitted asEmitted, List<Emitted> counted) {
        return new Waiting(
                id,
                value,
                offset,
                part,
                time,
                until,
                itsEpoch,
                version,
                asEmitted.label,
                asEmitted.forecast,
                counted,
                its);
    }

    /** Describes the same example with another label. */
    public Waiting with(Truth other) {
        return new Waiting(id, value, offset, part, time, due, epoch, version, emitted, forecast, challengers, other);
    }

    /** Returns true if predicted label and label are short enough to be kept. */
    public boolean isKept() {
        return !TOO_LONG.equals(emitted) && length(truth.label()) <= MAX_TAGS;
    }

    /** Returns true if the model or challenger of this epoch has counted the label, and its prediction is kept. */
    public boolean isCountedIn(long thatEpoch) {
        Emitted own = ofChallenger(thatEpoch);
        return own == null ? epoch == thatEpoch : !TOO_LONG.equals(own.label);
    }

    /** Offset of the record with which this began to wait in its present form. */
    long entered() {
        return truth == null ? offset : truth.entered();
    }

    /** Returns true for a label, false for an example. */
    public boolean isLabel() {
        return epoch == NO_EPOCH;
    }

    /** Returns true if the prediction had a probability. */
    public boolean hasProbability() {
        return forecast != null && forecast.millionths >= 0;
    }

    private static Label kept(Label predicted, int max) {
        return length(predicted) > max ? TOO_LONG : predicted;
    }

    private static int length(Label predicted) {
        return predicted instanceof Label.Tags tags
                ? tags.tags().stream().mapToInt(String::length).sum()
                : 0;
    }

    private static int length(Forecast forecast) {
        return forecast == null || forecast.set == null
                ? 0
                : forecast.set.stream()
                        .mapToInt(label -> label.toString().length())
                        .sum();
    }

    private static List<Emitted> kept(List<Emitted> challengers) {
        if (challengers.isEmpty()) {
            return challengers;
        }
        List<Emitted> kept = new ArrayList<>();
        int left = MAX_TAGS_OF_CHALLENGERS;
        int leftOfSets = MAX_SETS_OF_CHALLENGERS;
        for (Emitted each : challengers) {
            Forecast sure = each.forecast;
            int length = length(sure);
            boolean isTooLong = length > leftOfSets;
            leftOfSets -= isTooLong ? 0 : length;
            Emitted bounded = new Emitted(each.epoch, kept(each.label, left), isTooLong ? sure.withoutSet() : sure);
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
        Forecast sure = own == null ? forecast : own.forecast;
        Truth its = truth == null ? null : truth.ofWeights();
        return new Waiting(id, value, offset, part, time, due, thatEpoch, version, label, sure, List.of(), its);
    }

    Due dueEntry() {
        return new Due(due, offset, part, isLabel(), id);
    }
}
