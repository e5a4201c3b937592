package io.perceptronstreams.labels;

import io.perceptronstreams.example.Utf8Slice;

/**
 * Entry of the list of what waits, ordered by time and offset; no two entries of a model have the same offset.
 *
 * @param time last stream time at which the other event is in time, in ms
 * @param offset of the record that waits
 * @param isLabel true for a label, false for an example
 * @param id of the example
 */
public record Due(long time, long offset, boolean isLabel, Utf8Slice id) implements Comparable<Due> {
    @Override
    public int compareTo(Due other) {
        int byTime = Long.compare(time, other.time);
        return byTime != 0 ? byTime : Long.compare(offset, other.offset);
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
