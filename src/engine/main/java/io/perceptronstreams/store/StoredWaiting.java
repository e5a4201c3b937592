package io.perceptronstreams.store;

import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.labels.Due;
import io.perceptronstreams.labels.WaitingStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The waiting records and ids of one model in the store of a task; ids of records are in the keys, see
 * {@link ModelKeys}. Writes reach the store with a flush of the writer.
 */
final class StoredWaiting implements WaitingStore {
    private final KeyValueStore<Bytes, byte[]> inner;
    private final BatchWriter writer;
    private final Removals removals;
    private final byte[] name;
    // of examples with labels that can be corrected
    private final boolean isSettled;
    private long generation;

    StoredWaiting(KeyValueStore<Bytes, byte[]> inner, BatchWriter writer, Removals removals, byte[] name) {
        this(inner, writer, removals, name, false);
    }

    private StoredWaiting(
            KeyValueStore<Bytes, byte[]> inner, BatchWriter writer, Removals removals, byte[] name, boolean isSettled) {
        this.isSettled = isSettled;
        this.inner = inner;
        this.writer = writer;
        this.removals = removals;
        this.name = name;
    }

    @Override
    public WaitingStore settled() {
        StoredWaiting settled = new StoredWaiting(inner, writer, removals, name, true);
        settled.generation = generation;
        return settled;
    }

    @Override
    public byte[] waiting(Utf8Slice id) {
        return inner.get(key(id));
    }

    private Bytes key(Utf8Slice id) {
        return ModelKeys.waiting(name, generation, isSettled, id);
    }

    private Bytes due(long time, long itsOffset, int part) {
        return ModelKeys.due(name, generation, isSettled, time, itsOffset, part);
    }

    @Override
    public List<Due> due(Due after, int limit) {
        List<Due> found = new ArrayList<>();
        Bytes from = after == null ? due(0, 0, 0) : due(after.time(), after.offset(), after.part() + 1);
        try (KeyValueIterator<Bytes, byte[]> entries = inner.range(from, due(Long.MAX_VALUE, Long.MAX_VALUE, 0))) {
            while (entries.hasNext() && found.size() < limit) {
                KeyValue<Bytes, byte[]> entry = entries.next();
                Utf8Slice id = new Utf8Slice();
                id.set(entry.value, 1, entry.value.length - 1);
                found.add(new Due(
                        ModelKeys.dueTime(entry.key),
                        ModelKeys.dueOffset(entry.key),
                        ModelKeys.duePart(entry.key),
                        entry.value[0] != 0,
                        id));
            }
        }
        return found;
    }

    @Override
    public long[] ids(long block) {
        byte[] stored = inner.get(ModelKeys.ids(name, generation, block));
        return stored == null ? null : decodeIds(stored);
    }

    @Override
    public void put(Utf8Slice id, byte[] waiting) {
        writer.put(key(id), waiting);
    }

    @Override
    public void putDue(Due due, boolean isThere) {
        byte[] value = null;
        if (isThere) {
            value = new byte[1 + due.id().length()];
            value[0] = (byte) (due.isLabel() ? 1 : 0);
            System.arraycopy(
                    due.id().bytes(), due.id().offset(), value, 1, due.id().length());
        }
        writer.put(due(due.time(), due.offset(), due.part()), value);
    }

    @Override
    public void putIds(long block, long[] ids) {
        writer.put(ModelKeys.ids(name, generation, block), ids == null ? null : encodeIds(ids));
    }

    @Override
    public void open(long ofModel) {
        generation = ofModel;
    }

    @Override
    public void begin(long ofModel) {
        if (ofModel > generation) {
            removals.remove(ModelKeys.firstOfWaiting(name, ofModel - 1), ModelKeys.endOfWaiting(name, generation));
            generation = ofModel;
        }
    }

    static byte[] encodeIds(long[] ids) {
        ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES * ids.length);
        bytes.asLongBuffer().put(ids);
        return bytes.array();
    }

    static long[] decodeIds(byte[] bytes) {
        long[] ids = new long[bytes.length / Long.BYTES];
        ByteBuffer.wrap(bytes).asLongBuffer().get(ids);
        return ids;
    }
}
