package io.perceptronstreams.serde;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DatumReader;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificRecord;

/**
 * Converts values of other schema versions to the current version by Avro's schema resolution, and by the conversions
 * of {@link LenientSchema}.
 *
 * <p>Avro's reader allocates the length in a length field before it checks the remaining bytes, so that a record of ten
 * bytes could allocate gigabytes. Therefore a first pass checks all lengths without allocation. About ten times slower
 * than direct decoding.
 */
final class SchemaResolver {
    private final Schema writer;
    private final Schema readable;
    private final DatumReader<GenericRecord> reader;
    private final GenericDatumWriter<GenericRecord> rewriter;
    private final AvroReader walker = new AvroReader();
    private long stepsLeft;

    /** Creates a resolver that returns objects of the generated class. */
    SchemaResolver(Schema writer, Class<? extends SpecificRecord> type) {
        this.writer = writer;
        this.readable = EventSchemas.CLASSES.getSchema(type);
        this.reader = new SpecificDatumReader<>(writer, readable, EventSchemas.CLASSES);
        this.rewriter = null;
    }

    SchemaResolver(Schema writer, Schema own) {
        this.writer = writer;
        this.readable = LenientSchema.of(own, writer);
        this.reader = new GenericDatumReader<>(writer, readable);
        this.rewriter = new GenericDatumWriter<>(own);
    }

    /** Returns the event in Avro binary of the current schema. */
    byte[] resolve(byte[] value, int start) {
        GenericRecord event = read(value, start);
        try {
            LenientSchema.convert(event);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
            rewriter.write(event, encoder);
            encoder.flush();
            return out.toByteArray();
        } catch (RejectedException e) {
            throw e;
        } catch (RuntimeException | IOException e) {
            throw incompatible(e);
        }
    }

    /**
     * Finds the items of the array {@code examples} of a value.
     *
     * @throws RejectedException if the value ends before, or has more than the array
     */
    void findExamples(byte[] value, int start, ExampleList found) {
        walker.reset(value, start);
        limitSteps(value);
        int first = -1;
        for (Schema.Field field : writer.getFields()) {
            if (field.name().equals(LenientSchema.EXAMPLES)) {
                Schema array = array(field.schema());
                first = walker.position();
                for (int left = walker.readBlockCount(1); left > 0; left = walker.next(left, 1)) {
                    int from = walker.position();
                    walk(array.getElementType(), 1);
                    found.add(from, walker.position(), RejectReason.MALFORMED_AVRO);
                }
                found.setArray(first, walker.position());
            } else {
                walk(field.schema(), 1);
            }
        }
        walker.end();
        if (first < 0) {
            throw withoutArray();
        }
    }

    private Schema array(Schema type) {
        Schema array = type.getType() == Schema.Type.UNION
                ? type.getTypes().get(inRange(walker.readLong(), type.getTypes().size()))
                : type;
        if (array.getType() != Schema.Type.ARRAY) {
            throw withoutArray();
        }
        return array;
    }

    private RejectedException withoutArray() {
        return new RejectedException(
                RejectReason.MALFORMED_AVRO,
                "a value of " + writer.getName() + " must have an array " + LenientSchema.EXAMPLES + ", got none");
    }

    /** Returns the event with the fields of the current schema. */
    GenericRecord read(byte[] value, int start) {
        walker.reset(value, start);
        limitSteps(value);
        walk(writer, 0);
        walker.end();
        try {
            BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(unmeasured(value, start), null);
            return reader.read(null, decoder);
        } catch (RuntimeException | StackOverflowError | IOException e) {
            // Avro throws more than its own exceptions, such as NegativeArraySizeException
            throw incompatible(e);
        }
    }

    /** Nulls and empty records take no bytes: without a limit, a short value could contain billions of them. */
    private void limitSteps(byte[] value) {
        stepsLeft = 10_000 + 64L * value.length;
    }

    private RejectedException incompatible(Throwable e) {
        return new RejectedException(
                RejectReason.INCOMPATIBLE_SCHEMA,
                "the writer's schema must be readable as " + writer.getName() + ", got: " + firstLine(e)
                        + LenientSchema.place(readable, writer));
    }

    /**
     * Returns a stream whose number of remaining bytes Avro cannot determine.
     *
     * <p>With a byte array, Avro 1.12.2 compares the remaining bytes with the size of the <em>reader's</em> items, and
     * rejects two floats to be read as doubles because eight bytes are missing. The first pass has checked the lengths.
     */
    private static InputStream unmeasured(byte[] value, int start) {
        return new SequenceInputStream(
                new ByteArrayInputStream(value, start, value.length - start), InputStream.nullInputStream());
    }

    private static String firstLine(Throwable e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    /** Skips one value of a schema; throws if it does not fit into the remaining bytes. */
    private void walk(Schema schema, int depth) {
        if (depth > 64) {
            throw walker.malformed("data must not be nested deeper than 64 levels");
        }
        if (--stepsLeft < 0) {
            throw walker.malformed("the value must not contain more items without bytes than its size allows");
        }
        switch (schema.getType()) {
            case NULL -> {}
            case BOOLEAN -> walker.skip(1);
            case INT -> walker.readInt();
            case LONG -> walker.readLong();
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
        for (int left = walker.readBlockCount(1); left > 0; left = walker.next(left, 1)) {
            if (isKeyed) {
                walker.skipString();
            }
            walk(item, depth + 1);
        }
    }

    private int inRange(long position, int size) {
        if (position < 0 || position >= size) {
            throw walker.malformed("a union or enum of " + size + " has no number " + position);
        }
        return (int) position;
    }
}
