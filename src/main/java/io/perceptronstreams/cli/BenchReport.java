package io.perceptronstreams.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.cli.BenchRound.Figures;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Ratios of engine and copying topology, each taken within a round; what is told is the median over the rounds. */
record BenchReport(BenchSettings settings, List<Map<Contestant, Figures>> rounds) {

    /**
     * A ratio to be told.
     *
     * @param wanted what it should be
     * @param of what it is in a round
     */
    private record Ratio(String name, String wanted, ToDoubleFunction<Map<Contestant, Figures>> of) {}

    private static final List<Ratio> RATIOS = List.of(
            new Ratio(
                    "throughputRatio",
                    ">= 0.9",
                    round -> ratio(
                            round, Contestant.COPY, figures -> figures.drain().perSecond())),
            new Ratio(
                    "cpuRatio",
                    "<= 1.15",
                    round -> ratio(
                            round, Contestant.COPY, figures -> figures.drain().cpuMicros())),
            new Ratio(
                    "latencyP50Ratio",
                    "<= 1.1",
                    round -> ratio(
                            round,
                            Contestant.COPY,
                            figures -> figures.latencies().p50())),
            new Ratio(
                    "latencyP99Ratio",
                    "<= 1.1",
                    round -> ratio(
                            round,
                            Contestant.COPY,
                            figures -> figures.latencies().p99())),
            new Ratio("dimensionRatio", ">= 0.9", round -> shareOfEngine(round, Contestant.WIDE)),
            new Ratio("monitorRatio", ">= 0.9", round -> shareOfEngine(round, Contestant.MONITORED)),
            new Ratio(
                    "heapGrowthRatio",
                    "about 1",
                    round -> round.get(Contestant.ENGINE).drain().heapGrowth()));

    /** The engine's figure by that of another contestant. */
    private static double ratio(Map<Contestant, Figures> round, Contestant other, ToDoubleFunction<Figures> figure) {
        return figure.applyAsDouble(round.get(Contestant.ENGINE)) / figure.applyAsDouble(round.get(other));
    }

    /** Another contestant's throughput by that of the engine. */
    private static double shareOfEngine(Map<Contestant, Figures> round, Contestant other) {
        return 1 / ratio(round, other, figures -> figures.drain().perSecond());
    }

    /** For machines: the ratios, and under {@code rounds} and {@code settings} what they come from. */
    String toJson() {
        ObjectNode json = new ObjectMapper().createObjectNode();
        for (Ratio ratio : RATIOS) {
            json.put(ratio.name, median(ratio.of));
        }
        json.put("errorRate", median(round -> round.get(Contestant.ENGINE).errorRate()));
        ArrayNode list = json.putArray("rounds");
        for (Map<Contestant, Figures> round : rounds) {
            ObjectNode node = list.addObject();
            round.forEach((contestant, figures) -> {
                ObjectNode raw = node.putObject(contestant.name().toLowerCase(Locale.ROOT));
                rows(contestant).forEach((name, figure) -> raw.put(name, figure.applyAsDouble(figures)));
            });
        }
        json.putPOJO("settings", settings);
        json.put("java", System.getProperty("java.vm.version"));
        json.put("processors", Runtime.getRuntime().availableProcessors());
        return json.toString();
    }

    /** For people. */
    String toText() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%d rounds of %,d examples with %d non-zeros, the first %,d not measured; threads %d, models %d, heap %s%n",
                rounds.size(),
                settings.examples(),
                BenchStream.NON_ZEROS,
                settings.warmUp(),
                settings.threads(),
                settings.models(),
                settings.heap()));
        text.append(String.format(Locale.ROOT, "%-22s", "median over rounds"));
        for (Contestant contestant : Contestant.values()) {
            text.append(String.format(Locale.ROOT, "%14s", contestant.title()));
        }
        rows(Contestant.ENGINE).forEach((name, figure) -> {
            text.append(String.format(Locale.ROOT, "%n%-22s", name));
            for (Contestant contestant : Contestant.values()) {
                text.append(
                        rows(contestant).containsKey(name)
                                ? String.format(
                                        Locale.ROOT,
                                        "%14.4g",
                                        median(round -> figure.applyAsDouble(round.get(contestant))))
                                : String.format("%14s", "-"));
            }
        });
        text.append(System.lineSeparator());
        for (Ratio ratio : RATIOS) {
            text.append(String.format(
                    Locale.ROOT, "%n%-22s%14.3f   should be %s", ratio.name, median(ratio.of), ratio.wanted));
        }
        return text.toString();
    }

    private static Map<String, ToDoubleFunction<Figures>> rows(Contestant contestant) {
        Map<String, ToDoubleFunction<Figures>> rows = new LinkedHashMap<>();
        rows.put("examplesPerSecond", figures -> figures.drain().perSecond());
        rows.put("cpuMicrosPerExample", figures -> figures.drain().cpuMicros());
        rows.put("stolenPercent", figures -> figures.drain().stolenPercent());
        if (contestant.isLatencyMeasured()) {
            rows.put("latencyP50Ms", figures -> figures.latencies().p50());
            rows.put("latencyP99Ms", figures -> figures.latencies().p99());
        }
        rows.put("heapBeforeBytes", figures -> figures.drain().heapBefore());
        rows.put("heapAfterBytes", figures -> figures.drain().heapAfter());
        if (contestant != Contestant.COPY) {
            rows.put("errorRate", Figures::errorRate);
        }
        return rows;
    }

    private double median(ToDoubleFunction<Map<Contestant, Figures>> figure) {
        double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }
}
