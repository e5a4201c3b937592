package io.perceptronstreams.store;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counters of the stores of one process, updated per checkpoint and per model, not per example. Thread-safe. */
public final class StoreCounters {
    final LongAdder liveModels = new LongAdder();
    final LongAdder checkpoints = new LongAdder();
    final LongAdder checkpointNanos = new LongAdder();
    final LongAdder writtenRecords = new LongAdder();
    final LongAdder evictions = new LongAdder();
    final AtomicLong heapBytes = new AtomicLong();
    final AtomicInteger stores = new AtomicInteger();

    /** Models in memory. */
    public long liveModels() {
        return liveModels.sum();
    }

    /** Bytes of the models in memory, as last measured. */
    public long heapBytes() {
        return heapBytes.get();
    }

    /** Number of checkpoints of all tasks. */
    public long checkpoints() {
        return checkpoints.sum();
    }

    /** Time spent on checkpoints, in ns. */
    public long checkpointNanos() {
        return checkpointNanos.sum();
    }

    /** Records written to the store: changed blocks, headers of changed models, positions and removals. */
    public long writtenRecords() {
        return writtenRecords.sum();
    }

    /** Models dropped from memory because of the heap limit. */
    public long evictions() {
        return evictions.sum();
    }
}
