package io.perceptronstreams.store;

import io.perceptronstreams.learner.Model;
import java.nio.ByteBuffer;
import org.apache.kafka.common.utils.Bytes;

/**
 * Keys of the inner store: name, 0, and for a block epoch, vector and block number, all big-endian.
 *
 * <p>Names contain no 0 byte, so that no model's range reaches into another's. The header has the shortest key and comes first;
 * the blocks of one epoch lie together in ascending order. What is put aside of an import comes last: name, 0, -1 and the
 * number of the piece; no epoch is negative.
 */
public final class ModelKeys {
    /** The key of the task's {@link InputPosition}; no model has it, because no name is empty. */
    public static final Bytes POSITION = header(new byte[0]);

    private ModelKeys() {}

    static Bytes header(byte[] name) {
        return Bytes.wrap(ByteBuffer.allocate(name.length + 1).put(name).array());
    }

    /** The key that says that the record at an offset was refused because of an answer of the registry. */
    static Bytes refusal(long offset) {
        return Bytes.wrap(ByteBuffer.allocate(1 + Long.BYTES)
                .put((byte) 0)
                .putLong(offset)
                .array());
    }

    /** Whether a key is one of {@link #refusal}. */
    public static boolean isRefusal(Bytes key) {
        return key.get().length == 1 + Long.BYTES && key.get()[0] == 0;
    }

    /** Whether a key is that of a model's header. */
    public static boolean isHeader(Bytes key) {
        byte[] bytes = key.get();
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return end > 0 && end == bytes.length - 1;
    }

    static long refusedOffset(Bytes key) {
        return ByteBuffer.wrap(key.get()).getLong(1);
    }

    static Bytes block(byte[] name, long epoch, int vector, int number) {
        return Bytes.wrap(ByteBuffer.allocate(name.length + 1 + Long.BYTES + 2 * Integer.BYTES)
                .put(name)
                .put((byte) 0)
                .putLong(epoch)
                .putInt(vector - Model.STATISTICS)
                .putInt(number)
                .array());
    }

    static Bytes firstBlock(byte[] name, long epoch) {
        return block(name, epoch, Model.STATISTICS, 0);
    }

    static Bytes lastBlock(byte[] name, long epoch) {
        return block(name, epoch, Integer.MAX_VALUE + Model.STATISTICS, -1);
    }

    static Bytes staged(byte[] name, int piece) {
        return Bytes.wrap(ByteBuffer.allocate(name.length + 1 + Long.BYTES + Integer.BYTES)
                .put(name)
                .put((byte) 0)
                .putLong(-1)
                .putInt(piece)
                .array());
    }

    static int vector(Bytes key) {
        byte[] bytes = key.get();
        return ByteBuffer.wrap(bytes).getInt(bytes.length - 2 * Integer.BYTES) + Model.STATISTICS;
    }

    static int number(Bytes key) {
        byte[] bytes = key.get();
        return ByteBuffer.wrap(bytes).getInt(bytes.length - Integer.BYTES);
    }
}
