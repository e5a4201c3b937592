package io.perceptronstreams.serde;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads Avro binary from a record's bytes; checks every length against the remaining bytes.
 *
 * <p>Every fault is a {@link RejectedException} with {@link RejectReason#MALFORMED_AVRO}. No method allocates.
 */
final class AvroReader {
    private static final VarHandle DOUBLE =
            MethodHandles.byteArrayViewVarHandle(double[].class, ByteOrder.LITTLE_ENDIAN);

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long HIGHEST_BITS = 0x8080808080808080L;

    private byte[] bytes = new byte[0];
    private int position;

    /** Starts reading at a position; the caller keeps ownership of the bytes. */
    void reset(byte[] bytes, int position) {
        this.bytes = bytes;
        this.position = position;
    }

    int position() {
        return position;
    }

    int remaining() {
        return bytes.length - position;
    }

    /** Reads a zigzag varint of at most ten bytes. */
    long readLong() {
        long value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            if (position == bytes.length) {
                throw malformed("the value ends in the middle of a number");
            }
            byte next = bytes[position++];
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value >>> 1 ^ -(value & 1);
            }
        }
        throw malformed("a number has more than ten bytes");
    }

    /** Reads a zigzag varint within the range of an int. */
    int readInt() {
        long value = readLong();
        if (value != (int) value) {
            throw malformed("an int must have 32 bits, got " + value);
        }
        return (int) value;
    }

    double readDouble() {
        if (remaining() < Double.BYTES) {
            throw malformed("the value ends in the middle of a double");
        }
        double value = (double) DOUBLE.get(bytes, position);
        position += Double.BYTES;
        return value;
    }

    /** Reads {@code count} ints. Hot path: the indices of a sparse example take half of its decoding time. */
    void readInts(int[] target, int from, int count) {
        byte[] source = bytes;
        int at = position;
        for (int k = from; k < from + count; k++) {
            // varints of up to four bytes (|value| < 2^27): no loop, one read
            int bits = source.length - at >= Integer.BYTES ? (int) INT.get(source, at) : -1;
            int value = bits & 0x7f;
            if ((bits & 0x80) == 0) {
                at++;
            } else if ((bits & 0x8000) == 0) {
                value |= (bits >>> 1) & 0x3f80;
                at += 2;
            } else if ((bits & 0x800000) == 0) {
                value |= ((bits >>> 1) & 0x3f80) | ((bits >>> 2) & 0x1fc000);
                at += 3;
            } else if (bits >= 0) {
                value |= ((bits >>> 1) & 0x3f80) | ((bits >>> 2) & 0x1fc000) | ((bits >>> 3) & 0xfe00000);
                at += 4;
            } else {
                position = at;
                target[k] = readInt();
                at = position;
                continue;
            }
            target[k] = value >>> 1 ^ -(value & 1);
        }
        position = at;
    }

    /** Reads {@code count} doubles; {@link #readBlockCount} has checked that they are there. */
    void readDoubles(double[] target, int from, int count) {
        byte[] source = bytes;
        int at = position;
        for (int k = from; k < from + count; k++) {
            target[k] = (double) DOUBLE.get(source, at);
            at += Double.BYTES;
        }
        position = at;
    }

    /** Skips a string or bytes, after a check of the length; returns the position of the first byte. */
    int skipString() {
        long length = readLong();
        if (length < 0 || length > remaining()) {
            throw malformed("a string of " + length + " bytes does not fit into the " + remaining() + " that are left");
        }
        int start = position;
        position += (int) length;
        return start;
    }

    /**
     * Reads the number of items in the next block of an array or map; 0 is the end.
     *
     * @param itemBytes minimum size of an item
     */
    int readBlockCount(int itemBytes) {
        long count = readLong();
        if (count < 0) {
            // a negative count is followed by the size of the block in bytes
            long size = readLong();
            if (count == Long.MIN_VALUE || size < 0 || size > remaining()) {
                throw malformed(
                        "a block of " + size + " bytes does not fit into the " + remaining() + " that are left");
            }
            count = -count;
        }
        // items of our schemas have at least one byte; with items of no bytes, any count would be valid
        if (count > remaining() / Math.max(1, itemBytes)) {
            throw malformed(
                    "a block of " + count + " items does not fit into the " + remaining() + " bytes that are left");
        }
        return (int) count;
    }

    /**
     * Passes an item of an array or map.
     *
     * @param left number of items left in the block, this one included
     * @return number of items left then, in this block or the next one; 0 after the last item
     */
    int next(int left, int itemBytes) {
        return left > 1 ? left - 1 : readBlockCount(itemBytes);
    }

    /** Skips numbers of one to ten bytes; their size is checked when they are read. */
    void skipNumbers(int count) {
        int at = position;
        int left = count;
        // eight bytes at once while more numbers follow: a number ends with a byte whose highest bit is 0
        while (bytes.length - at >= Long.BYTES) {
            int ended = Long.bitCount(~(long) LONG.get(bytes, at) & HIGHEST_BITS);
            if (ended >= left) {
                break;
            }
            left -= ended;
            at += Long.BYTES;
        }
        while (left > 0) {
            if (at == bytes.length) {
                throw malformed("the value ends in the middle of a number");
            }
            left -= bytes[at++] >= 0 ? 1 : 0;
        }
        position = at;
    }

    void skip(int count) {
        if (count > remaining()) {
            throw malformed("the value ends in the middle of a field");
        }
        position += count;
    }

    /** Checks that no bytes remain. */
    void end() {
        if (remaining() != 0) {
            throw malformed("the value must end with the event, got " + remaining() + " more bytes");
        }
    }

    RejectedException malformed(String what) {
        return new RejectedException(
                RejectReason.MALFORMED_AVRO, what + " (at byte " + position + " of " + bytes.length + ")");
    }
}
