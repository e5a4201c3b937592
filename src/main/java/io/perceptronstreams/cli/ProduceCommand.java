package io.perceptronstreams.cli;

import io.perceptronstreams.client.ExampleProducer;
import io.perceptronstreams.format.ExampleSource;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perceptron produce FILE}: examples from a text to the examples topic. */
@Command(
        name = "produce",
        mixinStandardHelpOptions = true,
        description = "Send the examples of a file to a model.",
        sortOptions = false)
public final class ProduceCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "Text with examples, gzipped or not; - is standard input.")
    String file;

    @Option(names = "--model", required = true, paramLabel = "MODEL", description = "Model to learn from them.")
    String model;

    @Mixin
    SourceOptions sourceOptions;

    @Option(
            names = "--id-prefix",
            paramLabel = "TEXT",
            description = "What comes before the line in ids (default: the file's name).")
    String idPrefix;

    @Option(names = "--rate", paramLabel = "N", description = "Examples per second at most.")
    Double rate;

    @Option(names = "--limit", paramLabel = "N", description = "Stop after so many examples.")
    Long limit;

    @Option(names = "--repeat", paramLabel = "N", defaultValue = "1", description = "How many times to send the file.")
    int repeat;

    @Option(names = "--json", description = "Print the summary as JSON.")
    boolean isJson;

    @Mixin
    ClientOptions client;

    @Spec
    CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        ExampleSource source = sourceOptions.source(file, idPrefix, spec.commandLine());
        if (repeat < 1) {
            throw wrong("--repeat must be at least 1, got " + repeat);
        }
        if (repeat > 1 && source.isStandardInput()) {
            throw wrong("--repeat must be 1 for standard input, which comes only once, got " + repeat);
        }
        if (rate != null && !(rate > 0)) {
            throw wrong("--rate must be more than 0, got " + rate);
        }
        if (limit != null && limit < 0) {
            throw wrong("--limit must be at least 0, got " + limit);
        }
        ExampleProducer production = new ExampleProducer(
                source,
                model,
                repeat,
                limit == null ? Long.MAX_VALUE : limit,
                rate == null ? Double.POSITIVE_INFINITY : rate);
        ExampleProducer.Summary summary = production.run(client.engineConfig());
        spec.commandLine().getOut().println(isJson ? summary.toJson() : summary.toText());
        return 0;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
