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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Labels as other tools write them, sent to a running engine, and what {@code produce} reports of them. */
final class RefusedExamplesIT {
    @TempDir
    static Path directory;

    private static EmbeddedCluster cluster;
    private static Engine engine;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeAll
    static void start() throws InterruptedException {
        cluster = EmbeddedCluster.start(directory.resolve("cluster"), 0, 0);
        Map<String, String> settings = new HashMap<>(cluster.addresses());
        settings.put("data.dir", directory.resolve("engine").toString());
        settings.put("topics.create", "true");
        settings.put("topics.partitions", "2");
        engine = new Engine(EngineConfig.of(settings, Map.of(), null, Map.of()));
        engine.start();
        engine.awaitRunning();
    }

    @AfterAll
    static void stop() {
        engine.close();
        cluster.close();
    }

    @Test
    void shouldLearnFromOrdinaryLabelsWithoutOptions() throws IOException {
        for (List<String> labels : List.of(List.of("0", "1"), List.of("False", "True"), List.of("0.0", "1.0"))) {
            String model = "m-" + labels.get(1);

            assertThat(produce(model, labels)).endsWith(", none refused");

            assertThat(run("watch", "predictions", "--model", model, "--from-beginning", "--limit", "100"))
                    .isZero();
            assertThat(run("models", "show", model)).isZero();
            assertThat(out.toString()).contains("algorithm: perceptron", "negative.label: auto:0");
        }
    }

    @Test
    void shouldReportWhatTheEngineRefuses() throws IOException {
        produce("mixed", List.of("-1", "1"));

        assertThat(produce("mixed", List.of("0", "1")).lines().skip(1))
                .hasSize(3)
                .satisfies(lines -> {
                    assertThat(lines.get(0)).isEqualTo("50 of 100 examples were refused: 50 INVALID_LABEL");
                    assertThat(lines.get(1))
                            .startsWith("  INVALID_LABEL at perceptron-examples-")
                            .contains("label must be the int -1 or +1 in this model, got 0");
                    assertThat(lines.get(2)).isEqualTo("  perceptron models set mixed negative.label=0");
                });
    }

    private String produce(String model, List<String> labels) throws IOException {
        StringBuilder rows = new StringBuilder("label,x\n");
        for (int k = 0; k < 100; k++) {
            rows.append(labels.get(k % 2))
                    .append(',')
                    .append(k % 2 == 0 ? -1.5 : 2)
                    .append('\n');
        }
        Path file = Files.writeString(directory.resolve(model + ".csv"), rows.toString());
        assertThat(run("produce", file.toString(), "--model", model, "--timeout", "60"))
                .as(err.toString())
                .isZero();
        return out.toString().strip();
    }

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--bootstrap", cluster.bootstrapServers(), "--registry", cluster.registryUrl()));
        return Main.run(all.toArray(String[]::new), new PrintWriter(out), new PrintWriter(err));
    }
}
