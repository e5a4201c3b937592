package io.perceptronstreams.serde;

import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Writes Avro binary in the Confluent wire format into one buffer that grows to the largest event and is reused. */
final class AvroWriter {
    private static final VarHandle DOUBLE =
            MethodHandles.byteArrayViewVarHandle(double[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[] buffer = new byte[512];
    private int size;

    /** Starts a new event with the wire format's header. */
    AvroWriter start(int schemaId) {
        WireFormat.writeHeader(buffer, schemaId);
        size = WireFormat.HEADER;
        return this;
    }

    /** An int or long, and the branch of a union. */
    AvroWriter number(long value) {
        ensure(10);
        long zigzag = value << 1 ^ value >> 63;
        while ((zigzag & ~0x7fL) != 0) {
            buffer[size++] = (byte) (zigzag | 0x80);
            zigzag >>>= 7;
        }
        buffer[size++] = (byte) zigzag;
        return this;
    }

    AvroWriter number(double value) {
        ensure(Double.BYTES);
        DOUBLE.set(buffer, size, value);
        size += Double.BYTES;
        return this;
    }

    AvroWriter flag(boolean value) {
        ensure(1);
        buffer[size++] = (byte) (value ? 1 : 0);
        return this;
    }

    AvroWriter text(Utf8Slice text) {
        return bytes(text.bytes(), text.offset(), text.length());
    }

    AvroWriter text(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return bytes(utf8, 0, utf8.length);
    }

    private AvroWriter bytes(byte[] bytes, int offset, int length) {
        number(length);
        ensure(length);
        System.arraycopy(bytes, offset, buffer, size, length);
        size += length;
        return this;
    }

    AvroWriter texts(Map<String, String> map) {
        if (!map.isEmpty()) {
            number(map.size());
            map.forEach((key, value) -> text(key).text(value));
        }
        return number(0);
    }

    AvroWriter texts(List<String> list) {
        if (!list.isEmpty()) {
            number(list.size());
            list.forEach(this::text);
        }
        return number(0);
    }

    /** An array of ints. */
    AvroWriter numbers(int[] values, int size) {
        if (size > 0) {
            number(size);
            for (int k = 0; k < size; k++) {
                number(values[k]);
            }
        }
        return number(0);
    }

    /** An array of doubles. */
    AvroWriter numbers(double[] values, int size) {
        if (size > 0) {
            number(size);
            for (int k = 0; k < size; k++) {
                number(values[k]);
            }
        }
        return number(0);
    }

    /**
     * A label as a union of int, string and array of strings.
     *
     * @param intBranch the position of int in the union; the other two follow
     */
    AvroWriter label(Label label, int intBranch) {
        if (label instanceof Label.Of of) {
            return number(intBranch).number(of.value());
        } else if (label instanceof Label.Named named) {
            return number(intBranch + 1).text(named.name());
        }
        return number(intBranch + 2).texts(((Label.Tags) label).tags());
    }

    /** A copy of the event. */
    byte[] toBytes() {
        return Arrays.copyOf(buffer, size);
    }

    private void ensure(int more) {
        if (size + more > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.max(size + more, 2 * buffer.length));
        }
    }
}
