package io.perceptronstreams.cli;

import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code perceptron replica}: predictions by HTTP from copies of all models; a monitor with {@code http.replica=true}.
 */
@Command(
        name = "replica",
        description = {
            "Keep a copy of all models of an engine on a cluster, and answer predictions by HTTP from memory.",
            "It follows the engine, writes nothing to Kafka, answers while the engine is down, and serves all that perceptron monitor does."
        },
        mixinStandardHelpOptions = true)
public final class ReplicaCommand implements Callable<Integer> {
    @Mixin
    private ClientOptions client;

    @Option(
            names = "--data-dir",
            paramLabel = "DIR",
            description = "Directory of models that are not in memory; one for each replica (default: .perceptron).")
    private String dataDir;

    @Mixin
    private HttpOptions http;

    @Override
    public Integer call() throws Exception {
        Map<String, String> options = http.settings();
        options.put("http.replica", "true");
        if (dataDir != null) {
            options.put("data.dir", dataDir);
        }
        return MonitorCommand.serve("replica", client.engineConfig(options));
    }
}
