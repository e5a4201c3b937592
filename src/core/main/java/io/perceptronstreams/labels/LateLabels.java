package io.perceptronstreams.labels;

import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.state.StoredFields;
import java.util.List;

/**
 * The stream time of a model, the examples and labels that wait in it, its examples with labels that can be corrected,
 * and the ids of its last examples.
 *
 * <p>Decided by the records of the model alone. Survives a reset and an import; ends with the model. Not thread-safe.
 */
public final class LateLabels {
    // null until something waits or has an id: most models never have late labels
    private RecentIds ids;
    private WaitingRecords records;

    // null until an example can be corrected
    private WaitingRecords settled;
    private long settledCount;
    private long firstSettledDue = Long.MIN_VALUE;

    // numbers whose records are not connected yet, or null
    private LateState stored;
    private long streamTime = LateState.NO_TIME;
    private long pending;
    private long labels;

    // of the records in the store; a deleted model keeps it
    private long generation;

    // nothing is due before it
    private long firstDue = Long.MIN_VALUE;

    // null until a label has come in time
    private DelayHistogram delays;

    public LateLabels() {}

    private void open(WaitingStore store) {
        ids = new RecentIds();
        records = new WaitingRecords(store, pending + labels);
        settled = settledCount == 0 ? null : new WaitingRecords(store.settled(), settledCount);
    }

    private void open() {
        if (ids == null) {
            if (stored != null) {
                throw new IllegalStateException("connect must follow restore, or the counts would begin again");
            }
            open(null);
        }
    }

    /** Restores the numbers of a new object; {@link #connect} must follow. */
    public void restore(LateState state) {
        stored = state;
        streamTime = state.streamTime();
        pending = state.pending();
        labels = state.labels();
        generation = state.generation();
        settledCount = state.settled();
        delays = null;
        if (!state.delays().isEmpty()) {
            delays = new DelayHistogram();
            delays.restore(state.delays());
        }
    }

    /** Writes or restores the numbers, as {@link #restore}. */
    public void exchange(StoredFields fields, long lastSeen) {
        if (!fields.flag(hasState())) {
            return;
        }
        LateState numbers = state();
        numbers = new LateState(
                fields.near(lastSeen, numbers.streamTime()),
                fields.unsigned(numbers.pending()),
                fields.unsigned(numbers.labels()),
                fields.unsigned(numbers.firstId()),
                fields.unsigned(numbers.nextId()),
                fields.counts(numbers.delays()),
                fields.unsigned(numbers.generation()));
        if (fields.isReading()) {
            restore(numbers);
        }
    }

    /** Writes or restores, after {@link #exchange}, how many examples can be corrected. */
    public void exchangeSettled(StoredFields fields) {
        long count = fields.unsigned(settledCount);
        if (fields.isReading() && count > 0) {
            restore(state().withSettled(count));
        }
    }

    /**
     * Connects restored numbers with their records; does nothing if none were restored.
     *
     * @return false if ids are missing; then there are none
     */
    public boolean connect(WaitingStore store) {
        if (stored == null) {
            return true;
        }
        LateState state = stored;
        stored = null;
        store.open(generation);
        open(store);
        return ids.restore(state.firstId(), state.nextId(), store);
    }

    /** The numbers to store with the model. */
    public LateState state() {
        if (stored != null) {
            return stored;
        }
        return state(LateState.NO_TIME, LateState.NO_TIME);
    }

    private LateState state(long nextDue, long oldest) {
        return new LateState(
                streamTime,
                pending,
                labels,
                ids == null ? 0 : ids.first(),
                ids == null ? 0 : ids.next(),
                delays == null ? List.of() : delays.counts(),
                generation,
                nextDue,
                oldest,
                settledCount);
    }

    /** The numbers to publish. Must not be called while what {@link #drain} has written cannot be read. */
    public LateState published() {
        if (stored != null) {
            return stored;
        }
        if (pending + labels == 0) {
            return state();
        }
        Due first = records.first();
        Due example = pending == 0 ? null : records.firstExample();
        Waiting oldest = example == null ? null : records.find(example.id());
        return state(
                first == null ? LateState.NO_TIME : first.time(), oldest == null ? LateState.NO_TIME : oldest.time());
    }

    /** Counts the delay of a label that came in time. */
    public void delayed(long delayMs) {
        if (delays == null) {
            delays = new DelayHistogram();
        }
        delays.add(delayMs);
    }

    /** Returns true if nothing waits, no id is kept, and the model has no time yet. */
    public boolean isEmpty() {
        return streamTime == LateState.NO_TIME;
    }

    /** Returns true if there is something to store. */
    public boolean hasState() {
        return !isEmpty() || generation > 0;
    }

    /** Returns true if the time has advanced. */
    public boolean passTime(long timestamp) {
        boolean isLater = timestamp > streamTime;
        streamTime = Math.max(streamTime, timestamp);
        return isLater;
    }

    /** Largest event time of the model's records, in ms. */
    public long streamTime() {
        return streamTime;
    }

    /** Number of examples with labels that can be corrected. */
    public long settledCount() {
        return settledCount;
    }

    /** The example of an id whose label can be corrected, or null. */
    public Waiting settled(Utf8Slice id) {
        return settledCount == 0 ? null : settled.find(id);
    }

    /** Keeps an example whose label can be corrected; none of its id must be kept. */
    public void settle(Waiting example) {
        open();
        settled = settled == null ? new WaitingRecords(null, 0) : settled;
        settled.add(example);
        settledCount++;
        firstSettledDue = Math.min(firstSettledDue, example.due());
    }

    /** Removes an example whose label could be corrected. */
    public void unsettle(Waiting example) {
        settled.remove(example);
        settledCount--;
    }

    /** The first example that can be corrected by the order of their ends, or null. */
    public Due firstSettled() {
        return settledCount == 0 ? null : settled.first();
    }

    /** The first example whose time for corrections is over, or null. Cost: O(1) if there can be none. */
    public Due settledDue() {
        if (streamTime <= firstSettledDue || settledCount == 0) {
            return null;
        }
        Due first = settled.first();
        firstSettledDue = first == null ? Long.MAX_VALUE : first.time();
        return streamTime > firstSettledDue ? first : null;
    }

    /** Removes the example of an entry that can be corrected no longer. */
    public void dropSettled(Due due) {
        Waiting example = settled.find(due.id());
        if (example == null) {
            // only in a damaged store
            settled.removeStored(due);
            settledCount--;
        } else {
            unsettle(example);
        }
    }

    /** Number of waiting examples. */
    public long pending() {
        return pending;
    }

    /** Number of waiting labels. */
    public long waitingLabels() {
        return labels;
    }

    public RecentIds ids() {
        open();
        return ids;
    }

    /** The waiting example or label of an id, or null. */
    public Waiting waiting(Utf8Slice id) {
        return pending + labels == 0 ? null : records.find(id);
    }

    public void add(Waiting waiting) {
        open();
        records.add(waiting);
        count(waiting.isLabel(), 1);
        firstDue = Math.min(firstDue, waiting.due());
    }

    public void remove(Waiting waiting) {
        records.remove(waiting);
        count(waiting.isLabel(), -1);
    }

    private void count(boolean isLabel, int change) {
        pending += isLabel ? 0 : change;
        labels += isLabel ? change : 0;
    }

    /** The first entry whose time is over, or null. Cost: O(1) if nothing can be due. */
    public Due nextDue() {
        if (streamTime <= firstDue || pending + labels == 0) {
            return null;
        }
        Due first = records.first();
        firstDue = first == null ? Long.MAX_VALUE : first.time();
        return streamTime > firstDue ? first : null;
    }

    /** Removes an entry without a record, which only a damaged store has. */
    public void dropEntry(Due due) {
        records.removeStored(due);
        count(due.isLabel(), -1);
    }

    /** Forgets everything, because the model is deleted. */
    public void clear() {
        // what is stored may be too much to remove at once
        generation += isEmpty() ? 0 : 1;
        stored = null;
        if (ids != null) {
            records.clear();
            ids.clear();
        }
        // its records are those of the last generation
        settled = null;
        settledCount = 0;
        firstSettledDue = Long.MIN_VALUE;
        streamTime = LateState.NO_TIME;
        pending = 0;
        labels = 0;
        delays = null;
        firstDue = Long.MIN_VALUE;
    }

    /** Writes all changes of the records. */
    public void drain(WaitingStore store) {
        if (ids != null) {
            store.begin(generation);
            records.drain(store);
            if (settled != null) {
                settled.drain(store.settled());
            }
            ids.drain(store);
        }
    }

    /** Estimated heap of what {@link #drain} frees, in bytes. */
    public long unwrittenBytes() {
        return (records == null ? 0 : records.unwrittenBytes()) + (settled == null ? 0 : settled.unwrittenBytes());
    }

    /** Estimated heap, in bytes. */
    public long heapBytes() {
        return ids == null ? 0 : records.heapBytes() + ids.heapBytes() + (settled == null ? 0 : settled.heapBytes());
    }
}
