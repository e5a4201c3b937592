package io.perceptronstreams.cli;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.format.ShellWord;
import io.perceptronstreams.gateway.LogGateway;
import io.perceptronstreams.log.Replica;
import io.perceptronstreams.monitor.EngineProbe;
import io.perceptronstreams.monitor.Monitor;
import io.perceptronstreams.monitor.MonitorException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.RegistryConfig;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.store.StoreCounters;
import io.perceptronstreams.topology.EngineRunner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.KafkaStreams;

/** A monitor with its registry client, for an engine in this or another process. */
public final class RunningMonitor implements AutoCloseable {
    private static final EngineConfig DEFAULTS = EngineConfig.of(Map.of(), Map.of(), null, Map.of());

    private final SchemaRegistry registry;
    private final LogGateway gateway;
    private final Replica replica;
    private final Monitor monitor;

    private RunningMonitor(SchemaRegistry registry, LogGateway gateway, Replica replica, Monitor monitor) {
        this.registry = registry;
        this.gateway = gateway;
        this.replica = replica;
        this.monitor = monitor;
    }

    /** Opens the port; {@code engine} is null if it runs in another process. */
    public static RunningMonitor open(EngineConfig config, int port, EngineRunner engine) {
        SchemaRegistry registry = SchemaRegistries.of(config.registry());
        LogGateway gateway = null;
        Replica replica = null;
        try {
            EngineProbe probe = engine == null ? null : new Probe(engine, config);
            gateway = config.get(EngineConfigDef.HTTP_WRITE)
                    ? LogGateway.open(config, config.get(EngineConfigDef.HTTP_WRITE_TIMEOUT_MS), registry)
                    : null;
            long heapBytes = engine == null ? config.get(EngineConfigDef.STORE_HEAP_BYTES) : config.engineHeapBytes();
            replica = config.get(EngineConfigDef.HTTP_REPLICA) ? Replica.open(config, heapBytes, registry) : null;
            Monitor.Parts parts = new Monitor.Parts(probe, gateway, replica);
            Monitor monitor = Monitor.open(config, port, registry, commandOptions(config), parts);
            return new RunningMonitor(registry, gateway, replica, monitor);
        } catch (RuntimeException e) {
            Utils.closeQuietly(replica, "replica");
            Utils.closeQuietly(gateway, "gateway");
            registry.close();
            throw e;
        }
    }

    /**
     * Options with which a command on this machine finds the same brokers, registry, topics and group, empty for the
     * defaults. They are public, so that an address with credentials is left out.
     */
    static String commandOptions(EngineConfig config) {
        StringBuilder options = new StringBuilder();
        String registry = String.valueOf(config.registry().get(RegistryConfig.URL));
        if (!config.get(EngineConfigDef.BOOTSTRAP_SERVERS).equals(DEFAULTS.get(EngineConfigDef.BOOTSTRAP_SERVERS))) {
            options.append(" --bootstrap ").append(ShellWord.of(config.get(EngineConfigDef.BOOTSTRAP_SERVERS)));
        }
        if (!registry.equals(DEFAULTS.registry().get(RegistryConfig.URL))
                && registry.matches("https?://[A-Za-z0-9.:,/_-]+")) {
            options.append(" --registry ").append(registry);
        }
        for (EngineConfigDef.EngineKey<String> key :
                List.of(EngineConfigDef.TOPICS_PREFIX, EngineConfigDef.APPLICATION_ID)) {
            if (!Objects.equals(config.get(key), DEFAULTS.get(key))) {
                options.append(" -D ").append(key.name()).append('=').append(config.get(key));
            }
        }
        return options.toString().strip();
    }

    /** Like {@link #open}, but on any free port if {@code port} is in use. */
    static RunningMonitor openOnAnyPort(EngineConfig config, int port, EngineRunner engine) {
        try {
            return open(config, port, engine);
        } catch (MonitorException e) {
            return open(config, 0, engine);
        }
    }

    /** Starts reading topics; binds the metrics of {@code streams}, the started engine, unless it is null. */
    public void start(KafkaStreams streams) {
        if (streams != null) {
            monitor.bind(streams);
        }
        monitor.start();
        if (gateway != null) {
            gateway.start();
        }
        if (replica != null) {
            replica.start();
        }
    }

    public String url() {
        return monitor.url();
    }

    @Override
    public void close() {
        // first the registry: the monitor's thread may wait for it
        registry.close();
        if (gateway != null) {
            gateway.close();
        }
        if (replica != null) {
            replica.close();
        }
        monitor.close();
    }

    /** The monitor's view of the engine in this process. */
    private record Probe(EngineRunner engine, EngineConfig config) implements EngineProbe {
        @Override
        public KafkaStreams streams() {
            return engine.streams();
        }

        @Override
        public List<Restoration> restoration() {
            return engine.restoration().partitions().stream()
                    .map(each -> new Restoration(each.partition(), each.done(), each.total(), each.isDone()))
                    .toList();
        }

        @Override
        public List<Restoration> replays() {
            return engine.restoration().replays().stream()
                    .map(each -> new Restoration(each.partition(), each.done(), each.total(), each.isDone()))
                    .toList();
        }

        @Override
        public List<String> waits() {
            return engine.waits();
        }

        @Override
        public StoreCounters.Totals store() {
            return engine.storeCounters().totals();
        }

        @Override
        public long heapLimitBytes() {
            return config.engineHeapBytes();
        }

        @Override
        public long diskBytes() {
            long[] bytes = {0};
            try {
                Files.walkFileTree(config.stateDir(), new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        bytes[0] += attributes.size();
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException e) {
                        // RocksDB may have removed the file
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path directory, IOException e) {
                        return FileVisitResult.CONTINUE;
                    }
                });
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return bytes[0];
        }
    }
}
