package io.perceptronstreams.format;

/**
 * Ids of the examples of one pass over a text: {@code prefix:line} where the text gives none. From the second pass on, {@code #}
 * and the number of the pass follow, so that no id comes twice.
 */
final class ExampleIds {
    private final String prefix;
    private final String suffix;

    /** @param pass from 1 */
    ExampleIds(String prefix, int pass) {
        this.prefix = prefix + ":";
        this.suffix = pass == 1 ? "" : "#" + pass;
    }

    String ofLine(long line) {
        return prefix + line + suffix;
    }

    /** For an id that the text gives. */
    String given(String id) {
        return id + suffix;
    }
}
