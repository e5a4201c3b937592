package io.perceptronstreams.format;

import java.util.ArrayList;
import java.util.List;

/** Reads a line of {@link ArffRows} from left to right: words, quoted texts, lists in braces; a comment is the end. */
final class ArffLine {
    private final String text;
    private int at;
    private boolean isQuoted;

    ArffLine(String text) {
        this.text = text;
    }

    /** Skips blanks; returns true at the end, or before a comment. */
    boolean isEnd() {
        while (at < text.length() && isBlank(text.charAt(at))) {
            at++;
        }
        return at == text.length() || text.charAt(at) == '%';
    }

    /** Returns true if the next character that is no blank is {@code c}. */
    boolean isAt(char c) {
        return !isEnd() && text.charAt(at) == c;
    }

    private static boolean isBlank(char c) {
        return c <= ' ' || c == '\u00a0';
    }

    /** The rest of the line, without a comment and blanks around. */
    String rest() {
        if (isEnd()) {
            return "";
        }
        return text.substring(at).strip();
    }

    /** The characters before the next blank. */
    String word() {
        isEnd();
        int start = at;
        while (at < text.length() && !isBlank(text.charAt(at))) {
            at++;
        }
        return text.substring(start, at);
    }

    /** A quoted text, or the characters before a blank or a brace. */
    String name() {
        isQuoted = isAt('\'') || isAt('"');
        if (isQuoted) {
            return quoted();
        }
        int start = at;
        while (at < text.length() && !isBlank(text.charAt(at)) && text.charAt(at) != '{') {
            at++;
        }
        return text.substring(start, at);
    }

    /** Returns true if there is a comma outside quoted texts in the rest. */
    boolean hasComma() {
        int start = at;
        boolean isFound = false;
        while (!isFound && !isEnd()) {
            if (isAt('\'') || isAt('"')) {
                quoted();
            } else {
                isFound = text.charAt(at++) == ',';
            }
        }
        at = start;
        return isFound;
    }

    /**
     * Reads a value and the comma behind it, if there is one.
     *
     * @param hasCommas false: blanks end a value, too
     */
    String value(boolean hasCommas) {
        String value = value(hasCommas, ",");
        if (isAt(',')) {
            at++;
        }
        return value;
    }

    /** Returns true if the last value was quoted. */
    boolean isQuoted() {
        return isQuoted;
    }

    /** A value of a sparse row, before a comma or a brace. */
    String sparseValue() {
        if (isEnd()) {
            throw new IllegalArgumentException("value must follow its index, got the end of the line");
        }
        String value = value(true, ",}");
        if (value.isEmpty() && !isQuoted) {
            throw new IllegalArgumentException("value must follow its index, got none");
        }
        if (isAt(',')) {
            at++;
        } else if (!isAt('}')) {
            throw new IllegalArgumentException(
                    "values must have commas between, got '" + CsvColumn.shown(rest()) + "'");
        }
        return value;
    }

    private String value(boolean hasBlanks, String ends) {
        isQuoted = isAt('\'') || isAt('"');
        if (isQuoted) {
            String value = quoted();
            if (!isEnd() && text.charAt(at) != '{' && ends.indexOf(text.charAt(at)) < 0 && hasBlanks) {
                throw new IllegalArgumentException("quotation marks must enclose whole values, got '"
                        + CsvColumn.shown(rest()) + "' behind them (\\' is one within a value)");
            }
            return value;
        }
        int start = at;
        while (at < text.length() && ends.indexOf(text.charAt(at)) < 0) {
            boolean isBlank = isBlank(text.charAt(at));
            boolean isComment = isBlank && at + 1 < text.length() && text.charAt(at + 1) == '%';
            if ((isBlank && !hasBlanks) || isComment) {
                break;
            }
            at++;
        }
        return text.substring(start, at).strip();
    }

    /** Moves behind an opening brace. */
    void open() {
        at++;
    }

    /** Moves behind a closing brace and a comma after it, and returns true; returns false if another value follows. */
    boolean close() {
        if (isEnd()) {
            throw new IllegalArgumentException("braces must be closed, got the end of the line");
        }
        if (text.charAt(at) != '}') {
            return false;
        }
        at++;
        if (isAt(',')) {
            at++;
        }
        return true;
    }

    /** The values of a list in braces, with commas between, or with blanks if there are none. */
    List<String> braces() {
        List<String> values = new ArrayList<>();
        boolean hasCommas = hasComma();
        open();
        while (!close()) {
            String value = value(hasCommas, ",}");
            if (value.isEmpty() && !isQuoted) {
                throw new IllegalArgumentException("a list must have values between its commas, got none");
            }
            values.add(value);
            if (isAt(',')) {
                at++;
            }
        }
        return values;
    }

    private String quoted() {
        char quote = text.charAt(at++);
        StringBuilder value = new StringBuilder();
        for (; at < text.length() && text.charAt(at) != quote; at++) {
            char c = text.charAt(at);
            if (c != '\\' || at + 1 == text.length()) {
                value.append(c);
            } else {
                value.append(unescaped(text.charAt(++at)));
            }
        }
        if (at++ >= text.length()) {
            throw new IllegalArgumentException("quotation mark " + quote + " must be closed, got the end of the line");
        }
        return value.toString();
    }

    private static char unescaped(char c) {
        return switch (c) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            default -> c;
        };
    }
}
