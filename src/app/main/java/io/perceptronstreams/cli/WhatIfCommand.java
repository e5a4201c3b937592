package io.perceptronstreams.cli;

import io.perceptronstreams.client.ClusterPlace;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.settings.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perceptron what-if}: what a model would be with other settings, or without some records. */
@Command(
        name = "what-if",
        mixinStandardHelpOptions = true,
        description = {
            "Learn the records of a model again, once as they are and once for each candidate, and compare the errors: what if"
                    + " it had other settings since its beginning, or had never got some records?",
            "Reads only, without --challenge and --replace; the engine may run. Candidates have the settings of the log's own commands, except for those that are"
                    + " given here. Needs all records of the model, or those since --from-tag, and the settings models.auto.create, models.idle.ms"
                    + " and misrouted of the engine, if these are not the defaults.",
            "Exit code 1, without figures, if the log does not give the model as it is: its first records were deleted, or the"
                    + " engine has other settings."
        })
public final class WhatIfCommand implements Callable<Integer> {
    @Spec
    CommandSpec spec;

    @Mixin
    ClientOptions client;

    @Parameters(paramLabel = "MODEL")
    String model;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "A setting of every candidate, such as h=1; several times for several settings.")
    Map<String, String> settings = new LinkedHashMap<>();

    @Option(
            names = "--portfolio",
            description = "Every candidate is a portfolio of learners that vote: --set portfolio=true.")
    boolean isPortfolio;

    @Option(
            names = "--grid",
            paramLabel = "KEY=A,B;…",
            description = "A candidate for each combination of values, such as 'h=0,1;eta=0.1,1'.")
    String grid;

    @Option(
            names = "--without",
            paramLabel = "P@A..B",
            description =
                    "Leave out the model's records with the offsets A to B of partition P; several times for several"
                            + " ranges. CLUSTER/P@A..B is refused on another cluster.")
    List<String> offsets = List.of();

    @Option(
            names = "--without-time",
            paramLabel = "A..B",
            description = "Leave out the model's records with an event time from A on and before B, such as"
                    + " 2026-11-01T08:00..10:00 (UTC).")
    List<String> times = List.of();

    @Option(
            names = "--without-ids",
            paramLabel = "FILE",
            description = "Leave out the examples whose ids are in FILE, one per line, with their labels.")
    Path ids;

    @Mixin
    UnsignedOption unsigned;

    @Option(
            names = "--with-unsigned",
            description =
                    "Let --save, --challenge and --replace take commands and weights without a valid signature that"
                            + " have no dead letter, as those from before commands.key was set.")
    boolean isWithUnsigned;

    @Option(
            names = "--labels",
            paramLabel = "FILE",
            description =
                    "Other labels: in each line the id of an example, a tab, and the label that it should have had; of equal"
                            + " ids the last one. A second tab and a time (in ms, or 2026-01-31T12:00:00Z) may follow:"
                            + " what came before stays.")
    Path labels;

    @Option(
            names = "--from-tag",
            paramLabel = "NAME",
            description =
                    "Start control and candidates from a named snapshot (versions list) instead of the first record, as"
                            + " where that was deleted: candidates begin with its weights, and with their own settings as after"
                            + " models set.")
    String tag;

    @Option(
            names = "--allow-unreproduced",
            description =
                    "Compare candidates also if the model is not reproduced, on the records that are there; the first line"
                            + " says so, and with --json the field reproduced.")
    boolean allowsUnreproduced;

    @Option(
            names = "--alpha",
            paramLabel = "P",
            defaultValue = "0.01",
            description =
                    "Probability that an equally good candidate is called better or worse (default: ${DEFAULT-VALUE}).")
    double alpha;

    @Option(
            names = "--save",
            paramLabel = "FILE",
            description =
                    "Write the weights of the candidate with the lowest error rate to a file for weights import; avro if the"
                            + " name ends with .avro, otherwise json.")
    Path save;

    @Option(
            names = "--challenge",
            paramLabel = "NAME",
            description =
                    "Begin a challenger with the weights of the candidate with the lowest error rate, so that it does not start"
                            + " cold (challengers show).")
    String challenger;

    @Option(
            names = "--replace",
            description =
                    "Make the model that of the only candidate, also with the examples that come meanwhile. The weights"
                            + " before are kept under the name before-replace-OFFSET (versions rollback).")
    boolean isReplacing;

    @Mixin
    Question question;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "Maximum time to wait for the engine's answers (default: ${DEFAULT-VALUE}).")
    double timeoutSeconds;

    @Option(names = "--json", description = "Print one JSON object; with --replace, one per line for each status, too.")
    boolean isJson;

    @Override
    public Integer call() throws IOException {
        if (!(alpha > 0 && alpha < 1)) {
            throw new ParameterException(spec.commandLine(), "--alpha must be between 0 and 1, got " + alpha);
        }
        Usage.atLeast(0, "--timeout", timeoutSeconds, spec);
        EngineConfig config = client.engineConfig();
        offsets = offsets.stream().map(each -> ClusterPlace.own(config, each)).toList();
        report().run(config, this);
        return 0;
    }

    private WhatIfReport report() throws IOException {
        try {
            if (isPortfolio) {
                settings.put(Settings.PORTFOLIO.name(), "true");
            }
            WhatIfReport report = new WhatIfReport(model, spec.commandLine().getOut());
            report.read(settings, grid, offsets, times, ids, labels, unsigned.isWithout);
            if (unsigned.isWithout && isWithUnsigned) {
                throw new IllegalArgumentException(
                        "--without-unsigned must be given without --with-unsigned, got both");
            }
            if (isReplacing) {
                report.requireOne("--replace");
            }
            return report;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }
}
