package io.perceptronstreams.format;

import io.perceptronstreams.example.Utf8Slice;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
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

    private static final double MIN_EPOCH = 1e9;
    private static final double MAX_EPOCH = 4e9;

    /** Minimum number of different words, or of counted rows, that are worth a note. */
    private static final int MIN_NOTED = 20;

    private static final int MAX_SHOWN_WORDS = 3;
    /** September 2001, 1e9 s, and February 2100: other numbers are more likely no times. */
    private static final long MIN_NOTED_TIME = 1_000_000_000_000L;

    private static final long MAX_NOTED_TIME = 4_107_542_400_000L;
    private static final Pattern NO_LETTERS = Pattern.compile("[^\\p{L}\\p{M}\\p{N}]+");

    final String name;
    private final String feature;
    private final Set<String> missing;
    /** The user has named the kind. */
    private final boolean isGiven;
    /** The user or the file has named the kind. */
    private final boolean isFixed;

    /** Only an empty cell is missing. */
    private final boolean isAnyWord;

    private final TimeFormat timeFormat;
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
    /** Of a column whose numbers are given: the cell with the first unit, and the unit. */
    private String unitCell;

    private String unit;
    private EventTime.Order order;

    /**
     * Creates a column.
     *
     * @param kind that the user has named, or null
     * @param declared kind that the file has declared, or null: the sample decides
     * @param isAnyWord true for a cell that is missing only if it is empty
     * @param feature name of its features
     * @param missing words of missing values
     * @param timeFormat of event times, or null
     */
    CsvColumn(
            String name,
            ColumnKind kind,
            ColumnKind declared,
            boolean isAnyWord,
            String feature,
            Set<String> missing,
            TimeFormat timeFormat) {
        this.name = name;
        this.kind = kind == null ? declared : kind;
        this.isGiven = kind != null;
        this.isFixed = this.kind != null;
        this.isAnyWord = isAnyWord || kind == ColumnKind.WORDS || kind == ColumnKind.TEXT;
        this.feature = feature;
        this.missing = missing;
        this.timeFormat = timeFormat;
    }

    ColumnKind kind() {
        return kind;
    }

    /** Returns true if the cell has no value; in columns given as words only an empty one. */
    boolean isMissing(String cell) {
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
            double point = number(cell, '.');
            double comma = number(cell, ',');
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

    /** The number that a cell is with a mark of decimals; in a column given as numbers also of an amount. NaN if it is none. */
    private double number(String cell, char mark) {
        double number = WrittenNumber.parse(cell, mark);
        Amount amount = Double.isNaN(number) && isGiven && kind == ColumnKind.NUMBERS ? Amount.of(cell) : null;
        return amount == null ? number : WrittenNumber.parse(amount.number(), mark);
    }

    /**
     * Notes the unit of a number.
     *
     * @throws IllegalArgumentException if it differs from that of the cells before; zero needs none
     */
    private void checkUnit(String cell, double number) {
        if (number != 0 && isGiven && Double.isFinite(number)) {
            Amount amount = Double.isNaN(Decimals.parse(cell)) ? Amount.of(cell) : null;
            String found = amount == null ? "" : amount.unit();
            if (unit == null) {
                unit = found;
                unitCell = cell;
            } else if (!unit.equals(found)) {
                throw fault(
                        "in one unit, as '" + shown(unitCell) + "' before it",
                        cell,
                        "--ignore " + ShellWord.of(name) + " takes none, --words " + ShellWord.of(name)
                                + " takes words");
            }
        }
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
        if (kind == ColumnKind.TIME && timeFormat == null) {
            decideOrder();
        }
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
                double value = number(cell, decimal);
                isWritten |= !Double.isNaN(value) && Double.isNaN(Decimals.parse(cell));
                minimum = Math.min(minimum, Double.isNaN(value) ? minimum : value);
                maximum = Math.max(maximum, Double.isNaN(value) ? maximum : value);
            }
            isWritten |= decimal == ',';
        }
    }

    /** @throws IllegalArgumentException if day and month of the dates may be exchanged */
    private void decideOrder() {
        String ambiguous = null;
        String proof = null;
        for (String cell : counts.keySet()) {
            EventTime.Order found = EventTime.order(cell);
            if (found != null && order != null && found != order) {
                throw new IllegalArgumentException(
                        "dates of column " + shown(name) + " must have day and month in one order, got '" + shown(proof)
                                + "' and '" + shown(cell) + "'");
            }
            proof = found == null || order != null ? proof : cell;
            order = found == null ? order : found;
            ambiguous = ambiguous == null && EventTime.isAmbiguous(cell) ? cell : ambiguous;
        }
        if (order == null && ambiguous != null) {
            throw new IllegalArgumentException("dates of column " + shown(name)
                    + " must have a day above 12 in the first rows, got '" + shown(ambiguous)
                    + "', which has day and month in either order (" + EventTime.slashFormats(ambiguous) + ")");
        }
    }

    /**
     * Returns the event time of a cell, in ms.
     *
     * @throws IllegalArgumentException if it is none
     */
    long time(String cell) {
        Long time = timeFormat != null
                ? timeFormat.parse(cell)
                : order != null ? EventTime.parse(cell, order) : EventTime.parse(cell);
        if (time == null) {
            throw EventTime.fault(cell, timeFormat, "column " + shown(name));
        }
        return time;
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
            value = number(cell, decimal);
        } else if (isGiven && Double.isNaN(value) && isAmount(cell)) {
            // without marks, which the sample has not decided
            value = Decimals.parse(Amount.of(cell).number());
        }
        boolean isCode = !isFixed && code == null && WrittenNumber.isCode(cell);
        if (Double.isFinite(value) && !isCode) {
            checkUnit(cell, value);
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
        String asWords = (isGiven ? "" : "--words " + column + " takes words");
        if (!isGiven && isAmount(cell)) {
            return contradiction("a number", cell, "--numbers " + column + " takes amounts, " + asWords);
        }
        return contradiction(
                "a number" + (decimal == ',' ? " with a decimal comma" : ""),
                cell,
                (isGiven ? "" : asWords + (hasComma ? "" : ", "))
                        + (hasComma ? (isGiven ? "--ignore " + column + " takes none" : "") : asMissing));
    }

    private static boolean isAmount(String cell) {
        Amount amount = Amount.of(cell);
        return amount != null
                && !(Double.isNaN(WrittenNumber.parse(amount.number(), '.'))
                        && Double.isNaN(WrittenNumber.parse(amount.number(), ',')));
    }

    private IllegalArgumentException contradiction(String rule, String cell, String remedy) {
        String sample =
                rows == 1 ? " as in the first row" : String.format(Locale.ROOT, " as in the first %,d rows", rows);
        return fault(isFixed ? rule : rule + sample, cell, remedy);
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
                if (!isFixed && !isCounting && numbers >= MIN_NOTED && areEpochs()) {
                    notes.add("numbers, although all may be seconds or milliseconds since 1970; --time " + column
                            + " takes event times, --ignore " + column + " leaves it out");
                } else if (!isFixed && areTimes()) {
                    notes.add("numbers, although all cells are times, such as "
                            + Instant.ofEpochMilli(
                                    EventTime.parse(counts.keySet().iterator().next()))
                            + "; --time " + column + " takes event times, --ignore " + column + " leaves it out");
                }
                counts.keySet().stream()
                        .filter(cell -> isWritten && Double.isFinite(number(cell, decimal)))
                        .filter(cell -> number(cell, decimal) != Decimals.parse(cell))
                        .findFirst()
                        .ifPresent(cell -> notes.add("'" + shown(cell) + "' is " + shown(number(cell, decimal))
                                + (isFixed ? "" : "; --words " + column + " takes words")));
            }
            case WORDS -> {
                boolean isAmounts = !isFixed && code == null && hasAmounts();
                if (!isFixed && code != null) {
                    notes.add("words, because '" + code + "' has a leading zero"
                            + (otherWord == null ? "; --numbers " + column + " takes numbers" : ""));
                } else if (isAmounts) {
                    notes.add(amounts(present));
                } else if (!isFixed && numbers > 0) {
                    notes.add(mixed(present));
                }
                String pattern = isGiven
                        ? null
                        : EventTime.patternOf(
                                counts.isEmpty()
                                        ? ""
                                        : counts.keySet().iterator().next());
                boolean isPattern = pattern != null
                        && counts.keySet().stream().allMatch(cell -> pattern.equals(EventTime.patternOf(cell)));
                if (isPattern
                        || (!isGiven
                                && !counts.isEmpty()
                                && counts.keySet().stream().allMatch(EventTime::isTime))) {
                    notes.add("words, although all cells are dates or times; --time " + column
                            + (isPattern ? " --time-format " + EventTime.formats(pattern) : "")
                            + " takes event times, --ignore " + column + " leaves it out");
                } else if (!isAmounts && counts.size() >= MIN_NOTED && 2 * counts.size() > present) {
                    notes.add(different(present));
                }
                addMissing(notes, "is missing", "; --words " + column + " takes it as a word");
            }
            case LABEL -> addMissing(notes, "is no label", "; --words " + column + " takes it as a label");
            case EMPTY -> {
                if (!isFixed && rows > 0) {
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
        List<String> others = others();
        String note = String.format(Locale.ROOT, "words, as %,d of %,d cells are numbers", numbers, present);
        if (others.isEmpty()) {
            return note + " in different notations; --numbers " + ShellWord.of(name) + " takes numbers";
        }
        note += ", but '" + shown(others.get(0)) + "' is not";
        // cells with other units are no missing values
        return areFew(others) && others.stream().noneMatch(CsvColumn::isAmount)
                ? note + "; --missing " + ShellWord.of(String.join(",", others)) + " takes it as missing"
                : note;
    }

    /** The words of the sample that are no numbers. */
    private List<String> others() {
        return counts.keySet().stream()
                .filter(cell ->
                        Double.isNaN(WrittenNumber.parse(cell, '.')) && Double.isNaN(WrittenNumber.parse(cell, ',')))
                .toList();
    }

    /** Returns true for words that the option of missing values can name. */
    private static boolean areFew(List<String> words) {
        return words.size() <= MAX_SHOWN_WORDS && words.stream().noneMatch(cell -> cell.indexOf(',') >= 0);
    }

    /** Returns true if all cells but a few are numbers or amounts of one unit, some of them amounts. */
    private boolean hasAmounts() {
        List<String> others = others();
        Set<String> units = new HashSet<>();
        List<String> words = new ArrayList<>();
        for (String cell : others) {
            if (isAmount(cell)) {
                units.add(Amount.of(cell).unit());
            } else {
                words.add(cell);
            }
        }
        if (numbers > 0
                && counts.keySet().stream()
                        .anyMatch(cell -> WrittenNumber.parse(cell, '.') != 0 && !others.contains(cell))) {
            units.add("");
        }
        return units.size() == 1 && words.size() < others.size() && areFew(words);
    }

    private String amounts(int present) {
        List<String> words = new ArrayList<>(others());
        String first = words.stream().filter(CsvColumn::isAmount).findFirst().orElseThrow();
        words.removeIf(CsvColumn::isAmount);
        int count = present - words.stream().mapToInt(counts::get).sum();
        return String.format(
                        Locale.ROOT,
                        "words, although %,d of %,d cells are amounts, such as '%s'; --numbers %s",
                        count,
                        present,
                        shown(first),
                        ShellWord.of(name))
                + (words.isEmpty() ? "" : " --missing " + ShellWord.of(String.join(",", words)))
                + " takes numbers";
    }

    /** Returns true for numbers that ascend, and all are dates of digits, or times since 1970 from 2001 to 2100. */
    private boolean areTimes() {
        double before = 0;
        for (String cell : counts.keySet()) {
            double number = Decimals.parse(cell);
            Long time = EventTime.parse(cell);
            if (time == null
                    || number < before
                    || (number >= 1e8 && (time < MIN_NOTED_TIME || time > MAX_NOTED_TIME))) {
                return false;
            }
            before = number;
        }
        return counts.size() > 1;
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
            case LABEL -> "labels";
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

    /** Returns true if a text could be a cell: a number in a column of numbers, or one of the words of the sample. */
    boolean isLike(String text) {
        boolean isNumber = !Double.isNaN(WrittenNumber.parse(text, decimal));
        boolean areNumbers = numbers > 0 && otherWord == null;
        return areNumbers ? isNumber : counts.isEmpty() ? isNumber : counts.containsKey(text);
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

    static String shown(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
