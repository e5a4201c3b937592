package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.ShutdownSignal;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.embedded.EmbeddedCluster;
import io.perceptronstreams.topology.EngineFailure;
import io.perceptronstreams.topology.EngineRunner;
import io.perceptronstreams.topology.InstanceId;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code perceptron run}: runs the engine until it is stopped. */
@Command(
        name = "run",
        description = "Run the engine on a cluster, or with --embedded on a broker and a registry in this process.",
        footer = "%nSettings (-D KEY=VALUE): perceptron config --help describes each, and Kafka's own are taken, too.",
        mixinStandardHelpOptions = true)
public final class RunCommand implements Callable<Integer> {
    @Mixin
    private ClientOptions client;

    @Option(
            names = "--embedded",
            description = "Start a broker and a schema registry in this process, on 127.0.0.1 only.")
    private boolean isEmbedded;

    @Option(
            names = "--data-dir",
            paramLabel = "DIR",
            description = "Directory of all files of the engine and of the embedded broker (default: .perceptron).")
    private Path dataDir;

    @Option(
            names = "--broker-port",
            paramLabel = "PORT",
            defaultValue = "9092",
            description = "Port of the embedded broker; 0: any free one (default: ${DEFAULT-VALUE}).")
    private int brokerPort;

    @Option(
            names = "--registry-port",
            paramLabel = "PORT",
            defaultValue = "8081",
            description = "Port of the embedded registry; 0: any free one (default: ${DEFAULT-VALUE}).")
    private int registryPort;

    @Mixin
    private HttpOptions http;

    @Override
    public Integer call() throws Exception {
        Map<String, String> options = http.settings();
        if (dataDir != null) {
            options.put("data.dir", dataDir.toString());
        }
        try (ShutdownSignal stop = new ShutdownSignal()) {
            if (isEmbedded) {
                runEmbedded(options, stop);
            } else {
                run(options, Map.of(), stop, null);
            }
        }
        return 0;
    }

    private void runEmbedded(Map<String, String> options, ShutdownSignal stop) throws Exception {
        if (client.bootstrap != null || client.registry != null) {
            throw CommandFailedException.wrongUsage(
                    "--embedded must not be combined with --bootstrap or --registry, got both (leave out one of them)");
        }
        Path directory = client.engineConfig(options).get(EngineConfigDef.DATA_DIR);
        try (EmbeddedCluster cluster = EmbeddedCluster.start(directory, brokerPort, registryPort)) {
            Map<String, String> settings = new HashMap<>(options);
            settings.putAll(cluster.addresses());
            System.err.println("broker " + cluster.bootstrapServers() + ", registry " + cluster.registryUrl()
                    + ", files in " + directory);
            Map<String, String> defaults =
                    Map.of("topics.create", "true", "http.port", Integer.toString(HttpOptions.DEFAULT_PORT));
            TopicReport.applied(client.engineConfig(settings, defaults)).forEach(System.err::println);
            run(settings, defaults, stop, cluster);
        }
    }

    /** Runs until a shutdown is requested or the engine fails. */
    private void run(
            Map<String, String> options, Map<String, String> defaults, ShutdownSignal stop, EmbeddedCluster cluster)
            throws Exception {
        Map<String, String> allDefaults = new HashMap<>(defaults);
        allDefaults.put(
                "group.instance.id", InstanceId.of(client.engineConfig(options).get(EngineConfigDef.DATA_DIR)));
        EngineConfig config = client.engineConfig(options, allDefaults);
        if (!config.unknownKeys().isEmpty()) {
            System.err.println(
                    "passed on to Kafka, which does not define them: " + String.join(", ", config.unknownKeys()));
        }
        AtomicReference<String> partitions = new AtomicReference<>("");
        try (EngineRunner engine = new EngineRunner(config);
                RunningMonitor monitor = monitor(config, engine)) {
            stop.onShutdown(() -> partitions.set(end(engine)));
            if (cluster != null) {
                cluster.onFatalFault(engine::fail);
            }
            engine.start();
            if (monitor != null) {
                monitor.start(engine.streams());
            }
            GroupMembership.others(config).ifPresent(System.err::println);
            Throwable cause = engine.awaitEnd();
            if (cause != null && !stop.isRequested()) {
                throw EngineFailure.of(cause, config);
            }
        } catch (RuntimeException e) {
            // failures caused by the shutdown itself are ignored
            if (!stop.isRequested()) {
                throw e;
            }
        }
        // an embedded broker has ended, too
        if (cluster == null && !partitions.get().isEmpty()) {
            System.err.println(GroupMembership.waiting(partitions.get(), config));
        }
    }

    /** Ends the engine and returns the partitions that it had. */
    private static String end(EngineRunner engine) {
        String partitions = engine.streams() == null ? "" : GroupMembership.partitions(engine.streams());
        engine.close();
        return partitions;
    }

    /** Opens the monitor before the engine starts, so that a port in use is an early error; null if no port is set. */
    private static RunningMonitor monitor(EngineConfig config, EngineRunner engine) {
        if (config.get(EngineConfigDef.HTTP_PORT).isEmpty()) {
            return null;
        }
        RunningMonitor monitor = RunningMonitor.open(
                config, config.get(EngineConfigDef.HTTP_PORT).getAsInt(), engine);
        System.err.println("monitor " + monitor.url());
        return monitor;
    }
}
