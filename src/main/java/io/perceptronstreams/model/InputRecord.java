package io.perceptronstreams.model;

/**
 * Metadata of an input record, besides the event in its value.
 *
 * @param name of the model, in UTF-8
 * @param timestamp event time in ms
 * @param streamTime largest event time of the partition's records up to this one, in ms
 * @param isRerouted true if it was sent on from a wrong partition
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record InputRecord(byte[] name, long offset, long timestamp, long streamTime, boolean isRerouted) {}
