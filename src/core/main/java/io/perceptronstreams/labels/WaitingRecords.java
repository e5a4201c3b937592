package io.perceptronstreams.labels;

import io.perceptronstreams.example.Utf8Slice;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The waiting examples and labels of a model, or its examples with labels that can be corrected, by id and by due time:
 * the changes since the last write in memory, the rest in a {@link WaitingStore}.
 *
 * <p>A record that is added and removed between two writes is never written. One may be both removed from the store and
 * added again. After a write the heap has only the head of the due list, at most {@link #MAX_HEAD} entries, and hashes
 * of the written ids, which spare most reads of ids that are not in the store; after a restart they do so when all
 * records from before it are gone. Not thread-safe.
 */
final class WaitingRecords {
    /** Entries of the due list that are read at once. */
    static final int CHUNK = 1_000;

    private static final int MAX_HEAD = 2 * CHUNK;

    // heap of a removed record: its id and its entry of the due list
    private static final int ENTRY_BYTES = 320;

    private final UnwrittenRecords added = new UnwrittenRecords();
    private final Set<Utf8Slice> removed = new HashSet<>();

    // of the records in the store that were added here
    private final HashBag written = new HashBag();

    // Records in the store that were there before; all have smaller offsets than the first one that was added here.
    private long before;
    private long firstOffset = Long.MAX_VALUE;

    private final Set<Due> removedDue = new HashSet<>();

    // Stored entries of the due list: all up to loadedThrough, or all if isAllLoaded.
    private final TreeSet<Due> head = new TreeSet<>();
    private Due loadedThrough;
    private boolean isAllLoaded;
    private WaitingStore store;

    /**
     * Creates the records of a model.
     *
     * @param store null if nothing is stored
     * @param stored number of stored examples and labels
     */
    WaitingRecords(WaitingStore store, long stored) {
        this.store = store;
        before = stored;
        isAllLoaded = store == null;
    }

    /** The example or label of an id, or null. */
    Waiting find(Utf8Slice id) {
        long hash = added.hash(id);
        Waiting unwritten = added.find(id, hash);
        if (unwritten != null || !mayBeStored(id, hash)) {
            return unwritten;
        }
        byte[] stored = store.waiting(id);
        return stored == null ? null : WaitingForm.decode(id.copy(), stored);
    }

    /** Returns false if the store has no record of an id that is valid. */
    private boolean mayBeStored(Utf8Slice id, long hash) {
        return (before > 0 || (written.size() > 0 && written.contains(hash)))
                && (removed.isEmpty() || !removed.contains(id));
    }

    void add(Waiting waiting) {
        added.add(waiting, added.hash(waiting.id()));
        firstOffset = Math.min(firstOffset, waiting.entered());
    }

    void remove(Waiting waiting) {
        long hash = added.hash(waiting.id());
        if (added.remove(waiting.id(), hash)) {
            return;
        }
        removed.add(waiting.id());
        if (waiting.entered() >= firstOffset) {
            written.remove(hash);
        } else {
            before--;
        }
        removeStored(waiting.dueEntry());
    }

    /** Removes an entry of the due list in the store. */
    void removeStored(Due due) {
        head.remove(due);
        removedDue.add(due);
    }

    /** The first entry of the due list, or null. */
    Due first() {
        load(1);
        Due stored = head.isEmpty() ? null : head.first();
        List<Due> unwritten = added.due(1);
        if (unwritten.isEmpty()) {
            return stored;
        }
        return stored == null || unwritten.get(0).compareTo(stored) < 0 ? unwritten.get(0) : stored;
    }

    /** Loads entries until the head has a number of them, or all. */
    private void load(int entries) {
        while (head.size() < entries && !isAllLoaded) {
            List<Due> read = store.due(loadedThrough, CHUNK);
            for (Due due : read) {
                loadedThrough = due;
                if (!removedDue.contains(due)) {
                    head.add(due);
                }
            }
            isAllLoaded = read.size() < CHUNK;
        }
    }

    /** The first example among the first {@link #CHUNK} entries of the due list, or null. Usually O(1). */
    Due firstExample() {
        Due first = first();
        if (first == null || !first.isLabel()) {
            return first;
        }
        load(CHUNK);
        return Stream.concat(head.stream().limit(CHUNK), added.due(CHUNK).stream())
                .sorted()
                .limit(CHUNK)
                .filter(due -> !due.isLabel())
                .findFirst()
                .orElse(null);
    }

    /** Removes everything; the store must begin another generation before the next write. */
    void clear() {
        added.clear();
        removed.clear();
        written.clear();
        before = 0;
        removedDue.clear();
        head.clear();
        isAllLoaded = true;
    }

    /** Writes all changes. */
    void drain(WaitingStore target) {
        removed.forEach(id -> target.put(id, null));
        removedDue.forEach(due -> target.putDue(due, false));
        added.forEach((due, form) -> {
            target.put(due.id(), form);
            target.putDue(due, true);
            written.add(added.hash(due.id()));
            if (isAllLoaded || (loadedThrough != null && due.compareTo(loadedThrough) <= 0)) {
                head.add(due);
            }
        });
        added.clear();
        removed.clear();
        removedDue.clear();
        store = target;
        trimHead();
    }

    private void trimHead() {
        if (head.size() > MAX_HEAD) {
            while (head.size() > CHUNK) {
                head.pollLast();
            }
            loadedThrough = head.last();
            isAllLoaded = false;
        }
    }

    /** Estimated heap of what {@link #drain} frees, in bytes. */
    long unwrittenBytes() {
        return added.heapBytes() + (long) ENTRY_BYTES * removed.size();
    }

    /** Estimated heap, in bytes. */
    long heapBytes() {
        return unwrittenBytes() + (long) ENTRY_BYTES * head.size() / 2 + written.heapBytes();
    }
}
