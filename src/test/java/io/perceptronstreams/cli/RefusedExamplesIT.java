package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Labels as other tools write them, sent to a running engine, and what {@code produce} reports of them. */
@Tag("full")
final class RefusedExamplesIT {
    @TempDir
    static Path directory;

    @RegisterExtension
    static final EngineOnCluster ENGINE = new EngineOnCluster("refused-examples");

    @Test
    void shouldLearnFromOrdinaryLabelsWithoutOptions() throws IOException {
        for (List<String> labels : List.of(List.of("0", "1"), List.of("False", "True"), List.of("0.0", "1.0"))) {
            String model = "m-" + labels.get(1);

            // the first label is wrong, before which the score is 0; the second one is right: w = (1.5, -1), score 2.
            // Before the first label there is no last one, and every later one differs from the last. Half of the
            // labels are of the first row
            assertThat(produce(model, labels))
                    .contains(", none refused\n")
                    .endsWith("\n100 labelled examples of " + model + " so far: 1.0 % wrong; always '"
                            + labels.get(0).replace(".0", "").replace("False", "0")
                            + "': 50.0 %; same as last: 100.0 %");

            assertThat(ENGINE.run("watch", "predictions", "--model", model, "--from-beginning", "--limit", "100"))
                    .isZero();
            assertThat(ENGINE.run("models", "show", model)).isZero();
            assertThat(ENGINE.output()).contains("algorithm: perceptron", "negative.label: auto:0");
        }
    }

    @Test
    void shouldReportWhatTheEngineRefuses() throws IOException {
        produce("mixed", List.of("-1", "1"));

        assertThat(ENGINE.run(command("mixed", List.of("0", "1")))).isEqualTo(1);
        assertThat(ENGINE.output().lines().skip(1)).hasSize(4).satisfies(lines -> {
            assertThat(lines.get(0)).isEqualTo("50 of 100 examples were refused: 50 INVALID_LABEL");
            assertThat(lines.get(1))
                    .startsWith("  INVALID_LABEL at refused-examples-examples-")
                    .contains("label must be the int -1 or +1 in this model, got 0");
            assertThat(lines.get(2)).isEqualTo("  perceptron models set mixed negative.label=0");
            // of the second file only the labels 1 are counted: all right, and 50 of 150 are the -1 of the first
            assertThat(lines.get(3))
                    .isEqualTo(
                            "150 labelled examples of mixed so far, 50 others refused now: 0.7 % wrong; always '1': 33.3 %;"
                                    + " same as last: 66.7 %");
        });
    }

    // produce ended with 0 although every example was refused
    @Test
    void shouldFailIfMoreExamplesAreRefusedThanAllowed() throws IOException {
        produce("counted", List.of("-1", "1"));

        assertThat(ENGINE.run(command("counted", List.of("0", "1"), "--allow-refused", "49")))
                .isEqualTo(1);
        assertThat(ENGINE.errors())
                .isEqualTo("perceptron: at most 49 examples and labels must be refused, got 50 (--allow-refused 50"
                        + " accepts that)\n");
        assertThat(ENGINE.run(command("counted", List.of("0", "1"), "--allow-refused", "50", "--json")))
                .isZero();
        assertThat(ENGINE.output()).contains("\"refused\":50,");
        assertThat(ENGINE.run(command("counted", List.of("0", "1"), "--allow-refused", "-1")))
                .isEqualTo(2);
        assertThat(ENGINE.errors()).contains("--allow-refused must be at least 0, got -1");
    }

    // iris with 0, 1 and 2: the printed command, labels=A,B, made the rest of the file dead letters, too
    @Test
    void shouldLearnThreeIntsAfterThePrintedCommand() throws IOException {
        Path file = Files.writeString(directory.resolve("three.csv"), "label,x\n" + "0,3\n1,-3\n2,9\n".repeat(20));
        String[] produce = {"produce", file.toString(), "--model", "three", "--timeout", "60"};
        assertThat(ENGINE.run(produce)).isEqualTo(1);
        String printed = ENGINE.output()
                .lines()
                .filter(line -> line.startsWith("  perceptron "))
                .reduce((any, last) -> last)
                .orElseThrow();
        assertThat(printed).isEqualTo("  perceptron models reset three algorithm=multiclass --yes");

        assertThat(ENGINE.run(printed.strip().substring("perceptron ".length()).split(" ", -1)))
                .as(ENGINE.errors())
                .isZero();
        assertThat(ENGINE.run(produce)).isZero();
        assertThat(ENGINE.output()).contains(", none refused\n");
    }

    @Test
    void shouldLearn1And2AfterThePrintedCommand() throws IOException {
        assertThat(ENGINE.run(command("two", List.of("1", "2")))).isEqualTo(1);
        assertThat(ENGINE.output().lines().skip(3))
                .containsExactly(
                        "  perceptron models reset two labels=1,2 --yes",
                        "  perceptron models reset two algorithm=multiclass --yes",
                        // all are of label 1: only the first one differs from the last
                        "50 labelled examples of two so far, 50 others refused now: 0.0 % wrong; always '1': 0.0 %;"
                                + " same as last: 2.0 %");
        // such a model was shown with 0 errors and nothing beside
        assertThat(ENGINE.run("models", "list")).isZero();
        assertThat(ENGINE.output())
                .containsPattern("labelled +errors +refused")
                .containsPattern("\ntwo .* 50 +[0-9]+ +50 +[0-9]+ +[0-9]+  ");
        assertThat(ENGINE.run("models", "show", "two")).isZero();
        assertThat(ENGINE.output())
                .contains("refused: 50 (in no count below; perceptron dead-letters list --model two)");
        assertThat(ENGINE.run("models", "set", "two", "labels=A,B")).isEqualTo(1);
        assertThat(ENGINE.errors())
                .contains("(to discard what it has learned, perceptron models reset two labels=A,B --yes)");

        assertThat(ENGINE.run("models", "reset", "two", "labels=1,2", "--yes")).isZero();
        assertThat(produce("two", List.of("1", "2"))).contains(", none refused\n");
        // and KEY= empties a setting
        assertThat(ENGINE.run("models", "reset", "two", "labels=", "algorithm=multiclass", "--yes"))
                .isZero();
        assertThat(produce("two", List.of("1", "2"))).contains(", none refused\n");
    }

    private String produce(String model, List<String> labels) throws IOException {
        assertThat(ENGINE.run(command(model, labels))).as(ENGINE.errors()).isZero();
        return ENGINE.output().strip();
    }

    /** Command that sends 100 examples. */
    private static String[] command(String model, List<String> labels, String... options) throws IOException {
        StringBuilder rows = new StringBuilder("label,x\n");
        for (int k = 0; k < 100; k++) {
            rows.append(labels.get(k % 2))
                    .append(',')
                    .append(k % 2 == 0 ? -1.5 : 2)
                    .append('\n');
        }
        Path file = Files.writeString(directory.resolve(model + ".csv"), rows.toString());
        List<String> command =
                new ArrayList<>(List.of("produce", file.toString(), "--model", model, "--timeout", "60"));
        command.addAll(List.of(options));
        return command.toArray(String[]::new);
    }
}
