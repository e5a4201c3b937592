package io.perceptronstreams.store;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What the stores of one process hold and have done; counted per commit and per model, never per example. Thread-safe. */
public final class StoreCounters {
    final LongAdder liveModels = new LongAdder();
    final LongAdder flushes = new LongAdder();
    final LongAdder flushNanos = new LongAdder();
    final LongAdder dirtyBlocks = new LongAdder();
    final LongAdder evictions = new LongAdder();
    final AtomicLong heapBytes = new AtomicLong();

    /** Models in memory. */
    public long liveModels() {
        return liveModels.sum();
    }

    /** Bytes of the models in memory, as measured when they were last written or loaded. */
    public long heapBytes() {
        return heapBytes.get();
    }

    /** How often changed blocks were written, once per commit and task. */
    public long flushes() {
        return flushes.sum();
    }

    /** Time spent in that, in ns. */
    public long flushNanos() {
        return flushNanos.sum();
    }

    /** Records that were written: changed blocks, headers of changed models, and removals. */
    public long dirtyBlocks() {
        return dirtyBlocks.sum();
    }

    /** How many models were dropped from memory to keep the limit. */
    public long evictions() {
        return evictions.sum();
    }
}
