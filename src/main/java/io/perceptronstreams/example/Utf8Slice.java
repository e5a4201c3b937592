package io.perceptronstreams.example;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A piece of UTF-8 inside an array that belongs to somebody else, such as the id within the bytes of a record.
 *
 * <p>Copied to a string only where somebody asks for one: on the way from input to output an id is bytes all the time.
 */
public final class Utf8Slice {
    private byte[] bytes = new byte[0];
    private int offset;
    private int length;

    /** Points this text at {@code length} bytes of {@code bytes}, which must not change while the text is in use. */
    public void set(byte[] bytes, int offset, int length) {
        this.bytes = bytes;
        this.offset = offset;
        this.length = length;
    }

    /** Makes this text that of a string. */
    public Utf8Slice set(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        set(utf8, 0, utf8.length);
        return this;
    }

    /** The array that holds the text; owned by whoever called {@link #set}. */
    public byte[] bytes() {
        return bytes;
    }

    public int offset() {
        return offset;
    }

    /** In bytes. */
    public int length() {
        return length;
    }

    /** The beginning of a text that is longer than {@code most} UTF-16 units, with "…" behind it; no surrogate pair is split. */
    public static String shortened(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most) + "…";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Utf8Slice text
                && Arrays.equals(bytes, offset, offset + length, text.bytes, text.offset, text.offset + text.length);
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = offset; i < offset + length; i++) {
            hash = 31 * hash + bytes[i];
        }
        return hash;
    }

    @Override
    public String toString() {
        return new String(bytes, offset, length, StandardCharsets.UTF_8);
    }
}
