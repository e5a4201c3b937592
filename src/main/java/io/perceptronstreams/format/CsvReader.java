package io.perceptronstreams.format;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.csv.CsvFactory;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import io.perceptronstreams.serde.ExampleRecords;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.generic.GenericRecord;

/**
 * Comma-separated values with a header line, as named features.
 *
 * <p>The first non-empty cell decides the type of a column: a number makes it a feature with the column's name, other
 * text a feature {@code column=value} of value 1. Cells that are empty, {@code ?}, {@code NA} or {@code NaN} are
 * missing: no feature, no label. The default of {@code labelColumn} is {@code label}. A column with a namespace has it
 * before its name: {@code user^age}.
 */
final class CsvReader implements ExampleReader {
    /** Maximum number of columns in a message. */
    private static final int MAX_SHOWN = 5;

    private static final Set<String> MISSING = Set.of("", "?", "NA", "NaN");
    private static final String DEFAULT_LABEL_COLUMN = "label";
    private static final String NO_COLUMN = "none";

    private enum Kind {
        UNKNOWN,
        NUMBER,
        CATEGORY
    }

    private final CsvParser rows;
    private final List<String> row = new ArrayList<>();
    private final String source;
    private final ExampleIds ids;
    private final LabelParser labels;
    private final String[] columns;
    private final String[] names;
    private final Kind[] kinds;
    private final int labelAt;
    private final int idAt;
    private long line;

    /**
     * Reads the header.
     *
     * @param labelColumn name of the label's column; null: "label"; "none": no label
     * @param idColumn name of the ids' column, or null
     * @throws MalformedExampleException if there is no header or a column is missing or repeated
     */
    CsvReader(
            InputStream in,
            String source,
            ExampleIds ids,
            LabelParser labels,
            String labelColumn,
            String idColumn,
            ColumnNamespaces namespaces)
            throws IOException {
        this.rows = CsvFactory.builder()
                .enable(CsvParser.Feature.SKIP_EMPTY_LINES)
                .build()
                .createParser(in);
        this.source = source;
        this.ids = ids;
        this.labels = labels;
        this.columns = row();
        if (columns == null) {
            throw new MalformedExampleException(source, 1, "first line must name the columns, got an empty text");
        }
        checkUnique();
        this.labelAt = NO_COLUMN.equals(labelColumn)
                ? -1
                : position(labelColumn == null ? DEFAULT_LABEL_COLUMN : labelColumn, "--label-column");
        this.idAt = idColumn == null ? -1 : position(idColumn, "--id-column");
        for (String column : namespaces.byColumn().keySet()) {
            int at = position(column, "--namespaces");
            if (at == labelAt || at == idAt) {
                throw malformed("columns of --namespaces must be of features, got '" + column + "', the column of the "
                        + (at == labelAt ? "labels" : "ids"));
            }
        }
        this.names = Arrays.stream(columns).map(namespaces::feature).toArray(String[]::new);
        this.kinds = new Kind[columns.length];
        Arrays.fill(kinds, Kind.UNKNOWN);
    }

    @Override
    public GenericRecord next() throws IOException {
        String[] cells = row();
        if (cells == null) {
            return null;
        }
        if (cells.length != columns.length) {
            throw malformed("row must have " + columns.length + " cells as the header has, got " + cells.length);
        }
        Object label = null;
        String id = ids.ofLine(line);
        Map<String, Double> features = new LinkedHashMap<>();
        for (int i = 0; i < cells.length; i++) {
            String cell = cells[i].strip();
            if (i == idAt) {
                id = id(cell);
            } else if (!MISSING.contains(cell)) {
                if (i == labelAt) {
                    label = label(cell);
                } else {
                    addFeature(i, cell, features);
                }
            }
        }
        return ExampleRecords.example(id, label, ExampleRecords.named(features), 1.0);
    }

    private String id(String cell) throws MalformedExampleException {
        if (cell.isEmpty()) {
            throw malformed("id must not be empty (column " + columns[idAt] + ")");
        }
        return ids.given(cell);
    }

    private Object label(String cell) throws MalformedExampleException {
        try {
            return labels.parse(cell);
        } catch (IllegalArgumentException e) {
            throw malformed(e.getMessage());
        }
    }

    private void addFeature(int column, String cell, Map<String, Double> features) throws MalformedExampleException {
        double value = kinds[column] == Kind.CATEGORY ? Double.NaN : Decimals.parse(cell);
        boolean isFirst = kinds[column] == Kind.UNKNOWN;
        if (isFirst) {
            kinds[column] = Double.isNaN(value) ? Kind.CATEGORY : Kind.NUMBER;
        }
        if (kinds[column] == Kind.CATEGORY) {
            features.put(names[column] + "=" + cell, 1.0);
        } else if (Double.isFinite(value)) {
            features.put(names[column], value);
        } else {
            throw malformed("value must be a finite number" + (isFirst ? "" : " as in the rows before") + ", got '"
                    + cell + "' (column " + columns[column] + "; leave the cell empty where it is missing)");
        }
    }

    /** The next row; null at the end. */
    private String[] row() throws IOException {
        row.clear();
        try {
            if (rows.nextToken() == null) {
                return null;
            }
            for (JsonToken token = rows.nextToken(); token != JsonToken.END_ARRAY; token = rows.nextToken()) {
                if (row.isEmpty()) {
                    line = rows.currentTokenLocation().getLineNr();
                }
                row.add(rows.getText());
            }
        } catch (JsonProcessingException e) {
            throw new MalformedExampleException(
                    source,
                    row.isEmpty() ? line + 1 : line,
                    "row must be comma-separated values: " + e.getOriginalMessage());
        }
        return row.toArray(String[]::new);
    }

    private void checkUnique() throws MalformedExampleException {
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < columns.length; i++) {
            columns[i] = columns[i].strip();
            if (columns[i].isEmpty() || !seen.add(columns[i])) {
                throw malformed(
                        "column names must be unique and not empty, got '" + columns[i] + "' (column " + (i + 1) + ")");
            }
        }
    }

    private int position(String column, String option) throws MalformedExampleException {
        List<String> names = List.of(columns);
        if (!names.contains(column)) {
            String shown = String.join(", ", names.subList(0, Math.min(names.size(), MAX_SHOWN)));
            throw malformed("header must have a column '" + column + "', got " + shown
                    + (names.size() > MAX_SHOWN ? " and " + (names.size() - MAX_SHOWN) + " more" : "") + " (" + option
                    + " names another" + (option.startsWith("--label") ? ", or none" : "") + ")");
        }
        return names.indexOf(column);
    }

    private MalformedExampleException malformed(String message) {
        return new MalformedExampleException(source, line, message);
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
