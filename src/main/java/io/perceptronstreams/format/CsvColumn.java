package io.perceptronstreams.format;

import io.perceptronstreams.example.Utf8Slice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A column of a table: the cells of the sample decide its kind, unless that is given; then it makes features of
 * cells.
 *
 * <p>Of a sample whose cells all are true or false, it has booleans; of one whose cells all are numbers of one notation,
 * numbers, unless one of them is a code with a leading zero (01067); otherwise words.
 */
final class CsvColumn {
    /** Missing values, as pandas.read_csv, R, Weka and MySQL write them. */
    static final Set<String> MISSING = Set.of(
            "",
            "#N/A",
            "#N/A N/A",
            "#NA",
            "-1.#IND",
            "-1.#QNAN",
            "-NaN",
            "-nan",
            "1.#IND",
            "1.#QNAN",
            "<NA>",
            "N/A",
            "NA",
            "NULL",
            "NaN",
            "None",
            "n/a",
            "nan",
            "null",
            "?",
            "\\N");

    /** Minimum number of different words, or of counted rows, that are worth a note. */
    private static final double MIN_EPOCH = 1e9;

    private static final double MAX_EPOCH = 4e9;
    private static final int MIN_NOTED = 20;

    private static final int MAX_SHOWN_WORDS = 3;
    private static final Pattern NO_LETTERS = Pattern.compile("[^\\p{L}\\p{M}\\p{N}]+");

    final String name;
    private final String feature;
    private final Set<String> missing;
    private final boolean isGiven;
    private ColumnKind kind;

    // the sample
    private final Map<String, Integer> counts = new LinkedHashMap<>();
    private final Map<String, Integer> missingCounts = new LinkedHashMap<>();
    private int rows;
    private boolean isCounting = true;
    private double last;
    private int numbers;
    private double minimum = Double.POSITIVE_INFINITY;
    private double maximum = Double.NEGATIVE_INFINITY;
    private String otherWord;
    private String code;
    private String pointOnly;
    private String commaOnly;
    private String ambiguous;
    private boolean hasSmall;
    private boolean hasLarge;
    private int percents;

    private char decimal = '.';
    private boolean isWritten;

    /**
     * Creates a column.
     *
     * @param kind null: the sample decides
     * @param feature name of its features
     * @param missing words of missing values
     */
    CsvColumn(String name, ColumnKind kind, String feature, Set<String> missing) {
        this.name = name;
        this.kind = kind;
        this.isGiven = kind != null;
        this.feature = feature;
        this.missing = missing;
    }

    ColumnKind kind() {
        return kind;
    }

    /** Returns true if the cell has no value; in columns given as words only an empty one. */
    boolean isMissing(String cell) {
        boolean isAnyWord = isGiven && (kind == ColumnKind.WORDS || kind == ColumnKind.TEXT);
        return isAnyWord ? cell.isEmpty() : missing.contains(cell);
    }

    /** Adds a cell of the sample. */
    void sample(String cell) {
        if (isMissing(cell)) {
            isCounting = false;
            missingCounts.merge(cell, 1, Integer::sum);
        } else {
            counts.merge(cell, 1, Integer::sum);
            if (isCounting) {
                double number = Decimals.parse(cell);
                isCounting = rows == 0 ? number == Math.rint(number) : number == last + 1;
                last = number;
            }
        }
        rows++;
    }

    /** Finds out which notations of numbers fit the sample. */
    void examine() {
        counts.forEach((cell, count) -> {
            double point = WrittenNumber.parse(cell, '.');
            double comma = WrittenNumber.parse(cell, ',');
            if (Double.isNaN(point) && Double.isNaN(comma)) {
                otherWord = otherWord == null ? cell : otherWord;
                return;
            }
            numbers += count;
            percents += WrittenNumber.isPercent(cell) ? count : 0;
            code = code == null && WrittenNumber.isCode(cell) ? cell : code;
            if (Double.isNaN(point)) {
                commaOnly = cell;
            } else if (Double.isNaN(comma)) {
                pointOnly = cell;
            } else if (point != comma) {
                ambiguous =
                        ambiguous == null || (cell.indexOf(',') >= 0 && ambiguous.indexOf(',') < 0) ? cell : ambiguous;
            } else if (Math.abs(point) < 1000) {
                hasSmall = true;
            } else {
                hasLarge |= Double.isFinite(point) && cell.chars().allMatch(c -> (c >= '0' && c <= '9') || c == '-');
            }
        });
    }

    private boolean mayBeNumbers() {
        return kind == ColumnKind.NUMBERS
                || (kind == null
                        && numbers > 0
                        && otherWord == null
                        && code == null
                        && (pointOnly == null || commaOnly == null)
                        && (percents == 0 || percents == numbers));
    }

    /** Returns true if the column has numbers, some of them with decimals behind a point. */
    boolean needsPoint() {
        return mayBeNumbers() && pointOnly != null && commaOnly == null;
    }

    /** Returns true if the column has numbers, some of them with decimals behind a comma. */
    boolean needsComma() {
        return mayBeNumbers() && commaOnly != null && pointOnly == null;
    }

    /**
     * Decides the kind of the column.
     *
     * @param given the mark of decimals, or null
     * @param hasPoints true if other columns need a point
     * @param hasCommas true if other columns need a comma
     * @throws IllegalArgumentException if that is ambiguous
     */
    void decide(Character given, boolean hasPoints, boolean hasCommas) {
        if (kind != null && kind != ColumnKind.NUMBERS) {
            return;
        }
        if (kind == null && counts.isEmpty()) {
            kind = ColumnKind.EMPTY;
            return;
        }
        if (kind == null && counts.keySet().stream().allMatch(CsvColumn::isBoolean)) {
            kind = ColumnKind.BOOLEANS;
            return;
        }
        boolean isNumbers = mayBeNumbers();
        if (isNumbers) {
            decimal = given != null ? given : decimal(hasPoints, hasCommas);
            isNumbers = kind != null || (decimal == '.' ? commaOnly : pointOnly) == null;
        }
        kind = isNumbers ? ColumnKind.NUMBERS : ColumnKind.WORDS;
        isWritten = given != null;
        if (isNumbers) {
            for (String cell : counts.keySet()) {
                double value = WrittenNumber.parse(cell, decimal);
                isWritten |= !Double.isNaN(value) && Double.isNaN(Decimals.parse(cell));
                minimum = Math.min(minimum, Double.isNaN(value) ? minimum : value);
                maximum = Math.max(maximum, Double.isNaN(value) ? maximum : value);
            }
            isWritten |= decimal == ',';
        }
    }

    private char decimal(boolean hasPoints, boolean hasCommas) {
        if (pointOnly != null || ambiguous == null) {
            return pointOnly == null && commaOnly != null ? ',' : '.';
        }
        if (commaOnly != null) {
            return ',';
        }
        // all marked numbers have one mark, with three digits behind it: 1,250 or 1.250
        boolean isComma = ambiguous.indexOf(',') >= 0;
        if (!isComma && !hasCommas) {
            return '.';
        }
        if (isComma && hasPoints != hasCommas) {
            return hasCommas ? ',' : '.';
        }
        if (hasSmall != hasLarge) {
            // a mark between thousands: only numbers below 1000 are without
            return hasSmall == isComma ? '.' : ',';
        }
        throw new IllegalArgumentException(String.format(
                Locale.ROOT,
                "numbers of column %s must be unambiguous, got '%s', which is %s or %s (--decimal . or --decimal , names"
                        + " the mark of decimals in all columns; --words %s takes words)",
                name,
                ambiguous,
                shown(WrittenNumber.parse(ambiguous, '.')),
                shown(WrittenNumber.parse(ambiguous, ',')),
                ShellWord.of(name)));
    }

    private static boolean isBoolean(String cell) {
        return cell.equalsIgnoreCase("true") || cell.equalsIgnoreCase("false");
    }

    /**
     * Adds the features of a cell.
     *
     * @throws IllegalArgumentException if the cell contradicts the kind of the column
     */
    void addFeatures(String cell, Map<String, Double> features) {
        switch (kind) {
            case NUMBERS -> addNumber(cell, features);
            case BOOLEANS -> {
                if (!isMissing(cell)) {
                    if (!isBoolean(cell)) {
                        throw contradiction("true or false", cell, "--words " + ShellWord.of(name) + " takes words");
                    }
                    features.put(feature, cell.equalsIgnoreCase("true") ? 1.0 : 0.0);
                }
            }
            case WORDS -> {
                if (!isMissing(cell)) {
                    features.put(feature + "=" + cell, 1.0);
                }
            }
            case TEXT -> addWords(feature, cell, features);
            case EMPTY -> {
                if (!isMissing(cell)) {
                    boolean isNumber = !Double.isNaN(Decimals.parse(cell));
                    throw contradiction(
                            "empty",
                            cell,
                            (isNumber ? "--numbers " : "--words ") + ShellWord.of(name) + " takes "
                                    + (isNumber ? "numbers" : "words") + ", --ignore " + ShellWord.of(name) + " none");
                }
            }
            default -> {
                // no features
            }
        }
    }

    /** Adds a feature for each word of a text. */
    static void addWords(String feature, String text, Map<String, Double> features) {
        for (String word : NO_LETTERS.split(text.toLowerCase(Locale.ROOT), -1)) {
            if (!word.isEmpty()) {
                features.merge(feature + "=" + word, 1.0, Double::sum);
            }
        }
    }

    private void addNumber(String cell, Map<String, Double> features) {
        double value = Decimals.parse(cell);
        if (isWritten && (decimal == ',' || Double.isNaN(value))) {
            value = WrittenNumber.parse(cell, decimal);
        }
        boolean isCode = !isGiven && code == null && WrittenNumber.isCode(cell);
        if (Double.isFinite(value) && !isCode) {
            features.put(feature, value);
        } else if (!isMissing(cell)) {
            throw noNumber(cell, isCode);
        }
    }

    private IllegalArgumentException noNumber(String cell, boolean isCode) {
        String column = ShellWord.of(name);
        double point = WrittenNumber.parse(cell, '.');
        double comma = WrittenNumber.parse(cell, ',');
        String asMissing = "--missing " + ShellWord.of(cell) + " takes it as missing";
        if (isCode) {
            return contradiction(
                    "a number without a leading zero",
                    cell,
                    "--words " + column + " takes words, --numbers " + column + " numbers");
        }
        if (Double.isInfinite(point) || Double.isInfinite(comma)) {
            return fault("a finite number", cell, asMissing);
        }
        if (!isWritten && (Double.isFinite(point) || Double.isFinite(comma))) {
            String reads = (Double.isFinite(point) ? "--decimal . reads " + shown(point) : "")
                    + (Double.isFinite(point) && Double.isFinite(comma) ? ", " : "")
                    + (Double.isFinite(comma) ? "--decimal , reads " + shown(comma) : "");
            return contradiction("a number with a decimal point", cell, reads + ", --words " + column + " takes words");
        }
        boolean hasComma = cell.indexOf(',') >= 0;
        return contradiction(
                "a number" + (decimal == ',' ? " with a decimal comma" : ""),
                cell,
                (isGiven ? "" : "--words " + column + " takes words" + (hasComma ? "" : ", "))
                        + (hasComma ? (isGiven ? "--ignore " + column + " takes none" : "") : asMissing));
    }

    private IllegalArgumentException contradiction(String rule, String cell, String remedy) {
        String sample =
                rows == 1 ? " as in the first row" : String.format(Locale.ROOT, " as in the first %,d rows", rows);
        return fault(isGiven ? rule : rule + sample, cell, remedy);
    }

    private IllegalArgumentException fault(String rule, String cell, String remedy) {
        return new IllegalArgumentException(
                "value must be " + rule + ", got '" + shown(cell) + "' (column " + shown(name) + "; " + remedy + ")");
    }

    /** Returns true if all numbers are times from 2001 to 2096, in seconds or in milliseconds. */
    private boolean areEpochs() {
        return (minimum >= MIN_EPOCH && maximum < MAX_EPOCH)
                || (minimum >= 1_000 * MIN_EPOCH && maximum < 1_000 * MAX_EPOCH);
    }

    /** Remarks for the user on how the column is read; empty without any. */
    List<String> notes() {
        List<String> notes = new ArrayList<>();
        String column = ShellWord.of(name);
        int present = rows
                - missingCounts.values().stream().mapToInt(Integer::intValue).sum();
        switch (kind) {
            case NUMBERS -> {
                if (isCounting && rows >= MIN_NOTED) {
                    notes.add(String.format(
                            Locale.ROOT,
                            "counts the rows from %s on: --ignore %s leaves it out, --id-column %s takes ids",
                            counts.keySet().iterator().next(),
                            column,
                            column));
                }
                if (!isGiven && !isCounting && numbers >= MIN_NOTED && areEpochs()) {
                    notes.add("numbers, although all may be seconds or milliseconds since 1970; --time " + column
                            + " takes event times, --ignore " + column + " leaves it out");
                }
                counts.keySet().stream()
                        .filter(cell -> isWritten && Double.isFinite(WrittenNumber.parse(cell, decimal)))
                        .filter(cell -> WrittenNumber.parse(cell, decimal) != Decimals.parse(cell))
                        .findFirst()
                        .ifPresent(cell -> notes.add("'" + cell + "' is " + shown(WrittenNumber.parse(cell, decimal))
                                + (isGiven ? "" : "; --words " + column + " takes words")));
            }
            case WORDS -> {
                if (!isGiven && code != null) {
                    notes.add("words, because '" + code + "' has a leading zero"
                            + (otherWord == null ? "; --numbers " + column + " takes numbers" : ""));
                } else if (!isGiven && numbers > 0) {
                    notes.add(mixed(present));
                }
                if (!isGiven && counts.keySet().stream().allMatch(cell -> EventTime.parse(cell) != null)) {
                    notes.add("words, although all cells are dates or times; --time " + column
                            + " takes event times, --ignore " + column + " leaves it out");
                } else if (counts.size() >= MIN_NOTED && 2 * counts.size() > present) {
                    notes.add(different(present));
                }
                addMissing(notes, "is missing", "; --words " + column + " takes it as a word");
            }
            case LABEL -> addMissing(notes, "is no label", "");
            case EMPTY -> {
                if (!isGiven) {
                    notes.add(String.format(Locale.ROOT, "no value in the first %,d rows", rows));
                }
            }
            default -> {
                // as the user has said, or as always
            }
        }
        return notes.stream().map(note -> "column " + shown(name) + ": " + note).toList();
    }

    private String mixed(int present) {
        List<String> others = counts.keySet().stream()
                .filter(cell ->
                        Double.isNaN(WrittenNumber.parse(cell, '.')) && Double.isNaN(WrittenNumber.parse(cell, ',')))
                .toList();
        String note = String.format(Locale.ROOT, "words, as %,d of %,d cells are numbers", numbers, present);
        if (others.isEmpty()) {
            return note + " in different notations; --numbers " + ShellWord.of(name) + " takes numbers";
        }
        boolean isFew = others.size() <= MAX_SHOWN_WORDS && others.stream().noneMatch(cell -> cell.indexOf(',') >= 0);
        note += ", but '" + shown(others.get(0)) + "' is not";
        return isFew ? note + "; --missing " + ShellWord.of(String.join(",", others)) + " takes it as missing" : note;
    }

    private String different(int present) {
        String column = ShellWord.of(name);
        boolean isText =
                counts.keySet().stream().filter(cell -> cell.indexOf(' ') > 0).count() > counts.size() / 2;
        return String.format(Locale.ROOT, "%,d different words of %,d", counts.size(), present) + " rows; --ignore "
                + column + " leaves it out"
                + (isText ? ", --text " + column + " takes the words in its cells" : "");
    }

    private void addMissing(List<String> notes, String what, String remedy) {
        missingCounts.entrySet().stream()
                .filter(each -> !each.getKey().isEmpty())
                .forEach(each -> notes.add(String.format(
                        Locale.ROOT,
                        "'%s' %s in %,d of %,d rows%s",
                        each.getKey(),
                        what,
                        each.getValue(),
                        rows,
                        remedy)));
    }

    /** A line of a table: name, missing cells and different values of the sample, and kind of the column. */
    String description() {
        int absent = missingCounts.values().stream().mapToInt(Integer::intValue).sum();
        return String.format(Locale.ROOT, "%-20s %9d %9d  %s", shown(name), absent, counts.size(), describedKind());
    }

    private String describedKind() {
        return switch (kind) {
            case NUMBERS -> "numbers" + (numbers == 0 ? "" : ", " + shown(minimum) + " to " + shown(maximum));
            case BOOLEANS -> "1 for true, 0 for false: " + mostFrequent();
            case WORDS -> "words: " + mostFrequent();
            case TEXT -> "the words in its cells";
            case IGNORED -> "ignored";
            case EMPTY -> "no value";
            case LABEL -> "labels: " + mostFrequent();
            case ID -> "ids";
            case TIME -> "event times";
        };
    }

    private String mostFrequent() {
        List<String> words = counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder()))
                .limit(MAX_SHOWN_WORDS)
                .map(each -> shown(each.getKey()) + " " + each.getValue())
                .toList();
        return String.join(", ", words) + (counts.size() > MAX_SHOWN_WORDS ? ", …" : "");
    }

    /** Forgets the words of the sample. */
    void forgetSample() {
        counts.clear();
        missingCounts.clear();
    }

    /** A text from outside for a message: cut, and on one line. */
    static String shown(String text) {
        return Utf8Slice.shortened(text, 80).replaceAll("\\p{Cntrl}", "\ufffd");
    }

    private static String shown(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
