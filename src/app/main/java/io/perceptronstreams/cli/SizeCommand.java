package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.ErrorMessage;
import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.sizing.Constants;
import io.perceptronstreams.sizing.Figure;
import io.perceptronstreams.sizing.Learner;
import io.perceptronstreams.sizing.Load;
import io.perceptronstreams.sizing.Sizing;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code perceptron size}: what to provision for a load. */
@Command(
        name = "size",
        mixinStandardHelpOptions = true,
        description =
                "Compute what a load needs: partitions, threads, instances, memory, disk, network, time to restore. Reads"
                        + " no cluster. Each number says by which formula, from costs of one machine, most of them measured:"
                        + " those that come with the program, or those of yours, from bench --constants FILE.")
public final class SizeCommand implements Callable<Integer> {
    @Spec
    CommandSpec spec;

    @Mixin
    ClientOptions client;

    @Option(names = "--models", paramLabel = "N", required = true, description = "Number of models, such as 1e6.")
    double models;

    @Option(names = "--rate", paramLabel = "N", required = true, description = "Examples per second of all models.")
    double rate;

    @Option(
            names = "--learner",
            paramLabel = "NAME",
            defaultValue = "adaptive",
            description = "What the models are: perceptron, adaptive, which is a model without settings, or portfolio"
                    + " (default: ${DEFAULT-VALUE}).")
    Learner learner;

    @Option(
            names = "--features",
            paramLabel = "N",
            defaultValue = "40",
            description = "Non-zero features of an example (default: ${DEFAULT-VALUE}).")
    double features;

    @Option(
            names = "--weights",
            paramLabel = "N",
            description =
                    "Weights of a model: how many different features it has seen (default: ten times --features).")
    Double weights;

    @Option(
            names = "--zipf",
            paramLabel = "S",
            defaultValue = "1.1",
            description =
                    "Shares of the models: that of rank r gets a share of the examples proportional to r^-S; 0 for"
                            + " equal shares (default: ${DEFAULT-VALUE}).")
    double zipf;

    @Option(
            names = "--mistakes",
            paramLabel = "F",
            defaultValue = "0.2",
            description = "Fraction of the predictions that are wrong (default: ${DEFAULT-VALUE}).")
    double mistakes;

    @Option(
            names = "--labels-late",
            paramLabel = "F",
            defaultValue = "0",
            description = "Fraction of the examples whose label is sent later (default: ${DEFAULT-VALUE}).")
    double labelsLate;

    @Option(
            names = "--label-delay",
            paramLabel = "SECONDS",
            defaultValue = "3600",
            description = "Time from such an example to its label (default: ${DEFAULT-VALUE}).")
    double labelDelay;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "1",
            description = "Examples in a record (default: ${DEFAULT-VALUE}).")
    double batch;

    @Option(
            names = "--replication",
            paramLabel = "N",
            defaultValue = "3",
            description = "Copies of each record on the brokers (default: ${DEFAULT-VALUE}).")
    double replication;

    @Option(
            names = "--cores",
            paramLabel = "N",
            defaultValue = "4",
            description = "Processor cores of an instance of the engine (default: ${DEFAULT-VALUE}).")
    double cores;

    @Option(
            names = "--constants",
            paramLabel = "FILE",
            description = "Costs measured by bench --constants FILE; what it does not have is that of the program.")
    Path file;

    @Option(names = "--json", description = "Print one JSON object per number.")
    boolean isJson;

    @Override
    public Integer call() {
        check();
        EngineConfig config = client.engineConfig();
        Constants constants = constants();
        Load load = new Load(
                learner,
                models,
                rate,
                features,
                weights == null ? 10 * features : weights,
                zipf,
                labelsLate,
                labelDelay,
                mistakes,
                batch,
                replication,
                cores,
                config.get(EngineConfigDef.CHECKPOINT_INTERVAL_MS) / 1e3,
                config.commitIntervalMs() / 1e3);
        List<Figure> figures = Sizing.of(constants, load, config.get(EngineConfigDef.STORE_CACHE_BYTES))
                .figures();
        PrintWriter out = spec.commandLine().getOut();
        if (isJson) {
            figures.forEach(each -> out.println(EventFormat.json(each)));
            return 0;
        }
        int names =
                figures.stream().mapToInt(each -> each.name().length()).max().orElse(1);
        int values =
                figures.stream().mapToInt(each -> text(each).length()).max().orElse(1);
        for (Figure each : figures) {
            out.println(String.format(
                    Locale.ROOT,
                    "%-" + names + "s  %-" + values + "s  %s: %s",
                    each.name(),
                    text(each),
                    each.isMeasured() ? "measured" : "computed",
                    each.how()));
        }
        out.println("Costs measured on " + constants.origin() + ". Another machine differs: bench --constants FILE"
                + " measures yours.");
        if (!constants.estimated().isEmpty()) {
            out.println("Estimated, not measured: " + String.join(", ", constants.estimated()));
        }
        if (!constants.missing().isEmpty()) {
            out.println("Not in " + file + ", so those of the program: " + String.join(", ", constants.missing()));
        }
        return 0;
    }

    private void check() {
        atLeast("--models", models, 1);
        atLeast("--rate", rate, 0);
        atLeast("--features", features, 1);
        atLeast("--weights", weights == null ? 1 : weights, 1);
        atLeast("--zipf", zipf, 0);
        atLeast("--label-delay", labelDelay, 0);
        atLeast("--batch", batch, 1);
        atLeast("--replication", replication, 1);
        atLeast("--cores", cores, 1);
        fraction("--mistakes", mistakes);
        fraction("--labels-late", labelsLate);
    }

    private static void atLeast(String option, double value, double least) {
        if (!(value >= least && value <= 1e15)) {
            throw CommandFailedException.wrongUsage(
                    String.format(Locale.ROOT, "%s must be from %.0f to 1e15, got %s", option, least, value));
        }
    }

    private static void fraction(String option, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw CommandFailedException.wrongUsage(option + " must be from 0 to 1, got " + value);
        }
    }

    private Constants constants() {
        if (file == null) {
            return Constants.shipped();
        }
        try {
            return Constants.read(file);
        } catch (IOException e) {
            throw CommandFailedException.wrongUsage("--constants cannot be read: " + ErrorMessage.of(e));
        } catch (IllegalArgumentException e) {
            throw CommandFailedException.wrongUsage("--constants " + e.getMessage());
        }
    }

    /** Three significant digits, and no more decimals than that. */
    private static String text(Figure figure) {
        double value = figure.value();
        String number = value >= 100 || value == Math.rint(value)
                ? String.format(Locale.ROOT, "%,.0f", value)
                : String.format(Locale.ROOT, value >= 10 ? "%.1f" : value >= 1 ? "%.2f" : "%.3f", value);
        return figure.unit().isEmpty() ? number : number + " " + figure.unit();
    }
}
