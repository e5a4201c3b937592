package io.perceptronstreams.labels;

import io.perceptronstreams.example.Utf8Slice;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Waiting records, their due list, and blocks of ids; counts how often it is asked for a record. */
final class WaitingStoreInMemory implements WaitingStore {
    final Map<Utf8Slice, byte[]> records = new HashMap<>();
    final TreeSet<Due> due = new TreeSet<>();
    final Map<Long, long[]> blocks = new HashMap<>();
    int asked;
    private WaitingStoreInMemory settled;

    @Override
    public WaitingStoreInMemory settled() {
        settled = settled == null ? new WaitingStoreInMemory() : settled;
        return settled;
    }

    @Override
    public byte[] waiting(Utf8Slice id) {
        asked++;
        return records.get(id);
    }

    @Override
    public void put(Utf8Slice id, byte[] waiting) {
        put(records, id, waiting);
    }

    @Override
    public long[] ids(long block) {
        return blocks.get(block) == null ? null : blocks.get(block).clone();
    }

    @Override
    public void putIds(long block, long[] ids) {
        put(blocks, block, ids == null ? null : ids.clone());
    }

    private static <K, V> void put(Map<K, V> map, K key, V value) {
        if (value == null) {
            map.remove(key);
        } else {
            map.put(key, value);
        }
    }

    @Override
    public List<Due> due(Due after, int limit) {
        return (after == null ? due : due.tailSet(after, false))
                .stream().limit(limit).toList();
    }

    @Override
    public void putDue(Due entry, boolean isThere) {
        if (isThere) {
            due.add(entry);
        } else {
            due.remove(entry);
        }
    }

    @Override
    public void open(long generation) {}

    @Override
    public void begin(long generation) {}
}
