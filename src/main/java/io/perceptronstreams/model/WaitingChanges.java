package io.perceptronstreams.model;

import io.perceptronstreams.example.Utf8Slice;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Waiting records: those that are not written yet, and which of the written ones are removed.
 *
 * <p>A record may be both removed from the store and added again. Hashes of the ids in the store spare most reads of ids
 * that are not there; after a restart they do so when all records from before it are gone. Not thread-safe.
 */
final class WaitingChanges<V> {
    private final Map<Utf8Slice, V> added = new HashMap<>();
    private final Set<Utf8Slice> removed = new HashSet<>();

    // of the records in the store that were added here
    private final HashBag written = new HashBag();

    // Records in the store that were there before; all have smaller offsets than the first one that was added here.
    private long before;
    private long firstOffset = Long.MAX_VALUE;

    /** @param stored number of records in the store */
    WaitingChanges(long stored) {
        before = stored;
    }

    /** The record of an id that is not written, or null. */
    V unwritten(Utf8Slice id) {
        return added.get(id);
    }

    /** Returns false if the store has no record of an id that is valid. */
    boolean mayBeStored(Utf8Slice id) {
        return (before > 0 || (written.size() > 0 && written.contains(RecentIds.hash(id))))
                && (removed.isEmpty() || !removed.contains(id));
    }

    void add(Utf8Slice id, long offset, V record) {
        added.put(id, record);
        firstOffset = Math.min(firstOffset, offset);
    }

    /** Returns the unwritten record that was removed; null if a stored one was. */
    V remove(Utf8Slice id, long offset) {
        V unwritten = added.remove(id);
        if (unwritten == null) {
            removed.add(id);
            if (offset >= firstOffset) {
                written.remove(RecentIds.hash(id));
            } else {
                before--;
            }
        }
        return unwritten;
    }

    Map<Utf8Slice, V> added() {
        return added;
    }

    Set<Utf8Slice> removed() {
        return removed;
    }

    int size() {
        return added.size() + removed.size();
    }

    /** Must be called when all changes are written. */
    void markWritten() {
        added.keySet().forEach(id -> written.add(RecentIds.hash(id)));
        added.clear();
        removed.clear();
    }

    /** Forgets all records, also those in the store. */
    void clear() {
        added.clear();
        removed.clear();
        written.clear();
        before = 0;
    }

    /** Estimated heap of what is known of the written records, in bytes. */
    long heapBytes() {
        return written.heapBytes();
    }
}
