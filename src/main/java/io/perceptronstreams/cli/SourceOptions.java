package io.perceptronstreams.cli;

import io.perceptronstreams.format.ColumnNamespaces;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.LabelType;
import io.perceptronstreams.format.TagColumn;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options for reading examples from a file. */
final class SourceOptions {
    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description =
                    "libsvm, csv (header line), jsonl, vw or conllu (default: by file name). conllu: a sentence is a"
                            + " sequence with the features b, w=WORD, l=lower case, s1= s2= s3= suffixes, p1= p2= prefixes,"
                            + " -1= and +1= the words before and after, digit, hyphen, capital.")
    ExampleFormat format;

    @Option(
            names = "--label-type",
            paramLabel = "TYPE",
            defaultValue = "AUTO",
            description =
                    "int, string, or auto: the first label determines the type, int for a whole number, true or false"
                            + " (1 or 0), else string.")
    LabelType labelType;

    @Option(
            names = "--label-column",
            paramLabel = "NAME",
            description = "csv: column of the labels (default: label); none: no labels.")
    String labelColumn;

    @Option(
            names = "--id-column",
            paramLabel = "NAME",
            description = "csv: column of ids, which is not a feature (default: ids of file name and line number).")
    String idColumn;

    @Option(
            names = "--namespaces",
            paramLabel = "NAMESPACE=COLUMN[,COLUMN...]",
            description =
                    "csv: namespace of the features of columns, for the setting crosses: user=age makes the column age"
                            + " the feature user^age. Repeatable.")
    List<String> namespaces;

    @Option(
            names = "--tag",
            paramLabel = "COLUMN",
            description = "conllu: column of the tags, upos (the default) or xpos.")
    TagColumn tagColumn;

    /**
     * Returns the source of examples in a file.
     *
     * @param idPrefix prefix of generated ids; null for the file's name
     * @throws ParameterException if options contradict each other or the format is unknown
     */
    ExampleSource source(String file, String idPrefix, CommandLine command) {
        ExampleFormat known = format != null
                ? format
                : ExampleFormat.ofFileName(file)
                        .orElseThrow(() -> new ParameterException(
                                command,
                                "--format must be given unless the file's name implies it, got '" + file + "'"));
        if (known != ExampleFormat.CSV && (labelColumn != null || idColumn != null)) {
            throw new ParameterException(command, "--label-column and --id-column must be used with csv, got " + known);
        }
        if (known != ExampleFormat.CSV && namespaces != null) {
            throw new ParameterException(
                    command,
                    "--namespaces must be used with csv, got " + known + " (other formats have them in their names)");
        }
        if (known != ExampleFormat.CONLLU && tagColumn != null) {
            throw new ParameterException(command, "--tag must be used with conllu, got " + known);
        }
        if (known == ExampleFormat.CONLLU && labelType != LabelType.AUTO) {
            throw new ParameterException(
                    command, "--label-type must not be used with conllu, whose labels are tags, got " + labelType);
        }
        return new ExampleSource(
                file,
                known,
                labelType,
                labelColumn,
                idColumn,
                idPrefix,
                tagColumn == null ? TagColumn.UPOS : tagColumn,
                columnNamespaces(command));
    }

    private ColumnNamespaces columnNamespaces(CommandLine command) {
        try {
            return namespaces == null ? ColumnNamespaces.NONE : ColumnNamespaces.parse(namespaces);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command, "--namespaces " + e.getMessage());
        }
    }
}
