package io.perceptronstreams.topology;

import io.perceptronstreams.serde.WireFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/** Writes values in the wire format item by item, so that they can be invalid. */
public final class Wire {
    private Wire() {}

    /** Writes what follows the header. */
    public interface Body {
        void write(BinaryEncoder out) throws IOException;
    }

    public static byte[] value(int schemaId, Body body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] header = new byte[WireFormat.HEADER];
        WireFormat.writeHeader(header, schemaId);
        BinaryEncoder out = EncoderFactory.get().directBinaryEncoder(bytes, null);
        try {
            bytes.write(header);
            body.write(out);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** An example of label +1 and weight 1 with these features, their branch of the union included. */
    public static byte[] example(int schemaId, Body features) {
        return example(schemaId, label(1), features, 1);
    }

    public static byte[] example(int schemaId, Body label, Body features, double weight) {
        return value(schemaId, out -> {
            out.writeString("x");
            label.write(out);
            features.write(out);
            out.writeDouble(weight);
        });
    }

    public static Body label(int label) {
        return out -> {
            out.writeIndex(1);
            out.writeInt(label);
        };
    }

    public static Body dense(double... values) {
        return out -> {
            out.writeIndex(0);
            array(out, values);
        };
    }

    static Body sparse(int[] indices, double... values) {
        return out -> {
            out.writeIndex(1);
            if (indices.length > 0) {
                out.writeLong(indices.length);
            }
            for (int index : indices) {
                out.writeInt(index);
            }
            out.writeLong(0);
            array(out, values);
        };
    }

    static void array(BinaryEncoder out, double... values) throws IOException {
        if (values.length > 0) {
            out.writeLong(values.length);
        }
        for (double value : values) {
            out.writeDouble(value);
        }
        out.writeLong(0);
    }
}
