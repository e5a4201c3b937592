package io.perceptronstreams.serde;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** Reads the plain JSON that {@link EventJson} writes; the type of a value selects the branch of a union. */
final class JsonEvents {
    private JsonEvents() {}

    /**
     * Converts JSON to a record of {@code schema}; missing fields get their defaults, unknown ones are skipped.
     *
     * @throws IllegalArgumentException if a field has another type, or is missing and has no default
     */
    static GenericRecord fromJson(JsonNode json, Schema schema) {
        if (!json.isObject()) {
            throw not(schema.getName(), "an object", json);
        }
        GenericRecord record = new GenericData.Record(schema);
        for (Schema.Field field : schema.getFields()) {
            JsonNode value = json.get(field.name());
            for (String former : field.aliases()) {
                value = value == null ? json.get(former) : value;
            }
            if (value == null) {
                if (!field.hasDefaultValue()) {
                    throw new IllegalArgumentException(schema.getName() + " must have a field " + field.name());
                }
                record.put(field.pos(), GenericData.get().getDefaultValue(field));
            } else {
                record.put(field.pos(), value(value, field.schema(), field.name()));
            }
        }
        return record;
    }

    private static Object value(JsonNode json, Schema schema, String name) {
        return switch (schema.getType()) {
            case UNION -> value(json, branch(json, schema, name), name);
            case RECORD -> fromJson(json, schema);
            case ARRAY -> {
                check(json.isArray(), json, schema, name);
                List<Object> list = new ArrayList<>(json.size());
                json.forEach(item -> list.add(value(item, schema.getElementType(), name)));
                yield list;
            }
            case MAP -> {
                check(json.isObject(), json, schema, name);
                Map<String, Object> map = new HashMap<>();
                json.properties()
                        .forEach(
                                entry -> map.put(entry.getKey(), value(entry.getValue(), schema.getValueType(), name)));
                yield map;
            }
            case ENUM -> new GenericData.EnumSymbol(schema, enumSymbol(json, schema, name));
            default -> {
                check(fits(json, schema), json, schema, name);
                yield scalar(json, schema.getType());
            }
        };
    }

    private static void check(boolean isRight, JsonNode json, Schema schema, String name) {
        if (!isRight) {
            throw not(name, "of type " + schema.getType().getName(), json);
        }
    }

    private static Schema branch(JsonNode json, Schema union, String name) {
        for (Schema branch : union.getTypes()) {
            if (fits(json, branch)) {
                return branch;
            }
        }
        throw not(name, "one of " + union.getTypes(), json);
    }

    private static String enumSymbol(JsonNode json, Schema schema, String name) {
        if (schema.hasEnumSymbol(json.asText())) {
            return json.asText();
        }
        if (schema.getEnumDefault() == null) {
            throw not(name, "one of " + schema.getEnumSymbols(), json);
        }
        return schema.getEnumDefault();
    }

    private static Object scalar(JsonNode json, Schema.Type type) {
        return switch (type) {
            case NULL -> null;
            case INT -> json.intValue();
            case LONG -> json.longValue();
            case DOUBLE -> json.doubleValue();
            case BOOLEAN -> json.booleanValue();
            default -> json.textValue();
        };
    }

    private static boolean fits(JsonNode json, Schema schema) {
        return switch (schema.getType()) {
            case NULL -> json.isNull();
            case INT -> json.isInt();
            case LONG -> json.canConvertToLong() && json.isIntegralNumber();
            case DOUBLE -> json.isNumber();
            case BOOLEAN -> json.isBoolean();
            case STRING, ENUM -> json.isTextual();
            case ARRAY -> json.isArray();
            case MAP, RECORD -> json.isObject();
            default -> false;
        };
    }

    private static IllegalArgumentException not(String name, String must, JsonNode json) {
        return new IllegalArgumentException(name + " must be " + must + ", got " + json);
    }
}
