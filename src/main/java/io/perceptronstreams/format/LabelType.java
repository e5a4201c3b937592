package io.perceptronstreams.format;

/** What labels in a text stand for. */
public enum LabelType {
    /** The first label decides: whole numbers are ints, names are strings. All others must be of its type. */
    AUTO,
    /** Whole numbers: -1 and +1 for two classes. */
    INT,
    /** Names, also where they look like numbers. */
    STRING
}
