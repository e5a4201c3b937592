package io.perceptronstreams.store;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/** Writes records to a store in batches; a read sees them after {@link #flush}. Not thread-safe. */
final class BatchWriter {
    private static final int BATCH = 1024;

    private final KeyValueStore<Bytes, byte[]> inner;
    private final StoreCounters counters;
    private final List<KeyValue<Bytes, byte[]>> batch = new ArrayList<>();

    BatchWriter(KeyValueStore<Bytes, byte[]> inner, StoreCounters counters) {
        this.inner = inner;
        this.counters = counters;
    }

    /** Adds a record; null removes the key. */
    void put(Bytes key, byte[] value) {
        batch.add(KeyValue.pair(key, value));
        if (batch.size() == BATCH) {
            flush();
        }
    }

    /** Removes a range of keys, both ends included; returns true if it was not empty. */
    boolean removeRange(Bytes first, Bytes last) {
        flush();
        boolean isFound = false;
        try (KeyValueIterator<Bytes, byte[]> entries = inner.range(first, last)) {
            while (entries.hasNext()) {
                isFound = true;
                put(entries.next().key, null);
            }
        }
        flush();
        return isFound;
    }

    void flush() {
        if (!batch.isEmpty()) {
            counters.writtenRecords.add(batch.size());
            inner.putAll(batch);
            batch.clear();
        }
    }

    /** Drops the records that are not flushed. */
    void clear() {
        batch.clear();
    }
}
