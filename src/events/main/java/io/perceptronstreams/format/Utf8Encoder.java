package io.perceptronstreams.format;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** The bytes of a text in UTF-8, from bytes in another encoding. */
final class Utf8Encoder extends InputStream {
    private final Reader reader;
    private final Charset from;
    private final String source;
    private final char[] chars = new char[1 << 13];
    private byte[] bytes = {};
    private int at;
    private long line = 1;

    /** @param source name of the text in messages */
    Utf8Encoder(InputStream in, Charset from, String source) {
        // a decoder of its own reports malformed input instead of replacing it
        this.reader = new InputStreamReader(in, from.newDecoder());
        this.from = from;
        this.source = source;
    }

    @Override
    public int read() throws IOException {
        return fill() ? bytes[at++] & 0xFF : -1;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int count = Math.min(length, bytes.length - at);
        System.arraycopy(bytes, at, to, offset, count);
        at += count;
        return count;
    }

    /** Returns false at the end. */
    private boolean fill() throws IOException {
        if (at < bytes.length) {
            return true;
        }
        try {
            int count = reader.read(chars, 0, chars.length - 1);
            if (count < 0) {
                return false;
            }
            if (Character.isHighSurrogate(chars[count - 1])) {
                // the decoder has never half a character at its end
                chars[count++] = (char) reader.read();
            }
            String text = new String(chars, 0, count);
            line += text.chars().filter(c -> c == '\n').count();
            bytes = text.getBytes(StandardCharsets.UTF_8);
            at = 0;
            return true;
        } catch (CharacterCodingException e) {
            throw new MalformedExampleException(
                    source,
                    line,
                    "text must be in " + from + " from here on, got other bytes (--encoding names another)");
        }
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
