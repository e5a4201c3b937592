package io.perceptronstreams.store;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Offsets of records since the last checkpoint that were refused for a reason outside the log, such as the registry; a
 * replay must refuse them again.
 *
 * <p>Those of commands without a valid signature are kept longer, because weights that replace a model may lack them:
 * at least the last {@link #MAX_UNAUTHORISED} before any record that is learned, which makes {@link #unauthorised} the
 * same in every pass over the log.
 */
public final class Refusals {
    /** Number of commands without a valid signature, of all models of the partition, that weights may lack. */
    public static final int MAX_UNAUTHORISED = 10_000;

    /** Heap of an offset with its entry. */
    private static final long NOTE_BYTES = 64;

    /** What the refusal of a record has done or does besides. */
    public enum Effect {
        NOTHING(0),
        /** An import has ended with it if it is a chunk of weights, as earlier versions have stored it. */
        MAY_END_IMPORT(1),
        /** A command or chunk without a valid signature, which nothing counts as one that came. */
        NOT_AUTHORISED(2),
        /** Chunks of an import were removed, of which it was the last. */
        ENDED_IMPORT(3);

        private final int number;

        /** @param number stored, unless it is 0; never changes */
        Effect(int number) {
            this.number = number;
        }

        private byte[] stored() {
            return number == 0 ? new byte[0] : new byte[] {(byte) number};
        }

        /** Returns the effect of a stored refusal. */
        public static Effect of(byte[] stored) {
            return Arrays.stream(values())
                    .filter(each -> Arrays.equals(each.stored(), stored))
                    .findFirst()
                    .orElse(MAY_END_IMPORT);
        }
    }

    private final BatchWriter writer;
    private final TreeMap<Long, Effect> refusals = new TreeMap<>();
    private final NavigableSet<Long> unauthorised = new TreeSet<>();

    Refusals(KeyValueStore<Bytes, byte[]> inner, BatchWriter writer) {
        this.writer = writer;
        try (KeyValueIterator<Bytes, byte[]> entries =
                inner.range(ModelKeys.refusal(0), ModelKeys.refusal(Long.MAX_VALUE))) {
            while (entries.hasNext()) {
                KeyValue<Bytes, byte[]> entry = entries.next();
                note(ModelKeys.refusedOffset(entry.key), Effect.of(entry.value));
            }
        }
    }

    private boolean note(long offset, Effect effect) {
        if (refusals.putIfAbsent(offset, effect) != null) {
            return false;
        }
        if (effect == Effect.NOT_AUTHORISED) {
            unauthorised.add(offset);
        }
        return true;
    }

    /** Estimated heap, in bytes. */
    long heapBytes() {
        return NOTE_BYTES * (refusals.size() + unauthorised.size());
    }

    /** Stores that the record at an offset was refused. */
    public void add(long offset, Effect effect) {
        if (note(offset, effect)) {
            writer.put(ModelKeys.refusal(offset), effect.stored());
            writer.flush();
        }
    }

    /** Returns the effect of the refusal of the record at an offset; null if it was used. */
    public Effect effect(long offset) {
        return refusals.get(offset);
    }

    /**
     * Returns the offsets of commands and weights that were refused because of their signature; of those before the end
     * the last {@link #MAX_UNAUTHORISED}.
     *
     * @param from first offset
     * @param to offset behind the last one
     */
    public Set<Long> unauthorised(long from, long to) {
        Set<Long> found = new HashSet<>();
        Iterator<Long> all = unauthorised.headSet(to, false).descendingIterator();
        for (int k = 0; k < MAX_UNAUTHORISED && all.hasNext(); k++) {
            long offset = all.next();
            if (offset < from) {
                break;
            }
            found.add(offset);
        }
        return found;
    }

    /** Ends the refusals of records up to an offset, which will not be learned again. */
    public void removeTo(long offset) {
        boolean isChanged = false;
        while (!refusals.isEmpty() && refusals.firstKey() <= offset) {
            Map.Entry<Long, Effect> ended = refusals.pollFirstEntry();
            if (ended.getValue() != Effect.NOT_AUTHORISED) {
                writer.put(ModelKeys.refusal(ended.getKey()), null);
                isChanged = true;
            }
        }
        // those of records to come, of which there may be some, do not count
        while (unauthorised.size() > MAX_UNAUTHORISED + refusals.size()) {
            writer.put(ModelKeys.refusal(unauthorised.pollFirst()), null);
            isChanged = true;
        }
        if (isChanged) {
            writer.flush();
        }
    }
}
