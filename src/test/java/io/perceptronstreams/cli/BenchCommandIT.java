package io.perceptronstreams.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether the benchmark runs and tells everything; what it tells is no matter for a test. */
class BenchCommandIT {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path workDir;

    @Test
    void shouldMeasureBothSidesAndTellTheRatiosInOneJsonObject() throws Exception {
        int exitCode =
                run("bench", "--rounds", "1", "--examples", "40000", "--seconds", "1", "--heap", "256m", "--json");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString().lines()).hasSize(1);
        JsonNode report = new ObjectMapper().readTree(out.toString());
        for (String ratio : List.of(
                "throughputRatio",
                "cpuRatio",
                "latencyP50Ratio",
                "latencyP99Ratio",
                "dimensionRatio",
                "monitorRatio",
                "heapGrowthRatio")) {
            assertThat(report.path(ratio).asDouble()).as(ratio).isPositive().isFinite();
        }
        assertThat(report.path("errorRate").asDouble()).isBetween(0.0, 1.0);
        assertThat(report.path("settings").path("examples").asInt()).isEqualTo(40_000);
        JsonNode round = report.path("rounds").path(0);
        for (String side : List.of("copy", "engine", "monitored", "wide")) {
            assertThat(round.path(side).path("examplesPerSecond").asDouble())
                    .as(side)
                    .isPositive();
            assertThat(round.path(side).path("cpuMicrosPerExample").asDouble())
                    .as(side)
                    .isPositive();
            assertThat(round.path(side).path("stolenPercent").asDouble(-1))
                    .as(side)
                    .isBetween(0.0, 100.0);
        }
        for (String side : List.of("copy", "engine")) {
            assertThat(round.path(side).path("latencyP99Ms").asDouble())
                    .as(side)
                    .isGreaterThanOrEqualTo(
                            round.path(side).path("latencyP50Ms").asDouble());
        }
        assertThat(workDir).isEmptyDirectory();
    }

    @Test
    void shouldRefuseNumbersThatMakeNoSense() {
        assertThat(run("bench", "--rounds", "0")).isEqualTo(2);
        assertThat(err.toString().lines()).singleElement().asString().contains("--rounds must be at least 1, got 0");
    }

    private int run(String... arguments) {
        String[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "--work-dir";
        all[arguments.length + 1] = workDir.toString();
        return Main.run(all, new PrintWriter(out), new PrintWriter(err));
    }
}
