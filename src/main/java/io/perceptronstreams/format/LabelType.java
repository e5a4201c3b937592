package io.perceptronstreams.format;

/** Types of labels in a text. */
public enum LabelType {
    /** The first label decides: whole numbers are ints, other text is a name. All labels must have the same type. */
    AUTO,
    /** Whole numbers: -1 and +1 for two classes. */
    INT,
    /** Names, even if they look like numbers. */
    STRING
}
