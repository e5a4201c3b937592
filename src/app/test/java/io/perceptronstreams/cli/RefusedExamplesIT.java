package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        for (String[] labels : new String[][] {{"0", "1"}, {"False", "True"}, {"0.0", "1.0"}}) {
            String model = "m-" + labels[1];

            // the first label is wrong, before which the score is 0; the second one is right: w = (1.5, -1), score 2.
            // Before the first label there is no last one, and every later one differs from the last. Half of the
            // labels are of the first row
            assertThat(produce(model, labels))
                    .contains(", none refused\n")
                    .endsWith("\n100 labelled examples of " + model + " so far: 1.0 % wrong; always '"
                            + labels[0].replace(".0", "").replace("False", "0")
                            + "': 50.0 %; same as last: 100.0 %");

            ENGINE.output("watch predictions --model " + model + " --from-beginning --limit 100");
            assertThat(ENGINE.output("models show " + model))
                    .contains("algorithm: perceptron", "negative.label: auto:0");
        }
    }

    @Test
    void shouldReportWhatTheEngineRefuses() throws IOException {
        produce("mixed", "-1", "1");

        ENGINE.failure(1, command("mixed", "0", "1"));
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
        produce("counted", "-1", "1");

        String again = command("counted", "0", "1") + " --allow-refused ";
        assertThat(ENGINE.failure(1, again + 49))
                .isEqualTo("perceptron: at most 49 examples and labels must be refused, got 50 (--allow-refused 50"
                        + " accepts that)\n");
        assertThat(ENGINE.output(again + "50 --json")).contains("\"refused\":50,");
        assertThat(ENGINE.failure(2, again + "-1")).contains("--allow-refused must be at least 0, got -1");
    }

    // iris with 0, 1 and 2: the printed command, labels=A,B, made the rest of the file dead letters, too
    @Test
    void shouldLearnThreeIntsAfterThePrintedCommand() throws IOException {
        Path file = Files.writeString(directory.resolve("three.csv"), "label,x\n" + "0,3\n1,-3\n2,9\n".repeat(20));
        String produce = "produce " + file + " --model three --timeout 60";
        ENGINE.failure(1, produce);
        String printed = ENGINE.output()
                .lines()
                .filter(line -> line.startsWith("  perceptron "))
                .reduce((any, last) -> last)
                .orElseThrow();
        assertThat(printed).isEqualTo("  perceptron models reset three algorithm=multiclass --yes");

        ENGINE.output(printed.strip().substring("perceptron ".length()));
        assertThat(ENGINE.output(produce)).contains(", none refused\n");
    }

    @Test
    void shouldLearn1And2AfterThePrintedCommand() throws IOException {
        ENGINE.failure(1, command("two", "1", "2"));
        assertThat(ENGINE.output().lines().skip(3))
                .containsExactly(
                        "  perceptron models reset two labels=1,2 --yes",
                        "  perceptron models reset two algorithm=multiclass --yes",
                        // all are of label 1: only the first one differs from the last
                        "50 labelled examples of two so far, 50 others refused now: 0.0 % wrong; always '1': 0.0 %;"
                                + " same as last: 2.0 %");
        // such a model was shown with 0 errors and nothing beside
        assertThat(ENGINE.output("models list"))
                .containsPattern("labelled +errors +refused")
                .containsPattern("\ntwo .* 50 +[0-9]+ +50 +[0-9]+ +[0-9]+  ");
        assertThat(ENGINE.output("models show two"))
                .contains("refused: 50 (in no count below; perceptron dead-letters list --model two)");
        assertThat(ENGINE.failure(1, "models set two labels=A,B"))
                .contains("(to discard what it has learned, perceptron models reset two labels=A,B --yes)");

        ENGINE.output("models reset two labels=1,2 --yes");
        assertThat(produce("two", "1", "2")).contains(", none refused\n");
        // and KEY= empties a setting
        ENGINE.output("models reset two labels= algorithm=multiclass --yes");
        assertThat(produce("two", "1", "2")).contains(", none refused\n");
    }

    private static String produce(String model, String... labels) throws IOException {
        return ENGINE.output(command(model, labels)).strip();
    }

    /** Command that sends 100 examples. */
    private static String command(String model, String... labels) throws IOException {
        StringBuilder rows = new StringBuilder("label,x\n");
        for (int k = 0; k < 100; k++) {
            rows.append(labels[k % 2]).append(',').append(k % 2 == 0 ? -1.5 : 2).append('\n');
        }
        Path file = Files.writeString(directory.resolve(model + ".csv"), rows);
        return "produce " + file + " --model " + model + " --timeout 60";
    }
}
