package io.perceptronstreams.store;

import org.apache.kafka.common.utils.Bytes;

/**
 * A model's header that says that the model is deleted.
 *
 * @param name of the model
 * @param offset of the last record that was applied to it: the command DELETE, or the record after which it was idle
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record StoredDeletion(byte[] name, long offset) {
    /** Returns the deletion of a stored record; null if it is another one. */
    public static StoredDeletion of(Bytes key, byte[] value) {
        if (value == null || !ModelKeys.isHeader(key)) {
            return null;
        }
        HeaderCodec.Start start = HeaderCodec.start(value);
        return start.isDeleted() ? new StoredDeletion(ModelKeys.name(key), start.position()) : null;
    }
}
