package io.perceptronstreams.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads what {@link ByteWriter} wrote.
 *
 * <p>Every method throws {@link UnreadableModelException} where the bytes cannot be such. No count is believed that the bytes left
 * cannot hold, so that heap is O(bytes) whatever they are.
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

    /** Whether these bytes come next; if so, they are read. */
    boolean skipIfNext(byte[] expected) {
        boolean isNext = left() >= expected.length
                && Arrays.equals(bytes, at, at + expected.length, expected, 0, expected.length);
        at += isNext ? expected.length : 0;
        return isNext;
    }

    /** A copy of the next bytes. */
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

    /** A number from 0 to {@code max}. */
    int readInt(int max) {
        return requireAtMost(max, readUnsigned());
    }

    /** A number of elements that the bytes behind it can hold if each takes {@code bytesEach} at least. */
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

    /** Reads so many doubles. */
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

    /** Reads a count and so many doubles. */
    List<Double> readDoubles() {
        long stored = readUnsigned();
        // two in a byte, where both are 0
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

    /** To be called when all was read. */
    void requireEnd() {
        if (left() > 0) {
            throw fault("end behind what belongs to it", left() + " more bytes");
        }
    }
}
