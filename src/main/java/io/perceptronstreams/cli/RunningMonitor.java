package io.perceptronstreams.cli;

import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.monitor.EngineProbe;
import io.perceptronstreams.monitor.Monitor;
import io.perceptronstreams.monitor.MonitorException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.store.StoreCounters;
import io.perceptronstreams.topology.Engine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.streams.KafkaStreams;

/** A monitor with the registry client that it needs, beside an engine or alone. */
public final class RunningMonitor implements AutoCloseable {
    private final SchemaRegistry registry;
    private final Monitor monitor;

    private RunningMonitor(SchemaRegistry registry, Monitor monitor) {
        this.registry = registry;
        this.monitor = monitor;
    }

    /** Listens; {@code runner} is null where the engine runs elsewhere. */
    public static RunningMonitor open(EngineConfig config, int port, Engine runner) {
        SchemaRegistry registry = SchemaRegistry.of(config.registry());
        Monitor.Source source = new Monitor.Source(
                config.topicsPrefix(),
                config.applicationId(),
                () -> KafkaClients.consumer(config),
                () -> Admin.create(config.admin()),
                registry);
        try {
            EngineProbe probe = runner == null ? null : new Probe(runner, config);
            return new RunningMonitor(registry, Monitor.open(HttpOptions.http(config, port), source, probe));
        } catch (RuntimeException e) {
            registry.close();
            throw e;
        }
    }

    /** As {@link #open}, on any free port if that one is in use. */
    static RunningMonitor openOnAnyPort(EngineConfig config, int port, Engine runner) {
        try {
            return open(config, port, runner);
        } catch (MonitorException e) {
            return open(config, 0, runner);
        }
    }

    /** Begins to read; with the metrics of an engine that has started, if there is one. */
    public void start(KafkaStreams engine) {
        if (engine != null) {
            monitor.bind(engine);
        }
        monitor.start();
    }

    String url() {
        return monitor.url();
    }

    @Override
    public void close() {
        // first: the monitor's thread may wait for the registry
        registry.close();
        monitor.close();
    }

    /** The engine in this process, as the monitor sees it. */
    private record Probe(Engine runner, EngineConfig config) implements EngineProbe {
        @Override
        public KafkaStreams streams() {
            return runner.streams();
        }

        @Override
        public List<Restoration> restoration() {
            return runner.restoration().partitions().stream()
                    .map(each -> new Restoration(each.partition(), each.restored(), each.total(), each.isDone()))
                    .toList();
        }

        @Override
        public List<Restoration> replays() {
            return runner.restoration().replays().stream()
                    .map(each -> new Restoration(each.partition(), each.offsets(), each.total(), each.isDone()))
                    .toList();
        }

        @Override
        public Store store() {
            StoreCounters counters = runner.storeCounters();
            return new Store(
                    counters.liveModels(),
                    counters.heapBytes(),
                    counters.checkpoints(),
                    counters.checkpointNanos(),
                    counters.writtenRecords(),
                    counters.evictions());
        }

        @Override
        public long heapLimitBytes() {
            return config.storeHeapBytes();
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
                        // RocksDB removes files all the time
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
