package io.perceptronstreams.format;

/** Kinds of columns of a table, which decide the features of their cells. */
public enum ColumnKind {
    /** Features with the column's name. */
    NUMBERS,
    /** Features with the column's name: 1 for true and 0 for false. */
    BOOLEANS,
    /** Features {@code column=word} of value 1, a cell being one word. */
    WORDS,
    /** Features {@code column=word}, of the number of times that the word is in the cell. */
    TEXT,
    /** No features. */
    IGNORED,
    /** No cell of the sample has a value: no features, and no value is accepted later. */
    EMPTY,
    /** Labels. */
    LABEL,
    /** Ids of the examples. */
    ID,
    /** Event times. */
    TIME
}
