package io.perceptronstreams.format;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * The elements of a JSON array, each on a line of its own, without the array: {@code [{…},\n{…}]} becomes
 * {@code {…}\n{…}}.
 *
 * <p>Line breaks within an element become blanks, so that an element and its line have the same number. The inside of
 * an element is not checked.
 */
final class ArrayLines extends FilterInputStream {
    private final String source;
    private int depth;
    private boolean isText;
    private boolean isEscaped;
    private boolean isEnded;
    private boolean isEmpty = true;
    private long element = 1;

    /**
     * @param in at the bracket that begins the array, or at white space before it
     * @param source name of the text in messages
     */
    private ArrayLines(InputStream in, String source) {
        super(in);
        this.source = source;
    }

    /** Returns the text itself unless its first character begins an array. */
    static InputStream of(InputStream text, String source) throws IOException {
        InputStream in = text.markSupported() ? text : new BufferedInputStream(text);
        in.mark(1 << 10);
        int first = in.read();
        if (first == 0xEF) {
            // a byte order mark
            in.skipNBytes(2);
            first = in.read();
        }
        for (int skipped = 0; isBlank(first) && skipped < 1000; skipped++) {
            first = in.read();
        }
        if (first == '[') {
            return new ArrayLines(in, source);
        }
        in.reset();
        return in;
    }

    private static boolean isBlank(int c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r';
    }

    @Override
    public int read() throws IOException {
        int c = in.read();
        if (c < 0) {
            if (!isEnded) {
                throw malformed("array must end with ], got the end of the file");
            }
            return c;
        }
        if (isText) {
            isText = isEscaped || c != '"';
            isEscaped = !isEscaped && c == '\\';
            return c;
        }
        if (isBlank(c)) {
            return ' ';
        }
        if (isEnded) {
            throw malformed("array must be the only value of the file, got '" + (char) c + "' after it");
        }
        if (depth == 0 && (c == ',' || c == ']')) {
            if (isEmpty && (c == ',' || element > 1)) {
                throw malformed("array must have an object before each comma and before its end, got none");
            }
            isEmpty = true;
            isEnded = c == ']';
            element++;
            return '\n';
        }
        isEmpty = false;
        isText = c == '"';
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        return c;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        int count = 0;
        while (count < length) {
            int c = read();
            if (c < 0) {
                break;
            }
            bytes[from + count++] = (byte) c;
            if (c == '\n') {
                // a pipe may deliver the next element much later
                break;
            }
        }
        return count == 0 && length > 0 ? -1 : count;
    }

    private MalformedExampleException malformed(String message) {
        return new MalformedExampleException(source, element, message);
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
