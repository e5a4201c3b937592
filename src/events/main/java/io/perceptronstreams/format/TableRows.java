package io.perceptronstreams.format;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** The header and the rows of a table. */
interface TableRows extends Closeable {
    /** Names of the columns, some perhaps blank or repeated; null if the text is empty. */
    List<String> header();

    /**
     * The next row that is not empty; null at the end.
     *
     * @throws MalformedExampleException if a row is malformed; the next one can be read if the fault can be skipped
     */
    List<String> next() throws IOException;

    /** Number of the line, from 1, on which the last row starts. */
    long line();

    /** What stands between the cells, for messages. */
    String separatorName();

    /** Returns true if the first line has the names. */
    default boolean hasHeader() {
        return true;
    }

    /** Weight of the last row. */
    default double weight() {
        return 1;
    }

    /** Name of the labels' column unless it is given. */
    default String labelColumn() throws MalformedExampleException {
        return TableReader.DEFAULT_LABEL_COLUMN;
    }

    /**
     * Type of the labels.
     *
     * @param column of the labels
     * @param given type that the user has named
     */
    default LabelType labelType(String column, LabelType given) {
        return given;
    }

    /**
     * The two labels that the file declares, the negative one first, where a model needs their names; empty otherwise.
     */
    default List<String> twoLabels(String column) {
        return List.of();
    }

    /** Cells that have no value. */
    default Set<String> missing() {
        return CsvColumn.MISSING;
    }

    /** Mark of decimals; null if the sample decides it. */
    default Character decimal() {
        return null;
    }

    /** Kind of a column that the file declares; null if the sample decides it. */
    default ColumnKind declaredKind(int column) {
        return null;
    }

    /** Format of event times that the file declares; null without one. */
    default TimeFormat declaredTime(int column) {
        return null;
    }

    @Override
    void close() throws IOException;
}
