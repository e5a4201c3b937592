package io.perceptronstreams.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.Main;
import io.perceptronstreams.sizing.Constants;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The benchmark runs and reports all figures; their values are not checked. */
@Tag("full")
class BenchCommandIT {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path workDir;

    @TempDir
    Path results;

    @Test
    void shouldMeasureBothSidesAndTellTheRatiosInOneJsonObject() throws Exception {
        Path constants = results.resolve("constants");
        Files.writeString(constants, "uniform.micros=12.5\n");
        int exitCode = run(
                "--rounds 1 --examples 80000 --threads 2 --partitions 3 --rate 1000 --models 10 --labels-after 100ms --set algorithm=adaptive --challengers --batch 10 --seconds 1 --heap 256m --json --constants "
                        + constants);

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString().lines()).hasSize(1);
        JsonNode report = new ObjectMapper().readTree(out.toString());
        for (String ratio : List.of(
                "throughputRatio",
                "cpuRatio",
                "brokerCpuRatio",
                "latencyP50Ratio",
                "latencyP99Ratio",
                "dimensionRatio",
                "monitorRatio",
                "manyModelsRatio",
                "lateLabelsRatio",
                "settingsRatio",
                "challengerRatio",
                "challengersRatio",
                "batchesRatio",
                "batchesToCopyRatio",
                "batchesCpuRatio",
                "heapGrowthRatio")) {
            assertThat(report.path(ratio).asDouble()).as(ratio).isPositive().isFinite();
            assertThat(report.path("hard").path(ratio)).as(ratio).isEqualTo(report.path(ratio));
        }
        assertThat(report.path("easy").path("throughputRatio").asDouble()).isPositive();
        Constants costs = Constants.read(constants);
        assertThat(costs.missing())
                .doesNotContain(
                        "one.micros",
                        "zipf.micros",
                        "late.factor",
                        "batch.factor",
                        "adaptive.factor",
                        "start.seconds",
                        "example.bytes");
        assertThat(costs.get(Constants.Cost.UNIFORM_MICROS)).isEqualTo(12.5);
        assertThat(1e6
                        / report.path("rounds")
                                .path(0)
                                .path("engine")
                                .path("examplesPerSecond")
                                .asDouble()
                        * 2)
                .isCloseTo(costs.get(Constants.Cost.ONE_MICROS), withinPercentage(0.1));
        // both streams have more mistakes at the start than later
        double easyErrorRate = report.path("easy").path("errorRate").asDouble();
        assertThat(easyErrorRate).isBetween(0.1, 0.4);
        assertThat(report.path("errorRate").asDouble())
                .isGreaterThan(easyErrorRate)
                .isLessThan(0.5);
        assertThat(report.path("restartSeconds").asDouble()).isPositive();
        assertThat(report.path("replayedRecords").asDouble(-1)).isNotNegative();
        assertThat(report.path("turnedLabels").asDouble()).isBetween(0.03, 0.04);
        assertThat(report.path("settings").path("examples").asInt()).isEqualTo(80_000);
        JsonNode round = report.path("rounds").path(0);
        for (String side : List.of(
                "copy",
                "engine",
                "monitored",
                "wide",
                "manyModels",
                "lateLabels",
                "settings",
                "challenger",
                "challengers",
                "batchCopy",
                "batches",
                "easyCopy",
                "easyEngine")) {
            for (String figure : List.of("examplesPerSecond", "cpuMicrosPerExample")) {
                assertThat(round.path(side).path(figure).asDouble())
                        .as("%s of %s", figure, side)
                        .isPositive();
            }
            // so short a measurement may lie within one tick of the clock of another process
            assertThat(round.path(side).path("brokerCpuMicrosPerExample").asDouble(-1))
                    .as("brokerCpuMicrosPerExample of %s", side)
                    .isNotNegative();
            assertThat(round.path(side).path("stolenPercent").asDouble(-1))
                    .as(side)
                    .isBetween(0.0, 100.0);
        }
        // the same mistakes, up to those that the delay of the labels adds; without any labels there would be none
        assertThat(round.path("lateLabels").path("errorRate").asDouble())
                .isBetween(
                        round.path("engine").path("errorRate").asDouble() * 0.8,
                        round.path("engine").path("errorRate").asDouble() * 1.2);
        // the same mistakes, but the measured examples do not begin with the same one; without labels there would be
        // none
        assertThat(round.path("challengers").path("errorRate").asDouble())
                .isBetween(
                        round.path("engine").path("errorRate").asDouble() * 0.8,
                        round.path("engine").path("errorRate").asDouble() * 1.2);
        for (String side : List.of("copy", "engine", "easyCopy", "easyEngine")) {
            assertThat(round.path(side).path("latencyP99Ms").asDouble())
                    .as(side)
                    .isGreaterThanOrEqualTo(
                            round.path(side).path("latencyP50Ms").asDouble());
        }
        assertThat(workDir).isEmptyDirectory();
    }

    @Test
    void shouldRefuseFiguresOfExamplesThatWereNotLearned() {
        int exitCode = run(
                "--rounds 1 --examples 3000 --seconds 1 --heap 256m --stream hard --models 10 --variants manyModels -D models.max=9");

        assertThat(exitCode).isEqualTo(1);
        assertThat(err.toString()).contains("the engine must learn from all examples, but refused ", "models.max");
        assertThat(out.toString()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--rounds 0                 | --rounds must be at least 1, got 0",
                "--mistakes 0.5             | --mistakes must be from 0 to 0.4, got 0.5",
                "--live 100                 | --live must be from 256 to 4194304, got 100",
                "--dense 0                  | --dense must be from 1 to 16384, got 0",
                "--dense 9 --variants wide  | --dense must not be combined with the variant wide: dense features have",
                "--models 1                 | --models must be from 2 to 1000000, got 1",
                "--models 2 --threads 3     | --models must be at least --partitions = 3, got 2",
                "--threads 2 --partitions 1 | --partitions must be from --threads = 2 to 1000, got 1",
                "--labels-after 1s          | --labels-after must be a number of ms or examples such as 1000ms or 100ex",
                "--labels-after 1ms --stream easy | --labels-after must not be combined with --stream easy",
                "--set eta=-1               | --set: eta must be",
                "--set algorithm=arow --set h=1 | --set: h must be",
                "--set labels=a,b           | --set: label must be",
                "--set explain=5 --stream easy | --set must not be combined with --stream easy",
                "--challengers --stream easy | --challengers must not be combined with --stream easy",
                "--batch 1001              | --batch must be from 1 to 1000, got 1001",
                "--batch 10 --stream easy   | --batch must not be combined with --stream easy",
                "--variants engines         | --variants must be names of copy, engine, ",
                "--models 9 --stream easy   | --models must not be combined with --stream easy",
            })
    void shouldRefuseSettingsThatMakeNoSense(String options, String fault) {
        assertThat(run(options)).isEqualTo(2);
        assertThat(err.toString().lines()).singleElement().asString().contains(fault);
    }

    private int run(String options) {
        String[] all = (options + " --work-dir " + workDir).split(" ", -1);
        return Main.run(new BenchCommand(), all, new PrintWriter(out), new PrintWriter(err));
    }
}
