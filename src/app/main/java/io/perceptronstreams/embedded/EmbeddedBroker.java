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
 * A Kafka cluster of one node in this process: broker and KRaft controller on 127.0.0.1, all files in one directory.
 *
 * <p>The directory is formatted on first use. Topics, records, offsets, transactions and the cluster id survive a
 * restart, also after {@code kill -9}. {@link #close()} removes all its threads, shutdown hooks and signal handlers.
 *
 * <p>A fatal fault completes {@link #fatalFault()} instead of ending the process. One exception: if the data directory
 * fails (disk full, files removed), Kafka's log manager halts the process with exit code 1.
 */
public final class EmbeddedBroker implements AutoCloseable {
    /*
     * KafkaRaftServer consists of the same parts in the same order. It is not used, because it hard-wires two of them:
     * fault handlers that call Exit (a port in use would end the process), and sockets that are opened by port number
     * (a free port may be taken before it is opened).
     */

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

    /** Like {@link #start(Path, int, Map)}, without further properties. */
    public static EmbeddedBroker start(Path directory, int port) {
        return start(directory, port, Map.of());
    }

    /**
     * Starts the node and returns when it answers clients.
     *
     * @param directory directory of all files; created if missing
     * @param port port for clients on 127.0.0.1, 0 for any free one
     * @param properties further broker properties
     * @throws EmbeddedException if the port or the directory is in use, or Kafka does not start; nothing is left
     *     running
     * @throws IllegalArgumentException if {@code properties} contains a reserved property, such as listeners
     */
    public static EmbeddedBroker start(Path directory, int port, Map<String, ?> properties) {
        var absolute = directory.toAbsolutePath().normalize();
        var lock = DirectoryLock.acquire(absolute);
        var sockets = new ReservedPorts();
        EmbeddedBroker started = null;
        try {
            started = new EmbeddedBroker(absolute, port, properties, lock, sockets);
            // first the controller: the broker fetches its metadata from it
            started.controller.startup();
            StaleRegistration.remove(started.controller.controller());
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

    /** Value of {@code bootstrap.servers} for clients. */
    public String bootstrapServers() {
        return Loopback.HOST + ":" + port;
    }

    /** Port for clients. */
    public int port() {
        return port;
    }

    /** Completes when the node has failed; the caller should close it and end the process. */
    public CompletableFuture<RuntimeException> fatalFault() {
        return fatalFault.copy();
    }

    /** Stops broker and controller and flushes the logs; takes about one second, at most about ten. */
    @Override
    public void close() {
        // first the broker: its controlled shutdown needs the controller
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
        // Kafka writes meta.properties last and atomically: a partly formatted directory has none
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
                // the cause is in the line with which the program ends, the stack in that of --verbose
                LOG.error("fault in the broker's {}: {}", name, message);
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
