package io.perceptronstreams.store;

import java.nio.ByteBuffer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Time of the last signature that was accepted for each model name, so that a copy of an earlier command is refused.
 *
 * <p>A time is written in the transaction of its record, not with a checkpoint, and outlasts the model: a command from
 * before a DELETE must not be accepted for the next model of that name. Without {@code commands.key} there are none.
 */
public final class SignedTimes {
    private final KeyValueStore<Bytes, byte[]> inner;
    private final BatchWriter writer;

    SignedTimes(KeyValueStore<Bytes, byte[]> inner, BatchWriter writer) {
        this.inner = inner;
        this.writer = writer;
    }

    /** Time of the last accepted signature for a name, in microseconds; {@link Long#MIN_VALUE} before the first. */
    public long last(byte[] name) {
        byte[] stored = inner.get(ModelKeys.signedTime(name));
        return stored == null ? Long.MIN_VALUE : ByteBuffer.wrap(stored).getLong();
    }

    /** Stores the time of an accepted signature. */
    public void accept(byte[] name, long timeMicros) {
        writer.put(
                ModelKeys.signedTime(name),
                ByteBuffer.allocate(Long.BYTES).putLong(timeMicros).array());
        writer.flush();
    }
}
