package io.perceptronstreams.embedded;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.kafka.common.utils.internals.Exit;

/** Broker and registry in this process, for {@code run --embedded}, {@code demo} and {@code bench}. */
public final class EmbeddedCluster implements AutoCloseable {
    private final EmbeddedBroker broker;
    private final EmbeddedRegistry registry;

    private EmbeddedCluster(EmbeddedBroker broker, EmbeddedRegistry registry) {
        this.broker = broker;
        this.registry = registry;
    }

    /** Starts broker and registry with their files below {@code dataDir}; port 0 for any free one. */
    public static EmbeddedCluster start(Path dataDir, int brokerPort, int registryPort) {
        Path files = dataDir.resolve("broker").toAbsolutePath();
        Exit.setHaltProcedure((code, message) -> {
            System.err.println(
                    "perceptron: broker must be able to write to " + files
                            + ", got the error above; make room or mend the disk, and start again: it continues from the last commit");
            Runtime.getRuntime().halt(code);
        });
        EmbeddedBroker broker = EmbeddedBroker.start(files, brokerPort);
        try {
            return new EmbeddedCluster(broker, EmbeddedRegistry.start(broker.bootstrapServers(), registryPort));
        } catch (RuntimeException e) {
            broker.close();
            throw e;
        }
    }

    public String bootstrapServers() {
        return broker.bootstrapServers();
    }

    public String registryUrl() {
        return registry.url();
    }

    /** Connection settings of this cluster, for engines and clients. */
    public Map<String, String> addresses() {
        return Map.of("bootstrap.servers", bootstrapServers(), "schema.registry.url", registryUrl());
    }

    /** Calls {@code listener} when the broker has failed. */
    public void onFatalFault(Consumer<Throwable> listener) {
        broker.fatalFault().thenAccept(listener).exceptionally(never -> null);
    }

    /**
     * Prepares for the end of a process that removes the files of running clusters and does not stop them in order: the
     * exit code remains its own, although Kafka halts a process whose log directory fails.
     */
    public static void abandonAll() {
        Exit.setHaltProcedure((code, message) -> {
            // Kafka expects that a halt does not return
            while (true) {
                LockSupport.park();
            }
        });
    }

    @Override
    public void close() {
        registry.close();
        broker.close();
    }
}
