package io.perceptronstreams.cli;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.ErrorMessage;
import io.perceptronstreams.event.Example;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.ExampleReader;
import io.perceptronstreams.format.ExampleSource;
import io.perceptronstreams.format.InputFile;
import io.perceptronstreams.format.LabelType;
import io.perceptronstreams.format.MalformedExampleException;
import io.perceptronstreams.format.ReadNotes;
import io.perceptronstreams.format.TagColumn;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options for reading examples from a file. */
final class SourceOptions {
    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description =
                    "libsvm, csv (header line; .tsv, too), arff (of Weka, MOA, KEEL), jsonl (or a JSON array of objects), vw or conllu"
                            + " (default: by file name). libsvm: indices are kept, mostly from 1, while the indices of a JSON array"
                            + " of features begin with 0. conllu: a sentence is a sequence with the features b, w=WORD, l=lower case, s1= s2= s3= suffixes, p1= p2= prefixes,"
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

    @Mixin
    ColumnOptions columns = new ColumnOptions();

    @Option(
            names = "--tag",
            paramLabel = "COLUMN",
            description = "conllu: column of the tags, upos (the default) or xpos.")
    TagColumn tagColumn;

    @Option(
            names = "--encoding",
            paramLabel = "NAME",
            description =
                    "Encoding of the text, such as windows-1252 (default: UTF-8, or UTF-16 with a byte order mark).")
    Charset encoding;

    @Option(
            names = "--on-error",
            paramLabel = "ACTION",
            defaultValue = "stop",
            description =
                    "What to do with a malformed example: stop, or skip, which names the first five and counts them all"
                            + " (default: ${DEFAULT-VALUE}).")
    OnError onError = OnError.stop;

    @Option(
            names = "--dry-run",
            description =
                    "Read the whole file, print what each column of a csv or arff and each field of JSON objects is taken for, and do no more.")
    boolean isDryRun;

    /** Maximum number of labels that a dry run counts, and that it shows. */
    private static final int MAX_LABELS = 10_000;

    private static final int MAX_SHOWN_LABELS = 10;
    private static final int MAX_LABEL_CHARS = 80;

    /** Of the last source. */
    private ReadNotes notes;

    /** Actions on a malformed example. */
    enum OnError {
        stop,
        skip
    }

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
                        .orElseThrow(() -> new ParameterException(command, unknownFormat(file)));
        columns.check(known, command);
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
                idPrefix,
                tagColumn == null ? TagColumn.UPOS : tagColumn,
                columns.options(command),
                columns.nested(),
                encoding,
                onError == OnError.skip,
                notes(command));
    }

    /** The message for a file whose name implies no format: its first bytes may show that it has none of them. */
    private static String unknownFormat(String file) {
        try {
            if (Files.isRegularFile(Path.of(file))) {
                InputFile.requireText(file);
            }
        } catch (IOException e) {
            return ErrorMessage.of(e).lines().get(0);
        }
        return "--format must be given unless the file's name implies it, got '" + file
                + "' (.libsvm, .svm, .csv, .tsv, .arff, .jsonl, .json, .vw and .conllu do, with .gz or without)";
    }

    private ReadNotes notes(CommandLine command) {
        notes = notes == null
                ? new ReadNotes(line -> {
                    command.getErr().println(line);
                    command.getErr().flush();
                })
                : notes.ofOtherText();
        return notes;
    }

    /** Reports on standard error how many examples of a source were skipped. */
    static void reportSkipped(ExampleSource source, CommandLine command) {
        if (source.notes().skipped() > 0) {
            command.getErr()
                    .printf(
                            Locale.ROOT,
                            "skipped %,d examples of %s%n",
                            source.notes().skipped(),
                            source.file());
            command.getErr().flush();
        }
    }

    /**
     * Reads a source to its end and prints how it is read.
     *
     * @throws IOException if it cannot be read
     * @throws CommandFailedException if an example is malformed
     */
    static void dryRun(ExampleSource source, CommandLine command) throws IOException {
        PrintWriter out = command.getOut();
        long examples = 0;
        long labelled = 0;
        Map<String, Long> labels = new LinkedHashMap<>();
        try (ExampleReader reader = source.open(1)) {
            reader.describe();
            List<String> description = reader.description();
            description.forEach(out::println);
            source.noteTwoLabels(reader);
            out.flush();
            for (Example example = reader.next(); example != null; example = reader.next()) {
                examples++;
                Object label = example.getLabel();
                labelled += label == null ? 0 : 1;
                // of sequences each label is another one
                if ((label instanceof Integer || label instanceof CharSequence)
                        && (labels.size() < MAX_LABELS || labels.containsKey(label.toString()))) {
                    labels.merge(label.toString(), 1L, Long::sum);
                }
            }
            if (description.isEmpty()) {
                // known only now
                reader.description().forEach(out::println);
            }
            if (examples > 0 && labelled == 0) {
                source.noteUnlabelled(reader);
            }
        } catch (MalformedExampleException e) {
            throw new CommandFailedException(
                    e.getMessage() + (e.isSkipAdvised() ? "; --on-error skip takes the other examples" : ""), e);
        }
        if (!labels.isEmpty()) {
            out.println("labels: " + counted(labels));
        }
        out.printf(
                Locale.ROOT,
                "%,d examples, %,d of them with a label; nothing was sent or learned%n",
                examples,
                labelled);
        out.flush();
        reportSkipped(source, command);
    }

    /** The most frequent labels first; of equally frequent ones the one seen first. */
    private static String counted(Map<String, Long> labels) {
        String first = labels.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
                .limit(MAX_SHOWN_LABELS)
                .map(each -> String.format(
                        Locale.ROOT,
                        "%s %,d",
                        Utf8Slice.shortened(each.getKey(), MAX_LABEL_CHARS).replaceAll("\\p{Cntrl}", "\ufffd"),
                        each.getValue()))
                .collect(Collectors.joining(", "));
        return labels.size() <= MAX_SHOWN_LABELS
                ? first
                : first
                        + String.format(
                                Locale.ROOT,
                                ", … (%s%,d labels)",
                                labels.size() == MAX_LABELS ? "at least " : "",
                                labels.size());
    }
}
