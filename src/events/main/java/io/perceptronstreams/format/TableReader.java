package io.perceptronstreams.format;

import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.NamedFeatures;
import io.perceptronstreams.example.SimilarName;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A table, of CSV or ARFF, as named features.
 *
 * <p>Unless the file declares them, the first rows are a sample that decides the kind of each {@link CsvColumn}; a
 * later cell that contradicts it is a fault. A column without a value in the sample gets its kind from its first value.
 * Missing cells make no feature, unless it is asked for, and no label. A column with a namespace has it before its
 * name: {@code user^age}. A first column without a name is a row number, any other without a name must be empty; both
 * are ignored.
 */
final class TableReader implements ExampleReader {
    /** Maximum number of columns in a message. */
    private static final int MAX_SHOWN = 5;

    /** Maximum size of the sample: characters of its cells, and {@link #CELL_CHARS} for each cell. */
    private static final int MAX_SAMPLE_CHARS = 4 << 20;

    private static final int CELL_CHARS = 8;

    /** Minimum number of words of a first line that are values of their columns by more than chance. */
    private static final int MIN_LIKE_WORDS = 3;

    private static final Pattern RULE = Pattern.compile("[\\s|+:]*(?:[-=]{3,}[\\s|+:]*)+");

    static final String DEFAULT_LABEL_COLUMN = "label";
    static final String NO_COLUMN = "none";

    /** Name of a first column without a name, as pandas gives it. */
    private static final String UNNAMED = "Unnamed: 0";

    /** @param fault of a malformed row, or null */
    private record Row(List<String> cells, long line, double weight, MalformedExampleException fault) {}

    private final TableRows rows;
    private final String source;
    private final ExampleIds ids;
    private final LabelParser labels;
    private final CsvColumn[] columns;
    private final boolean isLastUnnamed;
    private final List<String> header;
    private final String label;
    private final List<String> twoLabels;
    private final ReadNotes notes;
    private final Queue<Row> sample = new ArrayDeque<>();
    private final List<String> description = new ArrayList<>();

    /** Columns whose kind was decided behind the sample. */
    private final List<Integer> late = new ArrayList<>();

    private IOException sampleFault;

    /** The sample has all rows. */
    private boolean isWhole;

    private long line = 1;
    private Long timestamp;

    /**
     * Reads the header and the sample.
     *
     * @param skipsFaults false: the sample must have no fault
     * @throws MalformedExampleException if there is no header, a column is missing or repeated, or the sample has a
     *     fault
     */
    TableReader(
            TableRows rows,
            String source,
            ExampleIds ids,
            LabelType labelType,
            CsvOptions options,
            boolean skipsFaults,
            ReadNotes notes)
            throws IOException {
        this.rows = rows;
        this.source = source;
        this.ids = ids;
        this.notes = notes;
        if (rows.header() == null) {
            throw malformed("first line must name the columns, got an empty text");
        }
        this.line = rows.line();
        List<String> names = new ArrayList<>(rows.header());
        this.header = names.stream().map(TableReader::name).toList();
        readSample(options.sampleRows());
        this.label = options.labelColumn() == null ? rows.labelColumn() : options.labelColumn();
        boolean hasRowNames = hasRowNames(names.size());
        if (hasRowNames) {
            names.add(0, "");
        } else {
            checkCells(names.size());
        }
        this.columns = new Header(names, label, options).columns();
        this.isLastUnnamed = names.get(names.size() - 1).isBlank();
        decide(rows.decimal() == null ? options.decimal() : rows.decimal());
        checkHeader(options);
        LabelType type = rows.labelType(label, labelType);
        this.twoLabels = rows.twoLabels(label);
        if (!skipsFaults) {
            checkSample(type);
            if (sampleFault != null) {
                throw sampleFault;
            }
        }
        this.labels = new LabelParser(type);
        this.line = rows.line();
        describe(names, hasRowNames);
    }

    /** A name of the header, also of one with a byte order mark within joined files. */
    private static String name(String cell) {
        return CsvColumn.trimmed(cell);
    }

    private void readSample(int maxRows) throws IOException {
        long chars = 0;
        for (int count = 0; count < maxRows && chars < MAX_SAMPLE_CHARS; count++) {
            Row row;
            try {
                row = nextRow();
            } catch (IOException e) {
                sampleFault = e;
                return;
            }
            if (row == null) {
                isWhole = true;
                return;
            }
            sample.add(row);
            for (String cell : row.cells()) {
                chars += cell.length() + CELL_CHARS;
            }
        }
    }

    /** The next row; null at the end. A repetition of the header, as in joined files, is left out. */
    private Row nextRow() throws IOException {
        while (true) {
            List<String> cells;
            try {
                cells = rows.next();
            } catch (MalformedExampleException e) {
                if (!e.isSkippable()) {
                    throw e;
                }
                return new Row(List.of(), rows.line(), 1, e);
            }
            if (cells == null) {
                return null;
            }
            if (isRule(cells)) {
                notes.write(source + ": line " + rows.line() + " is a rule of a drawn table; it is left out");
                continue;
            }
            if (!isHeader(cells)) {
                return new Row(cells, rows.line(), rows.weight(), null);
            }
        }
    }

    /** Returns true for a line below the names that is drawn, as by databases or in Markdown. */
    private boolean isRule(List<String> cells) {
        return sample.isEmpty()
                && rows.hasHeader()
                && RULE.matcher(String.join("|", cells)).matches();
    }

    /** @throws MalformedExampleException if a row has the names of the header in another order */
    private boolean isHeader(List<String> cells) throws MalformedExampleException {
        if (header.size() < 2 || cells.size() != header.size() || !header.contains(name(cells.get(0)))) {
            return false;
        }
        List<String> names = cells.stream().map(TableReader::name).toList();
        if (names.equals(header)) {
            notes.write(source + ": line " + rows.line()
                    + " repeats the header, as in joined files; it is left out, and so are others like it");
            return true;
        }
        Set<String> distinct = new HashSet<>(names);
        if (distinct.size() == names.size() && distinct.equals(new HashSet<>(header)) && names.size() > 2) {
            throw new MalformedExampleException(
                    source,
                    rows.line(),
                    "columns must have one order, got those of the header in another one (split the file here)");
        }
        return false;
    }

    /**
     * Tables of R have names of rows without a name for their column: each row has a cell more than the header. These
     * names are unique, as R demands, and no cell is the rest of another one with a separator in it.
     */
    private boolean hasRowNames(int columns) {
        Set<String> names = new HashSet<>();
        return rows.hasHeader()
                && sample.size() > 1
                && sample.stream()
                        .filter(row -> row.fault() == null)
                        .allMatch(row -> row.cells().size() == columns + 1
                                && !row.cells().get(columns).isBlank()
                                && isRowName(row.cells().get(0).strip())
                                && names.add(row.cells().get(0).strip()))
                && !names.isEmpty()
                && IntStream.rangeClosed(0, columns).noneMatch(this::isRest);
    }

    /** A number with decimals is the part of one with a decimal comma, rather than a name. */
    private static boolean isRowName(String cell) {
        double number = Decimals.parse(cell);
        return Double.isNaN(number) || number == Math.rint(number);
    }

    /** Returns true if all cells of a column begin with a blank, although those of other columns do not. */
    private boolean isRest(int column) {
        List<Row> complete = sample.stream().filter(row -> row.fault() == null).toList();
        return complete.stream().allMatch(row -> row.cells().get(column).startsWith(" "))
                && complete.stream()
                        .anyMatch(row -> row.cells().stream().skip(1).anyMatch(cell -> !cell.startsWith(" ")));
    }

    /** The command that leaves out the lines before the first row that has a name as a cell; empty without one. */
    private String laterHeader(String column) {
        return sample.stream()
                .filter(row -> rows.hasHeader()
                        && row.cells().stream().map(TableReader::name).anyMatch(column::equals))
                .findFirst()
                .map(row -> "; line " + row.line() + " has the name " + CsvColumn.shown(column) + ": tail -n +"
                        + row.line() + " " + ShellWord.of(source) + " leaves out the lines before it")
                .orElse("");
    }

    /** @throws MalformedExampleException if all rows of the sample have more cells than the header has names */
    private void checkCells(int columns) throws MalformedExampleException {
        Row first = sample.peek();
        if (sample.size() < 2 || first.cells().size() <= columns) {
            return;
        }
        int cells = first.cells().size();
        boolean isBlank = cells == columns + 1
                && sample.stream()
                        .anyMatch(row -> row.cells().size() > columns
                                && row.cells().get(columns).isBlank());
        if (!isBlank && sample.stream().allMatch(row -> row.cells().size() == cells)) {
            throw new MalformedExampleException(
                    source,
                    first.line(),
                    String.format(
                            Locale.ROOT,
                            "rows must have %d cells as the header has, got %d in all of the first %,d rows; the separator may"
                                    + " stand in cells, which then need quotation marks, or another separator (or the header"
                                    + " lacks a name%s)",
                            columns,
                            cells,
                            sample.size(),
                            laterHeader(label)));
        }
    }

    /**
     * @throws MalformedExampleException if a row of the sample is malformed; to skip it is advised where others are not
     */
    private void checkSample(LabelType type) throws MalformedExampleException {
        LabelParser trial = new LabelParser(type);
        MalformedExampleException fault = null;
        boolean isAnyRead = false;
        for (Row row : sample) {
            try {
                example(row, trial);
                isAnyRead = true;
            } catch (MalformedExampleException e) {
                fault = fault == null ? e : fault;
            }
            if (fault != null && isAnyRead) {
                throw fault;
            }
        }
        if (fault != null) {
            throw fault.ofAll();
        }
    }

    private void decide(Character decimal) throws MalformedExampleException {
        for (Row row : sample) {
            if (isComplete(row.cells())) {
                for (int i = 0; i < Math.min(row.cells().size(), columns.length); i++) {
                    columns[i].sample(CsvColumn.trimmed(row.cells().get(i)));
                }
            }
        }
        List<CsvColumn> all = List.of(columns);
        all.forEach(CsvColumn::examine);
        boolean hasPoints = all.stream().anyMatch(CsvColumn::needsPoint);
        boolean hasCommas = all.stream().anyMatch(CsvColumn::needsComma);
        for (CsvColumn column : columns) {
            try {
                column.decide(decimal, hasPoints, hasCommas);
                notes.taken(column.name, column.kind(), source);
            } catch (IllegalArgumentException e) {
                throw malformed(e.getMessage());
            }
        }
    }

    /**
     * Checks that the first line has names.
     *
     * @throws MalformedExampleException if it seems to be a row: its cells are numbers where the others are, and words
     *     of the column elsewhere
     */
    private void checkHeader(CsvOptions options) throws MalformedExampleException {
        if (options.hasHeader() != null || !rows.hasHeader() || columns.length != header.size() || sample.isEmpty()) {
            return;
        }
        int names = 0;
        int numbers = 0;
        boolean isAscending = true;
        double before = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < columns.length; i++) {
            String name = header.get(i);
            if (!CsvColumn.MISSING.contains(name)) {
                if (!columns[i].isLike(name)) {
                    return;
                }
                double number = Decimals.parse(name);
                names++;
                numbers += Double.isNaN(number) ? 0 : 1;
                isAscending &= number == Math.rint(number) && number > before;
                before = number;
            }
        }
        if (numbers == 0 && names < MIN_LIKE_WORDS) {
            return;
        }
        if (!isAscending) {
            throw malformed("first line must have the names of the columns, got the cells of a row: "
                    + CsvColumn.shown(String.join(", ", header.subList(0, Math.min(header.size(), MAX_SHOWN))))
                    + " (--header none names the columns 1, 2, …; --header line takes these cells as names)");
        }
        notes.write(source
                + ": line 1 has numbers, as the rows have, and is taken for the names of the columns; --header none"
                + " takes it as a row, --header line as names without this note");
    }

    private void describe(List<String> names, boolean hasRowNames) {
        description.add(String.format(
                Locale.ROOT,
                "%,d columns with %s between, sample of %,d rows",
                columns.length,
                rows.separatorName(),
                sample.size()));
        description.add(String.format(Locale.ROOT, "%-20s %9s %9s  %s", "column", "missing", "different", "taken for"));
        List<String> lines = new ArrayList<>();
        if (sample.isEmpty() && sampleFault == null) {
            lines.add("no row, only the names of the columns");
        }
        if (!rows.separatorName().equals("commas") && !source.endsWith(".tsv")) {
            lines.add("cells have " + rows.separatorName() + " between");
        }
        List<CsvColumn> ofOneWord =
                Arrays.stream(columns).filter(CsvColumn::hasOneWord).toList();
        for (int i = 0; i < columns.length; i++) {
            CsvColumn column = columns[i];
            description.add(column.description());
            if (i == 0 && hasRowNames && column.kind() == ColumnKind.IGNORED) {
                lines.add("each row has a cell more than the header has names: the first one, such as '"
                        + CsvColumn.shown(
                                sample.isEmpty()
                                        ? ""
                                        : sample.peek().cells().get(0).strip())
                        + "', is a row name, ignored; --id-column '" + UNNAMED + "' takes ids");
            } else if (names.get(i).isBlank() && (i > 0 || column.kind() == ColumnKind.IGNORED)) {
                lines.add("column " + (i + 1) + " has no name: "
                        + (i > 0 ? "ignored" : "a row number, ignored; --id-column '" + UNNAMED + "' takes ids"));
            } else if (i == 0 && column.name.equals(UNNAMED) && column.kind() == ColumnKind.IGNORED) {
                lines.add("column '" + UNNAMED + "': a row number, ignored; --id-column '" + UNNAMED + "' takes ids");
            }
            lines.addAll(column.notes(rows.separatorName().equals("';'")));
            column.forgetSample();
        }
        if (!ofOneWord.isEmpty()) {
            lines.add("one word or no value: " + named(ofOneWord) + "; --missing-feature "
                    + (ofOneWord.size() == 1 ? ShellWord.of(ofOneWord.get(0).name) : CsvOptions.ALL)
                    + " makes a feature of no value, too");
        }
        lines.forEach(note -> notes.write(source + ": " + note));
        noteOpen();
    }

    /** The columns that the header and the options name. */
    private final class Header {
        private final List<String> names = new ArrayList<>();
        private final CsvOptions options;
        private final Map<String, ColumnKind> kinds = new LinkedHashMap<>();

        private final Set<String> missingFeatures = new HashSet<>();

        /** The labels are given as words, too. */
        private boolean areLabelsWords;

        /** Features of columns of dates and event times. */
        private final Map<String, Set<ColumnKind>> dates = new HashMap<>();

        Header(List<String> cells, String label, CsvOptions options) throws MalformedExampleException {
            this.options = options;
            Map<String, String> repeated = new LinkedHashMap<>();
            List<String> given = cells.stream().map(TableReader::name).toList();
            for (int i = 0; i < cells.size(); i++) {
                String name = given.get(i);
                name = name.isEmpty() ? i == 0 ? UNNAMED : "column " + (i + 1) : name;
                String unique = name;
                for (int k = 1; names.contains(unique) || (k > 1 && given.contains(unique)); k++) {
                    // as pandas names them
                    unique = name + "." + k;
                }
                if (!unique.equals(name)) {
                    repeated.put(
                            unique,
                            CsvColumn.shown(name) + "' (columns " + (1 + names.indexOf(name)) + " and " + (i + 1));
                }
                names.add(unique);
            }
            give(label.equals(NO_COLUMN) ? null : label, ColumnKind.LABEL, "--label-column");
            give(options.idColumn(), ColumnKind.ID, "--id-column");
            give(options.timeColumn(), ColumnKind.TIME, "--time");
            for (Map.Entry<ColumnKind, List<String>> each : options.kinds().entrySet()) {
                String option = "--"
                        + (each.getKey() == ColumnKind.IGNORED
                                ? "ignore"
                                : each.getKey().name().toLowerCase(Locale.ROOT));
                for (String text : each.getValue()) {
                    for (String column : columns(text)) {
                        give(column, each.getKey(), option);
                    }
                }
            }
            for (String text : options.missingFeatures()) {
                if (!text.equals(CsvOptions.ALL)) {
                    for (String column : columns(text)) {
                        giveMissing(column);
                    }
                }
            }
            for (Map.Entry<String, String> each : repeated.entrySet()) {
                if (!kinds.containsKey(each.getKey())) {
                    // the same values once more, perhaps the labels
                    String column = ShellWord.of(each.getKey());
                    throw malformed("column names must be unique, got '" + each.getValue() + "; --ignore " + column
                            + " leaves the second one out, --numbers " + column + " or --words " + column
                            + " takes it under this name)");
                }
            }
            for (String column : options.namespaces().byColumn().keySet()) {
                position(column, "--namespaces");
                requireFeatures(column, "--namespaces");
            }
            for (int i = 0; i < cells.size(); i++) {
                boolean isUnnamed = cells.get(i).isBlank();
                if (isUnnamed || (i == 0 && names.get(0).equals(UNNAMED))) {
                    kinds.putIfAbsent(names.get(i), i == 0 ? ColumnKind.IGNORED : ColumnKind.EMPTY);
                }
            }
        }

        /** A name of a column, or names with commas between. */
        private List<String> columns(String text) {
            return names.contains(text)
                    ? List.of(text)
                    : Arrays.stream(text.split(",", -1)).map(String::strip).toList();
        }

        private void giveMissing(String column) throws MalformedExampleException {
            position(column, "--missing-feature");
            requireFeatures(column, "--missing-feature");
            if (kinds.get(column) == ColumnKind.IGNORED) {
                throw malformed("columns of --missing-feature must be of features, got '" + CsvColumn.shown(column)
                        + "', which is ignored");
            }
            missingFeatures.add(column);
        }

        private void give(String column, ColumnKind kind, String option) throws MalformedExampleException {
            if (column != null) {
                position(column, option);
                if (kind == ColumnKind.WORDS && kinds.get(column) == ColumnKind.LABEL) {
                    areLabelsWords = true;
                    return;
                }
                if (isOtherDate(column, kind)) {
                    return;
                }
                requireFeatures(column, option);
                ColumnKind before = kinds.putIfAbsent(column, kind);
                if (before != null) {
                    throw malformed("columns must be given once, got '" + CsvColumn.shown(column) + "' in " + option
                            + " and another option");
                }
            }
        }

        /** Returns true for another feature of a column of dates, or of event times. */
        private boolean isOtherDate(String column, ColumnKind kind) {
            ColumnKind before = kinds.get(column);
            return (kind == ColumnKind.DATES || kind == ColumnKind.DAYS)
                    && dates.computeIfAbsent(column, any -> EnumSet.noneOf(ColumnKind.class))
                            .add(kind)
                    && (before == ColumnKind.TIME || before == ColumnKind.DATES);
        }

        private void requireFeatures(String column, String option) throws MalformedExampleException {
            ColumnKind kind = kinds.get(column);
            if (kind == ColumnKind.LABEL
                    || kind == ColumnKind.ID
                    || (kind == ColumnKind.TIME && !dates.containsKey(column))) {
                throw malformed("columns of " + option + " must be of features, got '" + column
                        + "', the column of the "
                        + (kind == ColumnKind.LABEL ? "labels" : kind == ColumnKind.ID ? "ids" : "event times"));
            }
        }

        private String headHint(boolean isOne) {
            // a column of row names may stand before it
            if (names.stream().limit(2).anyMatch(each -> each.startsWith("#"))) {
                return "lines that begin with # are no comments: grep -v '^#' leaves them out; ";
            }
            if (names.get(0).matches("[-+=|]{3,}")) {
                return "a drawn table: mysql --batch and psql --csv write one without lines; ";
            }
            return isOne ? "one column only: --separator names the character between the cells; " : "";
        }

        private void position(String column, String option) throws MalformedExampleException {
            if (!names.contains(column)) {
                List<String> some = names.subList(0, Math.min(names.size(), MAX_SHOWN));
                boolean isOne = names.size() == 1 && rows.declaredKind(0) == null;
                throw malformed("header must have a column '" + CsvColumn.shown(column) + "', got "
                        + CsvColumn.shown(String.join(", ", some))
                        + (names.size() > MAX_SHOWN ? " and " + (names.size() - MAX_SHOWN) + " more" : "")
                        + SimilarName.of(column, isOne ? List.of() : names)
                                .map(name -> "; did you mean '" + CsvColumn.shown(name) + "'?")
                                .orElse("")
                        + " ("
                        + headHint(isOne)
                        + option + " names another" + (option.startsWith("--label") ? ", or none" : "")
                        + (headHint(isOne).startsWith("lines") ? "" : laterHeader(column))
                        + (rows.hasHeader() && names.stream().anyMatch(name -> !Double.isNaN(Decimals.parse(name)))
                                ? "; the first line must be a header, with names: --header none names the columns 1, 2, …"
                                : "")
                        + ")");
            }
        }

        CsvColumn[] columns() {
            Set<String> missing = new HashSet<>(rows.missing());
            missing.addAll(options.missing());
            return IntStream.range(0, names.size())
                    .mapToObj(i -> new CsvColumn(names.get(i), given(i, missing)))
                    .toArray(CsvColumn[]::new);
        }

        private CsvColumn.Given given(int column, Set<String> missing) {
            String name = names.get(column);
            ColumnKind kind = kinds.get(name);
            TimeFormat format =
                    kind == ColumnKind.DATES || kind == ColumnKind.DAYS ? options.datesFormat() : options.timeFormat();
            boolean hasFeatures = kind != ColumnKind.IGNORED && kind != ColumnKind.EMPTY;
            return new CsvColumn.Given(
                    kind,
                    rows.declaredKind(column),
                    areLabelsWords && kind == ColumnKind.LABEL,
                    hasFeatures
                            && (missingFeatures.contains(name)
                                    || options.missingFeatures().contains(CsvOptions.ALL)),
                    dates.getOrDefault(name, Set.of()),
                    options.namespaces().feature(name),
                    missing,
                    format == null ? rows.declaredTime(column) : format);
        }
    }

    @Override
    public Example next() throws IOException {
        Row row = sample.poll();
        if (row == null) {
            if (sampleFault != null) {
                throw sampleFault;
            }
            row = nextRow();
            if (row == null) {
                noteLate();
                return null;
            }
        }
        return example(row, labels);
    }

    /** Rows may have an empty cell more than the header, behind a separator at their end. */
    private boolean isComplete(List<String> cells) {
        return cells.size() == columns.length
                || (cells.size() == columns.length + 1
                        && cells.get(columns.length).isBlank())
                || (cells.size() == columns.length - 1 && isLastUnnamed);
    }

    private Example example(Row row, LabelParser parser) throws MalformedExampleException {
        line = row.line();
        if (row.fault() != null) {
            throw row.fault();
        }
        List<String> cells = row.cells();
        if (!isComplete(cells)) {
            throw skippable("row must have " + columns.length + " cells as the header has, got " + cells.size());
        }
        Object label = null;
        String id = ids.ofLine(line);
        timestamp = null;
        Map<String, Double> features = new LinkedHashMap<>();
        for (int i = 0; i < Math.min(cells.size(), columns.length); i++) {
            String cell = CsvColumn.trimmed(cells.get(i));
            CsvColumn column = columns[i];
            try {
                switch (column.kind()) {
                    case LABEL -> label = column.isMissing(cell) ? null : parser.parse(cell);
                    case ID -> id = id(cell, column);
                    case TIME -> {
                        timestamp = column.time(cell);
                        column.addDates(cell, features);
                    }
                    default -> {
                        if (column.isOpen() && !column.isMissing(cell)) {
                            column = decided(i, cell);
                        }
                        column.addFeatures(cell, features);
                    }
                }
            } catch (IllegalArgumentException e) {
                throw skippable(e.getMessage());
            }
        }
        // as in VW: weight 0 is predicted and not learned
        return row.weight() == 0
                ? new Example(id, null, new NamedFeatures(features), 1.0)
                : new Example(id, label, new NamedFeatures(features), row.weight());
    }

    /** Decides the kind of a column without a value so far by its first one. */
    private CsvColumn decided(int position, String cell) {
        CsvColumn column = columns[position].ofFirst(cell, line);
        notes.taken(column.name, column.kind(), source);
        columns[position] = column;
        late.add(position);
        return column;
    }

    /** Notes the columns without a value in the sample. */
    private void noteOpen() {
        List<CsvColumn> open = Arrays.stream(columns).filter(CsvColumn::isOpen).toList();
        if (!open.isEmpty() && open.get(0).sampled() > 0) {
            notes.write(String.format(
                    Locale.ROOT,
                    isWhole
                            ? "%s: no value in any of %,d rows: %s"
                            : "%s: no value in the first %,d rows: %s; a number as the first value makes numbers, a text words",
                    source,
                    open.get(0).sampled(),
                    named(open)));
        }
    }

    /** At the end of the text, notes what became of the columns without a value in the sample. */
    private void noteLate() {
        if (!late.isEmpty()) {
            List<CsvColumn> decided = late.stream().map(each -> columns[each]).toList();
            notes.write(source + ": taken for what their first value is: "
                    + decided.stream().limit(MAX_SHOWN).map(CsvColumn::decision).collect(Collectors.joining(", "))
                    + more(decided));
            late.clear();
        }
    }

    private static String named(List<CsvColumn> columns) {
        return (columns.size() == 1 ? "column " : "columns ")
                + columns.stream()
                        .limit(MAX_SHOWN)
                        .map(column -> CsvColumn.shown(column.name))
                        .collect(Collectors.joining(", "))
                + more(columns);
    }

    private static String more(List<CsvColumn> columns) {
        return columns.size() > MAX_SHOWN
                ? String.format(Locale.ROOT, " and %,d more", columns.size() - MAX_SHOWN)
                : "";
    }

    private String id(String cell, CsvColumn column) {
        if (cell.isEmpty()) {
            throw new IllegalArgumentException("id must not be empty (column " + column.name + ")");
        }
        return ids.given(cell);
    }

    private MalformedExampleException malformed(String message) {
        return new MalformedExampleException(source, line, message);
    }

    private MalformedExampleException skippable(String message) {
        return new MalformedExampleException(source, line, message, true);
    }

    @Override
    public List<String> twoLabels() {
        return twoLabels;
    }

    @Override
    public String labelHint() {
        return label.equals(NO_COLUMN)
                ? null
                : "column " + CsvColumn.shown(label) + " has none; --label-column names another";
    }

    @Override
    public List<String> description() {
        return description;
    }

    @Override
    public Long timestamp() {
        return timestamp;
    }

    @Override
    public long line() {
        return line;
    }

    @Override
    public void close() throws IOException {
        rows.close();
    }
}
