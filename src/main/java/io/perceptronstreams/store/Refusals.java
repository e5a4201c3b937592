package io.perceptronstreams.store;

import java.util.TreeMap;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Offsets of records since the last checkpoint that were refused for a reason outside the log, such as the registry; a replay must
 * refuse them again.
 */
public final class Refusals {
    private static final byte[] ENDS_IMPORT = {1};
    private static final byte[] ENDS_NOTHING = {};

    private final BatchWriter writer;
    // by offset, true if the refusal ends an import
    private final TreeMap<Long, Boolean> refusals = new TreeMap<>();

    Refusals(KeyValueStore<Bytes, byte[]> inner, BatchWriter writer) {
        this.writer = writer;
        try (KeyValueIterator<Bytes, byte[]> entries =
                inner.range(ModelKeys.refusal(0), ModelKeys.refusal(Long.MAX_VALUE))) {
            while (entries.hasNext()) {
                KeyValue<Bytes, byte[]> entry = entries.next();
                refusals.put(ModelKeys.refusedOffset(entry.key), endsImport(entry.value));
            }
        }
    }

    /**
     * Stores that the record at an offset was refused.
     *
     * @param endsImport true if an import has ended with it, should it be a chunk of weights
     */
    public void add(long offset, boolean endsImport) {
        if (refusals.putIfAbsent(offset, endsImport) == null) {
            writer.put(ModelKeys.refusal(offset), endsImport ? ENDS_IMPORT : ENDS_NOTHING);
            writer.flush();
        }
    }

    /** The second argument of {@link #add} in a stored refusal. */
    public static boolean endsImport(byte[] stored) {
        return stored.length > 0;
    }

    /** Returns true if the record at this offset was refused. */
    public boolean contains(long offset) {
        return refusals.containsKey(offset);
    }

    /** Returns true if the record at this offset was refused, and ends an import if it is a chunk of weights. */
    public boolean endsImport(long offset) {
        return refusals.getOrDefault(offset, false);
    }

    /** Removes the refusals of records up to an offset, which will not be learned again. */
    public void removeTo(long offset) {
        boolean isChanged = false;
        while (!refusals.isEmpty() && refusals.firstKey() <= offset) {
            writer.put(ModelKeys.refusal(refusals.pollFirstEntry().getKey()), null);
            isChanged = true;
        }
        if (isChanged) {
            writer.flush();
        }
    }

    void removeAll() {
        for (long offset : refusals.keySet()) {
            writer.put(ModelKeys.refusal(offset), null);
        }
        refusals.clear();
    }
}
