package io.perceptronstreams.log;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventIds;
import io.perceptronstreams.store.StoreCounters;
import java.util.function.LongSupplier;

/**
 * Objects shared by the tasks of a process.
 *
 * @param limits results of the start-up checks
 * @param ids of the schemas of the output events
 * @param log the input, for replays
 * @param nanoTime clock for the checkpoint interval
 */
public record EngineServices(
        EngineConfig config,
        SchemaRegistry registry,
        Limits limits,
        EventIds ids,
        InputLog log,
        RegistryRetry registryRetry,
        ShutdownBarrier stop,
        RestoreProgress progress,
        StoreCounters counters,
        LongSupplier nanoTime) {

    /**
     * Limits of the topics, from the start-up checks.
     *
     * @param partitions of the examples topic
     * @param maxRecordBytes maximum size of a record for the dead letters or the examples topic
     * @param aheadMs maximum time by which an event time in JSON may be after the timestamp of its record
     * @param isNewLog whether the checks have created the examples topic
     */
    public record Limits(int partitions, int maxRecordBytes, long aheadMs, boolean isNewLog) {}
}
