package io.perceptronstreams.labels;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;
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
        int form = fields.form(
                waiting.part() == 0 ? FORM : FORM_OF_PART, FORM_WITH_SHADOW, FORM_OF_PART, "waiting record");
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
        List<Waiting.Emitted> challengers =
                form == FORM_WITH_SHADOW ? ofShadow(fields) : challengers(fields, waiting.challengers());
        byte[] value = fields.rest(waiting.value());
        return new Waiting(id, value, offset, part, time, due, epoch, version, emitted, challengers);
    }

    private static List<Waiting.Emitted> challengers(StoredFields fields, List<Waiting.Emitted> challengers) {
        int count = fields.count(2, challengers.size());
        List<Waiting.Emitted> exchanged = new ArrayList<>(count);
        for (int k = 0; k < count; k++) {
            Waiting.Emitted each = fields.isReading() ? new Waiting.Emitted(0, null) : challengers.get(k);
            exchanged.add(new Waiting.Emitted(fields.unsigned(each.epoch()), label(fields, each.label())));
        }
        return exchanged;
    }

    private static List<Waiting.Emitted> ofShadow(StoredFields fields) {
        long epoch = fields.signed(0);
        Label emitted = label(fields, null);
        return epoch == Waiting.NO_EPOCH ? List.of() : List.of(new Waiting.Emitted(epoch, emitted));
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
