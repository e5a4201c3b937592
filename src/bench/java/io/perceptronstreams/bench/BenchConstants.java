package io.perceptronstreams.bench;

import io.perceptronstreams.client.AtomicFile;
import io.perceptronstreams.sizing.Constants;
import io.perceptronstreams.sizing.Constants.Cost;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** Writes the measured costs of an example into a file that {@code perceptron size --constants} reads. */
final class BenchConstants {
    private static final double MICROS = 1e6;

    /** The settings of models that are learners of their own for {@code perceptron size}. */
    private static final Map<Map<String, String>, Cost> FACTORS = Map.of(
            Map.of("algorithm", "adaptive"), Cost.ADAPTIVE_FACTOR,
            Map.of("portfolio", "true"), Cost.PORTFOLIO_FACTOR);

    private final Map<Cost, Double> costs = new EnumMap<>(Cost.class);

    private BenchConstants() {}

    /** The costs in a report; those of variants that were not measured are not there. */
    static BenchConstants of(BenchReport report) {
        BenchConstants constants = new BenchConstants();
        boolean isUniform = report.settings().data().modelsDistribution() == BenchModels.Distribution.UNIFORM;
        constants.put(report, Variant.ENGINE, Cost.ONE_MICROS, Cost.ONE_CPU_MICROS, Cost.ONE_BROKER_MICROS);
        constants.put(
                report,
                Variant.MANY_MODELS,
                isUniform ? Cost.UNIFORM_MICROS : Cost.ZIPF_MICROS,
                isUniform ? Cost.UNIFORM_CPU_MICROS : Cost.ZIPF_CPU_MICROS,
                isUniform ? Cost.UNIFORM_BROKER_MICROS : Cost.ZIPF_BROKER_MICROS);
        constants.putFactor(report, Variant.LATE_LABELS, Cost.LATE_FACTOR);
        constants.putFactor(report, Variant.BATCHES, Cost.BATCH_FACTOR);
        Cost ofSettings = FACTORS.get(report.settings().data().modelSettings());
        if (ofSettings != null) {
            constants.putFactor(report, Variant.SETTINGS, ofSettings);
        }
        if (report.has(Variant.ENGINE)) {
            constants.costs.put(Cost.FEATURES, (double) report.settings().data().nonZeros());
            constants.put(
                    Cost.EXAMPLE_BYTES,
                    report.median(Variant.ENGINE, each -> each.bytes().example()));
            constants.put(
                    Cost.PREDICTION_BYTES,
                    report.median(Variant.ENGINE, each -> each.bytes().prediction()));
            constants.put(
                    Cost.MISTAKE_BYTES,
                    report.median(Variant.ENGINE, each -> each.bytes().mistake()));
        }
        if (report.has(Variant.ENGINE) && report.has(Variant.LATE_LABELS)) {
            // as many labels as examples
            constants.put(
                    Cost.LABEL_BYTES,
                    2 * report.median(Variant.LATE_LABELS, each -> each.bytes().example())
                            - constants.costs.get(Cost.EXAMPLE_BYTES));
        }
        if (report.settings().data().isRestarted()) {
            constants.put(Cost.START_SECONDS, report.restartSeconds());
        }
        return constants;
    }

    private void put(BenchReport report, Variant variant, Cost micros, Cost cpu, Cost broker) {
        if (report.has(variant)) {
            put(
                    micros,
                    report.settings().threads()
                            * MICROS
                            / report.median(variant, each -> each.throughput().perSecond()));
            put(cpu, report.median(variant, each -> each.throughput().cpuMicros()));
            put(broker, report.median(variant, each -> each.throughput().brokerCpuMicros()));
        }
    }

    private void putFactor(BenchReport report, Variant variant, Cost cost) {
        if (report.has(variant) && report.has(Variant.ENGINE)) {
            put(
                    cost,
                    report.median(Variant.ENGINE, each -> each.throughput().perSecond())
                            / report.median(variant, each -> each.throughput().perSecond()));
        }
    }

    /** Leaves out what could not be measured. */
    private void put(Cost cost, double value) {
        if (value > 0 && value < Double.POSITIVE_INFINITY) {
            costs.put(cost, value);
        }
    }

    /** Puts the costs into a file; what it has already of other variants stays. */
    void write(Path file, List<String> arguments) throws IOException {
        Properties old = new Properties();
        if (Files.exists(file)) {
            // refuses what is no such file, before it is replaced
            Constants.read(file);
            try (Reader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                old.load(in);
            }
        }
        Map<String, String> all = new TreeMap<>();
        old.stringPropertyNames().forEach(key -> all.put(key, old.getProperty(key)));
        costs.forEach((cost, value) -> all.put(cost.key(), String.format(Locale.ROOT, "%.4g", value)));
        all.put(
                "machine",
                Runtime.getRuntime().availableProcessors() + " processors (" + System.getProperty("os.arch") + ")");
        all.put("java", System.getProperty("java.version"));
        all.put("date", LocalDate.now(ZoneOffset.UTC).toString());
        all.put("command", "./bench " + String.join(" ", arguments));
        StringBuilder text = new StringBuilder();
        all.forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
        AtomicFile.write(file, out -> out.write(text.toString().getBytes(StandardCharsets.UTF_8)));
    }
}
