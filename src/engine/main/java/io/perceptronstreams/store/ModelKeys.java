package io.perceptronstreams.store;

import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.model.Pipeline;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.utils.Bytes;

/**
 * Keys of the inner store. A block has the key name, 0, epoch, vector and block number, all big-endian.
 *
 * <p>Names contain no 0 byte, so the ranges of models are disjoint. The header has the shortest key and comes first.
 * Each epoch is one range: its blocks in ascending order, then the parts of its names, under a vector number that no
 * model uses; among these the header of a challenger and the copies of small vectors. Staged chunks of an import come
 * last: name, 0, -1 and chunk number; no epoch is negative. Before them come, in place of the epoch, -4: blocks of ids;
 * -3: entries of the due list by time, offset and part; -2: waiting examples and labels by id. Of examples with labels
 * that can be corrected, time and id have a byte -1 before them, with which none begins. In each later generation of
 * these, which begins when the model is deleted, the three numbers are smaller by 3.
 */
public final class ModelKeys {
    /** Key of the task's {@link InputPosition}; not a key of a model, because no name is empty. */
    public static final Bytes POSITION = header(new byte[0]);

    /** Lower bound of all keys of models; behind the position, the refusals and the signed times. */
    static final Bytes FIRST_OF_MODELS = Bytes.wrap(new byte[] {1});

    /** Upper bound of all keys of models: no name has this character. */
    static final Bytes END_OF_MODELS = Bytes.wrap(new byte[] {0x7f});

    /** Marks the names of a learner in place of a vector number; the last vector that a key can have. */
    static final int NAMES = Integer.MAX_VALUE + Pipeline.STATISTICS;

    /**
     * Number of the first part of the names of features, under {@link #NAMES}; after the parts of a learner's names.
     */
    private static final int FEATURES = 1 << 30;

    /** Number of the header of a challenger, under {@link #NAMES} of its epoch. */
    static final int CHALLENGER = FEATURES - 1;

    /** Number of the copy of vector 0, under {@link #NAMES} of its epoch; the numbers of others are below and above. */
    private static final int COPY = CHALLENGER - 1 + Pipeline.STATISTICS;

    private ModelKeys() {}

    /** Returns the beginning of a key, with room for more bytes. */
    private static ByteBuffer ofModel(byte[] name, int more) {
        return ByteBuffer.allocate(name.length + 1 + more).put(name).put((byte) 0);
    }

    @SuppressWarnings("ByteBufferBackingArray") // from ofModel
    private static Bytes key(ByteBuffer complete) {
        return Bytes.wrap(complete.array());
    }

    private static Bytes joined(Bytes first, byte[] second) {
        byte[] joined = Arrays.copyOf(first.get(), first.get().length + second.length);
        System.arraycopy(second, 0, joined, first.get().length, second.length);
        return Bytes.wrap(joined);
    }

    /** Upper bound of all keys of a model; before the keys of any other name with this prefix. */
    static Bytes endOfModel(byte[] name) {
        byte[] end = Arrays.copyOf(name, name.length + 1);
        end[name.length] = 1;
        return Bytes.wrap(end);
    }

    /** Name of the model of a key. */
    static byte[] name(Bytes key) {
        byte[] bytes = key.get();
        int end = 0;
        while (bytes[end] != 0) {
            end++;
        }
        return Arrays.copyOf(bytes, end);
    }

    static Bytes header(byte[] name) {
        return Bytes.wrap(Arrays.copyOf(name, name.length + 1));
    }

    /** Key of the note that the registry caused the refusal of the record at an offset. */
    public static Bytes refusal(long offset) {
        return key(ofModel(new byte[0], Long.BYTES).putLong(offset));
    }

    /** Returns true if the key is from {@link #refusal}. */
    public static boolean isRefusal(Bytes key) {
        return key.get().length == 1 + Long.BYTES && key.get()[0] == 0 && key.get()[1] >= 0;
    }

    /** Key of the time of the last accepted signature for a name; behind all refusals, as no offset is negative. */
    static Bytes signedTime(byte[] name) {
        return joined(END_OF_REMOVALS, name);
    }

    /** Returns true if the key is from {@link #signedTime}. */
    static boolean isSignedTime(Bytes key) {
        byte[] bytes = key.get();
        return bytes.length > 2 && bytes[0] == 0 && bytes[1] == -1;
    }

    /** Name of a key from {@link #signedTime}. */
    static byte[] ofSignedTime(Bytes key) {
        return Arrays.copyOfRange(key.get(), 2, key.get().length);
    }

    /** Returns true if the key is from {@link #removal}. */
    static boolean isRemoval(Bytes key) {
        byte[] bytes = key.get();
        return bytes.length > 2 && bytes[0] == 0 && bytes[1] == -2;
    }

    /** Returns true if the key belongs to a model's header. */
    public static boolean isHeader(Bytes key) {
        byte[] bytes = key.get();
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return end > 0 && end == bytes.length - 1;
    }

    /** Offset of a key from {@link #refusal}. */
    public static long refusedOffset(Bytes key) {
        return ByteBuffer.wrap(key.get()).getLong(1);
    }

    /** Lower bound of the keys from {@link #removal}; behind all refusals. */
    static final Bytes FIRST_REMOVAL = Bytes.wrap(new byte[] {0, -2});

    /** Upper bound of the keys from {@link #removal}; before the signed times. */
    static final Bytes END_OF_REMOVALS = Bytes.wrap(new byte[] {0, -1});

    /** Key of the note that a range is not yet removed, by the range's upper bound. */
    static Bytes removal(Bytes last) {
        return joined(FIRST_REMOVAL, last.get());
    }

    /** Upper bound of the range of a key from {@link #removal}. */
    static Bytes lastRemoved(Bytes key) {
        return Bytes.wrap(Arrays.copyOfRange(key.get(), 2, key.get().length));
    }

    static Bytes block(byte[] name, long epoch, int vector, int number) {
        ByteBuffer key = ofModel(name, Long.BYTES + 2 * Integer.BYTES);
        return key(key.putLong(epoch).putInt(vector - Pipeline.STATISTICS).putInt(number));
    }

    /** Key of a part of the names of a learner; see {@link StoredNames}. */
    static Bytes names(byte[] name, long epoch, int part) {
        return block(name, epoch, NAMES, part);
    }

    /** Key of the header of a challenger, by its epoch. */
    static Bytes challenger(byte[] name, long epoch) {
        return names(name, epoch, CHALLENGER);
    }

    /** Number of the copy of a small vector, as {@link #CHALLENGER} is one. */
    static int copy(int vector) {
        return COPY - vector;
    }

    /** Key of the copy of a small vector. */
    static Bytes copy(byte[] name, long epoch, int vector) {
        return names(name, epoch, copy(vector));
    }

    /** Key of a part of the names of features; see {@link StoredNames}. */
    static Bytes featureNames(byte[] name, long epoch, int part) {
        return block(name, epoch, NAMES, FEATURES + part);
    }

    /** Lower bound of all keys of an epoch; its blocks come first. */
    static Bytes firstOfEpoch(byte[] name, long epoch) {
        return block(name, epoch, Pipeline.STATISTICS, 0);
    }

    /** Upper bound of the blocks of an epoch; before its names. */
    static Bytes endOfBlocks(byte[] name, long epoch) {
        return block(name, epoch, NAMES - 1, -1);
    }

    /** Upper bound of all keys of an epoch, names included. */
    static Bytes endOfEpoch(byte[] name, long epoch) {
        return block(name, epoch, NAMES, -1);
    }

    static Bytes staged(byte[] name, int chunk) {
        return key(ofModel(name, Long.BYTES + Integer.BYTES).putLong(-1).putInt(chunk));
    }

    private static final long IDS = -4;
    private static final long DUE = -3;
    private static final long WAITING = -2;
    private static final long KINDS = 3;

    private static ByteBuffer waiting(byte[] name, long generation, long kind, int more) {
        return ofModel(name, Long.BYTES + more).putLong(kind - KINDS * generation);
    }

    /** Key of a block of {@code RecentIds}. */
    static Bytes ids(byte[] name, long generation, long block) {
        return key(waiting(name, generation, IDS, Long.BYTES).putLong(block));
    }

    // the first byte of a time is not negative, and no UTF-8 begins with it
    private static final byte SETTLED = -1;

    private static ByteBuffer waiting(byte[] name, long generation, long kind, boolean isSettled, int more) {
        if (!isSettled) {
            return waiting(name, generation, kind, more);
        }
        return waiting(name, generation, kind, 1 + more).put(SETTLED);
    }

    /**
     * Key of a waiting example or label.
     *
     * @param isSettled true for an example with a label that can be corrected
     */
    static Bytes waiting(byte[] name, long generation, boolean isSettled, Utf8Slice id) {
        ByteBuffer key = waiting(name, generation, WAITING, isSettled, id.length());
        return key(key.put(id.bytes(), id.offset(), id.length()));
    }

    /** Key of an entry of the due list. The part ends the key if it is not 0, so that parts keep their order. */
    static Bytes due(byte[] name, long generation, boolean isSettled, long time, long offset, int part) {
        ByteBuffer key = waiting(name, generation, DUE, isSettled, 2 * Long.BYTES + (part == 0 ? 0 : Short.BYTES));
        key.putLong(time).putLong(offset);
        return key(part == 0 ? key : key.putShort((short) part));
    }

    /** Fields of a key from {@link #due}: time and offset, and the part if it is not 0. */
    private static ByteBuffer dueFields(Bytes key) {
        int start = name(key).length + 1 + Long.BYTES;
        start += key.get()[start] == SETTLED ? 1 : 0;
        return ByteBuffer.wrap(key.get(), start, key.get().length - start);
    }

    /** Time of a key from {@link #due}. */
    static long dueTime(Bytes key) {
        return dueFields(key).getLong();
    }

    /** Offset of a key from {@link #due}. */
    static long dueOffset(Bytes key) {
        ByteBuffer fields = dueFields(key);
        return fields.getLong(fields.position() + Long.BYTES);
    }

    /** Part of a key from {@link #due}. */
    static int duePart(Bytes key) {
        ByteBuffer fields = dueFields(key);
        return fields.remaining() == 2 * Long.BYTES ? 0 : fields.getShort(fields.position() + 2 * Long.BYTES);
    }

    /** Lower bound of all keys of waiting records and ids of a generation; after the keys of later generations. */
    static Bytes firstOfWaiting(byte[] name, long generation) {
        return key(waiting(name, generation, IDS, 0));
    }

    /** Upper bound of all keys of waiting records and ids of a generation. */
    static Bytes endOfWaiting(byte[] name, long generation) {
        return key(waiting(name, generation, WAITING + 1, 0));
    }

    /** Generation of a key of a waiting record or of ids; negative for another key of a model. */
    static long generation(Bytes key) {
        long kind = ByteBuffer.wrap(key.get()).getLong(name(key).length + 1);
        return kind > WAITING ? -1 : (WAITING - kind) / KINDS;
    }

    static int vector(Bytes key) {
        byte[] bytes = key.get();
        return ByteBuffer.wrap(bytes).getInt(bytes.length - 2 * Integer.BYTES) + Pipeline.STATISTICS;
    }

    static int number(Bytes key) {
        byte[] bytes = key.get();
        return ByteBuffer.wrap(bytes).getInt(bytes.length - Integer.BYTES);
    }
}
