package io.perceptronstreams.serde;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * Schema of an Example, an ExampleBatch or a Label with types that other tools write, which Avro's resolution alone
 * refuses.
 *
 * <p>As in JSON, a label may be a boolean or any whole number, an id a whole number, and id and weight may be null or
 * missing; a named feature whose value is null is missing. In addition, a label may be a symbol of an enum.
 */
final class LenientSchema {
    static final String EXAMPLES = "examples";

    private LenientSchema() {}

    /** Returns {@code own} with more types; other events than Example, ExampleBatch and Label unchanged. */
    static Schema of(Schema own, Schema writer) {
        if (own.getField(EXAMPLES) != null) {
            Schema example = of(own.getField(EXAMPLES).schema().getElementType(), element(writer.getField(EXAMPLES)));
            Schema.Field examples = new Schema.Field(EXAMPLES, Schema.createArray(example));
            return Schema.createRecord(own.getName(), null, own.getNamespace(), false, List.of(examples));
        }
        if (own.getField("label") == null || own.getField("weight") == null) {
            return own;
        }
        List<Schema.Field> fields = new ArrayList<>();
        for (Schema.Field field : own.getFields()) {
            fields.add(
                    switch (field.name()) {
                        case "label" ->
                            new Schema.Field(
                                    "label", label(field.schema(), writer.getField("label")), null, defaultOf(field));
                        case "id" -> new Schema.Field("id", orNull(orNumber(field.schema())), null, "");
                        case "exampleId" -> new Schema.Field("exampleId", orNumber(field.schema()));
                        case "weight" -> new Schema.Field("weight", orNull(field.schema()), null, 1.0);
                        case "features" -> new Schema.Field("features", nullable(field.schema()));
                        default -> new Schema.Field(field.name(), field.schema(), null, defaultOf(field));
                    });
        }
        return Schema.createRecord(own.getName(), null, own.getNamespace(), false, fields);
    }

    /** Returns the record that a writer has as an element; an empty one if it has none. */
    private static Schema element(Schema.Field examples) {
        Stream<Schema> types = examples == null
                ? Stream.empty()
                : examples.schema().isUnion() ? examples.schema().getTypes().stream() : Stream.of(examples.schema());
        return types.filter(each -> each.getType() == Schema.Type.ARRAY)
                .map(Schema::getElementType)
                .filter(each -> each.getType() == Schema.Type.RECORD)
                .findFirst()
                .orElseGet(() -> Schema.createRecord("None", null, null, false, List.of()));
    }

    /** The default of a field that has none, or null. */
    private static Object defaultOf(Schema.Field field) {
        return field.hasDefaultValue() ? Schema.Field.NULL_DEFAULT_VALUE : null;
    }

    private static Schema orNull(Schema schema) {
        Schema none = Schema.create(Schema.Type.NULL);
        return Schema.createUnion(
                schema.isUnion()
                        ? Stream.concat(schema.getTypes().stream(), Stream.of(none))
                                .toList()
                        : List.of(schema, none));
    }

    private static Schema orNumber(Schema schema) {
        return Schema.createUnion(schema, Schema.create(Schema.Type.LONG), Schema.create(Schema.Type.DOUBLE));
    }

    private static Schema label(Schema own, Schema.Field writer) {
        Stream<Schema> more = Stream.of(Schema.Type.LONG, Schema.Type.BOOLEAN, Schema.Type.DOUBLE)
                .map(Schema::create);
        Stream<Schema> written = writer == null
                ? Stream.empty()
                : writer.schema().isUnion() ? writer.schema().getTypes().stream() : Stream.of(writer.schema());
        Stream<Schema> enums = written.filter(each -> each.getType() == Schema.Type.ENUM);
        return Schema.createUnion(Stream.of(own.getTypes().stream(), more, enums)
                .flatMap(each -> each)
                .toList());
    }

    /** Returns a copy in which the values of maps may be null. */
    private static Schema nullable(Schema schema) {
        return switch (schema.getType()) {
            case UNION ->
                Schema.createUnion(
                        schema.getTypes().stream().map(LenientSchema::nullable).toList());
            case RECORD ->
                Schema.createRecord(
                        schema.getName(),
                        null,
                        schema.getNamespace(),
                        false,
                        schema.getFields().stream()
                                .map(field -> new Schema.Field(field.name(), nullable(field.schema())))
                                .toList());
            case ARRAY -> Schema.createArray(nullable(schema.getElementType()));
            case MAP -> Schema.createMap(orNull(schema.getValueType()));
            default -> schema;
        };
    }

    /** Converts an event of such a schema, so that it is one of our own schema. */
    static void convert(GenericRecord event) {
        if (event.hasField(EXAMPLES) && event.get(EXAMPLES) instanceof List<?> examples) {
            examples.forEach(example -> convert((GenericRecord) example));
        }
        if (!event.hasField("label") || !event.hasField("weight")) {
            return;
        }
        event.put("label", label(event.get("label")));
        if (event.get("weight") == null) {
            event.put("weight", 1.0);
        }
        for (String field : List.of("id", "exampleId")) {
            if (event.hasField(field)) {
                event.put(field, id(event.get(field), field));
            }
        }
        if (event.hasField("features")) {
            removeNulls(event.get("features"));
        }
    }

    private static Object id(Object id, String field) {
        if (id == null) {
            return "";
        }
        String number = id instanceof Double written ? ExampleDecoder.id(written) : id.toString();
        if (number == null) {
            throw new RejectedException(
                    RejectReason.INVALID_ID, field + " must be a text or a whole number, got " + id);
        }
        return id instanceof Number ? number : id;
    }

    private static Object label(Object label) {
        if (label instanceof Boolean isTrue) {
            return isTrue ? 1 : 0;
        }
        if (label instanceof Long || label instanceof Double) {
            double number = ((Number) label).doubleValue();
            if (number != (int) number) {
                throw new RejectedException(
                        RejectReason.INVALID_LABEL, "label must be a whole number of 32 bits, got " + label);
            }
            return (int) number;
        }
        return label instanceof GenericData.EnumSymbol symbol ? symbol.toString() : label;
    }

    private static void removeNulls(Object features) {
        if (features instanceof Map<?, ?> named) {
            named.values().removeIf(Objects::isNull);
        } else if (features instanceof List<?> list) {
            list.forEach(LenientSchema::removeNulls);
        } else if (features instanceof GenericRecord record) {
            record.getSchema().getFields().forEach(field -> removeNulls(record.get(field.pos())));
        }
    }

    /** Returns the field that a reader's schema cannot read, such as {@code  (field features)}; empty without one. */
    static String place(Schema reader, Schema writer) {
        List<SchemaCompatibility.Incompatibility> faults = SchemaCompatibility.checkReaderWriterCompatibility(
                        reader, writer)
                .getResult()
                .getIncompatibilities();
        // "/fields/1/type/2": the second field, of which a part cannot be read
        return faults.stream()
                .map(fault -> fault.getLocation().split("/"))
                .filter(path -> path.length > 2 && path[1].equals("fields"))
                .findFirst()
                .map(path -> " (field "
                        + reader.getFields().get(Integer.parseInt(path[2])).name() + ")")
                .orElse("");
    }
}
