package io.perceptronstreams.cli;

import io.perceptronstreams.client.AtomicFile;
import io.perceptronstreams.client.Confirmation;
import io.perceptronstreams.client.ModelKey;
import io.perceptronstreams.client.ModelWeights;
import io.perceptronstreams.client.SnapshotReader;
import io.perceptronstreams.client.WeightsExport;
import io.perceptronstreams.client.WeightsFile;
import io.perceptronstreams.client.WeightsImport;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.format.InputFile;
import io.perceptronstreams.format.LabelType;
import io.perceptronstreams.settings.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perceptron weights …}: shows, exports and imports weights. */
@Command(
        name = "weights",
        mixinStandardHelpOptions = true,
        description = "Show or export the published weights of a model, or import weights into a model.")
public final class WeightsCommand {
    private static final int DEFAULT_TOP = 20;

    @Spec
    CommandSpec spec;

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description =
                    "Show the latest snapshot, or with MODEL@NAME a named one; perceptron models snapshot MODEL publishes a new one.")
    int show(
            @Mixin ClientOptions client,
            @Parameters(paramLabel = "MODEL") String model,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            description = "Only the N largest weights (default: 20 as text, all as JSON).")
                    Integer top,
            @Option(
                            names = "--names",
                            paramLabel = "FILE",
                            description =
                                    "Show the feature names of the examples in FILE (csv, jsonl, vw or conllu, by file name),"
                                            + " too, besides those that the model keeps (names.max); several names of one"
                                            + " index are separated by |.")
                    String names,
            @Mixin ColumnOptions columns,
            @Option(names = "--json", description = "Print one JSON object.") boolean isJson)
            throws IOException {
        Usage.atLeast(1, "--limit", top, spec);
        if (names == null && columns.isGiven()) {
            throw new ParameterException(
                    spec.commandLine(), "options of columns, such as --label-column, must be used with --names");
        }
        ModelWeights weights = SnapshotReader.latest(client.engineConfig(), model);
        if (names != null) {
            SourceOptions options = new SourceOptions();
            options.labelType = LabelType.AUTO;
            options.columns = columns;
            weights = weights.withNames(options.source(names, null, spec.commandLine()));
        }
        if (isJson) {
            weights.top(top == null ? Integer.MAX_VALUE : top)
                    .writeJson(model, spec.commandLine().getOut());
        } else {
            weights.writeText(
                    model, top == null ? DEFAULT_TOP : top, spec.commandLine().getOut());
        }
        return 0;
    }

    @Command(
            name = "export",
            mixinStandardHelpOptions = true,
            description =
                    "Export the latest snapshot, or with MODEL@NAME a named one, as json or avro, which weights import restores bit for bit, or as vw:"
                            + " lines name:index:weight of a linear model, which cannot be imported.")
    int export(
            @Mixin ClientOptions client,
            @Parameters(paramLabel = "MODEL") String model,
            @Option(
                            names = "--format",
                            paramLabel = "FORMAT",
                            defaultValue = "JSON",
                            description = "json, avro or vw (default: json).")
                    WeightsExport.Format format,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            description = "Only the N largest weights of each vector; cannot be imported.")
                    Integer top,
            @Option(
                            names = {"-o", "--output"},
                            paramLabel = "FILE",
                            description = "File to write (default: standard output; required for avro).")
                    Path output)
            throws IOException {
        Usage.atLeast(1, "--limit", top, spec);
        if (format == WeightsExport.Format.AVRO && output == null) {
            throw new ParameterException(spec.commandLine(), "--output must be given with avro, which is not text");
        }
        List<WeightsSnapshot> chunks = SnapshotReader.latestChunks(client.engineConfig(), model);
        if (format == WeightsExport.Format.VW
                && "true".equals(chunks.get(0).getSettings().get(Settings.STACKED.name()))) {
            spec.commandLine()
                    .getErr()
                    .println(
                            "vw has the weights of the score, without the second stage of stacked=true, which decides the"
                                    + " label (json and avro have it)");
        }
        WeightsExport export = new WeightsExport(model, chunks, top == null ? Integer.MAX_VALUE : top);
        if (output == null) {
            export.write(format, spec.commandLine().getOut());
        } else {
            AtomicFile.write(output, out -> export.write(format, out));
        }
        return 0;
    }

    @Command(
            name = "import",
            mixinStandardHelpOptions = true,
            description =
                    "Replace or create a model by the weights of weights export or of fit, with settings and counts, at"
                            + " one position in the log. The model continues from there in a new epoch.")
    int importFile(
            @Mixin ConfirmOptions options,
            @Parameters(index = "0", paramLabel = "MODEL") String model,
            @Parameters(index = "1", paramLabel = "FILE", description = "json or avro; - is standard input.")
                    String file,
            @Option(
                            names = "--comparator",
                            description =
                                    "Keep the model and compare it with these weights from now on: its status then"
                                            + " contains their loss and the resulting bound on the updates.")
                    boolean isComparator,
            @Mixin Question question)
            throws IOException {
        Confirmation confirmation = options.confirmation(spec);
        String name = file.equals("-") ? "standard input" : file;
        ModelKey.ofNew(model);
        try (WeightsFile weights = WeightsFile.open(InputFile.open(file), name)) {
            if (!isComparator) {
                question.requireYes(
                        "import", "Replace everything that " + model + " has learned by the weights of " + name + "?");
            }
            EngineConfig config = options.client.engineConfig();
            (isComparator ? WeightsImport.ofComparator(config, model) : WeightsImport.ofModel(config, model))
                    .send(weights, name, confirmation, spec.commandLine().getOut());
        }
        return 0;
    }
}
