package io.perceptronstreams.format;

import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.NamedFeatures;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;

/**
 * A table with a header line, as named features.
 *
 * <p>The first rows are a sample that decides the kind of each {@link CsvColumn}; a later cell that contradicts it is a
 * fault. Missing cells make no feature and no label. A column with a namespace has it before its name: {@code user^age}. A
 * first column without a name is a row number, any other without a name must be empty; both are ignored.
 */
final class CsvReader implements ExampleReader {
    /** Maximum number of columns in a message. */
    private static final int MAX_SHOWN = 5;

    /** Maximum size of the sample: characters of its cells, and {@link #CELL_CHARS} for each cell. */
    private static final int MAX_SAMPLE_CHARS = 4 << 20;

    private static final int CELL_CHARS = 8;

    private static final String DEFAULT_LABEL_COLUMN = "label";
    static final String NO_COLUMN = "none";

    /** Name of a first column without a name, as pandas gives it. */
    private static final String UNNAMED = "Unnamed: 0";

    private record Row(List<String> cells, long line) {}

    private final CsvRows rows;
    private final String source;
    private final ExampleIds ids;
    private final LabelParser labels;
    private final CsvColumn[] columns;
    private final boolean isLastUnnamed;
    private final Queue<Row> sample = new ArrayDeque<>();
    private final List<String> description = new ArrayList<>();
    private IOException sampleFault;
    private long line = 1;
    private Long timestamp;

    /**
     * Reads the header and the sample.
     *
     * @param skipsFaults false: the sample must have no fault
     * @throws MalformedExampleException if there is no header, a column is missing or repeated, or the sample has a fault
     */
    CsvReader(
            InputStream in,
            String source,
            ExampleIds ids,
            LabelType labelType,
            CsvOptions options,
            boolean skipsFaults,
            ReadNotes notes)
            throws IOException {
        this.source = source;
        this.ids = ids;
        String label = options.labelColumn() == null ? DEFAULT_LABEL_COLUMN : options.labelColumn();
        this.rows = new CsvRows(in, source, options, label.equals(NO_COLUMN) ? null : label);
        List<String> first = rows.next();
        if (first == null) {
            throw malformed("first line must name the columns, got an empty text");
        }
        List<String> header = new ArrayList<>(first);
        this.line = rows.line();
        readSample(options.sampleRows());
        if (hasRowNames(header.size())) {
            header.add(0, "");
        }
        this.columns = new Header(header, label, options).columns();
        this.isLastUnnamed = header.get(header.size() - 1).isBlank();
        decide(options, notes);
        if (!skipsFaults) {
            LabelParser trial = new LabelParser(labelType);
            for (Row row : sample) {
                example(row, trial);
            }
            if (sampleFault != null) {
                throw sampleFault;
            }
        }
        this.labels = new LabelParser(labelType);
        this.line = rows.line();
        describe(header, notes);
    }

    private void readSample(int maxRows) throws IOException {
        long chars = 0;
        for (int count = 0; count < maxRows && chars < MAX_SAMPLE_CHARS; count++) {
            List<String> cells;
            try {
                cells = rows.next();
            } catch (IOException e) {
                sampleFault = e;
                return;
            }
            if (cells == null) {
                return;
            }
            sample.add(new Row(cells, rows.line()));
            for (String cell : cells) {
                chars += cell.length() + CELL_CHARS;
            }
        }
    }

    /** Tables of R have names of rows without a name for their column: each row has a cell more than the header. */
    private boolean hasRowNames(int columns) {
        return sample.size() > 1
                && sample.stream()
                        .allMatch(row -> row.cells().size() == columns + 1
                                && !row.cells().get(columns).isBlank());
    }

    private void decide(CsvOptions options, ReadNotes notes) throws MalformedExampleException {
        for (Row row : sample) {
            if (isComplete(row.cells())) {
                for (int i = 0; i < Math.min(row.cells().size(), columns.length); i++) {
                    columns[i].sample(row.cells().get(i).strip());
                }
            }
        }
        List<CsvColumn> all = List.of(columns);
        all.forEach(CsvColumn::examine);
        boolean hasPoints = all.stream().anyMatch(CsvColumn::needsPoint);
        boolean hasCommas = all.stream().anyMatch(CsvColumn::needsComma);
        for (CsvColumn column : columns) {
            try {
                column.decide(options.decimal(), hasPoints, hasCommas);
                notes.taken(column.name, column.kind(), source);
            } catch (IllegalArgumentException e) {
                throw malformed(e.getMessage());
            }
        }
    }

    private void describe(List<String> header, ReadNotes notes) {
        description.add(String.format(
                Locale.ROOT,
                "%,d columns with %s between, sample of %,d rows",
                columns.length,
                separatorName(),
                sample.size()));
        description.add(String.format(Locale.ROOT, "%-20s %9s %9s  %s", "column", "missing", "different", "taken for"));
        List<String> lines = new ArrayList<>();
        if (rows.separator() != ',' && !source.endsWith(".tsv")) {
            lines.add("cells have " + separatorName() + " between");
        }
        for (int i = 0; i < columns.length; i++) {
            CsvColumn column = columns[i];
            description.add(column.description());
            if (header.get(i).isBlank() && (i > 0 || column.kind() == ColumnKind.IGNORED)) {
                lines.add("column " + (i + 1) + " has no name: "
                        + (i > 0 ? "ignored" : "a row number, ignored; --id-column '" + UNNAMED + "' takes ids"));
            } else if (i == 0 && column.name.equals(UNNAMED) && column.kind() == ColumnKind.IGNORED) {
                lines.add("column '" + UNNAMED + "': a row number, ignored; --id-column '" + UNNAMED + "' takes ids");
            }
            lines.addAll(column.notes());
            column.forgetSample();
        }
        lines.forEach(note -> notes.write(source + ": " + note));
    }

    private String separatorName() {
        return switch (rows.separator()) {
            case ',' -> "commas";
            case '\t' -> "tabs";
            default -> "'" + rows.separator() + "'";
        };
    }

    /** The columns that the header and the options name. */
    private final class Header {
        private final List<String> names = new ArrayList<>();
        private final CsvOptions options;
        private final Map<String, ColumnKind> kinds = new LinkedHashMap<>();

        Header(List<String> cells, String label, CsvOptions options) throws MalformedExampleException {
            this.options = options;
            Set<String> seen = new HashSet<>();
            for (int i = 0; i < cells.size(); i++) {
                String name = cells.get(i).strip();
                names.add(name.isEmpty() ? i == 0 ? UNNAMED : "column " + (i + 1) : name);
                if (!seen.add(names.get(i))) {
                    throw malformed("column names must be unique, got '" + CsvColumn.shown(names.get(i)) + "' (column "
                            + (i + 1) + ")");
                }
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
                    for (String column : names.contains(text) ? new String[] {text} : text.split(",", -1)) {
                        give(column.strip(), each.getKey(), option);
                    }
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

        private void give(String column, ColumnKind kind, String option) throws MalformedExampleException {
            if (column != null) {
                position(column, option);
                requireFeatures(column, option);
                ColumnKind before = kinds.putIfAbsent(column, kind);
                if (before != null) {
                    throw malformed("columns must be given once, got '" + CsvColumn.shown(column) + "' in " + option
                            + " and another option");
                }
            }
        }

        private void requireFeatures(String column, String option) throws MalformedExampleException {
            ColumnKind kind = kinds.get(column);
            if (kind == ColumnKind.LABEL || kind == ColumnKind.ID || kind == ColumnKind.TIME) {
                throw malformed("columns of " + option + " must be of features, got '" + column
                        + "', the column of the "
                        + (kind == ColumnKind.LABEL ? "labels" : kind == ColumnKind.ID ? "ids" : "event times"));
            }
        }

        private void position(String column, String option) throws MalformedExampleException {
            if (!names.contains(column)) {
                List<String> some = names.subList(0, Math.min(names.size(), MAX_SHOWN));
                throw malformed("header must have a column '" + CsvColumn.shown(column) + "', got "
                        + CsvColumn.shown(String.join(", ", some))
                        + (names.size() > MAX_SHOWN ? " and " + (names.size() - MAX_SHOWN) + " more" : "") + " ("
                        + option + " names another" + (option.startsWith("--label") ? ", or none" : "")
                        + (names.stream().anyMatch(name -> !Double.isNaN(Decimals.parse(name)))
                                ? "; the first line must be a header, with names"
                                : "")
                        + ")");
            }
        }

        CsvColumn[] columns() {
            Set<String> missing = new HashSet<>(CsvColumn.MISSING);
            missing.addAll(options.missing());
            return names.stream()
                    .map(name -> new CsvColumn(
                            name, kinds.get(name), options.namespaces().feature(name), missing))
                    .toArray(CsvColumn[]::new);
        }
    }

    @Override
    public Example next() throws IOException {
        Row row = sample.poll();
        if (row == null) {
            if (sampleFault != null) {
                throw sampleFault;
            }
            List<String> cells = rows.next();
            if (cells == null) {
                return null;
            }
            row = new Row(cells, rows.line());
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
        List<String> cells = row.cells();
        if (!isComplete(cells)) {
            throw skippable("row must have " + columns.length + " cells as the header has, got " + cells.size());
        }
        Object label = null;
        String id = ids.ofLine(line);
        timestamp = null;
        Map<String, Double> features = new LinkedHashMap<>();
        for (int i = 0; i < Math.min(cells.size(), columns.length); i++) {
            String cell = cells.get(i).strip();
            CsvColumn column = columns[i];
            try {
                switch (column.kind()) {
                    case LABEL -> label = column.isMissing(cell) ? null : parser.parse(cell);
                    case ID -> id = id(cell, column);
                    case TIME -> timestamp = time(cell, column);
                    default -> column.addFeatures(cell, features);
                }
            } catch (IllegalArgumentException e) {
                throw skippable(e.getMessage());
            }
        }
        return new Example(id, label, new NamedFeatures(features), 1.0);
    }

    private String id(String cell, CsvColumn column) {
        if (cell.isEmpty()) {
            throw new IllegalArgumentException("id must not be empty (column " + column.name + ")");
        }
        return ids.given(cell);
    }

    private static Long time(String cell, CsvColumn column) {
        Long time = EventTime.parse(cell);
        if (time == null) {
            throw new IllegalArgumentException(
                    "event time must be as 2026-01-31, 2026-01-31T12:00:00Z, or seconds or milliseconds since 1970, got '"
                            + CsvColumn.shown(cell) + "' (column " + column.name + ")");
        }
        return time;
    }

    private MalformedExampleException malformed(String message) {
        return new MalformedExampleException(source, line, message);
    }

    private MalformedExampleException skippable(String message) {
        return new MalformedExampleException(source, line, message, true);
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
