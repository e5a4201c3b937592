package io.perceptronstreams.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads the encodings of {@link ByteWriter}.
 *
 * <p>Every method throws {@link UnreadableModelException} on invalid bytes. Counts are checked against the remaining
 * bytes, so heap is O(bytes) on any input.
 */
final class ByteReader {
    private final byte[] bytes;
    private int at;

    ByteReader(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Number of bytes not yet read. */
    int left() {
        return bytes.length - at;
    }

    UnreadableModelException fault(String rule, Object got) {
        return new UnreadableModelException(
                "a stored model must " + rule + ", got " + got + " (before byte " + at + " of " + bytes.length + ")");
    }

    private void require(int more) {
        if (left() < more) {
            throw fault("have " + more + " more bytes", left());
        }
    }

    int readByte() {
        require(1);
        return bytes[at++] & 0xff;
    }

    byte[] readBytes(int count) {
        require(count);
        at += count;
        return Arrays.copyOfRange(bytes, at - count, at);
    }

    long readUnsigned() {
        long number = 0;
        for (int shift = 0; ; shift += 7) {
            int next = readByte();
            if (shift == 63 && next > 1) {
                throw fault("have numbers of 64 bits at most", "a longer one");
            }
            number |= (next & 0x7fL) << shift;
            if (next < 0x80) {
                return number;
            }
        }
    }

    long readSigned() {
        long number = readUnsigned();
        return number >>> 1 ^ -(number & 1);
    }

    /** Reads a number from 0 to {@code max}. */
    int readInt(int max) {
        return requireAtMost(max, readUnsigned());
    }

    /** Reads a number of elements of at least {@code bytesEach} bytes; checks it against the remaining bytes. */
    int readCount(int bytesEach) {
        long count = readUnsigned();
        return requireAtMost(left() / bytesEach, count);
    }

    private int requireAtMost(long max, long number) {
        if (number < 0 || number > max) {
            throw fault("have a number from 0 to " + max, Long.toUnsignedString(number));
        }
        return (int) number;
    }

    /** Reads {@code count} doubles. */
    void readDoubles(double[] numbers, int from, int count) {
        for (int k = from; k < from + count; k += 2) {
            int lengths = readByte();
            numbers[k] = readDouble(lengths >> 4);
            double second = readDouble(lengths & 0xf);
            if (k + 1 < from + count) {
                numbers[k + 1] = second;
            } else if ((lengths & 0xf) != 0) {
                throw fault("have no number behind the last one", second);
            }
        }
    }

    /** Reads a count and that many doubles. */
    List<Double> readDoubles() {
        long stored = readUnsigned();
        // two zeros take one byte
        int count = requireAtMost(2L * left(), stored);
        if (count == 0) {
            return List.of();
        }
        double[] numbers = new double[count];
        readDoubles(numbers, 0, count);
        List<Double> list = new ArrayList<>(count);
        for (double number : numbers) {
            list.add(number);
        }
        return list;
    }

    private double readDouble(int length) {
        if (length > Long.BYTES) {
            throw fault("have doubles of 0 to 8 bytes", length);
        }
        require(length);
        long bits = 0;
        for (int k = 0; k < length; k++) {
            bits |= (bytes[at++] & 0xffL) << (Long.SIZE - Byte.SIZE * (k + 1));
        }
        return Double.longBitsToDouble(bits);
    }

    String readString() {
        int length = readCount(1);
        int end = at + length;
        StringBuilder text = new StringBuilder(length);
        while (at < end) {
            int first = bytes[at++];
            if (first >= 0) {
                text.append((char) first);
            } else if ((first & 0xe0) == 0xc0) {
                text.append((char) ((first & 0x1f) << 6 | readRest(end)));
            } else if ((first & 0xf0) == 0xe0) {
                text.append((char) ((first & 0xf) << 12 | readRest(end) << 6 | readRest(end)));
            } else {
                throw fault("have strings of UTF-16 units", "byte " + (first & 0xff));
            }
        }
        return text.toString();
    }

    private int readRest(int end) {
        if (at == end || (bytes[at] & 0xc0) != 0x80) {
            throw fault("have strings of whole UTF-16 units", "a part of one");
        }
        return bytes[at++] & 0x3f;
    }

    /** Checks that all bytes were read. */
    void requireEnd() {
        if (left() > 0) {
            throw fault("end behind what belongs to it", left() + " more bytes");
        }
    }
}
