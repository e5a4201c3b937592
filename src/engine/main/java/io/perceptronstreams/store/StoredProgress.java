package io.perceptronstreams.store;

import org.apache.kafka.common.utils.Bytes;

/**
 * Progress of a model according to its header.
 *
 * @param name of the model
 * @param offset of the last record that was applied to it; if it is deleted, the command DELETE, or the record after
 *     which it was idle
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record StoredProgress(byte[] name, long offset, boolean isDeleted) {
    /** Returns the progress of a stored record; null if it is not the header of a model. */
    public static StoredProgress of(Bytes key, byte[] value) {
        if (value == null || !ModelKeys.isHeader(key)) {
            return null;
        }
        HeaderCodec.Start start = HeaderCodec.start(value);
        return new StoredProgress(ModelKeys.name(key), start.position(), start.isDeleted());
    }
}
