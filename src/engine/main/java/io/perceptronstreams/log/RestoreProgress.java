package io.perceptronstreams.log;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.StateRestoreListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Progress of restoration and replay, for each partition. Thread-safe. */
public final class RestoreProgress implements StateRestoreListener {
    private static final Logger LOG = LoggerFactory.getLogger(RestoreProgress.class);

    private final Map<Integer, Progress> partitions = new ConcurrentSkipListMap<>();
    private final Map<Integer, Progress> replays = new ConcurrentSkipListMap<>();
    private final Map<Integer, Long> begins = new ConcurrentHashMap<>();
    private final IntConsumer started;

    /**
     * Restoration of one partition from the changelog, or replay of its records since the last checkpoint.
     *
     * @param done number of restored records, or of replayed offsets
     * @param total approximate number of records at the start, or of offsets up to the first new record
     */
    public record Progress(int partition, long done, long total, boolean isDone) {}

    /** @param started receives each partition whose restoration begins; must not block */
    public RestoreProgress(IntConsumer started) {
        this.started = started;
    }

    void replayStarted(int partition, long total) {
        replays.put(partition, new Progress(partition, 0, total, false));
    }

    void replayed(int partition, long offsets) {
        replays.computeIfPresent(partition, (any, before) -> new Progress(partition, offsets, before.total(), false));
    }

    void replayEnded(int partition) {
        replays.computeIfPresent(
                partition, (any, before) -> new Progress(partition, before.total(), before.total(), true));
    }

    @Override
    public void onRestoreStart(TopicPartition changelog, String store, long start, long end) {
        partitions.put(changelog.partition(), new Progress(changelog.partition(), 0, Math.max(0, end - start), false));
        begins.put(changelog.partition(), System.nanoTime());
        started.accept(changelog.partition());
    }

    @Override
    public void onBatchRestored(TopicPartition changelog, String store, long end, long records) {
        partitions.computeIfPresent(
                changelog.partition(),
                (partition, before) -> new Progress(partition, before.done() + records, before.total(), false));
    }

    @Override
    public void onRestoreEnd(TopicPartition changelog, String store, long records) {
        partitions.computeIfPresent(
                changelog.partition(), (partition, before) -> new Progress(partition, records, before.total(), true));
        Long begin = begins.remove(changelog.partition());
        if (begin != null && records > 0) {
            LOG.info(
                    "restored {} records of {} in {} ms",
                    records,
                    changelog,
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
        }
    }

    @Override
    public void onRestoreSuspended(TopicPartition changelog, String store, long records) {
        partitions.remove(changelog.partition());
        begins.remove(changelog.partition());
    }

    /** Restorations by partition, with completed ones. */
    public List<Progress> partitions() {
        return List.copyOf(partitions.values());
    }

    /** The last replay of each partition. */
    public List<Progress> replays() {
        return List.copyOf(replays.values());
    }
}
