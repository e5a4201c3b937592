package io.perceptronstreams.cli;

import io.perceptronstreams.serde.ExampleFormat;
import io.perceptronstreams.serde.ExampleSource;
import io.perceptronstreams.serde.LabelType;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** How to read examples from a text. */
final class SourceOptions {
    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "libsvm, csv (header line), jsonl or vw; guessed from the file's name.")
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
            description = "csv: column of the examples' ids, which is no feature.")
    String idColumn;

    /**
     * The text in a file.
     *
     * @throws ParameterException if it cannot be told how to read it
     */
    ExampleSource source(String file, CommandLine command) {
        ExampleFormat known = format != null
                ? format
                : ExampleFormat.ofFileName(file)
                        .orElseThrow(() -> new ParameterException(
                                command,
                                "--format must be given where the file's name does not tell it, got '" + file + "'"));
        if (known != ExampleFormat.CSV && (labelColumn != null || idColumn != null)) {
            throw new ParameterException(command, "--label-column and --id-column must go with csv, got " + known);
        }
        return new ExampleSource(file, known, labelType, labelColumn, idColumn, null);
    }
}
