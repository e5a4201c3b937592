package io.perceptronstreams.cli;

import io.perceptronstreams.client.TerminalText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Formats rows of a table with the columns that fit into a width. */
final class TableLayout {
    private static final String GAP = "  ";

    private final List<Integer> indices = new ArrayList<>();
    private final List<Column> shown = new ArrayList<>();
    private final List<Integer> widths = new ArrayList<>();

    /**
     * A column; numbers are right-aligned, text is left-aligned.
     *
     * @param minWidth in terminal columns; for numbers at least 8, enough for a rounded number
     * @param maxWidth in terminal columns
     * @param rank columns of larger rank are omitted first
     */
    record Column(String name, int minWidth, int maxWidth, int rank, boolean isNumber) {
        static Column text(String name, int minWidth, int maxWidth, int rank) {
            return new Column(name, minWidth, maxWidth, rank, false);
        }

        static Column number(String name, int width, int rank) {
            return new Column(name, width, width, rank, true);
        }
    }

    private TableLayout() {}

    /**
     * Omits columns until the others fit, then widens columns from left to right. If no column fits, the column of
     * least rank gets the whole width.
     */
    static TableLayout fit(List<Column> columns, int width) {
        List<Column> kept = new ArrayList<>(columns);
        while (kept.size() > 1 && minWidthOf(kept) > width) {
            kept.remove(kept.stream().max(Comparator.comparingInt(Column::rank)).orElseThrow());
        }
        TableLayout fitting = new TableLayout();
        int spare = width - minWidthOf(kept);
        for (Column column : kept) {
            int growth = Math.min(spare, column.maxWidth() - column.minWidth());
            spare -= growth;
            fitting.indices.add(columns.indexOf(column));
            fitting.shown.add(column);
            fitting.widths.add(Math.max(1, column.minWidth() + growth));
        }
        return fitting;
    }

    private static int minWidthOf(List<Column> columns) {
        return columns.stream().mapToInt(Column::minWidth).sum() + GAP.length() * (columns.size() - 1);
    }

    String header() {
        return line(shown.stream().map(Column::name).toList());
    }

    /** @param cells for all columns, including omitted ones: numbers, text, or null for an empty cell */
    String row(List<?> cells) {
        return line(indices.stream().map(index -> cells.get(index)).toList());
    }

    private String line(List<?> cells) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < shown.size(); i++) {
            int width = widths.get(i);
            String cell = text(cells.get(i), width);
            String space = " ".repeat(width - TerminalText.columns(cell));
            line.append(i == 0 ? "" : GAP).append(shown.get(i).isNumber() ? space + cell : cell + space);
        }
        return line.toString().stripTrailing();
    }

    private static String text(Object cell, int width) {
        if (cell == null) {
            return "";
        }
        String text = cell.toString();
        // a truncated number would be wrong: round it
        return cell instanceof Long number && text.length() > width
                ? TerminalText.truncate(String.format(Locale.ROOT, "%.2e", (double) number), width)
                : TerminalText.truncate(text, width);
    }
}
