package io.perceptronstreams.cli;

import io.perceptronstreams.serde.ExampleFormat;
import io.perceptronstreams.serde.ExampleSource;
import io.perceptronstreams.serde.LabelType;
import io.perceptronstreams.serde.TagColumn;
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
final class ProduceCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "Text with examples, gzipped or not; - is standard input.")
    String file;

    @Option(names = "--model", required = true, paramLabel = "MODEL", description = "Model to learn from them.")
    String model;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description =
                    "libsvm, csv (header line), jsonl, vw or conllu; guessed from the file's name. conllu: a sentence is a"
                            + " sequence with the features b, w=WORD, l=lower case, s1= s2= s3= suffixes, p1= p2= prefixes,"
                            + " -1= and +1= the words before and after, digit, hyphen, capital.")
    ExampleFormat format;

    @Option(
            names = "--label-type",
            paramLabel = "TYPE",
            defaultValue = "AUTO",
            description =
                    "int, string, or auto: whole numbers are ints, names are strings, and all are as the first is.")
    LabelType labelType;

    @Option(
            names = "--label-column",
            paramLabel = "NAME",
            description = "csv: column of the labels (default: label); none: no labels.")
    String labelColumn;

    @Option(
            names = "--id-column",
            paramLabel = "NAME",
            description = "csv: column of the examples' ids (default: made of file and line).")
    String idColumn;

    @Option(
            names = "--id-prefix",
            paramLabel = "TEXT",
            description = "What comes before the line in ids (default: the file's name).")
    String idPrefix;

    @Option(
            names = "--tag",
            paramLabel = "COLUMN",
            description = "conllu: column of the tags, upos (the default) or xpos.")
    TagColumn tagColumn;

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
        ExampleSource source = new ExampleSource(
                file,
                format(),
                labelType,
                labelColumn,
                idColumn,
                idPrefix,
                tagColumn == null ? TagColumn.UPOS : tagColumn);
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
        if (source.format() != ExampleFormat.CSV && (labelColumn != null || idColumn != null)) {
            throw wrong("--label-column and --id-column must go with csv, got " + source.format());
        }
        if (source.format() != ExampleFormat.CONLLU && tagColumn != null) {
            throw wrong("--tag must go with conllu, got " + source.format());
        }
        if (source.format() == ExampleFormat.CONLLU && labelType != LabelType.AUTO) {
            throw wrong("--label-type must not go with conllu, whose labels are tags, got " + labelType);
        }
        Production production = new Production(
                source,
                model,
                repeat,
                limit == null ? Long.MAX_VALUE : limit,
                rate == null ? Double.POSITIVE_INFINITY : rate);
        Production.Summary summary = production.run(client.engineConfig());
        spec.commandLine().getOut().println(isJson ? summary.toJson() : summary.toText());
        return 0;
    }

    private ExampleFormat format() {
        if (format != null) {
            return format;
        }
        return ExampleFormat.ofFileName(file)
                .orElseThrow(() ->
                        wrong("--format must be given where the file's name does not tell it, got '" + file + "'"));
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
