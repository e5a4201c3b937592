package io.perceptronstreams.format;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Options for reading a table; what is not given is decided over a sample of its first rows.
 *
 * @param separator of the cells; null: decided
 * @param quote quotation mark around cells, or {@link #NO_QUOTE}; null: double ones, if they do not seem to be text
 * @param hasHeader false: the first line is a row, and the columns are named 1, 2, …; null: true, if it does not seem
 *     to be a row
 * @param decimal mark of decimals in all columns of numbers, a point or a comma; null: decided for each column
 * @param missing words of missing values, besides {@link CsvColumn}'s
 * @param labelColumn the label's column, {@code none} for no label; null: {@code label}
 * @param idColumn the ids' column, or null
 * @param timeColumn the event times' column, or null
 * @param timeFormat of the event times; null: decided
 * @param datesFormat of the columns of dates; null: decided
 * @param namespaces of the columns
 * @param kinds the columns of features whose kind is given; each text is a name, or names with commas between
 * @param missingFeatures columns of which a missing value makes a feature, as in {@code kinds}; {@link #ALL}: all of
 *     features
 * @param sampleRows number of rows of the sample
 */
public record CsvOptions(
        Character separator,
        Character quote,
        Boolean hasHeader,
        Character decimal,
        List<String> missing,
        String labelColumn,
        String idColumn,
        String timeColumn,
        TimeFormat timeFormat,
        TimeFormat datesFormat,
        ColumnNamespaces namespaces,
        Map<ColumnKind, List<String>> kinds,
        List<String> missingFeatures,
        int sampleRows) {
    /** A separator: as many blanks and tabs as there are. */
    public static final char BLANKS = '\0';

    /** A quotation mark that no text has: all are text. */
    public static final char NO_QUOTE = '\0';

    /** Stands for all columns of features. */
    public static final String ALL = "all";

    /** Number of rows of the sample unless it is given. */
    public static final int DEFAULT_SAMPLE_ROWS = 10_000;

    /** Everything is decided, and the label's column is {@code label}. */
    public static final CsvOptions DEFAULTS = of(null, null);

    /** Keeps unmodifiable copies. */
    public CsvOptions {
        missing = List.copyOf(missing);
        missingFeatures = List.copyOf(missingFeatures);
        // Map.copyOf has another order in each process, and with it the message of two options that do not fit
        Map<ColumnKind, List<String>> ordered = new EnumMap<>(ColumnKind.class);
        ordered.putAll(kinds);
        kinds = Collections.unmodifiableMap(ordered);
    }

    /** Options with the columns of labels and ids, which may be null. */
    public static CsvOptions of(String labelColumn, String idColumn) {
        return new CsvOptions(
                null,
                null,
                null,
                null,
                List.of(),
                labelColumn,
                idColumn,
                null,
                null,
                null,
                ColumnNamespaces.NONE,
                Map.of(),
                List.of(),
                DEFAULT_SAMPLE_ROWS);
    }
}
