package io.perceptronstreams.log;

import io.perceptronstreams.log.ReplicaLog.Progress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Progress of a replica in one partition: the records that it may learn, and the time since which it has all of them.
 *
 * <p>The thread that learns changes it; the volatile fields are for others.
 */
final class FollowedPartition implements AutoCloseable {
    /** Limits of records that wait because the engine has not committed them. */
    private static final int MAX_WAITING = 5_000;

    /** Time after which learning lets readers have the models. */
    private static final long TURN_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final long MAX_WAITING_BYTES = 16 << 20;
    private static final long MAX_WAITING_BYTES_OF_ALL = 64 << 20;

    /** Maximum number of answers of the brokers that wait until their records are learned. */
    private static final int MAX_ANSWERS = 1_000;

    private final ReplicaPartition models;
    private final long maxWaitingBytes;

    // In order of their time; the replica has everything of an answer when its end is learned.
    private final Deque<Answer> ends = new ArrayDeque<>();

    // In order; the engine has committed up to an offset, and the changelog of that is observed at its end.
    private final Deque<Progress> commits = new ArrayDeque<>();
    private final Deque<ConsumerRecord<byte[], byte[]>> waiting = new ArrayDeque<>();
    private final List<ConsumerRecord<byte[], byte[]>> behind = new ArrayList<>();
    private long waitingBytes;
    private long restoreTo;
    private long limit = -1;
    private long end;
    private long readyAt = -1;
    private boolean hasCommits = true;
    private volatile boolean isReady;
    private volatile long completeAt;
    private volatile long lag;

    private record Answer(long askedAt, long end) {}

    /**
     * Begins to restore a partition.
     *
     * @param partitions number of partitions of the replica
     * @param restoreTo end of the changelog between two transactions
     * @param now in ns
     */
    FollowedPartition(ReplicaPartition models, int partitions, long restoreTo, long now) {
        this.models = models;
        this.maxWaitingBytes = Math.min(MAX_WAITING_BYTES, MAX_WAITING_BYTES_OF_ALL / partitions);
        this.restoreTo = restoreTo;
        this.completeAt = now;
    }

    ReplicaPartition models() {
        return models;
    }

    /** Restores or observes a record of the changelog. */
    void changelog(ConsumerRecord<byte[], byte[]> record) {
        if (models.isRestored()) {
            models.observe(record.key(), record.value());
        } else if (record.offset() < restoreTo) {
            models.restore(record.key(), record.value());
        } else {
            behind.add(record);
        }
    }

    /**
     * Ends the restoration if the changelog has been read, and has a checkpoint.
     *
     * @param position of the reader of the changelog
     * @return true if the examples are to be read now, from {@link ReplicaPartition#next()} on
     */
    boolean begin(long position) {
        if (models.isRestored() || position < restoreTo) {
            return false;
        }
        if (!models.begin()) {
            // until its first commit the engine has no models here; offsets may expire, the changelog does not
            isReady = !hasCommits;
            return false;
        }
        isReady = false;
        behind.forEach(record -> models.observe(record.key(), record.value()));
        behind.clear();
        return true;
    }

    /**
     * Uses an answer of the brokers.
     *
     * @param askedAt time of the question, in ns
     * @throws PositionFaultException if the engine has gone back
     */
    void answered(Progress progress, long askedAt) {
        if (progress.committed() < limit) {
            throw new PositionFaultException("the engine must not go back, got "
                    + (progress.committed() < 0 ? "no commit" : "a commit at offset " + progress.committed())
                    + " after one at " + limit);
        }
        if (!ends.isEmpty() && ends.peekLast().end() == progress.end()) {
            ends.pollLast();
        }
        if (ends.size() < MAX_ANSWERS) {
            ends.add(new Answer(askedAt, progress.end()));
        }
        if (progress.committed()
                > Math.max(limit, commits.isEmpty() ? -1 : commits.peekLast().committed())) {
            commits.add(progress);
        }
        if (models.isRestored() && readyAt < 0) {
            // the brokers may know of the changelog of a transaction before they know of its commit
            readyAt = Math.max(progress.committed(), models.restoredThrough() + 1);
        }
        if (!models.isRestored()) {
            hasCommits = progress.committed() > 0;
            isReady &= !hasCommits;
            restoreTo(progress.stableChangelog());
        }
        end = progress.end();
    }

    /**
     * Restores up to a later end: what is observed must be new, or the brokers may have compacted a deletion or a
     * refusal away.
     */
    private void restoreTo(long later) {
        restoreTo = later;
        List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>(behind);
        behind.clear();
        read.forEach(this::changelog);
    }

    /** Adds a record of the examples topic. */
    void add(ConsumerRecord<byte[], byte[]> record) {
        waiting.add(record);
        waitingBytes += bytes(record);
    }

    /** Returns true if no more records are to be read for now. */
    boolean isFull() {
        return waiting.size() > MAX_WAITING || waitingBytes > maxWaitingBytes;
    }

    /**
     * Learns records that the engine has committed.
     *
     * @param changelogPosition of the reader of the changelog
     * @param max maximum number of records
     * @return the number of learned records
     */
    int learn(long changelogPosition, int max) {
        while (!commits.isEmpty() && commits.peekFirst().changelog() <= changelogPosition) {
            limit = commits.pollFirst().committed();
        }
        int learned = 0;
        while (learned < max && !waiting.isEmpty() && waiting.peekFirst().offset() < limit) {
            int count = models.learn(waiting, limit, max - learned, TURN_NS);
            for (int k = 0; k < count; k++) {
                waitingBytes -= bytes(waiting.pollFirst());
            }
            learned += count;
        }
        return learned;
    }

    /**
     * Notes how far the partition is complete.
     *
     * @param position of the reader of the examples; 0 if it reads none
     */
    void note(long position) {
        long learned = waiting.isEmpty() ? position : waiting.peekFirst().offset();
        lag = Math.max(0, end - learned);
        while (!ends.isEmpty() && ends.peekFirst().end() <= learned) {
            completeAt = ends.pollFirst().askedAt();
        }
        if (readyAt >= 0 && limit >= readyAt && learned >= readyAt) {
            isReady = true;
        }
    }

    private static long bytes(ConsumerRecord<byte[], byte[]> record) {
        return Math.max(0, record.serializedKeySize()) + (long) Math.max(0, record.serializedValueSize());
    }

    /** Returns true if the models can be asked. */
    boolean isReady() {
        return isReady;
    }

    /** Time in ns before which the log had nothing that the models have not learned. */
    long completeAt() {
        return completeAt;
    }

    /** Number of offsets at the end of the log that are not learned, at the last answer of the brokers. */
    long lag() {
        return lag;
    }

    @Override
    public void close() {
        isReady = false;
        models.close();
    }
}
