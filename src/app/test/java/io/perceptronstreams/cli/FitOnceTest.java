package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.example.SeededTest;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** {@code fit} with a single pass over more examples than it keeps. */
final class FitOnceTest {
    private static final String WDBC = "src/app/main/resources/demo/wdbc.csv --label-column diagnosis --id-column id";

    @TempDir
    Path directory;

    /** No examples are kept, all, or some. */
    private String fit(long keptBytes, String arguments, BooleanSupplier isStopped) throws IOException {
        FitCommand fit = new FitCommand();
        fit.keptBytes = keptBytes;
        StringWriter out = new StringWriter();
        CommandLine line = new CommandLine(fit)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(out))
                .setCaseInsensitiveEnumValuesAllowed(true);
        List<String> all = new ArrayList<>(List.of(arguments.split(" ", -1)));
        all.addAll(List.of("--epochs", "1", "--output", weights().toString()));
        line.parseArgs(all.toArray(String[]::new));
        fit.call(isStopped);
        return out.toString();
    }

    private String fit(long keptBytes, String arguments) throws IOException {
        return fit(keptBytes, arguments, () -> false);
    }

    private Path weights() {
        return directory.resolve("w");
    }

    private Path file(String name, CharSequence text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                WDBC + " --set algorithm=perceptron --set h=1",
                WDBC,
                WDBC + " --portfolio",
                WDBC + " --set drift=page-hinkley --set drift.threshold=1 --set drift.action=reset",
                WDBC + " --test src/app/main/resources/demo/wdbc.csv"
            })
    void shouldComeToTheSameBitsAsWithAllExamplesInMemory(String arguments) throws IOException {
        String kept = fit(Long.MAX_VALUE, arguments + " --json");
        String expected = Files.readString(weights());
        Files.delete(weights());

        for (long bytes : new long[] {0, 20_000}) {
            String out = fit(bytes, arguments + " --json");

            assertThat(weights()).hasContent(expected);
            // the last line has the theorems, if any, and the pass and the results of the test are the same
            assertThat(out.lines().findFirst()).isEqualTo(kept.lines().findFirst());
            assertThat(out.lines().skip(1).toList())
                    .isEqualTo(kept.replaceAll("\"theory\":\\{.*\\}", "\"theory\":null}")
                            .lines()
                            .skip(1)
                            .toList());
            Files.delete(weights());
        }
    }

    /** Names of features belong to a record, and are not known once it is gone. */
    @Test
    void shouldCrossFeaturesOfRecordsThatAreGone() throws IOException {
        StringBuilder rows = new StringBuilder("user^name,item^name,label\n");
        for (int k = 0; k < 200; k++) {
            rows.append(k % 2 == 0 ? "ann" : "bob")
                    .append(k / 2 % 2 == 0 ? ",tea," : ",rum,")
                    .append(k % 2 == k / 2 % 2 ? 1 : -1)
                    .append("\n");
        }
        String arguments = file("xor.csv", rows) + " --set crosses=user*item";
        fit(Long.MAX_VALUE, arguments);
        String expected = Files.readString(weights());

        fit(0, arguments);

        assertThat(weights()).hasContent(expected);
    }

    @SeededTest
    void shouldReadLinesWithoutFeaturesAndLabelsAsBefore(long seed) throws IOException {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder();
        for (int line = 0; line < 500; line++) {
            text.append(random.nextBoolean() ? "+1" : "-1");
            for (int k = 0; k < random.nextInt(8); k++) {
                text.append(' ').append(10 * k + random.nextInt(10)).append(':').append(random.nextGaussian());
            }
            text.append(random.nextInt(9) == 0 ? "\n\n" : "\n");
        }
        Path file = file("random.libsvm", text);
        fit(Long.MAX_VALUE, file.toString());
        String expected = Files.readString(weights());

        fit(random.nextInt(40_000), file.toString());

        assertThat(weights()).as("seed %d", seed).hasContent(expected);
    }

    /** Theorems need the margins of all examples by the last weights. */
    @Test
    void shouldSayThatThereAreNoBoundsAndHowToGetThem() throws IOException {
        String arguments = WDBC + " --set algorithm=perceptron";

        assertThat(fit(3 << 20, arguments)).contains("hinge bound ").doesNotContain("no bounds of theorems");
        assertThat(fit(0, arguments)).doesNotContain("hinge bound ").contains("no bounds of theorems", "--bounds");
        assertThat(fit(0, arguments + " --bounds")).contains("hinge bound ").doesNotContain("no bounds of theorems");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "+1 1:1\\n-1 x:1 | bad.libsvm:2: index must be",
                "+1 1:1\\n\\n3 2:1 | example 2 (line 3): label must be the int -1, 0 or 1, got 3",
            })
    void shouldStopAtABadExampleAndWriteNothing(String text, String message) throws IOException {
        Path file = file("bad.libsvm", text.replace("\\n", "\n"));

        for (long bytes : new long[] {0, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> fit(bytes, file + " --set algorithm=perceptron"))
                    .as("%d bytes kept", bytes)
                    .hasMessageContaining(message);
            assertThat(weights()).doesNotExist();
        }
    }

    @Test
    void shouldRefuseAFileWithoutLabels() throws IOException {
        Path file = file("u.jsonl", "{\"id\":\"a\",\"features\":{\"x\":1}}\n{\"id\":\"b\",\"features\":{\"x\":1}}\n");

        assertThatThrownBy(() -> fit(0, file.toString()))
                .isInstanceOf(CommandFailedException.class)
                .hasMessageContaining("examples must have labels to learn from, got none in ");
        assertThat(weights()).doesNotExist();
    }

    @Test
    void shouldWriteTheWeightsSoFarWhenItIsStopped() throws IOException {
        int[] calls = new int[1];
        String out = fit(0, WDBC + " --set algorithm=perceptron", () -> calls[0]++ >= 100);

        assertThat(out).contains("stopped in pass 1").doesNotContain("no bounds");
        assertThat((long) FitRun.read(weights()).get(0).get("examples")).isBetween(80L, 100L);
    }

    @Test
    void shouldCountWhatItSkips() throws IOException {
        Path file = file("f.libsvm", "+1 1:1\n+1 1:x\n-1 2:1\n3 1:1\n-1 2:y\n");

        assertThat(fit(0, file + " --on-error skip --label-type int --set algorithm=multiclass"))
                .contains("skipped: f.libsvm:2: ", "skipped: f.libsvm:5: ")
                .containsPattern("1 +3 ");
    }
}
