package io.perceptronstreams.cli;

import io.perceptronstreams.format.ColumnKind;
import io.perceptronstreams.format.ColumnNamespaces;
import io.perceptronstreams.format.CsvOptions;
import io.perceptronstreams.format.ExampleFormat;
import io.perceptronstreams.format.NestedValues;
import io.perceptronstreams.format.TimeFormat;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Options for reading the columns of a table, or the fields of JSON objects of any form. */
final class ColumnOptions {
    @Option(
            names = "--label-column",
            paramLabel = "NAME",
            description =
                    "csv, arff, jsonl: column or field of the labels (default: label; of arff class, or the last one); none: no labels. With this option, or"
                            + " another one of fields, a JSON object may have any form: its other fields are features.")
    String labelColumn;

    @Option(
            names = "--id-column",
            paramLabel = "NAME",
            description =
                    "csv, arff, jsonl: column of ids, which is not a feature (default: ids of file name and line number).")
    String idColumn;

    @Option(
            names = "--time",
            paramLabel = "NAME",
            description =
                    "csv, arff, jsonl: column of event times, which is not a feature: dates and times of the usual forms, or s,"
                            + " ms, us or ns since 1970. Brokers may delete old ones at once: produce says so and sends nothing.")
    String timeColumn;

    @Option(
            names = "--time-format",
            paramLabel = "FORMAT",
            description =
                    "csv, arff, jsonl: form of the event times: s, ms, us or ns since 1970, or a pattern such as dd.MM.yyyy,"
                            + " MM/dd/yyyy HH:mm:ss or dd-MMM-yy (default: found; dates with slashes by a day above 12).")
    String timeFormat;

    @Option(
            names = "--ignore",
            paramLabel = "NAME[,NAME...]",
            description = "csv, arff, jsonl: columns that are not read. Repeatable, as the next five.")
    List<String> ignored;

    @Option(
            names = "--words",
            paramLabel = "NAME[,NAME...]",
            description =
                    "csv, arff, jsonl: columns whose cells are words, also where they look like numbers or missing values;"
                            + " of csv also that of the labels, where None and the like are labels then.")
    List<String> words;

    @Option(
            names = "--numbers",
            paramLabel = "NAME[,NAME...]",
            description =
                    "csv, arff, jsonl: columns of numbers, also where they have leading zeros, are texts in JSON, or, of a table,"
                            + " amounts of one currency or unit, such as $5, 5 kg, (5) and 5-, both of which are -5.")
    List<String> numbers;

    @Option(
            names = "--text",
            paramLabel = "NAME[,NAME...]",
            description = "csv, arff, jsonl: columns of text: each word of a cell is a feature, in lower case.")
    List<String> text;

    @Option(
            names = "--dates",
            paramLabel = "NAME[,NAME...]",
            description =
                    "csv, arff, jsonl: columns of dates and times, in the forms of --time and of any year: each makes the features"
                            + " NAME.weekday=Sat and, of a time, NAME.hour=13, as written. The column of --time may be among"
                            + " them.")
    List<String> dates;

    @Option(
            names = "--days",
            paramLabel = "NAME[,NAME...]",
            description =
                    "csv, arff, jsonl: the same, or other, columns of dates and times: each makes the number NAME.days, the days"
                            + " since 1970. It is some 20,000 large, so that a model needs scale=standard.")
    List<String> days;

    @Option(
            names = "--dates-format",
            paramLabel = "FORMAT",
            description = "csv, arff, jsonl: form of the columns of --dates and --days, as --time-format.")
    String datesFormat;

    @Option(
            names = "--missing",
            paramLabel = "WORD",
            split = ",",
            description =
                    "csv, arff, jsonl: more words of missing values, besides NA, null and pandas' own. Repeatable.")
    List<String> missing;

    @Option(
            names = "--missing-feature",
            paramLabel = "NAME[,NAME...]",
            description =
                    "csv, arff, jsonl: columns whose missing values make the feature NAME=? of value 1 (default: none, so that a"
                            + " missing value adds nothing); all: every column, not of jsonl. Repeatable.")
    List<String> missingFeatures;

    @Option(
            names = "--separator",
            paramLabel = "CHAR",
            description =
                    "csv: separator of the cells, a character, tab, or blanks for any number of blanks and tabs (default:"
                            + " found in the first lines).")
    String separator;

    @Option(
            names = "--quote",
            paramLabel = "CHAR",
            description =
                    "csv: quotation mark around cells, or none: all are text (default: \", unless each line of a cell is a"
                            + " row by itself, which is refused).")
    String quote;

    @Option(
            names = "--header",
            paramLabel = "WHERE",
            description =
                    "csv: line: the first line has the names of the columns, even if it has the cells of a row; none: it is"
                            + " a row, and the columns are named 1, 2, … (default: line, but cells of a row are refused).")
    Header header;

    @Option(
            names = "--decimal",
            paramLabel = "CHAR",
            description = "csv: mark of decimals in all columns, . or , (default: found for each column).")
    String decimal;

    @Option(
            names = "--sample",
            paramLabel = "ROWS",
            description = "csv, arff: number of first rows that decide the kind of a column (default: "
                    + CsvOptions.DEFAULT_SAMPLE_ROWS + ", at most 4 MB).")
    Integer sampleRows;

    @Option(
            names = "--namespaces",
            paramLabel = "NAMESPACE=COLUMN[,COLUMN...]",
            description =
                    "csv, arff, jsonl: namespace of the features of columns, for the setting crosses: user=age makes the column age"
                            + " the feature user^age. Repeatable.")
    List<String> namespaces;

    @Option(
            names = "--flatten",
            description = "jsonl: make features of the fields of nested objects, named by their path: user.age.")
    boolean isFlattened;

    @Option(
            names = "--arrays",
            paramLabel = "FORM",
            description =
                    "jsonl: features of arrays: count, their number of elements as NAME.count; words, NAME=ELEMENT for"
                            + " each element; or ignore (default: they are refused).")
    NestedValues.Arrays arrays;

    /** Places of the names of columns. */
    enum Header {
        line,
        none
    }

    /** Returns true if an option is given. */
    boolean isGiven() {
        return isOfFields() || sampleRows != null || isOfText() || decimal != null || isOfJson();
    }

    private boolean isOfFields() {
        return Stream.of(
                        labelColumn,
                        idColumn,
                        timeColumn,
                        timeFormat,
                        ignored,
                        words,
                        numbers,
                        text,
                        dates,
                        days,
                        datesFormat,
                        missing,
                        missingFeatures,
                        namespaces)
                .anyMatch(each -> each != null);
    }

    private boolean isOfText() {
        return Stream.of(separator, quote, header).anyMatch(each -> each != null);
    }

    private boolean isOfJson() {
        return isFlattened || arrays != null;
    }

    /** @throws ParameterException if an option is given that the format does not have */
    void check(ExampleFormat format, CommandLine command) {
        boolean isTable = format == ExampleFormat.CSV || format == ExampleFormat.ARFF;
        if (format == ExampleFormat.JSONL && (sampleRows != null || isOfText())) {
            throw new ParameterException(
                    command, "--separator, --quote, --header and --sample must be used with csv, got " + format);
        }
        if (format == ExampleFormat.ARFF && (isOfText() || decimal != null)) {
            throw new ParameterException(
                    command, "--separator, --quote, --header and --decimal must be used with csv, got " + format);
        }
        if (format != ExampleFormat.JSONL && isOfJson()) {
            throw new ParameterException(command, "--flatten and --arrays must be used with jsonl, got " + format);
        }
        if (format != ExampleFormat.JSONL && !isTable && isGiven()) {
            throw new ParameterException(
                    command,
                    "options of columns, such as --label-column, must be used with csv, arff or jsonl, got " + format
                            + (namespaces == null ? "" : " (other formats have namespaces in their names)"));
        }
    }

    /** What becomes of nested values. */
    NestedValues nested() {
        return new NestedValues(isFlattened, arrays);
    }

    /** @throws ParameterException if an option has a wrong value */
    CsvOptions options(CommandLine command) {
        Usage.atLeast(1, "--sample", sampleRows, command.getCommandSpec());
        Map<ColumnKind, List<String>> kinds = new EnumMap<>(ColumnKind.class);
        put(kinds, ColumnKind.IGNORED, ignored);
        put(kinds, ColumnKind.WORDS, words);
        put(kinds, ColumnKind.NUMBERS, numbers);
        put(kinds, ColumnKind.TEXT, text);
        put(kinds, ColumnKind.DATES, dates);
        put(kinds, ColumnKind.DAYS, days);
        return new CsvOptions(
                separator(command),
                quote(command),
                header == null ? null : (Boolean) (header == Header.line),
                decimal(command),
                missing == null ? List.of() : missing,
                labelColumn,
                idColumn,
                timeColumn,
                format(command, "--time-format", timeFormat, "--time", timeColumn != null),
                format(command, "--dates-format", datesFormat, "--dates or --days", dates != null || days != null),
                columnNamespaces(command),
                kinds,
                missingFeatures == null ? List.of() : missingFeatures,
                sampleRows == null ? CsvOptions.DEFAULT_SAMPLE_ROWS : sampleRows);
    }

    private static void put(Map<ColumnKind, List<String>> kinds, ColumnKind kind, List<String> columns) {
        if (columns != null) {
            kinds.put(kind, columns);
        }
    }

    private Character separator(CommandLine command) {
        if (separator == null) {
            return null;
        }
        if (separator.equals("blanks")) {
            return CsvOptions.BLANKS;
        }
        String text = separator.equals("tab") || separator.equals("\\t") ? "\t" : separator;
        if (text.length() != 1 || "\"\r\n".contains(text) || Character.isSurrogate(text.charAt(0))) {
            throw new ParameterException(
                    command,
                    "--separator must be one character, tab or blanks, and no quotation mark, got '" + separator + "'");
        }
        return text.charAt(0);
    }

    private Character quote(CommandLine command) {
        if (quote == null || quote.equals("none")) {
            return quote == null ? null : (Character) CsvOptions.NO_QUOTE;
        }
        if (quote.length() != 1
                || Character.isLetterOrDigit(quote.charAt(0))
                || quote.isBlank()
                || quote.equals(separator)) {
            throw new ParameterException(
                    command,
                    "--quote must be one quotation mark, such as \" or ', or none, and not the separator, got '" + quote
                            + "'");
        }
        return quote.charAt(0);
    }

    private static TimeFormat format(
            CommandLine command, String option, String format, String columnOption, boolean hasColumn) {
        if (format != null && !hasColumn) {
            throw new ParameterException(
                    command, option + " must be used with " + columnOption + ", which names the column");
        }
        try {
            return format == null ? null : TimeFormat.of(format);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command, option + " " + e.getMessage());
        }
    }

    private Character decimal(CommandLine command) {
        if (decimal != null && !decimal.equals(".") && !decimal.equals(",")) {
            throw new ParameterException(command, "--decimal must be . or , got '" + decimal + "'");
        }
        return decimal == null ? null : decimal.charAt(0);
    }

    private ColumnNamespaces columnNamespaces(CommandLine command) {
        try {
            return namespaces == null ? ColumnNamespaces.NONE : ColumnNamespaces.parse(namespaces);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command, "--namespaces " + e.getMessage());
        }
    }
}
