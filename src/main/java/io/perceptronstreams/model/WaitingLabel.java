package io.perceptronstreams.model;

import io.perceptronstreams.example.Utf8Slice;

/**
 * A {@link LabelEvent} that came before its example and waits for it.
 *
 * @param id of the example
 * @param value bytes of the label's record
 * @param offset of its record
 * @param time event time of the label, in ms
 * @param due last stream time of the model at which the example is in time, in ms
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record WaitingLabel(Utf8Slice id, byte[] value, long offset, long time, long due) {
    Due dueEntry() {
        return new Due(due, offset, true, id);
    }
}
