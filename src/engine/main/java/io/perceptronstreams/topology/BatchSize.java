package io.perceptronstreams.topology;

/**
 * Maximum number of records of an {@link InputBatch} of one partition, by the time that its last batch took.
 *
 * <p>Between two batches Kafka Streams commits, polls and ends, so a batch must not take long: where commands, kernels
 * or a slow registry take more than {@link #MAX_NANOS} for a record, each is a batch of its own. Records can become
 * slow in the middle of a partition. If a batch of them lasts longer than a transaction may, the brokers abort it, and
 * its records come again in smaller batches, independently of other records before them: the maximum falls at
 * once where a batch is that slow, rises only by the time of batches of its own partition, and doubles at most once for
 * each transaction with such a batch. So each abort either makes the batch of the slow records smaller, or follows a
 * commit of records before them.
 *
 * <p>A slow batch of less than a second lowers the maximum only if the one before it was slow, too. With many models
 * the collector pauses the thread several times in a transaction, which doubles the maximum once: a maximum that falls
 * with each pause ends at one or two records.
 *
 * <p>The clock decides about sizes only: what is learned and sent does not depend on them. Belongs to its thread.
 */
final class BatchSize {
    static final int MAX_RECORDS = 256;
    static final long MAX_NANOS = 10_000_000;

    /**
     * Time of a batch up to which the size is only halved, and only after another slow one: the thread, or the machine,
     * may have paused in the batch.
     */
    static final long LONG_NANOS = 1_000_000_000;

    /** Size of the first batch of a partition, whose records may be slow ones. */
    static final int FIRST_RECORDS = 16;

    private int records;

    /** Whether the last batch took too long for this number of records. */
    private boolean isSlow;

    /** Number of transactions of the thread when the size was changed. */
    private long transactions;

    BatchSize(int records) {
        this.records = records;
    }

    /**
     * Records that a batch was processed.
     *
     * @param count number of its records
     * @param transactionsBefore number of transactions that the thread has committed
     */
    void measure(int count, long nanos, long transactionsBefore) {
        int fitting = (int) Math.max(1, Math.min(MAX_RECORDS, MAX_NANOS / Math.max(1, nanos / count)));
        boolean wasSlow = isSlow;
        isSlow = fitting < records;
        if (isSlow && (wasSlow || nanos > LONG_NANOS)) {
            records = nanos > LONG_NANOS ? fitting : Math.max(fitting, records / 2);
            transactions = transactionsBefore;
        } else if (fitting > records && transactionsBefore != transactions) {
            records = Math.min(fitting, 2 * records);
            transactions = transactionsBefore;
        }
    }

    int records() {
        return records;
    }
}
