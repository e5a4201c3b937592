package io.perceptronstreams.topology;

import java.util.function.LongSupplier;

/**
 * Maximum number of records of an {@link InputBatch}, by the time that the records of the last poll took.
 *
 * <p>Between two batches Kafka Streams commits, polls and ends, so a batch must not take long: where commands, kernels or a slow registry take
 * more than {@link #MAX_NANOS} for a record, each is a batch of its own. The first poll after fast records still has large batches; if the
 * brokers abort its transaction because it lasts too long, its records come again in smaller ones.
 *
 * <p>The clock decides about sizes only: what is learned and sent does not depend on them. Belongs to its thread.
 */
final class BatchSize {
    static final int MAX_RECORDS = 256;
    static final long MAX_NANOS = 10_000_000;

    private final LongSupplier nanoTime;
    private int records = MAX_RECORDS;
    private int polled;
    private long polledAt;

    /** @param nanoTime clock for the time between polls */
    BatchSize(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Records that a poll begins: the records of the last one are processed. */
    void beginPoll() {
        if (polled > 0) {
            long nanosPerRecord = Math.max(1, (nanoTime.getAsLong() - polledAt) / polled);
            records = (int) Math.max(1, Math.min(MAX_RECORDS, MAX_NANOS / nanosPerRecord));
        }
    }

    /** Records that a poll has returned this number of records. */
    void endPoll(int count) {
        polled = count;
        polledAt = nanoTime.getAsLong();
    }

    int records() {
        return records;
    }
}
