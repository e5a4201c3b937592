package io.perceptronstreams.topology;

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
record EngineServices(
        EngineConfig config,
        SchemaRegistry registry,
        StartupChecks.Limits limits,
        EventIds ids,
        InputLog log,
        RegistryRetry registryRetry,
        ShutdownBarrier stop,
        RestoreProgress progress,
        StoreCounters counters,
        LongSupplier nanoTime) {}
