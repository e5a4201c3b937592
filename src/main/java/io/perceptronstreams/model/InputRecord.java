package io.perceptronstreams.model;

/**
 * What the models need to know of a record of the log, besides the event that it carries.
 *
 * @param name of the model, in UTF-8
 * @param timestamp event time in ms
 * @param streamTime largest event time of the partition's records up to this one, in ms
 * @param isRerouted whether it came by way of a wrong partition
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record InputRecord(byte[] name, long offset, long timestamp, long streamTime, boolean isRerouted) {}
