package io.perceptronstreams.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.bench.BenchRound.Figures;
import io.perceptronstreams.bench.BenchRound.Result;
import io.perceptronstreams.model.Challengers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Medians over the rounds: the figures of each variant and their ratios, which are computed within each round.
 *
 * @param turned fraction of turned labels on the hard stream
 */
record BenchReport(BenchSettings settings, double turned, List<Result> rounds) {

    /** The two variants of a stream that are compared. */
    private enum Side {
        HARD(Variant.COPY, Variant.ENGINE),
        EASY(Variant.EASY_COPY, Variant.EASY_ENGINE);

        private final Variant copy;
        private final Variant engine;

        Side(Variant copy, Variant engine) {
            this.copy = copy;
            this.engine = engine;
        }
    }

    /** Computes a ratio within a round, in which the engine was measured. */
    private interface InRound {
        double of(Map<Variant, Figures> round, Side side);
    }

    /**
     * A ratio to report.
     *
     * @param target target of the ratio, as text; empty for none
     * @param variant variant of the hard stream that is required besides the engine; null for none
     */
    private record Ratio(String name, String target, Variant variant, InRound inRound) {
        /** Returns the ratio, or NaN if it was not measured. */
        double of(Result result, Side side) {
            Map<Variant, Figures> round = result.figures();
            boolean isMeasured = round.containsKey(side.engine)
                    && (variant == null || (side == Side.HARD && round.containsKey(variant)));
            return isMeasured ? inRound.of(round, side) : Double.NaN;
        }

        /** The engine's figure divided by the figure of the copying topology. */
        static Ratio toCopy(String name, String target, ToDoubleFunction<Figures> figure) {
            return new Ratio(
                    name,
                    target,
                    null,
                    (round, side) -> round.containsKey(side.copy)
                            ? figure.applyAsDouble(round.get(side.engine)) / figure.applyAsDouble(round.get(side.copy))
                            : Double.NaN);
        }

        /** A variant's throughput divided by the engine's throughput. */
        static Ratio toEngine(String name, String target, Variant variant) {
            return new Ratio(
                    name,
                    target,
                    variant,
                    (round, side) -> round.get(variant).throughput().perSecond()
                            / round.get(side.engine).throughput().perSecond());
        }
    }

    /** Processor time of a variant and the broker together. */
    private static double bothCpuMicros(Figures figures) {
        return figures.throughput().cpuMicros() + figures.throughput().brokerCpuMicros();
    }

    private static final List<Ratio> RATIOS = List.of(
            Ratio.toCopy(
                    "throughputRatio", ">= 0.9", figures -> figures.throughput().perSecond()),
            Ratio.toCopy("cpuRatio", "<= 1.15", figures -> figures.throughput().cpuMicros()),
            Ratio.toCopy("brokerCpuRatio", "", figures -> figures.throughput().brokerCpuMicros()),
            Ratio.toCopy(
                    "latencyP50Ratio", "<= 1.1", figures -> figures.latencies().p50()),
            Ratio.toCopy(
                    "latencyP99Ratio", "<= 1.1", figures -> figures.latencies().p99()),
            Ratio.toEngine("dimensionRatio", ">= 0.9", Variant.WIDE),
            Ratio.toEngine("monitorRatio", ">= 0.9", Variant.MONITORED),
            Ratio.toEngine("manyModelsRatio", "", Variant.MANY_MODELS),
            Ratio.toEngine("lateLabelsRatio", ">= 0.5", Variant.LATE_LABELS),
            Ratio.toEngine("settingsRatio", "", Variant.SETTINGS),
            Ratio.toEngine("challengerRatio", ">= 0.8", Variant.CHALLENGER),
            Ratio.toEngine("challengersRatio", ">= 0.5", Variant.CHALLENGERS),
            Ratio.toEngine("batchesRatio", ">= 2", Variant.BATCHES),
            new Ratio(
                    "batchesToCopyRatio",
                    "",
                    Variant.BATCHES,
                    (round, side) -> round.containsKey(Variant.BATCH_COPY)
                            ? round.get(Variant.BATCHES).throughput().perSecond()
                                    / round.get(Variant.BATCH_COPY).throughput().perSecond()
                            : Double.NaN),
            new Ratio(
                    "batchesCpuRatio",
                    "<= 0.5",
                    Variant.BATCHES,
                    (round, side) -> bothCpuMicros(round.get(Variant.BATCHES)) / bothCpuMicros(round.get(side.engine))),
            new Ratio(
                    "heapGrowthRatio",
                    "about 1",
                    null,
                    (round, side) -> round.get(side.engine).throughput().heapGrowth()));

    /** JSON object of the ratios, with the figures under {@code rounds} and the settings under {@code settings}. */
    String toJson() {
        ObjectNode json = new ObjectMapper().createObjectNode();
        putRatios(json, Side.HARD);
        putRatios(json.putObject("hard"), Side.HARD);
        putRatios(json.putObject("easy"), Side.EASY);
        put(json, "restartSeconds", median(BenchReport::restartSeconds));
        put(json, "replayedRecords", median(BenchReport::replayedRecords));
        put(json, "turnedLabels", turned);
        ArrayNode list = json.putArray("rounds");
        for (Result round : rounds) {
            ObjectNode node = list.addObject();
            round.figures().forEach((variant, figures) -> {
                ObjectNode raw = node.putObject(variant.jsonName());
                rows(variant).forEach((name, figure) -> put(raw, name, figure.applyAsDouble(figures)));
            });
            if (round.restart() != null) {
                node.putPOJO(Variant.RESTARTED.jsonName(), round.restart());
            }
        }
        json.putPOJO("settings", settings);
        json.put("java", System.getProperty("java.vm.version"));
        json.put("processors", Runtime.getRuntime().availableProcessors());
        return json.toString();
    }

    private void putRatios(ObjectNode json, Side side) {
        for (Ratio ratio : RATIOS) {
            put(json, ratio.name, median(round -> ratio.of(round, side)));
        }
        put(json, "errorRate", median(round -> errorRate(round, side)));
    }

    /** Writes null for NaN, which JSON does not have. */
    private static void put(ObjectNode json, String name, double number) {
        json.put(name, Double.isNaN(number) ? null : (Double) number);
    }

    /** Returns true if a variant was measured in each round. */
    boolean has(Variant variant) {
        return rounds.stream().allMatch(round -> round.figures().containsKey(variant));
    }

    /** Median of a figure of a variant over the rounds. */
    double median(Variant variant, ToDoubleFunction<Figures> figure) {
        return median(round -> figure.applyAsDouble(round.figures().get(variant)));
    }

    /** Median seconds from a start after a kill to the first prediction. */
    double restartSeconds() {
        return median(BenchReport::restartSeconds);
    }

    /** Text of at most 100 columns, 158 with all variants. */
    String toText() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "rounds: %d of %,d examples, the first %,d not measured; %s features each%n",
                rounds.size(),
                settings.examples(),
                settings.warmUp(),
                settings.data().features()));
        text.append(String.format(
                Locale.ROOT,
                "threads %d, partitions and models %d, heap %s",
                settings.threads(),
                settings.partitions(),
                settings.heap()));
        if (settings.data().models() != null) {
            text.append(String.format(
                    Locale.ROOT,
                    "; many models: %,d, %s",
                    settings.data().models(),
                    settings.data().modelsDistribution().toString().toLowerCase(Locale.ROOT)));
        }
        if (settings.data().labelsAfter() != null) {
            text.append("; labels after ").append(settings.data().labelsAfter());
        }
        if (settings.data().isChallenged()) {
            text.append("; challengers 1 and ").append(Challengers.MAX);
        }
        if (settings.data().batch() > 1) {
            text.append("; ").append(settings.data().batch()).append(" examples in a record");
        }
        text.append(System.lineSeparator());
        settings.data()
                .modelSettings()
                .forEach((key, value) -> text.append(String.format("settings of models: %s=%s%n", key, value)));
        List<Variant> compared = Variant.compared(settings.data());
        if (settings.data().stream().isHard()) {
            String stream = String.format(Locale.ROOT, "hard stream: a fraction %.4f of its labels is turned", turned);
            table(
                    text,
                    stream,
                    compared.stream().filter(each -> each.input().isHard()).toList());
        }
        if (settings.data().stream().isEasy()) {
            table(
                    text,
                    "easy stream: no label is turned",
                    compared.stream().filter(each -> !each.input().isHard()).toList());
        }
        text.append(String.format("%n%-26s%14s%14s%n", "median ratio", "hard", "easy"));
        for (Ratio ratio : RATIOS) {
            double hard = median(round -> ratio.of(round, Side.HARD));
            double easy = median(round -> ratio.of(round, Side.EASY));
            if (!Double.isNaN(hard) || !Double.isNaN(easy)) {
                text.append(String.format("%-26s%14s%14s", ratio.name, cell(hard, "%.3f"), cell(easy, "%.3f")))
                        .append(ratio.target.isEmpty() ? "" : "   should be " + ratio.target)
                        .append(System.lineSeparator());
            }
        }
        if (settings.data().isRestarted()) {
            text.append(String.format(
                    Locale.ROOT,
                    "%nafter kill -9: first prediction after %.2f s, %,.0f records replayed (medians)%n",
                    median(BenchReport::restartSeconds),
                    median(BenchReport::replayedRecords)));
        }
        return text.toString().stripTrailing();
    }

    private void table(StringBuilder text, String title, List<Variant> variants) {
        if (variants.isEmpty()) {
            return;
        }
        text.append(String.format("%n%s%n%-26s", title, "median"));
        String column = variants.size() > 5 ? "%12s" : "%14s";
        variants.forEach(variant -> text.append(String.format(column, variant.title())));
        // the last one is no copying topology if there is another one
        rows(variants.get(Math.min(1, variants.size() - 1))).forEach((name, figure) -> {
            text.append(String.format("%n%-26s", name));
            for (Variant variant : variants) {
                double number = rows(variant).containsKey(name)
                        ? median(round -> figure.applyAsDouble(round.figures().get(variant)))
                        : Double.NaN;
                text.append(String.format(column, cell(number, "%.4g")));
            }
        });
        text.append(System.lineSeparator());
    }

    private static String cell(double number, String format) {
        return Double.isNaN(number) ? "-" : String.format(Locale.ROOT, format, number);
    }

    /** Figures of a variant by name; the engine has all figures. */
    private static Map<String, ToDoubleFunction<Figures>> rows(Variant variant) {
        Map<String, ToDoubleFunction<Figures>> rows = new LinkedHashMap<>();
        rows.put("examplesPerSecond", figures -> figures.throughput().perSecond());
        rows.put("cpuMicrosPerExample", figures -> figures.throughput().cpuMicros());
        rows.put("brokerCpuMicrosPerExample", figures -> figures.throughput().brokerCpuMicros());
        rows.put("stolenPercent", figures -> figures.throughput().stolenPercent());
        if (variant.isLatencyMeasured()) {
            rows.put("latencyP50Ms", figures -> figures.latencies().p50());
            rows.put("latencyP99Ms", figures -> figures.latencies().p99());
        }
        rows.put("heapBeforeBytes", figures -> figures.throughput().heapBefore());
        rows.put("heapAfterBytes", figures -> figures.throughput().heapAfter());
        if (!variant.isCopy()) {
            rows.put("errorRate", Figures::errorRate);
        }
        return rows;
    }

    private static double errorRate(Result round, Side side) {
        Figures engine = round.figures().get(side.engine);
        return engine == null ? Double.NaN : engine.errorRate();
    }

    private static double restartSeconds(Result round) {
        return round.restart() == null ? Double.NaN : round.restart().seconds();
    }

    private static double replayedRecords(Result round) {
        return round.restart() == null ? Double.NaN : round.restart().replayedRecords();
    }

    /** Returns the median over the rounds; NaN if a round has NaN. */
    private double median(ToDoubleFunction<Result> figure) {
        double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
        int half = sorted.length / 2;
        if (Double.isNaN(sorted[sorted.length - 1])) {
            return Double.NaN;
        }
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }
}
