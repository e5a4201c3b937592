package io.perceptronstreams.topology;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.StandbyUpdateListener;
import org.apache.kafka.streams.processor.TaskId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells when partitions should be assigned again because copies of the models that another engine serves have become
 * warm: no more records behind their changelog than {@code acceptable.recovery.lag}.
 *
 * <p>A partition moves to an engine that has joined when its copy there is warm. Kafka Streams looks for warm copies
 * each {@code probing.rebalance.interval.ms}, at least a minute, and makes {@code max.warmup.replicas} at a time.
 * Copies of small models are warm within seconds. Where models change so fast that a copy is behind again when
 * partitions are assigned, it moves at one of the following looks.
 *
 * <p>Thread-safe.
 */
final class WarmCopies implements StandbyUpdateListener {
    private static final Logger LOG = LoggerFactory.getLogger(WarmCopies.class);

    /** How long the first warm copy waits for others, so that all move at once. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final long acceptableLag;
    private final LongSupplier nanoTime;
    private final Set<TopicPartition> behind = new HashSet<>();
    private final Set<TopicPartition> warm = new HashSet<>();

    // How many have become warm since the last request, and when the first of them did.
    private volatile int fresh;
    private long firstNanos;

    /**
     * @param acceptableLag {@code acceptable.recovery.lag}, in records
     * @param nanoTime as {@link System#nanoTime}
     */
    WarmCopies(long acceptableLag, LongSupplier nanoTime) {
        this.acceptableLag = acceptableLag;
        this.nanoTime = nanoTime;
    }

    /**
     * Returns true once for copies that have become warm: when no other one is behind, or after {@link
     * #PATIENCE_NANOS}. Cost: a read of a volatile field.
     */
    boolean takeRequest() {
        return fresh > 0 && takeFresh();
    }

    private synchronized boolean takeFresh() {
        if (fresh == 0 || (!behind.isEmpty() && nanoTime.getAsLong() - firstNanos < PATIENCE_NANOS)) {
            return false;
        }
        LOG.info(
                "copies of {} partitions are warm, of {} not yet: asking for another assignment", fresh, behind.size());
        fresh = 0;
        return true;
    }

    @Override
    public synchronized void onUpdateStart(TopicPartition changelog, String store, long start) {
        behind.add(changelog);
    }

    @Override
    public synchronized void onBatchLoaded(
            TopicPartition changelog, String store, TaskId task, long last, long records, long end) {
        if (end - last - 1 <= acceptableLag && warm.add(changelog)) {
            behind.remove(changelog);
            firstNanos = fresh == 0 ? nanoTime.getAsLong() : firstNanos;
            fresh++;
        }
    }

    @Override
    public synchronized void onUpdateSuspended(
            TopicPartition changelog, String store, long offset, long end, SuspendReason reason) {
        behind.remove(changelog);
        warm.remove(changelog);
    }
}
