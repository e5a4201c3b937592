package io.perceptronstreams.cli;

import io.perceptronstreams.client.TerminalText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToIntFunction;

/** Formats rows of a table with the columns that fit into a width. */
final class TableLayout {
    private static final String GAP = "  ";

    /** Columns of at most this rank are kept as long as their smallest widths fit. */
    private static final int ESSENTIAL = 8;

    private final List<Integer> indices = new ArrayList<>();
    private final List<Column> shown = new ArrayList<>();
    private final List<Integer> widths = new ArrayList<>();

    /**
     * A column; numbers are right-aligned, text is left-aligned.
     *
     * @param minWidth in terminal columns; for numbers at least 8, enough for a rounded number
     * @param goodWidth enough for most texts: columns of a rank over {@link #ESSENTIAL} leave it to the others
     * @param maxWidth in terminal columns
     * @param rank columns of larger rank are omitted first
     */
    record Column(String name, int minWidth, int goodWidth, int maxWidth, int rank, boolean isNumber) {
        static Column text(String name, int minWidth, int maxWidth, int rank) {
            return text(name, minWidth, minWidth, maxWidth, rank);
        }

        static Column text(String name, int minWidth, int goodWidth, int maxWidth, int rank) {
            return new Column(name, minWidth, goodWidth, maxWidth, rank, false);
        }

        static Column number(String name, int width, int rank) {
            return new Column(name, width, width, width, rank, true);
        }
    }

    private TableLayout() {}

    /**
     * Omits columns until the others fit, then widens the others in turn. If no column fits, the column of
     * least rank gets the whole width.
     */
    static TableLayout fit(List<Column> columns, int width) {
        List<Column> kept = new ArrayList<>(columns);
        while (kept.size() > 1) {
            Column least =
                    kept.stream().max(Comparator.comparingInt(Column::rank)).orElseThrow();
            if (widthOf(kept, least.rank() > ESSENTIAL ? Column::goodWidth : Column::minWidth) <= width) {
                break;
            }
            kept.remove(least);
        }
        TableLayout fitting = new TableLayout();
        int spare = width - widthOf(kept, Column::minWidth);
        for (Column column : kept) {
            fitting.indices.add(columns.indexOf(column));
            fitting.shown.add(column);
            fitting.widths.add(Math.max(1, Math.min(width, column.minWidth())));
        }
        spare = fitting.widen(Column::goodWidth, spare);
        fitting.widen(Column::maxWidth, spare);
        return fitting;
    }

    /** Widens the columns in turn, up to a limit of each; returns what is left of the spare width. */
    private int widen(ToIntFunction<Column> limit, int spare) {
        int left = spare;
        for (boolean isWidened = true; isWidened && left > 0; ) {
            isWidened = false;
            for (int k = 0; k < shown.size() && left > 0; k++) {
                if (widths.get(k) < limit.applyAsInt(shown.get(k))) {
                    widths.set(k, widths.get(k) + 1);
                    left--;
                    isWidened = true;
                }
            }
        }
        return left;
    }

    private static int widthOf(List<Column> columns, ToIntFunction<Column> width) {
        return columns.stream().mapToInt(width).sum() + GAP.length() * (columns.size() - 1);
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
