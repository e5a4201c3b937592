package io.perceptronstreams.format;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads lines as bytes into a reused buffer and counts them. LF and CRLF end a line; a byte order mark is skipped. */
final class LineReader implements Closeable {
    private static final int MAX_LINE_BYTES = 64 << 20;

    private final InputStream in;
    private final String source;
    private byte[] buffer = new byte[1 << 16];
    private int filled;
    private int start;
    private int end;
    private int following;
    private long line;

    /** @param source name of the text in messages */
    LineReader(InputStream in, String source) {
        this.in = in;
        this.source = source;
    }

    /** Moves to the next line and invalidates the previous one; returns false at the end. */
    boolean advance() throws IOException {
        start = following;
        int scanned = start;
        while (true) {
            for (; scanned < filled; scanned++) {
                if (buffer[scanned] == '\n') {
                    finish(scanned, scanned + 1);
                    return true;
                }
            }
            int shift = start;
            if (!fill()) {
                if (start == filled) {
                    following = start;
                    return false;
                }
                finish(filled, filled);
                return true;
            }
            scanned -= shift;
        }
    }

    private void finish(int lineEnd, int next) {
        end = lineEnd > start && buffer[lineEnd - 1] == '\r' ? lineEnd - 1 : lineEnd;
        following = next;
        if (++line == 1
                && end - start >= 3
                && buffer[start] == (byte) 0xEF
                && buffer[start + 1] == (byte) 0xBB
                && buffer[start + 2] == (byte) 0xBF) {
            start += 3;
        }
    }

    /** Moves the remaining bytes to the front of the buffer and reads more; returns false at the end. */
    private boolean fill() throws IOException {
        System.arraycopy(buffer, start, buffer, 0, filled - start);
        filled -= start;
        start = 0;
        if (filled == buffer.length) {
            if (filled >= MAX_LINE_BYTES) {
                line++;
                throw new MalformedExampleException(
                        source, line, "line must be at most " + MAX_LINE_BYTES + " bytes long");
            }
            buffer = Arrays.copyOf(buffer, 2 * filled);
        }
        int count = in.read(buffer, filled, buffer.length - filled);
        filled += Math.max(0, count);
        return count >= 0;
    }

    /** Holds the line from {@link #start()} to before {@link #end()}; {@link #advance()} may replace the array. */
    byte[] bytes() {
        return buffer;
    }

    int start() {
        return start;
    }

    int end() {
        return end;
    }

    /** Number of the line, from 1. */
    long number() {
        return line;
    }

    String text() {
        return text(start, end);
    }

    String text(int from, int to) {
        return new String(buffer, from, to - from, StandardCharsets.UTF_8);
    }

    /** A fault of the line, behind which the next one can be read. */
    MalformedExampleException malformed(String message) {
        return new MalformedExampleException(source, line, message, true);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
