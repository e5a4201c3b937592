package io.perceptronstreams.topology;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/**
 * Decides when a stream thread commits, and so when readers see its outputs.
 *
 * <ul>
 *   <li>All records are processed that its brokers have: after a minimum interval since the last commit. Kafka Streams
 *       polls when all records of the last poll are processed. If no partition has a lag, such a poll waits at most
 *       until the minimum interval has passed, and then requests the commit. A thread that has processed no record
 *       since its last commit requests none.
 *   <li>Records wait: after {@code commit.interval.ms}, also for the other partitions of the thread, because all are in
 *       one transaction.
 *   <li>More records wait than the thread processes in a second: after half of the time beyond the second that they
 *       will take, at least that interval and at most {@code commit.interval.max.ms}. A transaction costs the same
 *       however long it is, and what has waited for seconds may as well be seen a part of a second later.
 * </ul>
 *
 * <p>The time that records will take follows from the last polls after which others still waited: the thread was never
 * idle between them. Before the first of these it is unknown, and counts as none.
 *
 * <p>Belongs to the main consumer of one stream thread; not thread-safe.
 */
final class CommitPace {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** What the rate is measured from loses an eighth of its weight with each poll. */
    private static final double KEPT = 7.0 / 8;

    private final long minIntervalNanos;
    private final long intervalNanos;
    private final long maxIntervalNanos;
    private final LongSupplier nanoTime;

    // recent records between polls after which others waited, and the time that they took
    private double recentRecords;
    private double recentNanos;

    // of the last poll
    private long polled;
    private long polledTime;
    private boolean isWaiting;

    /** Number of transactions at the last poll. */
    private long transactions;

    /** Time of the request for the last commit, or without one of the first poll after it. */
    private long committed;

    /** Whether a commit was requested after the last transaction, and when. */
    private boolean isRequested;

    private long requested;

    /**
     * @param minIntervalMs minimum interval if no records wait
     * @param intervalMs interval if some wait
     * @param maxIntervalMs maximum interval if many wait
     */
    CommitPace(long minIntervalMs, long intervalMs, long maxIntervalMs, LongSupplier nanoTime) {
        this.minIntervalNanos = TimeUnit.MILLISECONDS.toNanos(minIntervalMs);
        this.intervalNanos = TimeUnit.MILLISECONDS.toNanos(intervalMs);
        this.maxIntervalNanos = TimeUnit.MILLISECONDS.toNanos(Math.max(intervalMs, maxIntervalMs));
        this.nanoTime = nanoTime;
        this.committed = nanoTime.getAsLong() - minIntervalNanos;
    }

    /** Creates the pace of these settings. */
    static CommitPace of(EngineConfig config) {
        return new CommitPace(
                config.get(EngineConfigDef.COMMIT_INTERVAL_MIN_MS),
                config.commitIntervalMs(),
                config.get(EngineConfigDef.COMMIT_INTERVAL_MAX_MS),
                System::nanoTime);
    }

    /**
     * Polls, and requests a commit if the input is drained; otherwise sets the interval after which one is due.
     *
     * @param poll of the consumer, with a time limit
     * @param timeout maximum time limit
     */
    ConsumerRecords<byte[], byte[]> poll(
            Consumer<?, ?> consumer, Function<Duration, ConsumerRecords<byte[], byte[]>> poll, Duration timeout) {
        TransactionTracker tracker = TransactionTracker.ofThread();
        if (tracker.transactions() != transactions) {
            transactions = tracker.transactions();
            committed = isRequested ? requested : nanoTime.getAsLong();
            isRequested = false;
        }
        boolean isDrained = tracker.hasAdvanced() && lag(consumer) == 0;
        Duration untilDue = Duration.ofNanos(Math.max(0, nanosUntilDue()));
        ConsumerRecords<byte[], byte[]> records =
                poll.apply(isDrained && untilDue.compareTo(timeout) < 0 ? untilDue : timeout);
        long waiting = lag(consumer);
        // a rebalance in the poll may have closed the tasks
        if (isDrained && waiting == 0 && tracker.hasAdvanced() && nanosUntilDue() <= 0) {
            // also if it returns records: of a steady stream, one has always just arrived
            tracker.requestCommit();
            isRequested = true;
            requested = nanoTime.getAsLong();
        }
        long now = nanoTime.getAsLong();
        if (isWaiting) {
            recentRecords = KEPT * recentRecords + polled;
            recentNanos = KEPT * recentNanos + (now - polledTime);
        }
        polled = records.count();
        polledTime = now;
        isWaiting = waiting > 0;
        tracker.setInterval(interval(waiting + polled));
        return records;
    }

    /** Interval after which a commit is due while this number of records waits, in ns. */
    private long interval(long waiting) {
        long nanos = recentRecords == 0 ? 0 : (long) (waiting * recentNanos / recentRecords);
        return Math.max(intervalNanos, Math.min(maxIntervalNanos, (nanos - SECOND) / 2));
    }

    private long nanosUntilDue() {
        return committed + minIntervalNanos - nanoTime.getAsLong();
    }

    /**
     * Number of records that are not polled, as of the last fetches; a partition that is paused during its restoration
     * has none to process.
     */
    private static long lag(Consumer<?, ?> consumer) {
        Set<TopicPartition> paused = consumer.paused();
        return consumer.assignment().stream()
                .filter(partition -> !paused.contains(partition))
                .mapToLong(partition -> consumer.currentLag(partition).orElse(0))
                .sum();
    }
}
