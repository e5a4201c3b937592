package io.perceptronstreams.store;

import java.util.TreeMap;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Removes ranges of records that are never read again, long ones in portions: the work for a record stays bounded.
 *
 * <p>A range that is not removed at once is noted in the store, in the transaction of its first portion, so that the
 * next owner of the partition continues. The timing of removals does not affect results. Not thread-safe.
 */
final class Removals {
    /** Number of records that are removed at once. */
    static final int FIRST_PORTION = 1_000;

    private final KeyValueStore<Bytes, byte[]> inner;
    private final BatchWriter writer;

    // By the last key of a range: its first key that may still be there.
    private final TreeMap<Bytes, Bytes> unfinished = new TreeMap<>();

    Removals(KeyValueStore<Bytes, byte[]> inner, BatchWriter writer) {
        this.inner = inner;
        this.writer = writer;
        try (KeyValueIterator<Bytes, byte[]> notes = inner.range(ModelKeys.FIRST_REMOVAL, ModelKeys.END_OF_REMOVALS)) {
            while (notes.hasNext()) {
                KeyValue<Bytes, byte[]> note = notes.next();
                unfinished.put(ModelKeys.lastRemoved(note.key), Bytes.wrap(note.value));
            }
        }
    }

    /** Returns true if no range is left to remove. */
    boolean isFinished() {
        return unfinished.isEmpty();
    }

    /** Removes a range of keys, both ends included: {@link #FIRST_PORTION} of them now, the rest by {@link #goOn}. */
    void remove(Bytes first, Bytes last) {
        Bytes next = removePortion(first, last, FIRST_PORTION);
        if (next != null) {
            note(last, next);
        }
        writer.flush();
    }

    /** Removes up to {@code max} records of the first unfinished range. */
    void goOn(int max) {
        if (!unfinished.isEmpty()) {
            Bytes last = unfinished.firstKey();
            note(last, removePortion(unfinished.get(last), last, max));
            writer.flush();
        }
    }

    /** Returns the first key that is left, or null. */
    private Bytes removePortion(Bytes first, Bytes last, int max) {
        writer.flush();
        try (KeyValueIterator<Bytes, byte[]> entries = inner.range(first, last)) {
            for (int removed = 0; entries.hasNext(); removed++) {
                Bytes key = entries.next().key;
                if (removed == max) {
                    return key;
                }
                writer.put(key, null);
            }
        }
        return null;
    }

    private void note(Bytes last, Bytes next) {
        if (next == null) {
            unfinished.remove(last);
        } else {
            unfinished.put(last, next);
        }
        writer.put(ModelKeys.removal(last), next == null ? null : next.get());
    }
}
