package io.perceptronstreams.labels;

import io.perceptronstreams.example.Utf8Slice;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The waiting examples and labels of a model, by id and by due time: the changes since the last write in memory, the rest
 * in a {@link WaitingStore}.
 *
 * <p>A record that is added and removed between two writes is never written. One may be both removed from the store and
 * added again. After a write the heap has only the head of the due list, at most {@link #MAX_HEAD} entries, and hashes of the
 * written ids, which spare most reads of ids that are not in the store; after a restart they do so when all records from
 * before it are gone. Not thread-safe.
 */
final class WaitingRecords {
    /** Entries of the due list that are read at once. */
    static final int CHUNK = 1_000;

    private static final int MAX_HEAD = 2 * CHUNK;

    // heap of an entry in maps and sets besides its bytes
    private static final int ENTRY_BYTES = 320;

    private final Map<Utf8Slice, Waiting> added = new HashMap<>();
    private final Set<Utf8Slice> removed = new HashSet<>();

    // of the records in the store that were added here
    private final HashBag written = new HashBag();

    // Records in the store that were there before; all have smaller offsets than the first one that was added here.
    private long before;
    private long firstOffset = Long.MAX_VALUE;

    private final TreeSet<Due> addedDue = new TreeSet<>();
    private final Set<Due> removedDue = new HashSet<>();

    // Stored entries of the due list: all up to loadedThrough, or all if isAllLoaded.
    private final TreeSet<Due> head = new TreeSet<>();
    private Due loadedThrough;
    private boolean isAllLoaded;
    private WaitingStore store;
    private long valueBytes;

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
        Waiting unwritten = added.get(id);
        return unwritten != null || !mayBeStored(id) ? unwritten : store.waiting(id);
    }

    /** Returns false if the store has no record of an id that is valid. */
    private boolean mayBeStored(Utf8Slice id) {
        return (before > 0 || (written.size() > 0 && written.contains(RecentIds.hash(id))))
                && (removed.isEmpty() || !removed.contains(id));
    }

    void add(Waiting waiting) {
        added.put(waiting.id(), waiting);
        firstOffset = Math.min(firstOffset, waiting.offset());
        valueBytes += waiting.value().length;
        addedDue.add(waiting.dueEntry());
    }

    void remove(Waiting waiting) {
        Waiting unwritten = added.remove(waiting.id());
        if (unwritten != null) {
            valueBytes -= unwritten.value().length;
        } else {
            removed.add(waiting.id());
            if (waiting.offset() >= firstOffset) {
                written.remove(RecentIds.hash(waiting.id()));
            } else {
                before--;
            }
        }
        remove(waiting.dueEntry());
    }

    /** Removes an entry of the due list. */
    void remove(Due due) {
        if (!addedDue.remove(due)) {
            head.remove(due);
            removedDue.add(due);
        }
    }

    /** The first entry of the due list, or null. */
    Due first() {
        load(1);
        if (addedDue.isEmpty()) {
            return head.isEmpty() ? null : head.first();
        }
        Due added = addedDue.first();
        return head.isEmpty() || added.compareTo(head.first()) < 0 ? added : head.first();
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
        return Stream.concat(head.stream().limit(CHUNK), addedDue.stream().limit(CHUNK))
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
        addedDue.clear();
        removedDue.clear();
        head.clear();
        isAllLoaded = true;
        valueBytes = 0;
    }

    /** Writes all changes. */
    void drain(WaitingStore target) {
        removed.forEach(id -> target.put(id, null));
        added.forEach(target::put);
        removedDue.forEach(due -> target.putDue(due, false));
        addedDue.forEach(due -> {
            target.putDue(due, true);
            if (isAllLoaded || (loadedThrough != null && due.compareTo(loadedThrough) <= 0)) {
                head.add(due);
            }
        });
        added.keySet().forEach(id -> written.add(RecentIds.hash(id)));
        added.clear();
        removed.clear();
        addedDue.clear();
        removedDue.clear();
        valueBytes = 0;
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
        return valueBytes + (long) ENTRY_BYTES * (added.size() + removed.size());
    }

    /** Estimated heap, in bytes. */
    long heapBytes() {
        return unwrittenBytes() + (long) ENTRY_BYTES * head.size() / 2 + written.heapBytes();
    }
}
