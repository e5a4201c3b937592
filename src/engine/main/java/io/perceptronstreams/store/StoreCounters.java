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

    /** Models dropped from memory because of the heap limit. */
    public long evictions() {
        return evictions.sum();
    }

    /**
     * Values of all counters.
     *
     * @param liveModels models in memory
     * @param heapBytes bytes of the models in memory, as last measured
     * @param flushes number of checkpoints of all tasks, or of slices of them
     * @param flushNanos time spent on checkpoints
     * @param dirtyBlocks records written to the store: changed blocks, headers of changed models, positions and
     *     removals
     * @param evictions models dropped from memory because of the heap limit
     */
    public record Totals(
            long liveModels, long heapBytes, long flushes, long flushNanos, long dirtyBlocks, long evictions) {}

    public Totals totals() {
        return new Totals(
                liveModels(), heapBytes(), checkpoints.sum(), checkpointNanos.sum(), writtenRecords.sum(), evictions());
    }
}
