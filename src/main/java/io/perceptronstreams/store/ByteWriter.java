package io.perceptronstreams.store;

import java.util.Arrays;
import java.util.List;

/**
 * Compact encoding of numbers and strings into a growing, reused array; {@link ByteReader} reads it. Not thread-safe.
 *
 * <ul>
 *   <li>Unsigned number: 7 bits per byte, lowest first; the high bit is set in every byte but the last. A negative
 *       number takes 10 bytes.
 *   <li>Signed number: the unsigned number 2n for n >= 0, and -2n - 1 for n < 0.
 *   <li>Doubles, in pairs: one byte with two lengths from 0 to 8, the first in its high half; then that many of the raw
 *       bytes of each number, highest first. Omitted bytes are 0. Hence 0.0 takes no byte besides its length, small
 *       whole numbers take two or three, and all bits are preserved. An odd count ends with a single number
 *       and second length 0.
 *   <li>String: the number of bytes, then every UTF-16 unit in one to three bytes as in UTF-8. Unpaired surrogates are
 *       preserved, so any string of a client can be stored.
 * </ul>
 */
final class ByteWriter {
    /** Maximum number of bytes of a number. */
    static final int MAX_NUMBER = 10;

    /** Maximum number of bytes of a UTF-16 unit. */
    static final int MAX_UNIT = 3;

    private byte[] bytes = new byte[1024];
    private int size;

    void clear() {
        size = 0;
    }

    int size() {
        return size;
    }

    /** Copies the bytes written from a position on. */
    byte[] copyFrom(int position) {
        return Arrays.copyOfRange(bytes, position, size);
    }

    private void makeRoom(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(size + more, 2 * bytes.length));
        }
    }

    void writeByte(int value) {
        makeRoom(1);
        bytes[size++] = (byte) value;
    }

    void writeBytes(byte[] value) {
        makeRoom(value.length);
        System.arraycopy(value, 0, bytes, size, value.length);
        size += value.length;
    }

    void writeUnsigned(long number) {
        makeRoom(MAX_NUMBER);
        long rest = number;
        while ((rest & ~0x7f) != 0) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    void writeSigned(long number) {
        writeUnsigned(number << 1 ^ number >> 63);
    }

    /** Writes {@code count} doubles; the count is not written. */
    void writeDoubles(double[] numbers, int from, int count) {
        for (int k = from; k < from + count; k += 2) {
            if (k + 1 < from + count) {
                writePair(numbers[k], numbers[k + 1]);
            } else {
                writeSingle(numbers[k]);
            }
        }
    }

    /** Writes the count and the doubles. */
    void writeDoubles(List<Double> numbers) {
        int count = numbers.size();
        writeUnsigned(count);
        for (int k = 0; k < count; k += 2) {
            if (k + 1 < count) {
                writePair(numbers.get(k), numbers.get(k + 1));
            } else {
                writeSingle(numbers.get(k));
            }
        }
    }

    void writePair(double first, double second) {
        long firstBits = Double.doubleToRawLongBits(first);
        long secondBits = Double.doubleToRawLongBits(second);
        writeByte(length(firstBits) << 4 | length(secondBits));
        writeHighBytes(firstBits);
        writeHighBytes(secondBits);
    }

    private void writeSingle(double number) {
        writePair(number, 0.0);
    }

    private static int length(long bits) {
        return Long.BYTES - Long.numberOfTrailingZeros(bits) / Byte.SIZE;
    }

    private void writeHighBytes(long bits) {
        makeRoom(Long.BYTES);
        for (long rest = bits; rest != 0; rest <<= Byte.SIZE) {
            bytes[size++] = (byte) (rest >>> (Long.SIZE - Byte.SIZE));
        }
    }

    void writeString(String text) {
        int length = 0;
        for (int k = 0; k < text.length(); k++) {
            char unit = text.charAt(k);
            length += unit < 0x80 ? 1 : unit < 0x800 ? 2 : MAX_UNIT;
        }
        writeUnsigned(length);
        makeRoom(length);
        for (int k = 0; k < text.length(); k++) {
            char unit = text.charAt(k);
            if (unit < 0x80) {
                bytes[size++] = (byte) unit;
            } else if (unit < 0x800) {
                bytes[size++] = (byte) (0xc0 | unit >> 6);
                bytes[size++] = (byte) (0x80 | (unit & 0x3f));
            } else {
                bytes[size++] = (byte) (0xe0 | unit >> 12);
                bytes[size++] = (byte) (0x80 | (unit >> 6 & 0x3f));
                bytes[size++] = (byte) (0x80 | (unit & 0x3f));
            }
        }
    }
}
