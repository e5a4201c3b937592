package io.perceptronstreams.cli;

import io.perceptronstreams.serde.EventReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Events and records for tests. */
public final class Events {
    private Events() {}

    /** An event of a schema with a value in each field: the last branch of unions, numbers with many digits. */
    public static GenericRecord filled(Schema schema) {
        return (GenericRecord) value(schema);
    }

    /** Like {@link #filled(Schema)}, as an object of a generated class. */
    public static <T extends SpecificRecord> T filled(Class<T> type) {
        // makes Avro trust the generated classes
        EventReader.of(type, null);
        SpecificData data = SpecificData.getForClass(type);
        Schema schema = data.getSchema(type);
        return type.cast(data.deepCopy(schema, filled(schema)));
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
