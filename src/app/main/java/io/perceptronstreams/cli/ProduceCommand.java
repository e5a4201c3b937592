package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.sending.ExampleProducer;
import io.perceptronstreams.sending.LabelDelay;
import io.perceptronstreams.settings.LabelSources;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perceptron produce FILE}: sends examples from a file to the examples topic. */
@Command(
        name = "produce",
        mixinStandardHelpOptions = true,
        description = "Send the examples of a file to a model, or to several.",
        sortOptions = false)
public final class ProduceCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "Text with examples, gzipped or not; - is standard input.")
    String file;

    @Option(
            names = "--model",
            required = true,
            split = ",",
            paramLabel = "MODEL",
            description = "Model that learns the examples; several, with commas between, each learn all of them.")
    List<String> models;

    @Mixin
    SourceOptions sourceOptions;

    @Option(
            names = "--id-prefix",
            paramLabel = "TEXT",
            description = "Prefix of ids, followed by the line number (default: the file's name).")
    String idPrefix;

    @Option(names = "--rate", paramLabel = "N", description = "Maximum examples per second, for each model.")
    Double rate;

    @Option(
            names = "--skip",
            paramLabel = "N",
            defaultValue = "0",
            description = "Do not send the first N examples; after a fault, N is in its message.")
    long skip;

    @Option(names = "--limit", paramLabel = "N", description = "Stop after N examples.")
    Long limit;

    @Option(names = "--repeat", paramLabel = "N", defaultValue = "1", description = "Send the file N times.")
    int repeat;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Send up to N examples of the same time in one record, at most 1000, which takes less of engine"
                            + " and brokers. Their predictions come in one record, too (default: ${DEFAULT-VALUE}).")
    int batch;

    @Option(
            names = "--labels-after",
            paramLabel = "DELAY",
            description =
                    "Send each label as an event of its own, with a delay in event time (1000ms) or in examples (100ex)."
                            + " The model needs await.labels.ms.")
    String labelsAfter;

    @Option(
            names = "--labels-only",
            description =
                    "Send only the labels, for examples that were sent without; --id-column, or the same --id-prefix,"
                            + " gives their ids.")
    boolean isLabelsOnly;

    @Option(
            names = "--source",
            paramLabel = "NAME",
            description =
                    "Source of the labels, one of the model's labels.sources; with --labels-only or --labels-after.")
    String labelSource;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "5",
            description =
                    "Maximum time to wait at the end until the engine has processed the examples, to report those that"
                            + " it refuses; 0: no report (default: ${DEFAULT-VALUE}).")
    double timeoutSeconds;

    @Option(
            names = "--allow-refused",
            paramLabel = "N",
            defaultValue = "0",
            description = "End with exit code 1 only if the engine has refused more than N of the examples and labels"
                    + " (default: ${DEFAULT-VALUE}).")
    long allowedRefusals;

    @Option(
            names = "--allow-expired",
            description =
                    "Send examples, too, that the brokers will delete within minutes by their event times, as the topic's"
                            + " retention.ms says. Without it, nothing is sent then.")
    boolean allowsExpired;

    @Option(names = "--json", description = "Print the summary as JSON, one object per model.")
    boolean isJson;

    @Mixin
    ClientOptions client;

    @Spec
    CommandSpec spec;

    private volatile long refused;

    @Override
    public Integer call() throws Exception {
        ExampleSource source = sourceOptions.source(file, idPrefix, spec.commandLine());
        Usage.atLeast(1, "--repeat", repeat, spec);
        Usage.atLeast(0, "--limit", limit, spec);
        Usage.atLeast(0, "--skip", skip, spec);
        Usage.atLeast(0, "--allow-refused", allowedRefusals, spec);
        if (repeat > 1 && source.isStandardInput()) {
            throw usageError("--repeat must be 1 for standard input, which can be read only once, got " + repeat);
        }
        if (rate != null && !(rate > 0)) {
            throw usageError("--rate must be more than 0, got " + rate);
        }
        if (!(timeoutSeconds >= 0 && timeoutSeconds <= 86_400)) {
            throw usageError("--timeout must be from 0 to 86400, got " + timeoutSeconds);
        }
        if (labelsAfter != null && isLabelsOnly) {
            throw usageError("--labels-after must not be used with --labels-only, got both");
        }
        if (labelSource != null && labelsAfter == null && !isLabelsOnly) {
            throw usageError("--source must be used with --labels-only or --labels-after: only labels of their own have"
                    + " one, got " + labelSource);
        }
        if (labelSource != null && !LabelSources.isName(labelSource)) {
            throw usageError("--source must be 1 to " + LabelSources.MAX_LENGTH
                    + " of the characters A-Z a-z 0-9 . _ -, got '" + labelSource + "'");
        }
        if (batch < 1 || batch > 1000) {
            throw usageError("--batch must be from 1 to 1000, got " + batch);
        }
        if (batch > 1 && (labelsAfter != null || isLabelsOnly)) {
            throw usageError("--batch must not be used with --labels-after or --labels-only: a label is a record of its"
                    + " own, got " + batch);
        }
        if (new HashSet<>(models).size() < models.size()) {
            throw usageError("--model must name each model once, got " + String.join(",", models));
        }
        if (sourceOptions.isDryRun) {
            SourceOptions.dryRun(source, spec.commandLine());
            return 0;
        }
        ExampleProducer producer = new ExampleProducer(
                source,
                List.copyOf(models),
                repeat,
                skip,
                limit == null ? Long.MAX_VALUE : limit,
                rate == null ? Double.POSITIVE_INFINITY : rate,
                delay(),
                isLabelsOnly,
                labelSource,
                batch,
                allowsExpired);
        producer.run(client.engineConfig(), Duration.ofMillis((long) (1000 * timeoutSeconds)), this::print);
        SourceOptions.reportSkipped(source, spec.commandLine());
        if (refused > allowedRefusals) {
            throw new CommandFailedException("at most " + allowedRefusals
                    + " examples and labels must be refused, got " + refused + " (--allow-refused " + refused
                    + " accepts that)");
        }
        return 0;
    }

    private LabelDelay delay() {
        try {
            return labelsAfter == null ? null : LabelDelay.parse(labelsAfter);
        } catch (IllegalArgumentException e) {
            throw usageError("--labels-after " + e.getMessage());
        }
    }

    private void print(List<ExampleProducer.Summary> summaries) {
        refused = summaries.stream().mapToLong(ExampleProducer.Summary::refused).sum();
        PrintWriter out = spec.commandLine().getOut();
        summaries.forEach(each -> out.println(isJson ? each.toJson() : each.toText()));
        out.flush();
    }

    private ParameterException usageError(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
