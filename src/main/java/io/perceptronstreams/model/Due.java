package io.perceptronstreams.model;

import io.perceptronstreams.example.Utf8Slice;
import java.util.Comparator;

/**
 * Entry of the list of what waits, ordered by time and offset; no two entries of a model have the same offset.
 *
 * @param time last stream time at which the other event is in time, in ms
 * @param offset of the record that waits
 * @param isLabel true for a {@link WaitingLabel}, false for a {@link PendingExample}
 * @param id of the example
 */
public record Due(long time, long offset, boolean isLabel, Utf8Slice id) implements Comparable<Due> {
    private static final Comparator<Due> ORDER =
            Comparator.comparingLong(Due::time).thenComparingLong(Due::offset);

    @Override
    public int compareTo(Due other) {
        return ORDER.compare(this, other);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Due due && time == due.time && offset == due.offset;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(31 * time + offset);
    }
}
