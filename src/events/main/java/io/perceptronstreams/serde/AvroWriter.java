package io.perceptronstreams.serde;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Writes Avro binary in the Confluent wire format into one buffer that grows to the largest event and is reused. */
final class AvroWriter {
    private static final VarHandle DOUBLE =
            MethodHandles.byteArrayViewVarHandle(double[].class, ByteOrder.LITTLE_ENDIAN);

    /**
     * Maximum length of the text of a label, in UTF-16 units: an event with the longest tags must fit into one record.
     */
    private static final int MAX_TEXT = 10_000;

    private static final byte[] MINUS_ONE = {'-', '1'};

    private final StringBuilder joined = new StringBuilder();
    private byte[] buffer = new byte[512];
    private int size;

    /** Starts a new event with the wire format's header. */
    AvroWriter start(int schemaId) {
        WireFormat.writeHeader(buffer, schemaId);
        size = WireFormat.HEADER;
        return this;
    }

    /** Starts a text instead of an event. */
    AvroWriter startText() {
        size = 0;
        return this;
    }

    AvroWriter writeByte(int value) {
        ensure(1);
        buffer[size++] = (byte) value;
        return this;
    }

    /** Writes bytes from an offset on, without their length. */
    AvroWriter writeRest(byte[] bytes, int offset) {
        int length = bytes.length - offset;
        ensure(length);
        System.arraycopy(bytes, offset, buffer, size, length);
        size += length;
        return this;
    }

    /** Writes an int or a long, as a zigzag varint; also the branch of a union, or the item count of a block. */
    AvroWriter writeLong(long value) {
        ensure(10);
        long zigzag = value << 1 ^ value >> 63;
        while ((zigzag & ~0x7fL) != 0) {
            buffer[size++] = (byte) (zigzag | 0x80);
            zigzag >>>= 7;
        }
        buffer[size++] = (byte) zigzag;
        return this;
    }

    AvroWriter writeDouble(double value) {
        ensure(Double.BYTES);
        DOUBLE.set(buffer, size, value);
        size += Double.BYTES;
        return this;
    }

    AvroWriter writeBoolean(boolean value) {
        ensure(1);
        buffer[size++] = (byte) (value ? 1 : 0);
        return this;
    }

    AvroWriter writeString(Utf8Slice text) {
        return writeBytes(text.bytes(), text.offset(), text.length());
    }

    /** Writes a string; allocates nothing for ASCII. */
    AvroWriter writeString(String text) {
        return writeText(text);
    }

    private AvroWriter writeText(CharSequence text) {
        int start = size;
        int length = text.length();
        writeLong(length);
        ensure(length);
        for (int k = 0; k < length; k++) {
            char unit = text.charAt(k);
            if (unit >= 0x80) {
                size = start;
                return writeUtf8(text.toString());
            }
            buffer[size++] = (byte) unit;
        }
        return this;
    }

    private AvroWriter writeUtf8(String text) {
        return writeString(text.getBytes(StandardCharsets.UTF_8));
    }

    AvroWriter writeString(byte[] utf8) {
        return writeBytes(utf8, 0, utf8.length);
    }

    private AvroWriter writeBytes(byte[] bytes, int offset, int length) {
        writeLong(length);
        ensure(length);
        System.arraycopy(bytes, offset, buffer, size, length);
        size += length;
        return this;
    }

    AvroWriter writeArray(List<String> list) {
        if (!list.isEmpty()) {
            writeLong(list.size());
            list.forEach(this::writeString);
        }
        return writeLong(0);
    }

    /**
     * Writes a label as a union of int, string and array of strings.
     *
     * @param intBranch position of int in the union; the other two follow
     */
    AvroWriter writeLabel(Label label, int intBranch) {
        if (label instanceof Label.Int of) {
            return writeLong(intBranch).writeLong(of.value());
        } else if (label instanceof Label.ClassName named) {
            return writeLong(intBranch + 1).writeString(named.name());
        }
        return writeLong(intBranch + 2).writeArray(((Label.Tags) label).tags());
    }

    /** Writes a label as a union of null and its text. */
    AvroWriter writeLabelText(Label label) {
        return label == null ? writeLong(0) : writeLong(1).writeText(label);
    }

    /** Writes the text of a label, tags joined by blanks; allocates nothing for ASCII, -1 and digits. */
    AvroWriter writeText(Label label) {
        if (label instanceof Label.Int of) {
            return writeDecimal(of.value());
        } else if (label instanceof Label.ClassName named) {
            return writeString(named.name());
        }
        return writeJoined(((Label.Tags) label).tags());
    }

    private AvroWriter writeDecimal(int value) {
        if (value >= 0 && value < 10) {
            ensure(2);
            buffer[size++] = 1 << 1;
            buffer[size++] = (byte) ('0' + value);
            return this;
        }
        // -1 is the label of every second example
        return value == -1 ? writeBytes(MINUS_ONE, 0, MINUS_ONE.length) : writeString(Integer.toString(value));
    }

    /** Writes tags up to {@link #MAX_TEXT} units, and an ellipsis for the others. */
    private AvroWriter writeJoined(List<String> tags) {
        joined.setLength(0);
        for (String tag : tags) {
            if (joined.length() + tag.length() > MAX_TEXT) {
                joined.append(joined.isEmpty() ? "…" : " …");
                break;
            }
            joined.append(joined.isEmpty() ? "" : " ").append(tag);
        }
        return writeText(joined);
    }

    /** Returns a copy of the event. */
    byte[] toBytes() {
        return Arrays.copyOf(buffer, size);
    }

    private void ensure(int more) {
        if (size + more > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.max(size + more, 2 * buffer.length));
        }
    }
}
