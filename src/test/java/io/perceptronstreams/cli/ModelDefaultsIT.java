package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.Main;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.embedded.EmbeddedCluster;
import io.perceptronstreams.topology.Engine;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code models defaults} on a topic of several partitions, before and after a restart of the engine. */
final class ModelDefaultsIT {
    /** On partitions 1, 2 and 0 of 3, by a murmur2 in Python. */
    private static final List<String> NAMES = List.of("a", "b", "f");

    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private EmbeddedCluster cluster;
    private Engine engine;

    @BeforeEach
    void start() throws InterruptedException {
        cluster = EmbeddedCluster.start(directory.resolve("cluster"), 0, 0);
        startEngine();
    }

    @AfterEach
    void stop() {
        engine.close();
        cluster.close();
    }

    @Test
    void shouldMakeModelsOfAllPartitionsWithTheDefaults() throws Exception {
        assertThat(run("models", "defaults")).as(err.toString()).isZero();
        assertThat(out.toString()).startsWith("new models start with the settings of perceptron models set --help (");
        produce("early");

        assertThat(run("models", "defaults", "h=2", "scale=standard", "--timeout", "60"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString().strip()).isEqualTo("new models start with h=2.0 scale=standard");
        for (String name : NAMES) {
            produce(name);
            assertThat(run("models", "show", name)).isZero();
            assertThat(out.toString()).contains("  h: 2.0", "  scale: standard");
        }
        assertThat(run("models", "show", "early")).isZero();
        assertThat(out.toString()).contains("  h: 0.0", "  scale: none");

        engine.close();
        startEngine();
        produce("late");
        assertThat(run("models", "show", "late")).isZero();
        assertThat(out.toString()).contains("  h: 2.0", "  scale: standard");

        assertThat(run("models", "list")).isZero();
        List<String> lines = out.toString().lines().toList();
        assertThat(lines).hasSize(1 + NAMES.size() + 2 + 1);
        assertThat(lines.get(lines.size() - 1)).isEqualTo("new models start with h=2.0 scale=standard");
        assertThat(run("models", "list", "--json")).isZero();
        assertThat(out.toString().lines()).hasSize(NAMES.size() + 2);
        assertThat(run("models", "defaults", "--json")).isZero();
        assertThat(out.toString().lines())
                .hasSize(3)
                .allMatch(line -> line.contains("\"cause\":\"DEFAULTS\"") && line.contains("\"h\":\"2.0\""));
    }

    @Test
    void shouldRefuseInvalidDefaults() {
        assertThat(run("models", "defaults", "h=-1")).isEqualTo(2);
        assertThat(err.toString()).contains("h must be a number >= 0");
        assertThat(run("models", "defaults", "algorithm=multiclass", "budget=5", "--timeout", "60"))
                .isEqualTo(1);
        assertThat(err.toString())
                .contains("command was refused: budget must be 0 with algorithm=multiclass", "INVALID_COMMAND");
        assertThat(run("models", "defaults")).isZero();
        assertThat(out.toString()).startsWith("new models start with the settings of perceptron models set --help (");
    }

    private void startEngine() throws InterruptedException {
        Map<String, String> settings = new HashMap<>(cluster.addresses());
        settings.put("data.dir", directory.resolve("engine").toString());
        settings.put("topics.create", "true");
        settings.put("topics.partitions", "3");
        // as in `run`; otherwise the second engine would wait for the end of the session of the first
        settings.put("group.instance.id", "defaults");
        engine = new Engine(EngineConfig.of(settings, Map.of(), null, Map.of()));
        engine.start();
        engine.awaitRunning();
    }

    private void produce(String model) throws IOException {
        Path file = Files.writeString(directory.resolve("two.csv"), "label,x\n1,1.5\n-1,2\n");
        assertThat(run("produce", file.toString(), "--model", model, "--timeout", "60"))
                .as(err.toString())
                .isZero();
    }

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--bootstrap", cluster.bootstrapServers(), "--registry", cluster.registryUrl()));
        return Main.run(all.toArray(String[]::new), new PrintWriter(out), new PrintWriter(err));
    }
}
