package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tables with a malformed row, sent to a running engine: nothing is learned twice after their repair. */
final class MalformedTableIT {
    @TempDir
    static Path directory;

    @RegisterExtension
    static final EngineOnCluster ENGINE = new EngineOnCluster("malformed-table");

    private static String table(String row31) {
        StringBuilder text = new StringBuilder("at,x,label\n");
        for (int row = 1; row <= 60; row++) {
            text.append(row == 31 ? row31 : "2026-01-31 12:01:" + (10 + row % 50) + "," + row + "," + row % 2)
                    .append('\n');
        }
        return text.toString();
    }

    private static String command(String model, String text, String options) throws IOException {
        Path file = Files.writeString(directory.resolve(model + ".csv"), text);
        return "produce " + file + " --model " + model + " --time at " + options;
    }

    private static void seen(String model, int examples) {
        assertThat(ENGINE.output("models snapshot " + model)).contains(", " + examples + " examples, ");
    }

    // 36 examples before the row were sent, and again after its repair: the model had seen 936 of 900
    @Test
    void shouldSendNothingOfAFileWithAMalformedRow() throws IOException {
        // behind the sample, so that only the check of the whole file finds it
        assertThat(ENGINE.failure(1, command("whole", table("2026-01-31,b,1"), "--sample 10")))
                .isEqualTo(
                        "perceptron: whole.csv:32: value must be a number as in the first 10 rows, got 'b' (column x;"
                                + " --words x takes words, --missing b takes it as missing); nothing was sent (--on-error skip"
                                + " sends the other examples)\n");

        assertThat(ENGINE.output(command("whole", table("2026-01-31,7,1"), "--sample 10")))
                .startsWith("sent 60 examples of whole ");
        seen("whole", 60);
    }

    // the model became one of several classes, and fit made one of two of the same file
    @Test
    @Tag("full")
    void shouldNameTheTwoClassesThatAFileDeclares() throws IOException {
        Path file = Files.writeString(directory.resolve("v.arff"), """
                @relation v
                @attribute x numeric
                @attribute class {no, yes}
                @data
                3,yes
                1,no
                """);
        String produce = "produce " + file + " --model ";
        String declared = file + ": two classes are declared, labels=no,yes ";

        assertThat(ENGINE.output(produce + "declared")).contains("sent 2 examples of declared ", "none refused");
        assertThat(ENGINE.errors()).isEqualTo(declared + "of declared is set\n");
        assertThat(ENGINE.output("models show declared")).contains("labels: no,yes\n", "algorithm: perceptron\n");
        ENGINE.output(produce + "declared");
        assertThat(ENGINE.errors()).isEmpty();

        ENGINE.output("models set several algorithm=multiclass");
        ENGINE.output(produce + "several");
        assertThat(ENGINE.errors()).isEmpty();

        ENGINE.output("models set other labels=a,b");
        ENGINE.failure(1, produce + "other");
        assertThat(ENGINE.errors())
                .startsWith(declared + "is not set, because other has labels=a,b (perceptron models reset other"
                        + " labels=no,yes begins again with them, and forgets its weights)\n");
    }

    @Test
    void shouldSendOnlyTheFirstExamplesIfTheyAreSound() throws IOException {
        ENGINE.output(command("limited", table("2026-01-31,b,1"), "--sample 10 --limit 30"));

        seen("limited", 30);
    }

    @Test
    void shouldSendTheOthersWhereMalformedRowsAreSkipped() throws IOException {
        assertThat(ENGINE.output(command("others", table("2026-01-31,b,1"), "--sample 10 --on-error skip --skip 9")))
                .startsWith("sent 50 examples of others ");
        assertThat(ENGINE.errors().lines())
                .containsExactly(
                        "skipped: others.csv:32: value must be a number as in the first 10 rows, got 'b' (column x;"
                                + " --words x takes words, --missing b takes it as missing)",
                        "skipped 1 examples of " + directory.resolve("others.csv"));
        seen("others", 50);
    }

    // a quotation mark without an end took the rest of the file
    @Test
    void shouldSendTheRowsBehindAnOpenQuotationMark() throws IOException {
        String file = command("quoted", table("2026-01-31,\"7,1"), "--sample 10 --on-error ");

        assertThat(ENGINE.failure(1, file + "stop"))
                .endsWith(
                        "quoted.csv:32: quotation mark must be closed, got '\"7,1' (--quote none takes quotation marks as"
                                + " text); nothing was sent (--on-error skip sends the other examples)\n");
        ENGINE.failure(1, "models show quoted");
        ENGINE.output(file + "skip");
        seen("quoted", 59);
    }

    @Test
    @Tag("full")
    void shouldSendTheTimesOfAColumn() throws IOException {
        ENGINE.output(command("timed", table("2026-01-31 12:00:31.500,7,1"), ""));

        ENGINE.output("watch predictions --model timed --from-beginning --limit 60 --json");
        // date -u -d 2026-01-31T12:00:31.5Z +%s.%N
        assertThat(ENGINE.output()).contains("1769860831500");
    }

    @Test
    void shouldSendNothingInADryRun() throws IOException {
        assertThat(ENGINE.output(command("dry", table("2026-01-31,7,1"), "--dry-run")))
                .endsWith("60 examples, 60 of them with a label; nothing was sent or learned\n");
        ENGINE.failure(1, "models show dry");
    }
}
