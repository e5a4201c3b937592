package io.perceptronstreams.cli;

import io.perceptronstreams.config.EngineConfig;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of every command that connects to a cluster. */
final class ClientOptions {
    @Option(
            names = "--bootstrap",
            paramLabel = "HOST:PORT",
            description = "Bootstrap brokers of Kafka (default: localhost:9092).")
    String bootstrap;

    @Option(names = "--registry", paramLabel = "URL", description = "Schema registry (default: http://localhost:8081).")
    String registry;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Properties file with settings of the engine and of Kafka.")
    Path config;

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            description = "A setting; overrides PERCEPTRON_KEY in the environment, which overrides --config.")
    Map<String, String> settings = new LinkedHashMap<>();

    @Option(names = "--verbose", description = "Show the stack trace of an error.")
    boolean isVerbose;

    /** Merges all layers of settings. */
    EngineConfig engineConfig() {
        return engineConfig(Map.of());
    }

    /** Like {@link #engineConfig()}, with settings from other options of the command. */
    EngineConfig engineConfig(Map<String, String> options) {
        return engineConfig(options, Map.of());
    }

    /**
     * Like {@link #engineConfig(Map)}, with defaults.
     *
     * @param options settings from other options of the command
     * @param defaults defaults of the command
     */
    EngineConfig engineConfig(Map<String, String> options, Map<String, String> defaults) {
        Map<String, String> commandLine = new HashMap<>(settings);
        if (bootstrap != null) {
            commandLine.put("bootstrap.servers", bootstrap);
        }
        if (registry != null) {
            commandLine.put("schema.registry.url", registry);
        }
        commandLine.putAll(options);
        return EngineConfig.of(commandLine, System.getenv(), config, defaults);
    }
}
