package io.perceptronstreams.client;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Passes an Avro container through and refuses one with a larger header or block than the limits.
 *
 * <p>Avro allocates an array of the size that a block claims before it reads the block. Each size is thus checked
 * before Avro sees it. Avro itself limits what a block expands to (200 MiB).
 */
final class ContainerLimit extends FilterInputStream {
    static final int MAX_HEADER_BYTES = 1 << 20;
    static final int MAX_BLOCK_BYTES = 64 << 20;

    private static final int MAGIC_BYTES = 4;
    private static final int SYNC_BYTES = 16;
    private static final int MAX_VARINT_BYTES = 10;

    private final String name;
    private final ByteArrayOutputStream parsed = new ByteArrayOutputStream();

    // checked bytes that are not passed on yet
    private byte[] checked = {};
    private int position;

    // number of bytes of the current block that are not passed on yet
    private long rest;
    private boolean hasHeader;

    /** @param name of the file, for messages */
    ContainerLimit(InputStream in, String name) {
        super(in);
        this.name = name;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (position == checked.length && rest == 0) {
            check();
            if (checked.length == 0) {
                return -1;
            }
        }
        if (position < checked.length) {
            int count = Math.min(length, checked.length - position);
            System.arraycopy(checked, position, bytes, offset, count);
            position += count;
            return count;
        }
        int count = in.read(bytes, offset, (int) Math.min(length, rest));
        rest -= Math.max(0, count);
        return count;
    }

    @Override
    public long skip(long count) throws IOException {
        return count > 0 && read() >= 0 ? 1 : 0;
    }

    @Override
    public int available() {
        return checked.length - position;
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    /** Reads the header or the sizes of a block. Passes the beginning of a truncated one on, which Avro refuses. */
    private void check() throws IOException {
        parsed.reset();
        try {
            if (hasHeader) {
                readNumber();
                long size = readNumber();
                if (size < 0 || size > MAX_BLOCK_BYTES) {
                    throw refusal("blocks", MAX_BLOCK_BYTES, size);
                }
                rest = size + SYNC_BYTES;
            } else {
                readHeader();
                hasHeader = true;
            }
        } catch (EOFException e) {
            rest = 0;
        }
        checked = parsed.toByteArray();
        position = 0;
    }

    private void readHeader() throws IOException {
        copy(MAGIC_BYTES);
        for (long count = readNumber(); count != 0; count = readNumber()) {
            if (count < 0) {
                // the size of the entries in bytes follows
                readNumber();
            }
            // a name and a value per entry
            for (long k = 0; k < 2 * Math.abs(count); k++) {
                copy(readNumber());
            }
        }
        copy(SYNC_BYTES);
    }

    private void copy(long count) throws IOException {
        if (count < 0 || count > MAX_HEADER_BYTES - parsed.size()) {
            throw refusal("a header", MAX_HEADER_BYTES, count < 0 ? count : parsed.size() + count);
        }
        byte[] bytes = in.readNBytes((int) count);
        parsed.writeBytes(bytes);
        if (bytes.length < count) {
            throw new EOFException();
        }
    }

    /** Reads a number as Avro writes it: 7 bits per byte, the lowest first, the sign in the lowest bit. */
    private long readNumber() throws IOException {
        long bits = 0;
        for (int k = 0; k < MAX_VARINT_BYTES; k++) {
            requireWithinHeader();
            int next = in.read();
            if (next < 0) {
                throw new EOFException();
            }
            parsed.write(next);
            bits |= (long) (next & 0x7F) << (7 * k);
            if (next < 0x80) {
                break;
            }
        }
        return (bits >>> 1) ^ -(bits & 1);
    }

    private void requireWithinHeader() {
        if (parsed.size() >= MAX_HEADER_BYTES) {
            throw refusal("a header", MAX_HEADER_BYTES, parsed.size() + 1L);
        }
    }

    private CommandFailedException refusal(String part, int limit, long got) {
        return new CommandFailedException(name + " must have " + part + " of at most " + limit + " bytes, got " + got
                + " (perceptron weights export writes smaller ones)");
    }
}
