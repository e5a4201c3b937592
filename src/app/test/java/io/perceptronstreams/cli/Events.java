package io.perceptronstreams.cli;

import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.serde.EventReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Events and records for tests. */
public final class Events {
    /** Maximum number of branches of a union, and of symbols of an enum, in the events that the engine writes. */
    private static final int MAX_BRANCHES = 6;

    private Events() {}

    /** An event of a schema with a value in each field: the last branch of unions, numbers with many digits. */
    public static GenericRecord filled(Schema schema) {
        return (GenericRecord) value(schema);
    }

    /** Like {@link #filled(Schema)}, as an object of a generated class. */
    public static <T extends SpecificRecord> T filled(Class<T> type) {
        return type.cast(generated(filled(SpecificData.get().getSchema(type))));
    }

    /**
     * Events of a schema with other values in each field: the first event has the first branch of every union and the
     * first symbol of every enum, the second the second one, and so on, so that each occurs, null too.
     */
    public static List<GenericRecord> variants(Schema schema) {
        List<GenericRecord> variants = new ArrayList<>();
        for (int k = 0; k < MAX_BRANCHES; k++) {
            variants.add((GenericRecord) new Variant(k).value(schema));
        }
        return variants;
    }

    /** The same event as an object of its generated class, by Avro's own reader. */
    public static SpecificRecord generated(GenericRecord event) {
        // makes Avro trust the generated classes
        EventReader.of(MistakeCount.class, null);
        SpecificData data = SpecificData.getForSchema(event.getSchema());
        Schema schema = data.getSchema(data.getClass(event.getSchema()));
        try {
            ByteArrayOutputStream avro = new ByteArrayOutputStream();
            BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(avro, null);
            new GenericDatumWriter<GenericRecord>(event.getSchema()).write(event, encoder);
            encoder.flush();
            return new SpecificDatumReader<SpecificRecord>(schema, schema, data)
                    .read(null, DecoderFactory.get().binaryDecoder(avro.toByteArray(), null));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes values that differ from field to field. */
    private static final class Variant {
        private final int branch;
        private int values;

        Variant(int branch) {
            this.branch = branch;
        }

        Object value(Schema schema) {
            values++;
            return switch (schema.getType()) {
                case RECORD -> {
                    GenericRecord record = new GenericData.Record(schema);
                    schema.getFields().forEach(field -> record.put(field.pos(), value(field.schema())));
                    yield record;
                }
                case UNION ->
                    value(schema.getTypes().get(branch % schema.getTypes().size()));
                case ARRAY -> new ArrayList<>(List.of(value(schema.getElementType()), value(schema.getElementType())));
                case MAP -> Map.of("a b", value(schema.getValueType()), "\u00e9", value(schema.getValueType()));
                case ENUM ->
                    new GenericData.EnumSymbol(
                            schema,
                            schema.getEnumSymbols()
                                    .get(branch % schema.getEnumSymbols().size()));
                case NULL -> null;
                case INT -> -7 * values;
                case LONG -> (1L << 53) + values;
                case DOUBLE -> -values / 3.0;
                case BOOLEAN -> (branch + values) % 2 == 0;
                case STRING -> "\u00e9\"x" + values;
                default -> throw new IllegalArgumentException("schema must be one of an event, got " + schema);
            };
        }
    }

    private static Object value(Schema schema) {
        return switch (schema.getType()) {
            case RECORD -> {
                GenericRecord record = new GenericData.Record(schema);
                schema.getFields().forEach(field -> record.put(field.pos(), value(field.schema())));
                yield record;
            }
            case UNION -> value(schema.getTypes().get(schema.getTypes().size() - 1));
            case ARRAY -> new ArrayList<>(List.of(value(schema.getElementType())));
            case MAP -> Map.of("a b", value(schema.getValueType()));
            case ENUM ->
                new GenericData.EnumSymbol(schema, schema.getEnumSymbols().get(0));
            case INT -> 7;
            case LONG -> 9007199254740993L;
            case DOUBLE -> 2.0E-3;
            case BOOLEAN -> false;
            case STRING -> "\u00e9\"x";
            default -> throw new IllegalArgumentException("schema must be one of an event, got " + schema);
        };
    }

    public static ConsumerRecord<byte[], byte[]> record(String topic, long offset, String key, byte[] value) {
        return record(topic, 0, offset, 1_600_000_000_123L, key, value);
    }

    public static ConsumerRecord<byte[], byte[]> record(
            String topic, int partition, long offset, long time, String key, byte[] value) {
        return new ConsumerRecord<>(
                topic,
                partition,
                offset,
                time,
                TimestampType.CREATE_TIME,
                -1,
                -1,
                key == null ? null : key.getBytes(StandardCharsets.UTF_8),
                value,
                new RecordHeaders(),
                Optional.empty());
    }
}
