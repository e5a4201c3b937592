package io.perceptronstreams.model;

import io.perceptronstreams.example.Utf8Slice;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What waits in a model, by id and by due time: the changes since the last write in memory, the rest in a {@link
 * WaitingStore}.
 *
 * <p>What is added and removed between two writes is never written. After a write the heap has only the head of the due
 * list, at most {@link #MAX_HEAD} entries. Not thread-safe.
 */
final class WaitingRecords {
    /** Entries of the due list that are read at once. */
    static final int CHUNK = 1_000;

    private static final int MAX_HEAD = 2 * CHUNK;

    // heap of an entry in maps and sets besides its bytes
    private static final int ENTRY_BYTES = 320;

    /** Changes of the records of one kind; a key may be both removed from the store and added again. */
    private static final class Changes<V> {
        private final Map<Utf8Slice, V> added = new HashMap<>();
        private final Set<Utf8Slice> removed = new HashSet<>();

        V find(Utf8Slice id, Function<Utf8Slice, V> stored) {
            V found = added.get(id);
            return found != null || removed.contains(id) ? found : stored.apply(id);
        }

        /** Returns the unwritten record that was removed; null if a stored one was. */
        V remove(Utf8Slice id) {
            V unwritten = added.remove(id);
            if (unwritten == null) {
                removed.add(id);
            }
            return unwritten;
        }

        void clear() {
            added.clear();
            removed.clear();
        }
    }

    private final Changes<PendingExample> examples = new Changes<>();
    private final Changes<WaitingLabel> labels = new Changes<>();
    private final TreeSet<Due> addedDue = new TreeSet<>();
    private final Set<Due> removedDue = new HashSet<>();

    // Stored entries of the due list: all up to loadedThrough, or all if isAllLoaded.
    private final TreeSet<Due> head = new TreeSet<>();
    private Due loadedThrough;
    private boolean isAllLoaded;
    private boolean isCleared;
    private WaitingStore store;
    private long valueBytes;

    /** @param store null if nothing is stored */
    WaitingRecords(WaitingStore store) {
        this.store = store;
        isAllLoaded = store == null;
    }

    PendingExample example(Utf8Slice id) {
        return examples.find(id, key -> isNothingStored() ? null : store.example(key));
    }

    WaitingLabel label(Utf8Slice id) {
        return labels.find(id, key -> isNothingStored() ? null : store.label(key));
    }

    private boolean isNothingStored() {
        return store == null || isCleared;
    }

    void add(PendingExample example) {
        examples.added.put(example.id(), example);
        valueBytes += example.value().length;
        addedDue.add(example.dueEntry());
    }

    void add(WaitingLabel label) {
        labels.added.put(label.id(), label);
        valueBytes += label.value().length;
        addedDue.add(label.dueEntry());
    }

    void remove(PendingExample example) {
        PendingExample unwritten = examples.remove(example.id());
        valueBytes -= unwritten == null ? 0 : unwritten.value().length;
        remove(example.dueEntry());
    }

    void remove(WaitingLabel label) {
        WaitingLabel unwritten = labels.remove(label.id());
        valueBytes -= unwritten == null ? 0 : unwritten.value().length;
        remove(label.dueEntry());
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
        return Stream.of(head, addedDue)
                .flatMap(entries -> entries.stream().limit(CHUNK))
                .sorted()
                .limit(CHUNK)
                .filter(due -> !due.isLabel())
                .findFirst()
                .orElse(null);
    }

    /** Removes everything. */
    void clear() {
        examples.clear();
        labels.clear();
        addedDue.clear();
        removedDue.clear();
        head.clear();
        isAllLoaded = true;
        isCleared = true;
        valueBytes = 0;
    }

    /** Writes all changes. */
    void drain(WaitingStore target) {
        if (isCleared) {
            target.removeAll();
            isCleared = false;
        }
        examples.removed.forEach(id -> target.putExample(id, null));
        examples.added.forEach(target::putExample);
        labels.removed.forEach(id -> target.putLabel(id, null));
        labels.added.forEach(target::putLabel);
        removedDue.forEach(due -> target.putDue(due, false));
        for (Due due : addedDue) {
            target.putDue(due, true);
            if (isAllLoaded || (loadedThrough != null && due.compareTo(loadedThrough) <= 0)) {
                head.add(due);
            }
        }
        examples.clear();
        labels.clear();
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

    /** Returns true if nothing has changed since the last write. */
    boolean isWritten() {
        return !isCleared
                && examples.added.isEmpty()
                && examples.removed.isEmpty()
                && labels.added.isEmpty()
                && labels.removed.isEmpty();
    }

    /** Estimated heap of what {@link #drain} frees, in bytes. */
    long unwrittenBytes() {
        long entries = (long) examples.added.size() + labels.added.size();
        return valueBytes + ENTRY_BYTES * (entries + (long) examples.removed.size() + labels.removed.size());
    }

    /** Estimated heap, in bytes. */
    long heapBytes() {
        return unwrittenBytes() + (long) ENTRY_BYTES * head.size() / 2;
    }
}
