package io.perceptronstreams.example;

/**
 * Position in the text of an expression; base of parsers, whose faults name the column. Blanks may stand between all
 * signs.
 */
public abstract class ExpressionText {
    protected final String text;
    protected int at;

    protected ExpressionText(String text) {
        this.text = text;
    }

    /** Passes a character if it is the next one; returns false otherwise. */
    protected final boolean isNext(char character) {
        skipBlanks();
        if (at < text.length() && text.charAt(at) == character) {
            at++;
            return true;
        }
        return false;
    }

    protected final boolean isAtEnd() {
        skipBlanks();
        return at == text.length();
    }

    protected final void skipBlanks() {
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
            at++;
        }
    }

    /** Returns the exception for the next character. */
    protected final IllegalArgumentException fault(String expected) {
        skipBlanks();
        return fault(at, expected);
    }

    protected final IllegalArgumentException fault(int position, String expected) {
        return new IllegalArgumentException("column " + (position + 1) + ": expected " + expected + ", got "
                + (position >= text.length()
                        ? "the end"
                        : "'" + Utf8Slice.shortened(text.substring(position), 20) + "'"));
    }
}
