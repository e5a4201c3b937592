package io.perceptronstreams.store;

import io.perceptronstreams.model.Model;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.utils.Bytes;

/**
 * Keys of the inner store: name, 0, and for a block epoch, vector and block number, all big-endian.
 *
 * <p>Names contain no 0 byte, so that no model's range reaches into another's. The header has the shortest key and comes first;
 * what belongs to one epoch lies together: its blocks in ascending order, and behind them the parts of its names, under the number of a
 * vector that no model has. What is put aside of an import comes last: name, 0, -1 and the number of the piece; no epoch is
 * negative.
 */
public final class ModelKeys {
    /** The key of the task's {@link InputPosition}; no model has it, because no name is empty. */
    public static final Bytes POSITION = header(new byte[0]);

    /** In front of all keys of models, and behind those of the position and of refusals. */
    static final Bytes FIRST_OF_MODELS = Bytes.wrap(new byte[] {1});

    /** Behind all keys of models: no name has this character. */
    static final Bytes END_OF_MODELS = Bytes.wrap(new byte[] {0x7f});

    /** Stands for the names of a learner where a vector's number stands for its blocks; the last vector that a key can have. */
    static final int NAMES = Integer.MAX_VALUE + Model.STATISTICS;

    private ModelKeys() {}

    /** Behind everything of a model, and in front of any other whose name begins with its name. */
    static Bytes endOfModel(byte[] name) {
        return Bytes.wrap(
                ByteBuffer.allocate(name.length + 1).put(name).put((byte) 1).array());
    }

    /** The name of the model to which a key belongs. */
    static byte[] name(Bytes key) {
        byte[] bytes = key.get();
        int end = 0;
        while (bytes[end] != 0) {
            end++;
        }
        return Arrays.copyOf(bytes, end);
    }

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

    /** A part of the names of a learner, as {@link NamesCodec} numbers them. */
    static Bytes names(byte[] name, long epoch, int part) {
        return block(name, epoch, NAMES, part);
    }

    /** The first key that an epoch can have, which is that of a block. */
    static Bytes firstOfEpoch(byte[] name, long epoch) {
        return block(name, epoch, Model.STATISTICS, 0);
    }

    /** Behind all blocks of an epoch, and in front of its names. */
    static Bytes endOfBlocks(byte[] name, long epoch) {
        return block(name, epoch, NAMES - 1, -1);
    }

    /** Behind everything of an epoch, its names included. */
    static Bytes endOfEpoch(byte[] name, long epoch) {
        return block(name, epoch, NAMES, -1);
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
