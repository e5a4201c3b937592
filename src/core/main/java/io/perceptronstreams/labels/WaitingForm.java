package io.perceptronstreams.labels;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.learner.Decision;
import io.perceptronstreams.learner.Outcome;
import io.perceptronstreams.state.StoredFields;
import java.util.ArrayList;
import java.util.List;

/** The stored form of an example or label that waits; its id is in the key. */
public final class WaitingForm {
    private static final int FORM = 2;

    /** Form with the label of one challenger at most, the shadow of a drift. */
    private static final int FORM_WITH_SHADOW = 1;

    /** Form of one of several examples of a record: with its number. */
    private static final int FORM_OF_PART = 3;

    /** Form with probabilities and sets of labels. */
    private static final int FORM_WITH_FORECASTS = 4;

    /** Form with the label of an example. */
    private static final int FORM_WITH_TRUTH = 5;

    // bits of a truth
    private static final int HAS_SOURCE = 1;
    private static final int IS_DEFAULT = 2;
    private static final int IS_LEARNED = 4;
    private static final int HAS_WAITED = 8;

    // of the byte of a decision: 1 or 2 above it for a label before of +1 or -1
    private static final int LABEL_BEFORE = 6;

    private static final Decision[] DECISIONS = Decision.values();
    private static final Waiting.Forecast NO_FORECAST = new Waiting.Forecast(-1, null, 0, Decision.NONE);
    private static final Waiting NONE = Waiting.label(null, new byte[0], 0, 0, 0);

    private WaitingForm() {}

    /** Writes an example or label behind what the fields have. */
    static void write(StoredFields out, Waiting waiting) {
        var unused = exchange(out, null, waiting);
    }

    /**
     * Reads an example or label up to the end of the fields.
     *
     * @param id kept
     */
    static Waiting read(StoredFields in, Utf8Slice id) {
        return exchange(in, id, NONE);
    }

    /**
     * Reads a stored example or label.
     *
     * @param id kept
     */
    public static Waiting decode(Utf8Slice id, byte[] stored) {
        return read(new StoredFields(stored), id);
    }

    private static Waiting exchange(StoredFields fields, Utf8Slice id, Waiting waiting) {
        int form = fields.form(form(waiting), FORM_WITH_SHADOW, FORM_WITH_TRUTH, "waiting record");
        long offset = fields.signed(waiting.offset());
        int part = form < FORM_OF_PART ? 0 : fields.upTo(Short.MAX_VALUE, waiting.part());
        long time = fields.signed(waiting.time());
        long due = fields.near(time, waiting.due());
        long epoch = fields.signed(waiting.epoch());
        if (epoch == Waiting.NO_EPOCH) {
            return Waiting.label(id, fields.rest(waiting.value()), offset, time, due);
        }
        long version = fields.signed(waiting.version());
        Label emitted = label(fields, waiting.emitted());
        boolean hasForecasts = form >= FORM_WITH_FORECASTS;
        Waiting.Forecast forecast = hasForecasts ? forecast(fields, waiting.forecast()) : null;
        List<Waiting.Emitted> challengers =
                form == FORM_WITH_SHADOW ? ofShadow(fields) : challengers(fields, waiting.challengers(), hasForecasts);
        Truth truth = waiting.truth();
        if (form >= FORM_WITH_TRUTH) {
            truth = truth(fields, fields.isReading() ? Truth.NONE : truth);
        }
        byte[] value = fields.rest(waiting.value());
        return new Waiting(id, value, offset, part, time, due, epoch, version, emitted, forecast, challengers, truth);
    }

    private static Truth truth(StoredFields fields, Truth truth) {
        int bits = fields.bits((truth.source() == null ? 0 : HAS_SOURCE)
                | (truth.isDefault() ? IS_DEFAULT : 0)
                | (truth.isLearned() ? IS_LEARNED : 0)
                | (truth.hasWaited() ? HAS_WAITED : 0));
        Label label = label(fields, truth.label());
        String source = (bits & HAS_SOURCE) == 0 ? null : fields.text(truth.source());
        long entered = fields.signed(truth.entered());
        return new Truth(
                label,
                source,
                (bits & IS_DEFAULT) != 0,
                fields.near(entered, truth.offset()),
                entered,
                fields.near(entered, truth.counted()),
                fields.unsigned(truth.number()),
                (bits & IS_LEARNED) != 0,
                (bits & HAS_WAITED) != 0);
    }

    private static int form(Waiting waiting) {
        if (waiting.truth() != null) {
            return FORM_WITH_TRUTH;
        }
        return hasForecast(waiting) ? FORM_WITH_FORECASTS : waiting.part() == 0 ? FORM : FORM_OF_PART;
    }

    private static boolean hasForecast(Waiting waiting) {
        return waiting.forecast() != null || waiting.challengers().stream().anyMatch(each -> each.forecast() != null);
    }

    private static Waiting.Forecast forecast(StoredFields fields, Waiting.Forecast forecast) {
        if (!fields.flag(forecast != null)) {
            return null;
        }
        Waiting.Forecast given = forecast == null ? NO_FORECAST : forecast;
        int before = given.labelBefore();
        int bits = fields.bits(given.decision().number() | (before < 0 ? 2 : before) << LABEL_BEFORE);
        Decision decision = fields.constant(bits & (1 << LABEL_BEFORE) - 1, DECISIONS, Decision::number);
        before = bits >>> LABEL_BEFORE;
        if (before > 2) {
            throw fields.fault("have a label before from 0 to 2", before);
        }
        before = before == 2 ? -1 : before;
        int millionths = fields.upTo(Outcome.UNIT + 1, given.millionths() + 1) - 1;
        boolean hasSet = fields.flag(given.set() != null);
        if (!hasSet) {
            return new Waiting.Forecast(millionths, null, 0, decision, before);
        }
        List<Label> set = labels(fields, given.set() == null ? List.of() : given.set());
        int known = fields.upTo(Integer.MAX_VALUE, given.known());
        return new Waiting.Forecast(millionths, set, known, decision, before);
    }

    private static List<Label> labels(StoredFields fields, List<Label> labels) {
        int count = fields.count(1, labels.size());
        List<Label> exchanged = new ArrayList<>(count);
        for (int k = 0; k < count; k++) {
            exchanged.add(label(fields, fields.isReading() ? null : labels.get(k)));
        }
        return exchanged;
    }

    private static List<Waiting.Emitted> challengers(
            StoredFields fields, List<Waiting.Emitted> challengers, boolean hasForecasts) {
        int count = fields.count(2, challengers.size());
        List<Waiting.Emitted> exchanged = new ArrayList<>(count);
        for (int k = 0; k < count; k++) {
            Waiting.Emitted each = fields.isReading() ? new Waiting.Emitted(0, null, null) : challengers.get(k);
            exchanged.add(new Waiting.Emitted(
                    fields.unsigned(each.epoch()),
                    label(fields, each.label()),
                    hasForecasts ? forecast(fields, each.forecast()) : null));
        }
        return exchanged;
    }

    private static List<Waiting.Emitted> ofShadow(StoredFields fields) {
        long epoch = fields.signed(0);
        Label emitted = label(fields, null);
        return epoch == Waiting.NO_EPOCH ? List.of() : List.of(new Waiting.Emitted(epoch, emitted, null));
    }

    private static Label label(StoredFields fields, Label label) {
        int kind = fields.bits(
                label == null ? 0 : label instanceof Label.Int ? 1 : label instanceof Label.ClassName ? 2 : 3);
        return switch (kind) {
            case 0 -> null;
            case 1 -> Label.of((int) fields.signed(label instanceof Label.Int number ? number.value() : 0));
            case 2 -> new Label.ClassName(fields.text(label instanceof Label.ClassName name ? name.name() : null));
            case 3 -> new Label.Tags(fields.texts(label instanceof Label.Tags tags ? tags.tags() : List.of()));
            default -> throw fields.fault("have labels of kind 0 to 3", kind);
        };
    }
}
