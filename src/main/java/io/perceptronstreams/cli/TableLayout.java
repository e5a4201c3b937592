package io.perceptronstreams.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Those columns of a table that fit into a width, with rows made of them. */
final class TableLayout {
    private static final String GAP = "  ";

    private final List<Integer> places = new ArrayList<>();
    private final List<Column> shown = new ArrayList<>();
    private final List<Integer> widths = new ArrayList<>();

    /**
     * A column; numbers stand at its right, text at its left.
     *
     * @param least columns of the terminal that it takes; for numbers at least 8, to which every number can be rounded
     * @param most to how much it may grow
     * @param rank the larger, the sooner it is left out
     */
    record Column(String name, int least, int most, int rank, boolean isNumber) {
        static Column text(String name, int least, int most, int rank) {
            return new Column(name, least, most, rank, false);
        }

        static Column number(String name, int width, int rank) {
            return new Column(name, width, width, rank, true);
        }
    }

    private TableLayout() {}

    /**
     * Leaves columns out until the others fit, and gives what is left over to those that can grow, the first ones first. A width too small for
     * any column is given to the one of least rank.
     */
    static TableLayout fit(List<Column> columns, int width) {
        List<Column> kept = new ArrayList<>(columns);
        while (kept.size() > 1 && needed(kept) > width) {
            kept.remove(kept.stream().max(Comparator.comparingInt(Column::rank)).orElseThrow());
        }
        TableLayout fitting = new TableLayout();
        int left = width - needed(kept);
        for (Column column : kept) {
            int more = Math.min(left, column.most() - column.least());
            left -= more;
            fitting.places.add(columns.indexOf(column));
            fitting.shown.add(column);
            fitting.widths.add(Math.max(1, column.least() + more));
        }
        return fitting;
    }

    private static int needed(List<Column> columns) {
        return columns.stream().mapToInt(Column::least).sum() + GAP.length() * (columns.size() - 1);
    }

    String header() {
        return line(shown.stream().map(Column::name).toList());
    }

    /** @param cells for all columns, also those that are left out: numbers, text, or null for nothing */
    String row(List<?> cells) {
        return line(places.stream().map(place -> cells.get(place)).toList());
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
        // a number without its last digits would be another one
        return cell instanceof Long number && text.length() > width
                ? TerminalText.cut(String.format(Locale.ROOT, "%.2e", (double) number), width)
                : TerminalText.cut(text, width);
    }
}
