package io.perceptronstreams.format;

/**
 * Ids of the examples of one pass over a text: {@code prefix:line} if the text has none. From the second pass on,
 * {@code #} and the number of the pass are appended to keep ids unique.
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

    String given(String id) {
        return id + suffix;
    }
}
