package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.embedded.SharedCluster;
import io.perceptronstreams.topology.EngineRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code models defaults} on a topic of several partitions, before and after a restart of the engine. */
final class ModelDefaultsIT {
    /** On partitions 1, 2 and 0 of 3, by a murmur2 in Python. */
    private static final List<String> NAMES = List.of("a", "b", "f");

    @TempDir
    Path directory;

    private final SharedCluster cluster = new SharedCluster("model-defaults");
    private EngineRunner engine;

    @BeforeEach
    void start() throws InterruptedException {
        startEngine();
    }

    @AfterEach
    void stop() {
        engine.close();
    }

    @Test
    @Tag("full")
    void shouldMakeModelsOfAllPartitionsWithTheDefaults() throws Exception {
        assertThat(cluster.output("models defaults"))
                .startsWith("new models start with the settings of perceptron models set --help (");
        produce("early");

        assertThat(cluster.output("models defaults h=2 scale=standard --timeout 60")
                        .strip())
                .isEqualTo("new models start with h=2.0 scale=standard");
        for (String name : NAMES) {
            produce(name);
            assertThat(cluster.output("models show " + name)).contains("  h: 2.0", "  scale: standard");
        }
        assertThat(cluster.output("models show early")).contains("  h: 0.0", "  scale: none");

        engine.close();
        startEngine();
        produce("late");
        assertThat(cluster.output("models show late")).contains("  h: 2.0", "  scale: standard");

        List<String> lines = cluster.output("models list").lines().toList();
        assertThat(lines).hasSize(1 + NAMES.size() + 2 + 1);
        assertThat(lines.get(lines.size() - 1)).isEqualTo("new models start with h=2.0 scale=standard");
        assertThat(cluster.output("models list --json").lines()).hasSize(NAMES.size() + 2);
        assertThat(cluster.output("models defaults --json").lines())
                .hasSize(3)
                .allMatch(line -> line.contains("\"cause\":\"DEFAULTS\"") && line.contains("\"h\":\"2.0\""));
    }

    @Test
    void shouldRefuseInvalidDefaults() {
        assertThat(cluster.failure(2, "models defaults h=-1")).contains("h must be a number >= 0");
        assertThat(cluster.failure(1, "models defaults algorithm=multiclass budget=5 --timeout 60"))
                .contains("command was refused: budget must be 0 with algorithm=multiclass", "INVALID_COMMAND");
        assertThat(cluster.output("models defaults"))
                .startsWith("new models start with the settings of perceptron models set --help (");
    }

    private void startEngine() throws InterruptedException {
        // with a name as in `run`; otherwise the second engine would wait for the end of the session of the first
        engine = SharedCluster.startEngine(
                cluster.config(Map.of("topics.partitions", "3", "group.instance.id", "defaults")));
    }

    private void produce(String model) throws IOException {
        Path file = Files.writeString(directory.resolve("two.csv"), "label,x\n1,1.5\n-1,2\n");
        cluster.output("produce " + file + " --model " + model + " --timeout 60");
    }
}
