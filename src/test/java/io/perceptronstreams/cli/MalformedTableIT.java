package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

    private static int produce(String model, String text, String... options) throws IOException {
        Path file = Files.writeString(directory.resolve(model + ".csv"), text);
        String[] arguments = new String[6 + options.length];
        System.arraycopy(
                new String[] {"produce", file.toString(), "--model", model, "--time", "at"}, 0, arguments, 0, 6);
        System.arraycopy(options, 0, arguments, 6, options.length);
        return ENGINE.run(arguments);
    }

    private static void seen(String model, int examples) {
        assertThat(ENGINE.run("models", "snapshot", model)).as(ENGINE.errors()).isZero();
        assertThat(ENGINE.output()).contains(", " + examples + " examples, ");
    }

    // 36 examples before the row were sent, and again after its repair: the model had seen 936 of 900
    @Test
    void shouldSendNothingOfAFileWithAMalformedRow() throws IOException {
        // behind the sample, so that only the check of the whole file finds it
        assertThat(produce("whole", table("2026-01-31,b,1"), "--sample", "10")).isEqualTo(1);
        assertThat(ENGINE.errors())
                .isEqualTo(
                        "perceptron: whole.csv:32: value must be a number as in the first 10 rows, got 'b' (column x;"
                                + " --words x takes words, --missing b takes it as missing); nothing was sent (--on-error skip"
                                + " sends the other examples)\n");

        assertThat(produce("whole", table("2026-01-31,7,1"), "--sample", "10")).isZero();
        assertThat(ENGINE.output()).startsWith("sent 60 examples of whole ");
        seen("whole", 60);
    }

    @Test
    void shouldSendOnlyTheFirstExamplesIfTheyAreSound() throws IOException {
        assertThat(produce("limited", table("2026-01-31,b,1"), "--sample", "10", "--limit", "30"))
                .isZero();

        seen("limited", 30);
    }

    @Test
    void shouldSendTheOthersWhereMalformedRowsAreSkipped() throws IOException {
        assertThat(produce("others", table("2026-01-31,b,1"), "--sample", "10", "--on-error", "skip", "--skip", "9"))
                .isZero();

        assertThat(ENGINE.output()).startsWith("sent 50 examples of others ");
        assertThat(ENGINE.errors().lines())
                .containsExactly(
                        "skipped: others.csv:32: value must be a number as in the first 10 rows, got 'b' (column x;"
                                + " --words x takes words, --missing b takes it as missing)",
                        "skipped 1 examples of " + directory.resolve("others.csv"));
        seen("others", 50);
    }

    // a quotation mark without an end takes the rest of the file
    @Test
    void shouldSendNothingWhereSkippingDoesNotHelp() throws IOException {
        for (String option : List.of("skip", "stop")) {
            assertThat(produce("quoted", table("2026-01-31,\"7,1"), "--sample", "10", "--on-error", option))
                    .isEqualTo(1);
            assertThat(ENGINE.errors())
                    .contains("quoted.csv:32: row must be comma-separated values: ")
                    .endsWith("; nothing was sent\n");
        }
        assertThat(ENGINE.run("models", "show", "quoted")).isEqualTo(1);
    }

    @Test
    void shouldSendTheTimesOfAColumn() throws IOException {
        assertThat(produce("timed", table("2026-01-31 12:00:31.500,7,1"))).isZero();

        assertThat(ENGINE.run(
                        "watch", "predictions", "--model", "timed", "--from-beginning", "--limit", "60", "--json"))
                .isZero();
        // date -u -d 2026-01-31T12:00:31.5Z +%s.%N
        assertThat(ENGINE.output()).contains("1769860831500");
    }

    @Test
    void shouldSendNothingInADryRun() throws IOException {
        assertThat(produce("dry", table("2026-01-31,7,1"), "--dry-run")).isZero();

        assertThat(ENGINE.output()).endsWith("60 examples, 60 of them with a label; nothing was sent or learned\n");
        assertThat(ENGINE.run("models", "show", "dry")).isEqualTo(1);
    }
}
