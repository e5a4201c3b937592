package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.topology.EngineRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With what a model begins that nobody has configured, by who has created the examples topic. */
// engines that are only closed
@SuppressWarnings("try")
final class FirstDefaultsIT {
    private static final String ADAPTIVE = "new models start with algorithm=adaptive";
    private static final String NONE = "new models start with the settings of perceptron models set --help (";

    @TempDir
    Path directory;

    private void produce(SharedCluster cluster) throws Exception {
        Path file = Files.writeString(directory.resolve("two.csv"), "label,x\n1,1.5\n-1,2\n");
        cluster.output("produce " + file + " --model m --timeout 60");
    }

    @Test
    void shouldBeAdaptiveInATopicThatTheEngineCreates() throws Exception {
        SharedCluster cluster = new SharedCluster("first-defaults");
        Map<String, String> settings = new HashMap<>(Map.of(
                "topics.partitions", "2", "models.defaults", "algorithm=adaptive", "group.instance.id", "first"));
        try (EngineRunner engine = SharedCluster.startEngine(cluster.config(settings))) {
            produce(cluster);
            assertThat(cluster.output("models show m")).contains("algorithm: sgd", "rate: adagrad", "scale: standard");
            assertThat(cluster.output("models defaults")).startsWith(ADAPTIVE);
            assertThat(cluster.output("models defaults --json").lines())
                    .hasSize(2)
                    .allMatch(line -> line.contains("\"offset\":0"));
        }
        // they are written once, whatever the setting is later
        settings.put("models.defaults", "h=1");
        try (EngineRunner engine = SharedCluster.startEngine(cluster.config(settings))) {
            produce(cluster);
            assertThat(cluster.output("models defaults")).startsWith(ADAPTIVE);
            assertThat(cluster.output("models defaults algorithm=perceptron --timeout 60")
                            .strip())
                    .isEqualTo("new models start with algorithm=perceptron");
        }
    }

    @Test
    void shouldBeSignedByAnEngineThatDemandsIt() throws Exception {
        SharedCluster cluster = new SharedCluster("first-defaults-signed");
        try (EngineRunner engine = SharedCluster.startEngine(cluster.config(
                Map.of("models.defaults", "algorithm=adaptive window.ms=7000", "commands.key", "0123456789abcdef")))) {
            produce(cluster);
            assertThat(cluster.output("models show m")).contains("algorithm: sgd", "window.ms: 7000");
        }
    }

    @Test
    void shouldBeThoseOfTopicsCreate() throws Exception {
        SharedCluster cluster = new SharedCluster("first-defaults-created");
        assertThat(cluster.output("topics create --partitions 1 -D models.defaults=algorithm=adaptive"))
                .contains("first-defaults-created-examples: created");
        assertThat(cluster.output("topics create --partitions 1 -D models.defaults=algorithm=adaptive"))
                .contains("first-defaults-created-examples: exists");
        try (EngineRunner engine = SharedCluster.startEngine(
                cluster.config(Map.of("topics.partitions", "1", "models.defaults", "algorithm=adaptive")))) {
            produce(cluster);
            assertThat(cluster.output("models show m")).contains("algorithm: sgd");
            // the second call has written nothing
            assertThat(cluster.output("models show m --json")).contains("\"sourceOffset\":2");
        }
    }

    @Test
    void shouldBeThoseOfTheLecturesWithoutSettings() throws Exception {
        SharedCluster cluster = new SharedCluster("first-defaults-none");
        try (EngineRunner engine = SharedCluster.startEngine(cluster.config(Map.of("models.defaults", "")))) {
            produce(cluster);
            assertThat(cluster.output("models show m")).contains("algorithm: perceptron", "scale: none");
            assertThat(cluster.output("models defaults")).startsWith(NONE);
        }
    }
}
