package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoCommandIT {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void shouldPrintARowAtEachPowerOfTwoAndASummaryBesideTheBound() {
        int exitCode = run("demo", "--examples", "600", "--rate", "0", "--seed", "7");

        assertThat(exitCode).as(err.toString()).isZero();
        List<List<String>> rows = out.toString()
                .lines()
                .map(line -> Arrays.asList(line.strip().split("\\s+")))
                .toList();
        for (String stream : DemoStream.NAMES) {
            assertThat(rows.stream()
                            .filter(row -> row.size() == 6 && row.get(0).equals(stream))
                            .map(row -> row.get(1)))
                    .containsExactly("1", "2", "4", "8", "16", "32", "64", "128", "256", "512");
        }
        String[] summary = out.toString().split("separable: ", -1);
        long mistakes = Long.parseLong(summary[1].split(" ", 2)[0].replace(",", ""));
        // the theorem's bound for R = 1 and the generated margin
        assertThat(mistakes).isBetween(1L, Math.round(1 / (DemoStream.MARGIN * DemoStream.MARGIN)));
        assertThat(summary[1]).contains("in 600 examples").contains("(R/gamma)^2 = 400");
        assertThat(out.toString()).contains("rounds of 569");
    }

    @Test
    void shouldRefuseToStopBeforeTheFirstExample() {
        assertThat(run("demo", "--examples", "0")).isNotZero();
        assertThat(err.toString().lines()).singleElement().asString().contains("--examples must be at least 1");
    }

    private int run(String... arguments) {
        return Main.run(arguments, new PrintWriter(out), new PrintWriter(err));
    }
}
