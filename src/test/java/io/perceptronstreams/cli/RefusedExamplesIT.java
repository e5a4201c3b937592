package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Labels as other tools write them, sent to a running engine, and what {@code produce} reports of them. */
final class RefusedExamplesIT {
    @TempDir
    static Path directory;

    @RegisterExtension
    static final EngineOnCluster ENGINE = new EngineOnCluster();

    @Test
    void shouldLearnFromOrdinaryLabelsWithoutOptions() throws IOException {
        for (List<String> labels : List.of(List.of("0", "1"), List.of("False", "True"), List.of("0.0", "1.0"))) {
            String model = "m-" + labels.get(1);

            assertThat(produce(model, labels)).endsWith(", none refused");

            assertThat(ENGINE.run("watch", "predictions", "--model", model, "--from-beginning", "--limit", "100"))
                    .isZero();
            assertThat(ENGINE.run("models", "show", model)).isZero();
            assertThat(ENGINE.output()).contains("algorithm: perceptron", "negative.label: auto:0");
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
        assertThat(ENGINE.run("produce", file.toString(), "--model", model, "--timeout", "60"))
                .as(ENGINE.errors())
                .isZero();
        return ENGINE.output().strip();
    }
}
