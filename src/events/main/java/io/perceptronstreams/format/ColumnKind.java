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
    /** Features {@code column.weekday=Sat} and {@code column.hour=13} of value 1, of a date or time. */
    DATES,
    /**
     * Feature {@code column.days}, the days since 1970 of a date or time; the same column may be of {@link #DATES},
     * too.
     */
    DAYS,
    /** No features. */
    IGNORED,
    /**
     * No cell has had a value: no features. The first value decides the kind, unless the column has no name: then none
     * is accepted.
     */
    EMPTY,
    /** Labels. */
    LABEL,
    /** Ids of the examples. */
    ID,
    /** Event times. */
    TIME
}
