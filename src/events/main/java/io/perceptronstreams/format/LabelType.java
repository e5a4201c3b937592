package io.perceptronstreams.format;

/** Types of labels in a text. */
public enum LabelType {
    /**
     * The first label decides: whole numbers are ints, true and false in any case the ints 1 and 0, other text is a
     * name. All labels must have the same type.
     */
    AUTO,
    /** Whole numbers, -1 and +1 or 0 and 1 for two classes; true and false are 1 and 0. */
    INT,
    /** Names, even if they look like numbers. */
    STRING
}
