package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code fit} that is stopped at each of its steps. */
final class FitStopTest {
    private static final int EXAMPLES = 4;

    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private Path train;
    private Path weights;

    @BeforeEach
    void write() throws IOException {
        train = Files.writeString(directory.resolve("train.libsvm"), "+1 1:1 2:1\n-1 1:1\n-1 2:1\n-1 3:1\n");
        weights = directory.resolve("w");
    }

    /** A model without examples once replaced the weights. */
    @Test
    void shouldKeepTheEarlierWeightsWhereNoExampleWasLearned() throws IOException {
        // while FILE is read, while --test is read, before the first example
        for (int steps : List.of(0, 2, EXAMPLES + 1, EXAMPLES + 3, 2 * EXAMPLES + 2)) {
            Files.writeString(weights, "good");
            fit(stopAfter(steps), "--test", train.toString());

            assertThat(weights).as("after %d steps", steps).hasContent("good");
            assertThat(out.toString()).doesNotContain("weights: ");
        }
    }

    @Test
    void shouldWriteTheWeightsOfTheFirstExample() throws IOException {
        fit(stopAfter(2 * EXAMPLES + 4), "--test", train.toString());

        assertThat(FitRun.read(weights).get(0).get("examples")).isEqualTo(1L);
        assertThat(out.toString()).contains("stopped in pass 1", "weights: " + weights);
    }

    /** A test of more than 8 s once lost all weights: the process ended before they were written. */
    @Test
    void shouldWriteTheWeightsWhereTheTestIsStopped() throws IOException {
        // files, first pass, one example of the test
        fit(stopAfter(3 * EXAMPLES + 4), "--test", train.toString(), "--json");

        assertThat(FitRun.read(weights).get(0).get("examples")).isEqualTo(4L);
        assertThat(out.toString().lines())
                .hasSize(2)
                .first()
                .asString()
                .startsWith("{\"pass\":1,\"examples\":4,")
                .doesNotContain("testErrors");
    }

    /** Is true from the call after the first {@code steps} on; each example is a step. */
    private static BooleanSupplier stopAfter(int steps) {
        int[] calls = new int[1];
        return () -> calls[0]++ >= steps;
    }

    private void fit(BooleanSupplier isStopped, String... options) throws IOException {
        FitCommand fit = new FitCommand();
        CommandLine line = new CommandLine(fit).setOut(new PrintWriter(out)).setCaseInsensitiveEnumValuesAllowed(true);
        List<String> arguments = new ArrayList<>(List.of(train.toString(), "--output", weights.toString()));
        arguments.addAll(List.of(options));
        line.parseArgs(arguments.toArray(String[]::new));
        fit.call(isStopped);
    }
}
