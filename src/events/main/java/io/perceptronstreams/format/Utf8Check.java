package io.perceptronstreams.format;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Passes on the bytes of a text up to the first that is not UTF-8, or 0: then the exception names its line. */
final class Utf8Check extends FilterInputStream {
    private final String source;
    private final byte[] one = new byte[1];
    private long line = 1;
    private long passed;
    private int following;
    // limits of the next byte of a character
    private int low = 0x80;
    private int high = 0xBF;
    private MalformedExampleException fault;

    /** @param source name of the text in messages */
    Utf8Check(InputStream in, String source) {
        super(in);
        this.source = source;
    }

    @Override
    public int read() throws IOException {
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (fault != null) {
            throw fault;
        }
        int count = in.read(bytes, offset, length);
        if (count < 0 && following > 0) {
            throw fault("its last byte in the middle of a character", "windows-1252");
        }
        for (int i = offset; i < offset + count; i++) {
            if (!accepts(bytes[i])) {
                fault = fault(
                        bytes[i] == 0
                                ? "a byte of 0, as files of other programs have"
                                : String.format("the byte 0x%02X", bytes[i]),
                        bytes[i] == 0 && passed + i - offset < 2
                                ? "UTF-16" + (passed + i == offset ? "BE" : "LE")
                                : "windows-1252");
                if (i == offset) {
                    throw fault;
                }
                // the lines before can still be read
                return i - offset;
            }
        }
        passed += count;
        return count;
    }

    private boolean accepts(byte signed) {
        if (signed > 0 && following == 0) {
            line += signed == '\n' ? 1 : 0;
            return true;
        }
        int b = signed & 0xFF;
        if (following > 0) {
            boolean isValid = b >= low && b <= high;
            following--;
            low = 0x80;
            high = 0xBF;
            return isValid;
        }
        // table 3-7 of the Unicode standard: no longer forms than needed, no surrogates, nothing above U+10FFFF
        low = b == 0xE0 ? 0xA0 : b == 0xF0 ? 0x90 : 0x80;
        high = b == 0xED ? 0x9F : b == 0xF4 ? 0x8F : 0xBF;
        following = b >= 0xC2 && b <= 0xDF ? 1 : b >= 0xE0 && b <= 0xEF ? 2 : b >= 0xF0 && b <= 0xF4 ? 3 : 0;
        return following > 0;
    }

    private MalformedExampleException fault(String found, String encoding) {
        return new MalformedExampleException(
                source,
                line,
                "text must be UTF-8, got " + found + " (save it as UTF-8, or name its encoding: --encoding " + encoding
                        + ")");
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
