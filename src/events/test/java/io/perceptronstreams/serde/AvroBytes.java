package io.perceptronstreams.serde;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BlockingBinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.Encoder;
import org.apache.avro.io.EncoderFactory;

/** Encodes and decodes with the Avro library. */
final class AvroBytes {
    private AvroBytes() {}

    /** In the wire format. */
    static byte[] of(int schemaId, GenericRecord event) {
        ByteArrayOutputStream bytes = header(schemaId);
        return write(bytes, EncoderFactory.get().binaryEncoder(bytes, null), event);
    }

    /** In the wire format, arrays and maps cut into blocks of negative count with their sizes. */
    static byte[] inBlocks(int schemaId, GenericRecord event) {
        ByteArrayOutputStream bytes = header(schemaId);
        Encoder blocking = new EncoderFactory().configureBlockSize(64).blockingBinaryEncoder(bytes, null);
        if (!(blocking instanceof BlockingBinaryEncoder)) {
            throw new IllegalStateException("not in blocks");
        }
        return write(bytes, blocking, event);
    }

    private static ByteArrayOutputStream header(int schemaId) {
        byte[] header = new byte[WireFormat.HEADER];
        WireFormat.writeHeader(header, schemaId);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(header);
        return bytes;
    }

    private static byte[] write(ByteArrayOutputStream bytes, Encoder out, GenericRecord event) {
        try {
            new GenericDatumWriter<GenericRecord>(event.getSchema()).write(event, out);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static GenericRecord read(String event, byte[] value) {
        try {
            return new GenericDatumReader<GenericRecord>(EventSchemas.schema(event))
                    .read(
                            null,
                            DecoderFactory.get()
                                    .binaryDecoder(value, WireFormat.HEADER, value.length - WireFormat.HEADER, null));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
