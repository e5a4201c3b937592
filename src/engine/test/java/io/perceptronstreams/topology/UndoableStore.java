package io.perceptronstreams.topology;

import java.util.AbstractMap.SimpleEntry;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/** An in-memory store whose writes since the last commit can be undone, as by the kill of a task. */
public class UndoableStore implements KeyValueStore<Bytes, byte[]> {
    private final TreeMap<Bytes, byte[]> entries = new TreeMap<>();
    private final List<Map.Entry<Bytes, byte[]>> undo = new ArrayList<>();
    private final List<KeyValue<Bytes, byte[]>> uncommitted = new ArrayList<>();
    private final List<KeyValue<Bytes, byte[]>> changelog = new ArrayList<>();
    private int writesUntilKill = -1;

    /** Ends a life in the middle of something. */
    public static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    public void commit() {
        undo.clear();
        changelog.addAll(uncommitted);
        uncommitted.clear();
    }

    public void abort() {
        for (int k = undo.size() - 1; k >= 0; k--) {
            set(undo.get(k).getKey(), undo.get(k).getValue());
        }
        undo.clear();
        uncommitted.clear();
        writesUntilKill = -1;
    }

    /** All committed writes, in their order. */
    public List<KeyValue<Bytes, byte[]>> changelog() {
        return changelog;
    }

    /** Number of writes before the one that ends the life; negative: none does. */
    public void killAfterWrites(int writes) {
        writesUntilKill = writes < 0 ? Integer.MIN_VALUE : writes;
    }

    /** Whether the life has ended in a write. */
    public boolean isKilled() {
        return writesUntilKill == 0;
    }

    public Map<Bytes, byte[]> entries() {
        return entries;
    }

    private void set(Bytes key, byte[] value) {
        if (value == null) {
            entries.remove(key);
        } else {
            entries.put(key, value);
        }
    }

    @Override
    public void put(Bytes key, byte[] value) {
        if (writesUntilKill == 0) {
            // nor is there a later write, of a finally block
            throw new Killed();
        }
        writesUntilKill--;
        undo.add(new SimpleEntry<>(key, entries.get(key)));
        uncommitted.add(KeyValue.pair(key, value));
        set(key, value);
    }

    @Override
    public byte[] putIfAbsent(Bytes key, byte[] value) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void putAll(List<KeyValue<Bytes, byte[]>> all) {
        all.forEach(each -> put(each.key, each.value));
    }

    @Override
    public byte[] delete(Bytes key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public byte[] get(Bytes key) {
        return entries.get(key);
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> range(Bytes from, Bytes to) {
        // a copy: what is found is removed while it is looked at
        return iterator(new TreeMap<>(entries.subMap(from, true, to, true)));
    }

    @Override
    public KeyValueIterator<Bytes, byte[]> all() {
        return iterator(entries);
    }

    private static KeyValueIterator<Bytes, byte[]> iterator(Map<Bytes, byte[]> entries) {
        Iterator<Map.Entry<Bytes, byte[]>> each = entries.entrySet().iterator();
        return new KeyValueIterator<>() {
            @Override
            public boolean hasNext() {
                return each.hasNext();
            }

            @Override
            public KeyValue<Bytes, byte[]> next() {
                Map.Entry<Bytes, byte[]> next = each.next();
                return KeyValue.pair(next.getKey(), next.getValue());
            }

            @Override
            public Bytes peekNextKey() {
                throw new UnsupportedOperationException();
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public long approximateNumEntries() {
        return entries.size();
    }

    @Override
    public String name() {
        return LearningTopology.STORE;
    }

    @Override
    public void init(StateStoreContext context, StateStore root) {}

    @Override
    public void close() {}

    @Override
    public boolean persistent() {
        return false;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public Position getPosition() {
        return Position.emptyPosition();
    }
}
