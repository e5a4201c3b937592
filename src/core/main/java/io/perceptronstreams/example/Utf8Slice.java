package io.perceptronstreams.example;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A slice of UTF-8 bytes in an array that it does not own, such as the id in the bytes of a record.
 *
 * <p>Ids stay bytes from input to output; {@link #toString} decodes on demand. Ordered by unsigned bytes: a
 * {@code HashMap} needs one to find ids of equal hash, which anybody can make, in less than linear time.
 */
public final class Utf8Slice implements Comparable<Utf8Slice> {
    private byte[] bytes = new byte[0];
    private int offset;
    private int length;

    /** Points this slice at {@code length} bytes of {@code bytes}, which must not change while the slice is in use. */
    public void set(byte[] bytes, int offset, int length) {
        this.bytes = bytes;
        this.offset = offset;
        this.length = length;
    }

    /** Sets this slice to a copy of a string. */
    public Utf8Slice set(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        set(utf8, 0, utf8.length);
        return this;
    }

    /** Returns a slice with bytes of its own. */
    public Utf8Slice copy() {
        Utf8Slice copy = new Utf8Slice();
        copy.set(Arrays.copyOfRange(bytes, offset, offset + length), 0, length);
        return copy;
    }

    /**
     * Returns this slice in an object of its own if it is one of {@code held}, whose bytes stay as they are; otherwise
     * a copy.
     */
    public Utf8Slice keptIn(byte[] held) {
        if (bytes != held) {
            return copy();
        }
        Utf8Slice kept = new Utf8Slice();
        kept.set(bytes, offset, length);
        return kept;
    }

    /** The array, owned by the caller of {@link #set}. */
    public byte[] bytes() {
        return bytes;
    }

    public int offset() {
        return offset;
    }

    /** Length in bytes. */
    public int length() {
        return length;
    }

    /** Cuts a text after {@code max} UTF-16 units and appends "…", without splitting a surrogate pair. */
    public static String shortened(String text, int max) {
        if (text.length() <= max) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(max - 1)) ? max - 1 : max) + "…";
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Utf8Slice text
                && Arrays.equals(bytes, offset, offset + length, text.bytes, text.offset, text.offset + text.length);
    }

    @Override
    public int compareTo(Utf8Slice other) {
        return Arrays.compareUnsigned(
                bytes, offset, offset + length, other.bytes, other.offset, other.offset + other.length);
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
