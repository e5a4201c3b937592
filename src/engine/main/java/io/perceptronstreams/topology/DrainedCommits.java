package io.perceptronstreams.topology;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/**
 * Requests a commit when a stream thread has processed all records that its brokers have, so that their outputs need
 * not wait for {@code commit.interval.ms}, but not before a minimum interval since the last commit.
 *
 * <p>Kafka Streams polls when all records of the last poll are processed. If no partition has a lag, such a poll waits
 * at most until the minimum interval has passed, and then requests the commit. The interval begins with the request of
 * the last commit, or where Kafka Streams has begun it, with its end: a request that comes alone would otherwise wait
 * for the time of a commit twice. While a partition has a lag, the commits
 * are those of {@code commit.interval.ms}, also for the other partitions of the thread: all are in one transaction. A
 * thread that has processed no record since its last commit requests none.
 *
 * <p>Belongs to the main consumer of one stream thread; not thread-safe.
 */
final class DrainedCommits {
    private final long minIntervalNanos;
    private final LongSupplier nanoTime;

    /** Number of transactions at the last poll. */
    private long transactions;

    /** Time of the request for the last commit, or without one of the first poll after it. */
    private long committed;

    /** Whether a commit was requested after the last transaction, and when. */
    private boolean isRequested;

    private long requested;

    DrainedCommits(long minIntervalMs, LongSupplier nanoTime) {
        this.minIntervalNanos = TimeUnit.MILLISECONDS.toNanos(minIntervalMs);
        this.nanoTime = nanoTime;
        this.committed = nanoTime.getAsLong() - minIntervalNanos;
    }

    /**
     * Polls, and requests a commit if the input is drained.
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
        if (!tracker.hasAdvanced() || !isDrained(consumer)) {
            return poll.apply(timeout);
        }
        Duration untilDue = Duration.ofNanos(Math.max(0, nanosUntilDue()));
        ConsumerRecords<byte[], byte[]> records = poll.apply(untilDue.compareTo(timeout) < 0 ? untilDue : timeout);
        // a rebalance in the poll may have closed the tasks
        if (tracker.hasAdvanced() && nanosUntilDue() <= 0 && isDrained(consumer)) {
            // also if it returns records: of a steady stream, one has always just arrived
            tracker.requestCommit();
            isRequested = true;
            requested = nanoTime.getAsLong();
        }
        return records;
    }

    private long nanosUntilDue() {
        return committed + minIntervalNanos - nanoTime.getAsLong();
    }

    /**
     * Returns whether no partition has a lag, as of its last fetch; one that is paused during its restoration has none
     * to process.
     */
    private static boolean isDrained(Consumer<?, ?> consumer) {
        return consumer.assignment().stream()
                .noneMatch(partition -> consumer.currentLag(partition).orElse(0) > 0
                        && !consumer.paused().contains(partition));
    }
}
