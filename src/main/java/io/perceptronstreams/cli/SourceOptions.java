package io.perceptronstreams.cli;

import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import io.perceptronstreams.format.TagColumn;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** How to read examples from a text. */
final class SourceOptions {
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
            description = "csv: column of the examples' ids, which is no feature (default: made of file and line).")
    String idColumn;

    @Option(
            names = "--tag",
            paramLabel = "COLUMN",
            description = "conllu: column of the tags, upos (the default) or xpos.")
    TagColumn tagColumn;

    /**
     * The text in a file.
     *
     * @param idPrefix what ids start with where the text gives none; null: the file's name
     * @throws ParameterException if options contradict each other, or do not tell how to read it
     */
    ExampleSource source(String file, String idPrefix, CommandLine command) {
        ExampleFormat known = format != null
                ? format
                : ExampleFormat.ofFileName(file)
                        .orElseThrow(() -> new ParameterException(
                                command,
                                "--format must be given where the file's name does not tell it, got '" + file + "'"));
        if (known != ExampleFormat.CSV && (labelColumn != null || idColumn != null)) {
            throw new ParameterException(command, "--label-column and --id-column must go with csv, got " + known);
        }
        if (known != ExampleFormat.CONLLU && tagColumn != null) {
            throw new ParameterException(command, "--tag must go with conllu, got " + known);
        }
        if (known == ExampleFormat.CONLLU && labelType != LabelType.AUTO) {
            throw new ParameterException(
                    command, "--label-type must not go with conllu, whose labels are tags, got " + labelType);
        }
        return new ExampleSource(
                file,
                known,
                labelType,
                labelColumn,
                idColumn,
                idPrefix,
                tagColumn == null ? TagColumn.UPOS : tagColumn);
    }
}
