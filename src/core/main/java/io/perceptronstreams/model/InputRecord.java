package io.perceptronstreams.model;

/**
 * Metadata of an input record, besides the event in its value.
 *
 * @param name of the model, in UTF-8
 * @param timestamp event time in ms
 * @param streamTime largest event time of the partition's records up to this one, in ms
 * @param isRerouted true if it was sent on from a wrong partition
 * @param part number of the example, from 0, in a record of several; {@link #WHOLE} for a record with one event
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record InputRecord(byte[] name, long offset, long timestamp, long streamTime, boolean isRerouted, int part) {
    /** The part of a record with one event. */
    public static final int WHOLE = -1;

    /** Describes a record with one event. */
    public InputRecord(byte[] name, long offset, long timestamp, long streamTime, boolean isRerouted) {
        this(name, offset, timestamp, streamTime, isRerouted, WHOLE);
    }

    /** Describes one of several examples of this record. */
    public InputRecord part(int number, long itsTimestamp) {
        return new InputRecord(name, offset, itsTimestamp, streamTime, isRerouted, number);
    }

    /** Returns true for one of several examples. */
    boolean isPart() {
        return part != WHOLE;
    }
}
