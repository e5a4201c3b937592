package io.perceptronstreams.labels;

import io.perceptronstreams.example.Utf8Slice;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
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

    // heap of an entry besides its bytes: at least 180, and 140 more in the set of those that are due out of order
    private static final int ENTRY_BYTES = 320;

    // removed entries in the queue are not worth a search
    private static final int MIN_STALE = 64;

    private static final int MIN_STALE_BYTES = 16 * 1024;

    private final Map<Utf8Slice, Waiting> added = new HashMap<>();
    private final Set<Utf8Slice> removed = new HashSet<>();

    // of the records in the store that were added here
    private final HashBag written = new HashBag();

    // Records in the store that were there before; all have smaller offsets than the first one that was added here.
    private long before;
    private long firstOffset = Long.MAX_VALUE;

    /*
     * Added records in the order of the due list: those that were added in this order in a queue, the rest in a set. A queue
     * needs no object per record: what waits outlives young collections, which copy each of its objects. Records that were
     * removed stay in the queue until it comes to them, or are as many as the others.
     */
    private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
    private int inQueue;
    private long staleBytes;
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
        if (queue.isEmpty() || waiting.isDueAfter(queue.getLast())) {
            queue.add(waiting);
            inQueue++;
        } else {
            addedDue.add(waiting.dueEntry());
        }
    }

    void remove(Waiting waiting) {
        Waiting unwritten = added.remove(waiting.id());
        if (unwritten != null) {
            valueBytes -= unwritten.value().length;
            if (!addedDue.remove(unwritten.dueEntry())) {
                inQueue--;
                staleBytes += unwritten.value().length;
                removeStale();
            }
            return;
        }
        removed.add(waiting.id());
        if (waiting.offset() >= firstOffset) {
            written.remove(RecentIds.hash(waiting.id()));
        } else {
            before--;
        }
        remove(waiting.dueEntry());
    }

    /** Removes what was removed elsewhere from the head of the queue, and from all of it if that is most of it. */
    private void removeStale() {
        while (!queue.isEmpty() && isStale(queue.getFirst())) {
            staleBytes -= queue.removeFirst().value().length;
        }
        if (queue.size() > 2 * inQueue + MIN_STALE || staleBytes > valueBytes + MIN_STALE_BYTES) {
            queue.removeIf(this::isStale);
            staleBytes = 0;
        }
    }

    @SuppressWarnings("ReferenceEquality") // another record may have the id by now
    private boolean isStale(Waiting queued) {
        return added.get(queued.id()) != queued;
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
        Due queued = queue.isEmpty() ? null : queue.getFirst().dueEntry();
        return earlier(queued, earlier(firstOf(addedDue), firstOf(head)));
    }

    private static Due firstOf(NavigableSet<Due> entries) {
        return entries.isEmpty() ? null : entries.first();
    }

    private static Due earlier(Due one, Due other) {
        return one == null || (other != null && other.compareTo(one) < 0) ? other : one;
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
        Stream<Due> queued =
                queue.stream().filter(waiting -> !isStale(waiting)).limit(CHUNK).map(Waiting::dueEntry);
        return Stream.of(head.stream().limit(CHUNK), addedDue.stream().limit(CHUNK), queued)
                .flatMap(entries -> entries)
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
        clearAddedDue();
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
        for (Waiting waiting : added.values()) {
            Due due = waiting.dueEntry();
            target.putDue(due, true);
            if (isAllLoaded || (loadedThrough != null && due.compareTo(loadedThrough) <= 0)) {
                // a copy of the id: that of the record would keep its bytes
                head.add(new Due(
                        due.time(),
                        due.offset(),
                        due.part(),
                        due.isLabel(),
                        due.id().copy()));
            }
        }
        added.keySet().forEach(id -> written.add(RecentIds.hash(id)));
        added.clear();
        removed.clear();
        clearAddedDue();
        removedDue.clear();
        valueBytes = 0;
        store = target;
        trimHead();
    }

    private void clearAddedDue() {
        queue.clear();
        inQueue = 0;
        staleBytes = 0;
        addedDue.clear();
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
        return valueBytes + staleBytes + (long) ENTRY_BYTES * (added.size() + removed.size());
    }

    /** Estimated heap, in bytes. */
    long heapBytes() {
        return unwrittenBytes() + (long) ENTRY_BYTES * head.size() / 2 + written.heapBytes();
    }
}
