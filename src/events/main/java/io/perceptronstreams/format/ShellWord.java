package io.perceptronstreams.format;

/** Words of a shell, for commands in messages. */
public final class ShellWord {
    private static final String SAFE = "[A-Za-z0-9_.,:+@%/=-]+";

    private ShellWord() {}

    /** Returns a text as one word: in quotation marks if it has signs that a shell would interpret. */
    public static String of(String text) {
        return text.matches(SAFE) ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
