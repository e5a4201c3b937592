package io.perceptronstreams.embedded;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import kafka.server.BrokerServer;
import kafka.server.ControllerServer;
import kafka.server.FaultHandlerFactory;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.server.Server;
import kafka.server.SharedServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.metadata.properties.MetaPropertiesEnsemble;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.fault.FaultHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A whole Kafka cluster of one node in this process: broker and KRaft controller on 127.0.0.1, files in one directory.
 *
 * <p>The directory is formatted on first use and opened again ever after, also after {@code kill -9}: topics, records,
 * offsets, transactions and the cluster id are all still there.
 *
 * <p>No signal handler, no shutdown hook and no thread outlives {@link #close()}. A fatal fault of the node completes {@link
 * #fatalFault()} instead of ending the process, with one exception that lies within Kafka: when the data directory itself
 * fails (disk full, files removed), its log manager halts the process with exit code 1.
 */
/*
 * Kafka's own KafkaRaftServer is these parts in this order. It is taken apart here because it hard-wires two of them: fault
 * handlers that call Exit (a busy port would end the process), and sockets opened by number (a "free" port is free no more
 * by the time it is opened).
 */
public final class EmbeddedBroker implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedBroker.class);
    private static final Duration SHUTDOWN = Duration.ofSeconds(5);

    private final int port;
    private final DirectoryLock lock;
    private final ReservedPorts sockets;
    private final CompletableFuture<RuntimeException> fatalFault = new CompletableFuture<>();
    private final SharedServer shared;
    private final ControllerServer controller;
    private final BrokerServer broker;

    private EmbeddedBroker(
            Path directory, int wantedPort, Map<String, ?> extra, DirectoryLock lock, ReservedPorts sockets)
            throws Exception {
        this.lock = lock;
        this.sockets = sockets;
        port = sockets.reserve(BrokerProperties.CLIENT_LISTENER, wantedPort, "choose another with --broker-port");
        int controllerPort = sockets.reserve(BrokerProperties.CONTROLLER_LISTENER, 0, "free some loopback ports");
        var config = new KafkaConfig(BrokerProperties.of(directory, port, controllerPort, extra), false);
        format(directory);
        var formatted = KafkaRaftServer.initializeLogDirs(config, LOG, "");
        MetaPropertiesEnsemble metaProperties = formatted._1();
        Metrics metrics = Server.initializeMetrics(
                config, Time.SYSTEM, metaProperties.clusterId().orElseThrow());
        shared = new SharedServer(
                config,
                metaProperties,
                Time.SYSTEM,
                metrics,
                CompletableFuture.completedFuture(Map.of(BrokerProperties.NODE_ID, Loopback.socket(controllerPort))),
                List.of(),
                faultHandlers(),
                sockets);
        broker = new BrokerServer(shared);
        controller = new ControllerServer(shared, KafkaRaftServer.configSchema(), formatted._2());
    }

    /**
     * Starts a broker with Kafka's defaults; see {@link #start(Path, int, Map)}.
     */
    public static EmbeddedBroker start(Path directory, int port) {
        return start(directory, port, Map.of());
    }

    /**
     * Starts the node and returns when it answers clients.
     *
     * @param directory where everything is kept; created if missing
     * @param port the clients' port on 127.0.0.1, 0 for any free one
     * @param properties further broker properties
     * @throws EmbeddedException if the port or the directory is in use, or Kafka does not start; nothing is left running
     * @throws IllegalArgumentException if {@code properties} sets what the embedded broker sets itself, such as listeners
     */
    public static EmbeddedBroker start(Path directory, int port, Map<String, ?> properties) {
        var absolute = directory.toAbsolutePath().normalize();
        var lock = DirectoryLock.take(absolute);
        var sockets = new ReservedPorts();
        EmbeddedBroker started = null;
        try {
            started = new EmbeddedBroker(absolute, port, properties, lock, sockets);
            // The broker half fetches its metadata from the controller half.
            started.controller.startup();
            StaleRegistration.forget(started.controller.controller());
            started.broker.startup();
            return started;
        } catch (Exception e) {
            if (started != null) {
                started.close();
            }
            sockets.close();
            lock.close();
            if (e instanceof EmbeddedException || e instanceof IllegalArgumentException) {
                throw (RuntimeException) e;
            }
            throw new EmbeddedException(
                    "broker does not start on " + absolute + ": " + e.getMessage()
                            + "; see its log with -Dkafka.log.level=INFO",
                    e);
        }
    }

    /** What clients use as {@code bootstrap.servers}. */
    public String bootstrapServers() {
        return Loopback.HOST + ":" + port;
    }

    /** The clients' port. */
    public int port() {
        return port;
    }

    /** Completed when the node can no longer work; then close it and end the process. */
    public CompletableFuture<RuntimeException> fatalFault() {
        return fatalFault.copy();
    }

    /** Stops broker and controller and flushes the logs; takes a second or so, at most about ten. */
    @Override
    public void close() {
        // In this order, as the broker asks the controller for leave to stop.
        Utils.swallow(LOG, () -> broker.shutdown(SHUTDOWN));
        Utils.swallow(LOG, controller::shutdown);
        sockets.close();
        lock.close();
    }

    private static void format(Path directory) throws Exception {
        if (directory
                .resolve(MetaPropertiesEnsemble.META_PROPERTIES_NAME)
                .toFile()
                .exists()) {
            return;
        }
        // Kafka writes meta.properties last and atomically: a directory half formatted by a killed process has none.
        new Formatter()
                .setSupportedFeatures(Feature.PRODUCTION_FEATURES)
                .setNodeId(BrokerProperties.NODE_ID)
                .setClusterId(Uuid.randomUuid().toString())
                .setReleaseVersion(MetadataVersion.latestProduction())
                .setControllerListenerName(BrokerProperties.CONTROLLER_LISTENER)
                .setMetadataLogDirectory(directory.toString())
                .addDirectory(directory.toString())
                .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8))
                .run();
    }

    private FaultHandlerFactory faultHandlers() {
        return (name, fatal, action) -> new FaultHandler() {
            @Override
            public RuntimeException handleFault(String message, Throwable cause) {
                LOG.error("fault in the broker's {}: {}", name, message, cause);
                action.run();
                var fault = new EmbeddedException("broker failed in " + name + ": " + message, cause);
                if (fatal) {
                    fatalFault.complete(fault);
                }
                return fault;
            }
        };
    }
}
