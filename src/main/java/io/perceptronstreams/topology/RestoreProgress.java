package io.perceptronstreams.topology;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.StateRestoreListener;

/** Progress of restoration and replay, for each partition. Thread-safe. */
public final class RestoreProgress implements StateRestoreListener {
    private final Map<Integer, Restored> partitions = new ConcurrentSkipListMap<>();
    private final Map<Integer, Replayed> replays = new ConcurrentSkipListMap<>();

    /**
     * Restoration of one partition from the changelog.
     *
     * @param restored number of restored records
     * @param total approximate number of records at the start
     */
    public record Restored(int partition, long restored, long total, boolean isDone) {}

    /**
     * Replay of the records of one partition since its last checkpoint.
     *
     * @param offsets number of replayed offsets
     * @param total number of offsets between the checkpoint and the first new record
     */
    public record Replayed(int partition, long offsets, long total, boolean isDone) {}

    RestoreProgress() {}

    void replayStarted(int partition, long total) {
        replays.put(partition, new Replayed(partition, 0, total, false));
    }

    void replayed(int partition, long offsets) {
        replays.computeIfPresent(partition, (any, before) -> new Replayed(partition, offsets, before.total(), false));
    }

    void replayEnded(int partition) {
        replays.computeIfPresent(
                partition, (any, before) -> new Replayed(partition, before.total(), before.total(), true));
    }

    @Override
    public void onRestoreStart(TopicPartition changelog, String store, long start, long end) {
        partitions.put(changelog.partition(), new Restored(changelog.partition(), 0, Math.max(0, end - start), false));
    }

    @Override
    public void onBatchRestored(TopicPartition changelog, String store, long end, long records) {
        partitions.computeIfPresent(
                changelog.partition(),
                (partition, before) -> new Restored(partition, before.restored() + records, before.total(), false));
    }

    @Override
    public void onRestoreEnd(TopicPartition changelog, String store, long records) {
        partitions.computeIfPresent(
                changelog.partition(), (partition, before) -> new Restored(partition, records, before.total(), true));
    }

    @Override
    public void onRestoreSuspended(TopicPartition changelog, String store, long records) {
        partitions.remove(changelog.partition());
    }

    /** Restorations by partition, with completed ones. */
    public List<Restored> partitions() {
        return List.copyOf(partitions.values());
    }

    /** The last replay of each partition. */
    public List<Replayed> replays() {
        return List.copyOf(replays.values());
    }
}
