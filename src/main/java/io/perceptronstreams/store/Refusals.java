package io.perceptronstreams.store;

import java.util.TreeSet;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * Offsets of records since the last checkpoint that were refused for a reason outside the log, such as the registry; a replay must
 * refuse them again.
 */
public final class Refusals {
    private final BatchWriter writer;
    private final TreeSet<Long> offsets = new TreeSet<>();

    Refusals(KeyValueStore<Bytes, byte[]> inner, BatchWriter writer) {
        this.writer = writer;
        try (KeyValueIterator<Bytes, byte[]> entries =
                inner.range(ModelKeys.refusal(0), ModelKeys.refusal(Long.MAX_VALUE))) {
            while (entries.hasNext()) {
                offsets.add(ModelKeys.refusedOffset(entries.next().key));
            }
        }
    }

    /** Stores that the record at an offset was refused. */
    public void add(long offset) {
        if (offsets.add(offset)) {
            writer.put(ModelKeys.refusal(offset), new byte[0]);
            writer.flush();
        }
    }

    /** Returns true if the record at this offset was refused. */
    public boolean contains(long offset) {
        return offsets.contains(offset);
    }

    /** Removes the refusals of records up to an offset, which will not be learned again. */
    public void removeTo(long offset) {
        boolean isChanged = false;
        while (!offsets.isEmpty() && offsets.first() <= offset) {
            writer.put(ModelKeys.refusal(offsets.pollFirst()), null);
            isChanged = true;
        }
        if (isChanged) {
            writer.flush();
        }
    }

    void removeAll() {
        for (long offset : offsets) {
            writer.put(ModelKeys.refusal(offset), null);
        }
        offsets.clear();
    }
}
