package io.perceptronstreams.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.perceptronstreams.bench.BenchExamples.Streams;
import io.perceptronstreams.bench.BenchRound.Figures;
import io.perceptronstreams.bench.BenchRound.Result;
import io.perceptronstreams.sending.LabelDelay;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchReportTest {
    @Test
    void shouldReportTheHardStreamUnderTheNamesWithoutStreamToo() throws IOException {
        JsonNode json = json(report(examples(Streams.BOTH), round(1), round(1)));

        // engine: 1000 examples in 2 s, copying topology: in 1 s
        Map<String, Double> ratios = Map.of(
                "throughputRatio", 0.5,
                "cpuRatio", 2.0,
                "brokerCpuRatio", 3.0,
                "latencyP50Ratio", 1.5,
                "latencyP99Ratio", 1.25,
                "dimensionRatio", 0.5,
                "monitorRatio", 1.0,
                "heapGrowthRatio", 1.1,
                "errorRate", 0.1);
        for (JsonNode hard : List.of(json, json.path("hard"))) {
            ratios.forEach((name, ratio) ->
                    assertThat(hard.path(name).asDouble()).as(name).isEqualTo(ratio));
        }
        JsonNode easy = json.path("easy");
        assertThat(easy.path("throughputRatio").asDouble()).isEqualTo(0.8);
        assertThat(easy.path("errorRate").asDouble()).isEqualTo(0.002);
        assertThat(easy.path("dimensionRatio").isNull()).isTrue();
        assertThat(json.path("turnedLabels").asDouble()).isEqualTo(0.035);
    }

    @Test
    void shouldTakeTheMedianOverRounds() throws IOException {
        JsonNode json = json(report(examples(Streams.BOTH), round(1), round(9), round(3)));

        assertThat(json.path("restartSeconds").asDouble()).isEqualTo(3);
        assertThat(json.path("replayedRecords").asDouble()).isEqualTo(3000);
        assertThat(json.path("rounds")
                        .path(1)
                        .path("restart")
                        .path("replayedRecords")
                        .asLong())
                .isEqualTo(9000);
    }

    /** Of 1000 examples: the engine takes 2 s for them, and 2.5 s with their labels, or all of their partitions 4 s. */
    @ParameterizedTest
    @CsvSource({
        "manyModelsRatio, MANY_MODELS, 5, 0.4, models, 1000",
        "lateLabelsRatio, LATE_LABELS, 2.5, 0.8, labelsAfter, 1000ms",
        "settingsRatio, SETTINGS, 4, 0.5, modelSettings, '{\"h\":\"2\"}'",
        "challengerRatio, CHALLENGER, 2.5, 0.8, challengers, true",
        "challengersRatio, CHALLENGERS, 4, 0.5, challengers, true"
    })
    void shouldHaveARatioOnlyWhereItIsMeasured(
            String name, Variant variant, double seconds, double ratio, String setting, String value)
            throws IOException {
        assertThat(json(report(examples(Streams.BOTH), round(1))).path(name).isNull())
                .isTrue();

        Result round = round(1);
        round.figures().put(variant, figures(seconds, 4e-3, 3e-3, 0.3));
        JsonNode json = json(report(challenged(examples(Streams.BOTH, 1000, "1000ms", Map.of("h", "2"))), round));
        assertThat(json.path(name).asDouble()).isCloseTo(ratio, within(1e-12));
        assertThat(json.path("settings").path("modelsDistribution").asText()).isEqualTo("ZIPF");
        JsonNode written = json.path("settings").path(setting);
        assertThat(written.isObject() ? written.toString() : written.asText()).isEqualTo(value);
    }

    @Test
    void shouldHaveNullForAStreamThatIsNotMeasured() throws IOException {
        Map<Variant, Figures> easy = new EnumMap<>(round(1).figures());
        easy.keySet().retainAll(Variant.compared(examples(Streams.EASY)));
        JsonNode json = json(report(examples(Streams.EASY), new Result(easy, null)));

        for (String name : List.of("throughputRatio", "errorRate", "restartSeconds", "replayedRecords")) {
            assertThat(json.path(name).isNull()).as(name).isTrue();
        }
        assertThat(json.path("easy").path("throughputRatio").asDouble()).isEqualTo(0.8);
    }

    @Test
    void shouldReportTheChosenVariantsOnly() throws IOException {
        Set<Variant> chosen = Set.of(Variant.ENGINE, Variant.MANY_MODELS);
        Result round = new Result(new EnumMap<>(Variant.class), null);
        chosen.forEach(variant -> round.figures().put(variant, figures(2, 4e-3, 3e-3, 0.3)));
        BenchReport report = report(examples(Streams.BOTH, 1000, null, Map.of(), chosen), round);

        assertThat(json(report).path("manyModelsRatio").asDouble()).isEqualTo(1);
        assertThat(json(report).path("throughputRatio").isNull()).isTrue();
        assertThat(report.toText())
                .contains("engine", "many models", "manyModelsRatio")
                .doesNotContain("copy", "throughputRatio", "easy stream", "after kill -9");
    }

    @Test
    void shouldCompareBatchesWithSingleRecordsAndWithCopyingThem() throws IOException {
        Result round = round(1);
        round.figures().put(Variant.BATCH_COPY, figures(0.25, 1e-3, 1e-3, 0));
        round.figures().put(Variant.BATCHES, figures(0.5, 1e-3, 1e-3, 0.1));
        BenchReport report = report(examples(Streams.BOTH, null, null, Map.of(), 100, Set.of()), round);

        // the engine takes 2 s with 2 ms of CPU and 3 ms of the broker's
        assertThat(json(report).path("batchesRatio").asDouble()).isEqualTo(4);
        assertThat(json(report).path("batchesCpuRatio").asDouble()).isEqualTo(0.4);
        assertThat(json(report).path("batchesToCopyRatio").asDouble()).isEqualTo(0.5);
        assertThat(report.toText()).contains("batch copy", "batchesRatio");
    }

    @Test
    void shouldHaveNullWhereTheBrokersProcessorTimeIsNotKnown() throws IOException {
        Result round = round(1);
        round.figures().put(Variant.ENGINE, figures(2, 2e-3, Double.NaN, 0.1));
        JsonNode json = json(report(examples(Streams.BOTH), round));

        assertThat(json.path("brokerCpuRatio").isNull()).isTrue();
        assertThat(json.path("cpuRatio").asDouble()).isEqualTo(2);
    }

    @Test
    void shouldFitIntoAHundredAndFiftyEightColumns() {
        Result round = round(1);
        BenchExamples all =
                challenged(examples(Streams.BOTH, 100_000, "1000ms", Map.of("explain", "5"), 100, Set.of()));
        for (Variant variant : Variant.compared(all)) {
            round.figures().putIfAbsent(variant, figures(2.5, 4e-3, 3e-3, 0.3));
        }
        String text = report(all, round).toText();

        assertThat(text.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(158));
        assertThat(text)
                .contains(
                        "many models: 100,000, zipf; labels after 1000ms; challengers 1 and 4; 100 examples in a record",
                        "settings of models: explain=5",
                        "hard stream",
                        "easy stream",
                        "brokerCpuRatio")
                .contains("after kill -9: first prediction after 1.00 s, 1,000 records replayed");
    }

    private static BenchReport report(BenchExamples examples, Result... rounds) {
        BenchSettings settings = new BenchSettings(rounds.length, 3000, 1, 1, 2000, 1, "1g", examples, Map.of());
        return new BenchReport(settings, 0.035, List.of(rounds));
    }

    private static BenchExamples examples(Streams streams) {
        return examples(streams, null, null, Map.of());
    }

    static BenchExamples examples(Streams streams, Integer models, String labelsAfter, Map<String, String> settings) {
        return examples(streams, models, labelsAfter, settings, Set.of());
    }

    static BenchExamples examples(
            Streams streams, Integer models, String labelsAfter, Map<String, String> settings, Set<Variant> variants) {
        return examples(streams, models, labelsAfter, settings, 1, variants);
    }

    private static BenchExamples examples(
            Streams streams,
            Integer models,
            String labelsAfter,
            Map<String, String> settings,
            int batch,
            Set<Variant> variants) {
        LabelDelay delay = labelsAfter == null ? null : LabelDelay.parse(labelsAfter);
        return new BenchExamples(
                streams,
                0.1,
                1 << 14,
                null,
                models,
                BenchModels.Distribution.ZIPF,
                delay,
                settings,
                false,
                batch,
                variants,
                1);
    }

    /** The examples with the variants that have challengers. */
    static BenchExamples challenged(BenchExamples of) {
        return with(of, of.dense(), true);
    }

    /** The same with dense examples. */
    static BenchExamples dense(BenchExamples of, int size) {
        return with(of, size, of.isChallenged());
    }

    private static BenchExamples with(BenchExamples of, Integer dense, boolean isChallenged) {
        return new BenchExamples(
                of.stream(),
                of.mistakes(),
                of.live(),
                dense,
                of.models(),
                of.modelsDistribution(),
                of.labelsAfter(),
                of.modelSettings(),
                isChallenged,
                of.batch(),
                of.variants(),
                of.seed());
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

    /** Figures of the engine if {@code errorRate} is not 0, else of the copying topology. */
    private static Figures figures(double seconds, double cpuSeconds, double brokerCpuSeconds, double errorRate) {
        LatencyStats latencies = errorRate == 0 ? new LatencyStats(10, 20) : new LatencyStats(15, 25);
        return new Figures(
                new Throughput(2000, 1000, seconds, cpuSeconds, brokerCpuSeconds, 0, 1000, 1100),
                latencies,
                errorRate,
                new BenchTopics.RecordBytes(430, 90, 160));
    }

    private static JsonNode json(BenchReport report) throws IOException {
        return new ObjectMapper().readTree(report.toJson());
    }
}
