package io.perceptronstreams.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Table of text whose columns are declared once: head, format and value of the cells. */
public final class Columns<T> {
    private record Column<T>(String head, String format, Function<? super T, ?> value) {
        String cell(T row) {
            Object cell = value.apply(row);
            return cell == null ? text("-") : String.format(Locale.ROOT, format, cell);
        }

        /** Text with width and side of the cells. */
        String text(String text) {
            return String.format(format.replaceFirst("%(-?),?(\\d*)(\\.\\d+)?[a-z]", "%$1$2s"), text);
        }
    }

    private final List<Column<T>> columns = new ArrayList<>();

    /**
     * Adds a column.
     *
     * @param format of its cells, such as {@code %,12d}, after the space on the left
     * @param value a null is shown as a hyphen
     */
    public Columns<T> add(String head, String format, Function<? super T, ?> value) {
        columns.add(new Column<>(head, format, value));
        return this;
    }

    /** Line of the heads. */
    public String header() {
        return columns.stream().map(column -> column.text(column.head)).collect(Collectors.joining());
    }

    /** Line of the cells of a row. */
    public String row(T row) {
        return columns.stream().map(column -> column.cell(row)).collect(Collectors.joining());
    }
}
