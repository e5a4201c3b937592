package io.perceptronstreams.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.bench.BenchExamples.Streams;
import io.perceptronstreams.bench.BenchRound.Figures;
import io.perceptronstreams.bench.BenchRound.Result;
import io.perceptronstreams.client.LabelDelay;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BenchReportTest {
    @Test
    void shouldReportTheHardStreamUnderTheNamesWithoutStreamToo() throws IOException {
        JsonNode json = json(report(Streams.BOTH, null, round(1), round(1)));

        for (JsonNode hard : List.of(json, json.path("hard"))) {
            // engine: 1000 examples in 2 s, copying topology: in 1 s
            assertThat(hard.path("throughputRatio").asDouble()).isEqualTo(0.5);
            assertThat(hard.path("cpuRatio").asDouble()).isEqualTo(2);
            assertThat(hard.path("brokerCpuRatio").asDouble()).isEqualTo(3);
            assertThat(hard.path("latencyP50Ratio").asDouble()).isEqualTo(1.5);
            assertThat(hard.path("latencyP99Ratio").asDouble()).isEqualTo(1.25);
            assertThat(hard.path("dimensionRatio").asDouble()).isEqualTo(0.5);
            assertThat(hard.path("monitorRatio").asDouble()).isEqualTo(1);
            assertThat(hard.path("heapGrowthRatio").asDouble()).isEqualTo(1.1);
            assertThat(hard.path("errorRate").asDouble()).isEqualTo(0.1);
        }
        JsonNode easy = json.path("easy");
        assertThat(easy.path("throughputRatio").asDouble()).isEqualTo(0.8);
        assertThat(easy.path("errorRate").asDouble()).isEqualTo(0.002);
        assertThat(easy.path("dimensionRatio").isNull()).isTrue();
        assertThat(json.path("turnedLabels").asDouble()).isEqualTo(0.035);
    }

    @Test
    void shouldTakeTheMedianOverRounds() throws IOException {
        JsonNode json = json(report(Streams.BOTH, null, round(1), round(9), round(3)));

        assertThat(json.path("restartSeconds").asDouble()).isEqualTo(3);
        assertThat(json.path("replayedRecords").asDouble()).isEqualTo(3000);
        assertThat(json.path("rounds")
                        .path(1)
                        .path("restart")
                        .path("replayedRecords")
                        .asLong())
                .isEqualTo(9000);
    }

    @Test
    void shouldHaveARatioOfManyModelsOnlyWhereTheyAreMeasured() throws IOException {
        assertThat(json(report(Streams.BOTH, null, round(1)))
                        .path("manyModelsRatio")
                        .isNull())
                .isTrue();

        JsonNode json = json(report(Streams.BOTH, 1000, roundOfManyModels()));
        assertThat(json.path("manyModelsRatio").asDouble()).isCloseTo(0.4, within(1e-12));
        assertThat(json.path("settings").path("models").asInt()).isEqualTo(1000);
        assertThat(json.path("settings").path("modelsDistribution").asText()).isEqualTo("ZIPF");
    }

    @Test
    void shouldHaveARatioOfLateLabelsOnlyWhereTheyAreMeasured() throws IOException {
        assertThat(json(report(Streams.BOTH, null, round(1)))
                        .path("lateLabelsRatio")
                        .isNull())
                .isTrue();

        // 1000 examples in 2.5 s, with their labels in 2 s
        Result round = round(1);
        round.figures().put(Variant.LATE_LABELS, figures(2.5, 4e-3, 3e-3, 0.3));
        JsonNode json = json(report(
                new BenchExamples(
                        Streams.BOTH,
                        0.1,
                        1 << 14,
                        null,
                        BenchModels.Distribution.ZIPF,
                        LabelDelay.parse("1000ms"),
                        Map.of(),
                        1),
                round));
        assertThat(json.path("lateLabelsRatio").asDouble()).isCloseTo(0.8, within(1e-12));
        assertThat(json.path("settings").path("labelsAfter").asText()).isEqualTo("1000ms");
    }

    @Test
    void shouldHaveARatioOfSettingsOnlyWhereTheyAreMeasured() throws IOException {
        assertThat(json(report(Streams.BOTH, null, round(1)))
                        .path("settingsRatio")
                        .isNull())
                .isTrue();

        // 1000 examples in 4 s, without them in 2 s
        Result round = round(1);
        round.figures().put(Variant.SETTINGS, figures(4, 4e-3, 3e-3, 0.3));
        JsonNode json = json(report(
                new BenchExamples(
                        Streams.HARD, 0.1, 1 << 14, null, BenchModels.Distribution.ZIPF, null, Map.of("h", "2"), 1),
                round));
        assertThat(json.path("settingsRatio").asDouble()).isCloseTo(0.5, within(1e-12));
        assertThat(json.path("settings").path("modelSettings").path("h").asText())
                .isEqualTo("2");
    }

    @Test
    void shouldHaveNullForAStreamThatIsNotMeasured() throws IOException {
        Map<Variant, Figures> easy = new EnumMap<>(round(1).figures());
        easy.keySet().retainAll(Variant.compared(examples(Streams.EASY, null)));
        JsonNode json = json(report(Streams.EASY, null, new Result(easy, null)));

        for (String name : List.of("throughputRatio", "errorRate", "restartSeconds", "replayedRecords")) {
            assertThat(json.path(name).isNull()).as(name).isTrue();
        }
        assertThat(json.path("easy").path("throughputRatio").asDouble()).isEqualTo(0.8);
    }

    @Test
    void shouldHaveNullWhereTheBrokersProcessorTimeIsNotKnown() throws IOException {
        Result round = round(1);
        round.figures().put(Variant.ENGINE, figures(2, 2e-3, Double.NaN, 0.1));
        JsonNode json = json(report(Streams.BOTH, null, round));

        assertThat(json.path("brokerCpuRatio").isNull()).isTrue();
        assertThat(json.path("cpuRatio").asDouble()).isEqualTo(2);
    }

    @Test
    void shouldFitIntoAHundredAndTenColumns() {
        Result round = roundOfManyModels();
        round.figures().put(Variant.LATE_LABELS, figures(2.5, 4e-3, 3e-3, 0.3));
        round.figures().put(Variant.SETTINGS, figures(2.5, 4e-3, 3e-3, 0.3));
        BenchExamples all = new BenchExamples(
                Streams.BOTH,
                0.1,
                1 << 14,
                100_000,
                BenchModels.Distribution.ZIPF,
                LabelDelay.parse("1000ms"),
                Map.of("explain", "5"),
                1);
        String text = report(all, round).toText();

        assertThat(text.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(110));
        assertThat(text)
                .contains(
                        "many models: 100,000, zipf; labels after 1000ms",
                        "settings of models: explain=5",
                        "hard stream",
                        "easy stream",
                        "brokerCpuRatio")
                .contains("after kill -9: first prediction after 1.00 s, 1,000 records replayed");
    }

    private static BenchReport report(Streams streams, Integer models, Result... rounds) {
        return report(examples(streams, models), rounds);
    }

    private static BenchReport report(BenchExamples examples, Result... rounds) {
        BenchSettings settings = new BenchSettings(rounds.length, 3000, 1, 1, "1g", examples, Map.of());
        return new BenchReport(settings, 0.035, List.of(rounds));
    }

    private static BenchExamples examples(Streams streams, Integer models) {
        return new BenchExamples(streams, 0.1, 1 << 14, models, BenchModels.Distribution.ZIPF, null, Map.of(), 1);
    }

    private static Result round(int restartSeconds) {
        Map<Variant, Figures> figures = new EnumMap<>(Variant.class);
        figures.put(Variant.COPY, figures(1, 1e-3, 1e-3, 0));
        figures.put(Variant.ENGINE, figures(2, 2e-3, 3e-3, 0.1));
        figures.put(Variant.MONITORED, figures(2, 2e-3, 3e-3, 0.1));
        figures.put(Variant.WIDE, figures(4, 4e-3, 3e-3, 0.1));
        figures.put(Variant.EASY_COPY, figures(1, 1e-3, 1e-3, 0));
        figures.put(Variant.EASY_ENGINE, figures(1.25, 1e-3, 1e-3, 0.002));
        return new Result(figures, new BenchRestart(restartSeconds, 1000L * restartSeconds));
    }

    private static Result roundOfManyModels() {
        Result round = round(1);
        round.figures().put(Variant.MANY_MODELS, figures(5, 4e-3, 3e-3, 0.3));
        return round;
    }

    /** Figures of the engine if {@code errorRate} is not 0, else of the copying topology. */
    private static Figures figures(double seconds, double cpuSeconds, double brokerCpuSeconds, double errorRate) {
        LatencyStats latencies = errorRate == 0 ? new LatencyStats(10, 20) : new LatencyStats(15, 25);
        return new Figures(
                new Throughput(2000, 1000, seconds, cpuSeconds, brokerCpuSeconds, 0, 1000, 1100), latencies, errorRate);
    }

    private static JsonNode json(BenchReport report) throws IOException {
        return new ObjectMapper().readTree(report.toJson());
    }
}
