package io.perceptronstreams.format;

/**
 * What becomes of objects and arrays in JSON lines.
 *
 * @param flattens true: the fields of a nested object are named by their path, with points between; false: it is
 *     refused
 * @param arrays null: they are refused
 */
public record NestedValues(boolean flattens, Arrays arrays) {
    /** Nested values are refused. */
    public static final NestedValues REFUSED = new NestedValues(false, null);

    /** Features of an array. */
    public enum Arrays {
        /** Its number of elements, as the feature {@code name.count}. */
        COUNT,
        /** A feature {@code name=element} for each element, of the number of times that it is there. */
        WORDS,
        /** None. */
        IGNORE
    }
}
