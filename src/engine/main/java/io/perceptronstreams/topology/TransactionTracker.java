package io.perceptronstreams.topology;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.api.ProcessorContext;

/**
 * Partitions that may have written into the current transaction of a stream thread, and those whose writes were
 * aborted.
 *
 * <p>All tasks of a thread share a transaction. At a shutdown, {@code TaskManager.shutdownStateUpdater} of Kafka
 * Streams 4.4.0 closes each task that has failed during its restoration, which aborts the transaction
 * ({@code RecordCollectorImpl.closeDirty}); then {@code closeAndCleanUpTasks} commits the offsets of the other tasks,
 * whose outputs were aborted with it: their records would be lost. No KAFKA ticket is known. {@link GuardedProducer}
 * refuses that commit, so that they are processed again.
 *
 * <p>A task that has processed no record has no offset to commit, but may write: a replay writes a checkpoint. Kafka
 * Streams commits such a transaction without an offset (KAFKA-14294), and the producer sends no empty offsets
 * (KAFKA-13319); but brokers refuse the writes of an engine whose partition has gone to another one only if an offset
 * is committed with them. Therefore such a task commits the offset from which it will continue, although it is
 * committed already.
 *
 * <p>Belongs to its thread; not thread-safe.
 */
final class TransactionTracker {
    private static final ThreadLocal<TransactionTracker> OF_THREAD = ThreadLocal.withInitial(TransactionTracker::new);

    private final BitSet written = new BitSet();
    private final BitSet aborted = new BitSet();
    private final Map<TopicPartition, OffsetAndMetadata> resumed = new HashMap<>();
    private long transactions;

    /** Time after which a commit is due, from the first batch of the transaction on; in ns. */
    private long intervalNanos = Long.MAX_VALUE;

    private boolean hasBegun;
    private long begin;

    /** A task that has processed a record since the last commit and the last request for one; null if there is none. */
    private ProcessorContext<?, ?> advanced;

    private TransactionTracker() {}

    /** Returns the tracker of the calling thread. */
    static TransactionTracker ofThread() {
        return OF_THREAD.get();
    }

    /** Records that a task of this partition may write. */
    void note(int partition) {
        written.set(partition);
    }

    /** Records that a task has written without a record, such as a status, which readers wait for. */
    void write(ProcessorContext<?, ?> task) {
        note(task.taskId().partition());
        advanced = task;
    }

    /** Records that a task may write that has processed no record. */
    void resume(TopicPartition input, OffsetAndMetadata committed) {
        note(input.partition());
        resumed.put(input, committed);
    }

    /** Records that a task processes a record, whose offset Kafka Streams will commit. */
    void advance(ProcessorContext<?, ?> task) {
        int partition = task.taskId().partition();
        advanced = task;
        note(partition);
        if (!resumed.isEmpty()) {
            resumed.keySet().removeIf(input -> input.partition() == partition);
        }
    }

    /** Returns whether a record was processed since the last commit and the last request for one. */
    boolean hasAdvanced() {
        return advanced != null;
    }

    /**
     * Requests a commit, which Kafka Streams carries out for all tasks of the thread, of a thread that
     * {@link #hasAdvanced}.
     */
    void requestCommit() {
        advanced.commit();
        advanced = null;
    }

    /** Sets the time after which a commit is due, in ns, from the first batch of a transaction on. */
    void setInterval(long nanos) {
        intervalNanos = nanos;
    }

    /** Requests a commit if one is due; to be called after each batch. */
    void requestIfDue(long now) {
        if (!hasBegun) {
            hasBegun = true;
            begin = now;
        } else if (advanced != null && now - begin >= intervalNanos) {
            requestCommit();
        }
    }

    /** Offsets at which tasks began that have processed no record. */
    Map<TopicPartition, OffsetAndMetadata> resumed() {
        return Map.copyOf(resumed);
    }

    /** Forgets a partition whose task is closed, or begins at the last commit. */
    void forget(int partition) {
        written.clear(partition);
        aborted.clear(partition);
        if (advanced != null && advanced.taskId().partition() == partition) {
            advanced = null;
        }
        resumed.keySet().removeIf(input -> input.partition() == partition);
    }

    /** Records that all writes are committed. */
    void committed() {
        written.clear();
        advanced = null;
        hasBegun = false;
        transactions++;
    }

    /** Number of transactions that the thread has committed. */
    long transactions() {
        return transactions;
    }

    /** Records that all writes are aborted; tasks that are not closed after this continue as if they were not. */
    void aborted() {
        aborted.or(written);
        written.clear();
        advanced = null;
        hasBegun = false;
    }

    /** Partitions of tasks that continue after their writes were aborted. */
    BitSet lost() {
        return aborted;
    }
}
