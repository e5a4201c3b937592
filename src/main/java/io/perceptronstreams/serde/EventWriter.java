package io.perceptronstreams.serde;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.generic.PrimitivesArrays.DoubleArray;
import org.apache.avro.generic.PrimitivesArrays.IntArray;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.Encoder;
import org.apache.avro.io.EncoderFactory;

/** Writes Avro records of one schema in the wire format, through reused buffers. Not thread-safe. */
public final class EventWriter {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
    private final byte[] header = new byte[WireFormat.HEADER];
    private final GenericDatumWriter<IndexedRecord> writer;
    private BinaryEncoder encoder;

    /** @param schemaId of {@code schema} in the registry */
    public EventWriter(Schema schema, int schemaId) {
        this.writer = new UnboxedArrays(schema);
        WireFormat.writeHeader(header, schemaId);
    }

    /** Encodes an event into a new array. */
    public byte[] write(IndexedRecord event) {
        bytes.reset();
        bytes.writeBytes(header);
        encoder = EncoderFactory.get().directBinaryEncoder(bytes, encoder);
        try {
            writer.write(event, encoder);
            encoder.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes.toByteArray();
    }

    /** Writes arrays of numbers without boxing, which Avro's own writer does. */
    private static final class UnboxedArrays extends GenericDatumWriter<IndexedRecord> {
        UnboxedArrays(Schema schema) {
            super(schema);
        }

        @Override
        protected void writeArray(Schema schema, Object datum, Encoder out) throws IOException {
            if (datum instanceof DoubleArray doubles) {
                out.writeArrayStart();
                out.setItemCount(doubles.size());
                for (int i = 0; i < doubles.size(); i++) {
                    out.startItem();
                    out.writeDouble(doubles.getDouble(i));
                }
                out.writeArrayEnd();
            } else if (datum instanceof IntArray ints) {
                out.writeArrayStart();
                out.setItemCount(ints.size());
                for (int i = 0; i < ints.size(); i++) {
                    out.startItem();
                    out.writeInt(ints.getInt(i));
                }
                out.writeArrayEnd();
            } else {
                super.writeArray(schema, datum, out);
            }
        }
    }
}
