package io.perceptronstreams.serde;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.generic.PrimitivesArrays.DoubleArray;
import org.apache.avro.generic.PrimitivesArrays.IntArray;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.Encoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumWriter;

/** Writes events of one schema in the wire format, through reused buffers. Not thread-safe. */
public final class EventWriter {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
    private final byte[] header = new byte[WireFormat.HEADER];
    private final Writer writer;
    private BinaryEncoder encoder;

    /** @param schemaId of {@code schema} in the registry */
    public EventWriter(Schema schema, int schemaId) {
        this.writer = new Writer(schema);
        WireFormat.writeHeader(header, schemaId);
    }

    /** Encodes an event into a new array. */
    public byte[] write(IndexedRecord event) {
        bytes.reset();
        bytes.writeBytes(header);
        encoder = EncoderFactory.get().binaryEncoder(bytes, encoder);
        try {
            writer.write(event, encoder);
            encoder.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes.toByteArray();
    }

    /**
     * Encodes an event of which the only field is an array.
     *
     * @param items as {@link #write} of their own writer has encoded them
     */
    public byte[] writeArray(List<byte[]> items) {
        bytes.reset();
        bytes.writeBytes(header);
        encoder = EncoderFactory.get().binaryEncoder(bytes, encoder);
        try {
            encoder.writeArrayStart();
            encoder.setItemCount(items.size());
            for (byte[] item : items) {
                encoder.startItem();
                encoder.writeFixed(item, WireFormat.HEADER, item.length - WireFormat.HEADER);
            }
            encoder.writeArrayEnd();
            encoder.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes.toByteArray();
    }

    /** Writes arrays of numbers without boxing, which Avro's own writer does. */
    private static final class Writer extends SpecificDatumWriter<IndexedRecord> {
        Writer(Schema schema) {
            super(schema, EventSchemas.CLASSES);
        }

        @Override
        protected void writeArray(Schema schema, Object datum, Encoder out) throws IOException {
            if (datum instanceof DoubleArray doubles) {
                ByteBuffer buffer =
                        ByteBuffer.allocate(doubles.size() * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN);
                for (int i = 0; i < doubles.size(); i++) {
                    buffer.putDouble(doubles.getDouble(i));
                }
                out.writeArrayStart();
                out.setItemCount(doubles.size());
                out.writeFixed(buffer.array());
                out.writeArrayEnd();
            } else if (datum instanceof IntArray ints) {
                out.writeArrayStart();
                out.setItemCount(ints.size());
                for (int i = 0; i < ints.size(); i++) {
                    out.writeInt(ints.getInt(i));
                }
                out.writeArrayEnd();
            } else {
                super.writeArray(schema, datum, out);
            }
        }
    }
}
