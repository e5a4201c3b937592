package io.perceptronstreams.monitor;

import java.util.List;
import org.apache.kafka.streams.KafkaStreams;

/** An engine in the same process: what can be known of it besides what it writes. Any method may be called from any thread. */
public interface EngineProbe {

    /** The Kafka Streams instance; null before the start. */
    KafkaStreams streams();

    /** How far the restoration of each partition's models has come, since the start; empty where none was needed. */
    List<Restoration> restoration();

    /** How far the replay of each partition has come: records since its last checkpoint; empty where none was needed. */
    List<Restoration> replays();

    /** What the stores hold and what their checkpoints cost. */
    Store store();

    /** How many bytes of heap the models in memory may take; above it the least recently used are dropped. */
    long heapLimitBytes();

    /** Bytes of all files of the local copies of the models, which are looked at for this. */
    long diskBytes();

    /**
     * Restoration of one partition.
     *
     * @param restored records so far
     * @param total records to restore
     */
    record Restoration(int partition, long restored, long total, boolean isDone) {}

    /**
     * Counters of all stores of the process.
     *
     * @param liveModels models in memory
     * @param heapBytes of live models
     * @param flushes checkpoints of all tasks
     * @param flushNanos time spent in them
     * @param dirtyBlocks records that they wrote: changed blocks and headers
     * @param evictions models that were dropped from memory
     */
    record Store(long liveModels, long heapBytes, long flushes, long flushNanos, long dirtyBlocks, long evictions) {}
}
