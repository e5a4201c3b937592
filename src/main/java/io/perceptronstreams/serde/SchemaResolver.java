package io.perceptronstreams.serde;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;

/**
 * Brings a value of another version of a schema into our own, by Avro's schema resolution.
 *
 * <p>Avro's reader allocates what a length field says before it looks whether the bytes are there, so that a record of ten bytes
 * could ask for gigabytes. Therefore the value is walked through first, by its writer's schema, without allocation. Slower than
 * the own schema's way by some factor of ten; that is for producers who are a version behind or ahead.
 */
final class SchemaResolver {
    private final Schema writer;
    private final GenericDatumReader<GenericRecord> reader;
    private final GenericDatumWriter<GenericRecord> rewriter;
    private final AvroReader walker = new AvroReader();
    private long stepsLeft;

    SchemaResolver(Schema writer, Schema own) {
        this.writer = writer;
        this.reader = new GenericDatumReader<>(writer, own);
        this.rewriter = new GenericDatumWriter<>(own);
    }

    /** The same event in the binary form of our own schema. */
    byte[] resolve(byte[] value, int start) {
        walker.reset(value, start);
        // nulls and empty records take no bytes: a few bytes can claim more of them than anyone can count
        stepsLeft = 10_000 + 64L * value.length;
        walk(writer, 0);
        walker.end();
        try {
            BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(unmeasured(value, start), null);
            GenericRecord event = reader.read(null, decoder);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
            rewriter.write(event, encoder);
            encoder.flush();
            return out.toByteArray();
        } catch (AvroRuntimeException | IOException e) {
            throw new RejectedException(
                    RejectReason.INCOMPATIBLE_SCHEMA,
                    "the writer's schema must be readable as " + writer.getName() + ", got: " + firstLine(e));
        }
    }

    /**
     * The value as a stream of which Avro cannot tell how much is left.
     *
     * <p>Where it can, Avro 1.12.2 compares the items of an array with what is left by the size of the <em>reader's</em> items, and
     * refuses two floats to be read as doubles for want of eight more bytes. The walk has checked the lengths already.
     */
    private static InputStream unmeasured(byte[] value, int start) {
        return new SequenceInputStream(
                new ByteArrayInputStream(value, start, value.length - start), InputStream.nullInputStream());
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    /** Steps over one datum of a schema and fails where it does not fit into what is left. */
    private void walk(Schema schema, int depth) {
        if (depth > 64) {
            throw walker.malformed("data must not be nested deeper than 64 levels");
        }
        if (--stepsLeft < 0) {
            throw walker.malformed("the value claims too many items of no size");
        }
        switch (schema.getType()) {
            case NULL -> {}
            case BOOLEAN -> walker.skip(1);
            case INT, LONG -> walker.readLong();
            case ENUM -> inRange(walker.readLong(), schema.getEnumSymbols().size());
            case FLOAT -> walker.skip(Float.BYTES);
            case DOUBLE -> walker.skip(Double.BYTES);
            case FIXED -> walker.skip(schema.getFixedSize());
            case STRING, BYTES -> walker.skipString();
            case UNION ->
                walk(
                        schema.getTypes()
                                .get(inRange(
                                        walker.readLong(), schema.getTypes().size())),
                        depth + 1);
            case RECORD -> schema.getFields().forEach(field -> walk(field.schema(), depth + 1));
            case ARRAY -> walkItems(schema.getElementType(), false, depth);
            case MAP -> walkItems(schema.getValueType(), true, depth);
        }
    }

    private void walkItems(Schema item, boolean isKeyed, int depth) {
        for (int count = walker.readBlockCount(1); count != 0; count = walker.readBlockCount(1)) {
            for (int k = 0; k < count; k++) {
                if (isKeyed) {
                    walker.skipString();
                }
                walk(item, depth + 1);
            }
        }
    }

    private int inRange(long position, int size) {
        if (position < 0 || position >= size) {
            throw walker.malformed("a union or enum of " + size + " has no number " + position);
        }
        return (int) position;
    }
}
