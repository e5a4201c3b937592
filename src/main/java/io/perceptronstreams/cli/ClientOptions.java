package io.perceptronstreams.cli;

import io.perceptronstreams.config.EngineConfig;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options of every command that talks to a cluster. */
final class ClientOptions {
    @Option(
            names = "--bootstrap",
            paramLabel = "HOST:PORT",
            description = "Kafka brokers to ask first (default: localhost:9092).")
    String bootstrap;

    @Option(names = "--registry", paramLabel = "URL", description = "Schema registry (default: http://localhost:8081).")
    String registry;

    @Option(names = "--config", paramLabel = "FILE", description = "Properties with settings of ours and of Kafka.")
    Path config;

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            description = "A setting; before PERCEPTRON_KEY in the environment, before --config.")
    Map<String, String> settings = new LinkedHashMap<>();

    @Option(names = "--verbose", description = "Show the stack trace of an error.")
    boolean isVerbose;

    /** All layers put together. */
    EngineConfig engineConfig() {
        return engineConfig(Map.of());
    }

    /** As {@link #engineConfig()}, with what other options of the command stand for. */
    EngineConfig engineConfig(Map<String, String> options) {
        return engineConfig(options, Map.of());
    }

    /**
     * As {@link #engineConfig(Map)}.
     *
     * @param options what other options of the command stand for
     * @param defaults what the command wants where the user says nothing
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
