package io.perceptronstreams.model;

import io.perceptronstreams.labels.Waiting;
import io.perceptronstreams.state.StoredFields;

/**
 * The label of the last example of a model, for the second stage of the next one: -1 or +1, 0 while it is not known.
 *
 * <p>A label that comes late counts if no other example has come since. Not thread-safe.
 */
final class LabelBefore {
    private static final long NONE = -1;

    private int sign;

    // The last example if it waits for its label.
    private long offset = NONE;
    private int part;

    LabelBefore copy() {
        LabelBefore copy = new LabelBefore();
        copy.sign = sign;
        copy.offset = offset;
        copy.part = part;
        return copy;
    }

    int sign() {
        return sign;
    }

    /** An example was used; 0 without a label. */
    void follow(int itsSign) {
        sign = itsSign;
        offset = NONE;
    }

    /** The last example waits for its label. */
    void await(Waiting last) {
        offset = last.offset();
        part = last.part();
    }

    /** The label of an example has come late. */
    void came(int itsSign, Waiting then) {
        if (then.offset() == offset && then.part() == part) {
            follow(itsSign);
        }
    }

    /** Writes or restores all. */
    void exchange(StoredFields fields) {
        long stored = fields.signed(sign);
        if (stored < -1 || stored > 1) {
            throw fields.fault("have a label before of -1, 0 or 1", stored);
        }
        sign = (int) stored;
        offset = fields.signed(offset);
        part = fields.upTo(Short.MAX_VALUE, part);
    }
}
