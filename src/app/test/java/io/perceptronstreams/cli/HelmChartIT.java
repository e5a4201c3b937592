package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.topology.EngineRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** An engine with the settings that the chart renders. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
final class HelmChartIT {
    @TempDir
    Path directory;

    @Test
    void shouldStartAnEngine() throws Exception {
        SharedCluster cluster = new SharedCluster("chart");
        String rendered = HelmChartTest.properties(
                directory, "shop", """
                config:
                  bootstrap.servers: %s
                  schema.registry.url: %s
                  topics.prefix: %s
                  topics.create: true
                """.formatted(cluster.bootstrapServers(), cluster.registryUrl(), cluster.prefix()));
        Path file = Files.writeString(directory.resolve("engine.properties"), rendered);
        Map<String, String> variables =
                Map.of("PERCEPTRON_DATA_DIR", directory.resolve("data").toString(), "PERCEPTRON_HTTP_PORT", "0");
        // as the arguments of the container
        Map<String, String> arguments = Map.of("group.instance.id", "shop-perceptron-streams-0");

        EngineConfig config = EngineConfig.of(arguments, variables, file, Map.of());
        try (EngineRunner engine = SharedCluster.startEngine(config);
                RunningMonitor monitor = RunningMonitor.open(config, 0, null)) {
            monitor.start(engine.streams());
            new MonitorHttp(monitor.url()).await200("readyz");

            assertThat(config.groupInstanceId()).contains("shop-perceptron-streams-0");
        }
    }
}
