package io.perceptronstreams.monitor;

import io.perceptronstreams.store.StoreCounters;
import java.util.List;
import org.apache.kafka.streams.KafkaStreams;

/** State of an engine in the same process that is not in its topics. Implementations must be thread-safe. */
public interface EngineProbe {

    /** Kafka Streams instance; null before the start. */
    KafkaStreams streams();

    /** Restorations of models from the changelog, by partition; empty if none was necessary. */
    List<Restoration> restoration();

    /** Replays of records since the last checkpoint, by partition; empty if none was necessary. */
    List<Restoration> replays();

    /** A line for each part of the engine that waits for the schema registry; empty if none does. */
    List<String> waits();

    /** Size of the stores and cost of their checkpoints. */
    StoreCounters.Totals store();

    /** Maximum heap of the models in memory, in bytes; above it those not used lately are dropped. */
    long heapLimitBytes();

    /** Size of the local copies of the models on disk, in bytes; reads the directory. */
    long diskBytes();

    /**
     * Restoration of one partition.
     *
     * @param restored number of restored records
     * @param total number of records to restore
     */
    record Restoration(int partition, long restored, long total, boolean isDone) {}
}
