package io.perceptronstreams.labels;

import io.perceptronstreams.example.Utf8Slice;

/**
 * Entry of the list of what waits, ordered by time, offset and part; no two entries of a model have the same offset and
 * part.
 *
 * @param time last stream time at which the other event is in time, in ms
 * @param offset of the record that waits
 * @param part number of the example, from 0, in a record of several; otherwise 0
 * @param isLabel true for a label, false for an example
 * @param id of the example
 */
public record Due(long time, long offset, int part, boolean isLabel, Utf8Slice id) implements Comparable<Due> {
    @Override
    public int compareTo(Due other) {
        int byTime = Long.compare(time, other.time);
        int byOffset = byTime != 0 ? byTime : Long.compare(offset, other.offset);
        return byOffset != 0 ? byOffset : Integer.compare(part, other.part);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Due due && time == due.time && offset == due.offset && part == due.part;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(31 * (31 * time + offset) + part);
    }
}
