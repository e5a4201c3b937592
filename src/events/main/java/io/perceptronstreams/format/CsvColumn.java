package io.perceptronstreams.format;

import io.perceptronstreams.example.Utf8Slice;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
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
 * <p>Of a sample whose cells all are true or false, it has booleans; of one whose cells all are numbers of one
 * notation, numbers, unless one of them is a code with a leading zero (01067); otherwise words.
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
    private static final Pattern SENTINEL = Pattern.compile("-?9{3,}(?:[.,]0*)?|-?9{2,}[.,]9+");
    private static final Pattern BLANKS = Pattern.compile("[\\s\u00a0\u202f]+");
    private static final Pattern NO_LETTERS = Pattern.compile("[^\\p{L}\\p{M}\\p{N}]+");

    final String name;
    private final Given given;
    private final String feature;
    private final Set<String> missing;
    /** The user has named the kind. */
    private final boolean isGiven;
    /** The user or the file has named the kind. */
    private final boolean isFixed;

    /** Only an empty cell is missing. */
    private final boolean isAnyWord;

    private final TimeFormat timeFormat;

    /** Some word of a missing value is a number, too. */
    private final boolean hasMissingNumbers;

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

    /** All cells are amounts, of a few units. */
    private boolean areUnitsMixed;

    private char decimal = '.';
    private boolean isWritten;
    /** Of a column whose numbers are given. */
    private final OneUnit unit = new OneUnit();

    private EventTime.Order order;

    // Of the whole text, once the sample is examined.
    private Character givenMark;
    private boolean hasPoints;
    private boolean hasCommas;

    /** The cell that has decided the kind, and its line; null: the sample has. */
    private String firstValue;

    private long firstLine;

    /**
     * What the options and the file tell of a column.
     *
     * @param kind that the user has named, or null
     * @param declared kind that the file has declared, or null: the sample decides
     * @param isAnyWord true for a cell that is missing only if it is empty
     * @param isMissingFeature true: a missing cell makes a feature
     * @param dates features of a column of dates or event times: {@link ColumnKind#DATES}, {@link ColumnKind#DAYS},
     *     both or none
     * @param feature name of its features
     * @param missing words of missing values
     * @param timeFormat of dates and event times, or null
     */
    record Given(
            ColumnKind kind,
            ColumnKind declared,
            boolean isAnyWord,
            boolean isMissingFeature,
            Set<ColumnKind> dates,
            String feature,
            Set<String> missing,
            TimeFormat timeFormat) {}

    CsvColumn(String name, Given given) {
        this.name = name;
        this.given = given;
        this.kind = given.kind() == null ? given.declared() : given.kind();
        this.isGiven = given.kind() != null;
        this.isFixed = this.kind != null;
        this.isAnyWord = given.isAnyWord() || given.kind() == ColumnKind.WORDS || given.kind() == ColumnKind.TEXT;
        this.feature = given.feature();
        this.missing = given.missing();
        this.timeFormat = given.timeFormat();
        this.hasMissingNumbers =
                missing.stream().anyMatch(word -> !Double.isNaN(WrittenNumber.parse(word, '.')) || isAmount(word));
    }

    ColumnKind kind() {
        return kind;
    }

    /** Returns true if the cell has no value; in columns given as words only an empty one. */
    boolean isMissing(String cell) {
        return isAnyWord ? cell.isEmpty() : missing.contains(cell);
    }

    /** A cell without blanks around it, also those that show no sign: no-break, zero-width and byte order marks. */
    static String trimmed(String cell) {
        int start = 0;
        int end = cell.length();
        while (start < end && isBlank(cell.charAt(start))) {
            start++;
        }
        while (end > start && isBlank(cell.charAt(end - 1))) {
            end--;
        }
        return cell.substring(start, end);
    }

    private static boolean isBlank(char c) {
        return c <= ' '
                ? Character.isWhitespace(c)
                : c > 127
                        && (Character.isSpaceChar(c)
                                || Character.isWhitespace(c)
                                || c == '\u200b'
                                || c == '\u2060'
                                || c == '\ufeff');
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

    /**
     * The number that a cell is with a mark of decimals; in a column given as numbers also of an amount. NaN if it is
     * none.
     */
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
        String other = isGiven ? unit.unlike(cell, number) : null;
        if (other != null) {
            throw fault(
                    "in one unit, as '" + shown(other) + "' before it",
                    cell,
                    "--ignore " + ShellWord.of(name) + " takes none, --words " + ShellWord.of(name) + " takes words");
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
     * @param mark the mark of decimals that is given, or null
     * @param hasPoints true if other columns need a point
     * @param hasCommas true if other columns need a comma
     * @throws IllegalArgumentException if that is ambiguous
     */
    void decide(Character mark, boolean hasPoints, boolean hasCommas) {
        this.givenMark = mark;
        this.hasPoints = hasPoints;
        this.hasCommas = hasCommas;
        if ((kind == ColumnKind.TIME || isDates()) && timeFormat == null) {
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
            decimal = mark != null ? mark : foundDecimal();
            isNumbers = kind != null || (decimal == '.' ? commaOnly : pointOnly) == null;
        }
        kind = isNumbers ? ColumnKind.NUMBERS : ColumnKind.WORDS;
        isWritten = mark != null;
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

    /** Returns true for a column without a value in the sample, whose first value decides its kind. */
    boolean isOpen() {
        return kind == ColumnKind.EMPTY && !isFixed;
    }

    /**
     * This column, without a value so far, with the kind that a sample of one cell has.
     *
     * @param line number of the cell's line
     * @throws IllegalArgumentException if the kind is ambiguous
     */
    CsvColumn ofFirst(String cell, long line) {
        CsvColumn column = new CsvColumn(name, given);
        column.sample(cell);
        column.examine();
        column.decide(givenMark, hasPoints, hasCommas);
        column.firstValue = cell;
        column.firstLine = line;
        column.forgetSample();
        return column;
    }

    /** What the first value has decided, for a note. */
    String decision() {
        return String.format(
                Locale.ROOT,
                "%s as %s by '%s' in line %,d",
                shown(name),
                kind.name().toLowerCase(Locale.ROOT),
                shown(firstValue),
                firstLine);
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
            // a time before 1970 has a fault of its own
            boolean isRead = isDates() || EventTime.isTime(cell);
            ambiguous = ambiguous == null && isRead && EventTime.isAmbiguous(cell) ? cell : ambiguous;
        }
        if (order == null && ambiguous != null) {
            throw new IllegalArgumentException("dates of column " + shown(name)
                    + " must have a day above 12 in the first rows, got '" + shown(ambiguous)
                    + "', which has day and month in either order ("
                    + EventTime.slashFormats(
                            ambiguous, kind == ColumnKind.TIME ? "--time-format" : EventTime.DATES_FORMAT)
                    + ")");
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

    /** Adds the features of a cell of event times, which has one. */
    void addDates(String cell, Map<String, Double> features) {
        if (!given.dates().isEmpty()) {
            moment(cell).addFeatures(feature, given.dates(), features);
        }
    }

    private boolean isDates() {
        return kind == ColumnKind.DATES || kind == ColumnKind.DAYS;
    }

    /** The date of a cell; null if it is none. */
    private Moment moment(String cell) {
        return timeFormat != null
                ? timeFormat.parseAnyYear(cell)
                : order != null ? EventTime.ofAnyYear(cell, order) : EventTime.ofAnyYear(cell);
    }

    private char foundDecimal() {
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
        boolean isPlainNumber = kind == ColumnKind.NUMBERS && !hasMissingNumbers;
        if (!isPlainNumber && isMissing(cell)) {
            addMissing(features);
            return;
        }
        switch (kind) {
            case NUMBERS -> addNumber(cell, features);
            case BOOLEANS -> {
                if (!isBoolean(cell)) {
                    throw contradiction("true or false", cell, "--words " + ShellWord.of(name) + " takes words");
                }
                features.put(feature, cell.equalsIgnoreCase("true") ? 1.0 : 0.0);
            }
            case WORDS -> features.put(feature + "=" + cell, 1.0);
            case TEXT -> addWords(feature, cell, features);
            case DATES, DAYS -> {
                Moment moment = moment(cell);
                if (moment == null) {
                    throw EventTime.dateFault(cell, timeFormat, "column " + shown(name));
                }
                moment.addFeatures(feature, given.dates(), features);
            }
            case EMPTY -> {
                boolean isNumber = !Double.isNaN(Decimals.parse(cell));
                throw contradiction(
                        "empty",
                        cell,
                        (isNumber ? "--numbers " : "--words ") + ShellWord.of(name) + " takes "
                                + (isNumber ? "numbers" : "words") + ", --ignore " + ShellWord.of(name) + " none");
            }
            default -> {
                // no features
            }
        }
    }

    private void addMissing(Map<String, Double> features) {
        if (given.isMissingFeature()) {
            features.put(missingFeature(feature), 1.0);
        }
    }

    /** Name of the feature of a missing value, which is that of the word ?. */
    static String missingFeature(String feature) {
        return feature + "=?";
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
        } else if (isMissing(cell)) {
            addMissing(features);
        } else {
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
        String sample = firstValue != null
                ? String.format(Locale.ROOT, " as its first value, '%s' in line %,d", shown(firstValue), firstLine)
                : rows == 1 ? " as in the first row" : String.format(Locale.ROOT, " as in the first %,d rows", rows);
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

    /**
     * Returns true if all numbers with a point have three digits behind it, which may be thousands: those without are
     * smaller, or the cells have semicolons between, as where a comma is the mark of decimals.
     */
    private boolean isAmbiguous(boolean hasSemicolons) {
        return givenMark == null
                && decimal == '.'
                && pointOnly == null
                && ambiguous != null
                && ambiguous.indexOf(',') < 0
                && (hasSemicolons || (hasSmall && !hasLarge));
    }

    /** Notes a number of nines, such as -999, that is far from all others, as programs write it for missing values. */
    private void addSentinel(List<String> notes) {
        for (Map.Entry<String, Integer> each : counts.entrySet()) {
            String cell = each.getKey();
            if (each.getValue() > 1 && SENTINEL.matcher(cell).matches()) {
                double most = counts.keySet().stream()
                        .filter(other -> !other.equals(cell))
                        .mapToDouble(other -> Math.abs(number(other, decimal)))
                        .max()
                        .orElse(Double.POSITIVE_INFINITY);
                if (10 * most < Math.abs(number(cell, decimal))) {
                    notes.add(String.format(
                            Locale.ROOT,
                            "'%s' is a number in %,d of %,d rows, far from all others; --missing=%s takes it as missing",
                            cell,
                            each.getValue(),
                            rows,
                            cell));
                    return;
                }
            }
        }
    }

    /** Notes the first two cells that differ in nothing but case and blanks. */
    private void addAlike(List<String> notes, String what) {
        Map<String, String> seen = new HashMap<>();
        for (String cell : counts.keySet()) {
            String other = seen.putIfAbsent(BLANKS.matcher(cell).replaceAll(" ").toLowerCase(Locale.ROOT), cell);
            if (other != null) {
                notes.add("'" + shown(other) + "' and '" + shown(cell)
                        + "' differ only in case or blanks, and are different " + what + " (write them alike)");
                return;
            }
        }
    }

    /**
     * Remarks for the user on how the column is read; empty without any.
     *
     * @param hasSemicolons cells have semicolons between
     */
    List<String> notes(boolean hasSemicolons) {
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
                    notes.add("numbers, although all may be seconds or milliseconds since 1970"
                            + dateRemedies(true, null));
                } else if (!isFixed && areTimes()) {
                    notes.add("numbers, although all cells are times, such as "
                            + Instant.ofEpochMilli(
                                    EventTime.parse(counts.keySet().iterator().next()))
                            + dateRemedies(true, null));
                }
                if (!isFixed) {
                    addSentinel(notes);
                }
                if (isAmbiguous(hasSemicolons)) {
                    notes.add("'" + shown(ambiguous) + "' is " + shown(WrittenNumber.parse(ambiguous, '.'))
                            + "; --decimal , reads " + shown(WrittenNumber.parse(ambiguous, ',')));
                }
                counts.keySet().stream()
                        .filter(cell -> isWritten && Double.isFinite(number(cell, decimal)))
                        .filter(cell -> number(cell, decimal) != Decimals.parse(cell))
                        .findFirst()
                        .ifPresent(cell -> notes.add("'" + shown(cell) + "' is " + shown(number(cell, decimal))
                                + (isFixed ? "" : "; --words " + column + " takes words")));
            }
            case WORDS -> {
                String pattern = isGiven
                        ? null
                        : EventTime.patternOf(
                                counts.isEmpty()
                                        ? ""
                                        : counts.keySet().iterator().next());
                boolean isPattern = pattern != null
                        && counts.keySet().stream().allMatch(cell -> pattern.equals(EventTime.patternOf(cell)));
                boolean areDates = isPattern
                        || (!isGiven
                                && !counts.isEmpty()
                                && counts.keySet().stream().allMatch(EventTime::isDate));
                boolean isAmounts = !isFixed && code == null && !areDates && hasAmounts();
                if (!isFixed && code != null) {
                    notes.add("words, because '" + code + "' has a leading zero"
                            + (otherWord == null ? "; --numbers " + column + " takes numbers" : ""));
                } else if (isAmounts) {
                    notes.add(amounts(present));
                } else if (!isFixed && !areDates && areUnitsMixed) {
                    notes.add("words, although all cells are amounts, of different units: '" + shown(unlike(false))
                            + "' and '" + shown(unlike(true)) + "' (convert them to one)");
                } else if (!isFixed && numbers > 0) {
                    notes.add(mixed(present));
                }
                if (areDates) {
                    boolean areTimes = isPattern || counts.keySet().stream().allMatch(EventTime::isTime);
                    notes.add("words, although all cells are dates or times"
                            + dateRemedies(areTimes, isPattern ? EventTime.formats(pattern) : null));
                } else if (!isAmounts && counts.size() >= MIN_NOTED && 2 * counts.size() > present) {
                    notes.add(different(present));
                } else if (!isFixed) {
                    addAlike(notes, "words");
                }
                addMissing(notes, "is missing", "; --words " + column + " takes it as a word");
            }
            case LABEL -> {
                addAlike(notes, "labels");
                int absent = rows - present;
                if (counts.size() == 1 && absent > 0) {
                    notes.add(String.format(
                            Locale.ROOT,
                            "all labels are '%s', and %,d of %,d rows have none: a class needs a word of its own in its cells",
                            shown(counts.keySet().iterator().next()),
                            absent,
                            rows));
                }
                addMissing(notes, "is no label", "; --words " + column + " takes it as a label");
            }
            default -> {
                // as the user has said, or as always; of columns without a value there is one note
            }
        }
        return notes.stream().map(note -> "column " + shown(name) + ": " + note).toList();
    }

    /**
     * The options for a column of dates.
     *
     * @param areTimes false: some are before 1970, which no event time is
     * @param formats that the options need, or null
     */
    private String dateRemedies(boolean areTimes, String formats) {
        String column = ShellWord.of(name);
        return (areTimes
                        ? "; --time " + column + (formats == null ? "" : " --time-format " + formats)
                                + " takes event times, "
                        : "; ")
                + "--dates " + column + (formats == null ? "" : " " + EventTime.DATES_FORMAT + " " + formats)
                + " weekday and hour, --days " + column + " the days since 1970, --ignore " + column + " leaves it out";
    }

    private String mixed(int present) {
        List<String> others = others();
        String note = String.format(Locale.ROOT, "words, as %,d of %,d cells are numbers", numbers, present);
        if (others.isEmpty() && percents > 0 && percents < numbers) {
            return note + ", some of them in percent; write all of them so, or none";
        }
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
                units.add(OneUnit.of(Amount.of(cell)));
            } else {
                words.add(cell);
            }
        }
        if (numbers > 0
                && counts.keySet().stream()
                        .anyMatch(cell -> WrittenNumber.parse(cell, '.') != 0 && !others.contains(cell))) {
            units.add("");
        }
        areUnitsMixed = units.size() > 1
                && units.size() <= MAX_SHOWN_WORDS
                && words.isEmpty()
                && counts.size() >= 2 * units.size();
        return units.size() == 1 && words.size() < others.size() && areFew(words);
    }

    /** The first amount, or the first one that has another unit. */
    private String unlike(boolean isOther) {
        String first =
                counts.keySet().stream().filter(CsvColumn::isAmount).findFirst().orElseThrow();
        String firstUnit = OneUnit.of(Amount.of(first));
        return !isOther
                ? first
                : counts.keySet().stream()
                        .filter(cell ->
                                !isAmount(cell) || !OneUnit.of(Amount.of(cell)).equals(firstUnit))
                        .findFirst()
                        .orElseThrow();
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
        return String.format(
                Locale.ROOT,
                "%-20s %9d %9d  %s%s",
                shown(name),
                absent,
                counts.size(),
                describedKind(),
                given.isMissingFeature() ? "; " + shown(missingFeature(feature)) + " where missing" : "");
    }

    private String describedDates() {
        String shown = shown(feature);
        boolean hasTime = counts.keySet().stream().map(this::moment).anyMatch(each -> each != null && each.hasTime());
        List<String> features = new ArrayList<>();
        if (given.dates().contains(ColumnKind.DATES)) {
            features.add(shown + ".weekday");
            if (hasTime) {
                features.add(shown + ".hour");
            }
        }
        if (given.dates().contains(ColumnKind.DAYS)) {
            features.add(shown + ".days");
        }
        return String.join(", ", features);
    }

    private String describedKind() {
        return switch (kind) {
            case NUMBERS -> "numbers" + (numbers == 0 ? "" : ", " + shown(minimum) + " to " + shown(maximum));
            case BOOLEANS -> "1 for true, 0 for false: " + mostFrequent();
            case WORDS -> "words: " + mostFrequent();
            case TEXT -> "the words in its cells";
            case IGNORED -> "ignored";
            case EMPTY -> isOpen() ? "no value so far" : "no value";
            case LABEL -> "labels";
            case ID -> "ids";
            case TIME -> "event times" + (given.dates().isEmpty() ? "" : ", and " + describedDates());
            case DATES, DAYS -> "dates: " + describedDates();
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

    /**
     * Returns true for a column of words whose cells in the sample have one word, or are missing, which makes no
     * feature.
     */
    boolean hasOneWord() {
        return kind == ColumnKind.WORDS
                && rows >= MIN_NOTED
                && counts.size() == 1
                && !missingCounts.isEmpty()
                && !given.isMissingFeature();
    }

    /** Number of rows of the sample. */
    int sampled() {
        return rows;
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
