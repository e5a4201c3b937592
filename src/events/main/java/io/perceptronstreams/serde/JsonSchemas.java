package io.perceptronstreams.serde;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.JsonProperties;
import org.apache.avro.Schema;

/**
 * JSON Schema of events in JSON, made from their Avro schemas: a definition of each event, and of each record and enum
 * in it.
 *
 * <p>A field with a default is not required, because readers take it where the field is missing. Not thread-safe.
 */
public final class JsonSchemas {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** What one may send in place of the fields of the schemas, docs/topics.md. */
    private static final ObjectNode INPUT_FIELDS = parsed("""
            {"id": {"type": ["string", "integer", "null"]},
            "label": {"type": ["integer", "boolean", "string", "array", "null"], "items": {"type": "string"}},
            "features": {"anyOf": [
              {"type": "array", "items": {"type": "number"}, "description": "dense"},
              {"type": "object", "description": "sparse", "additionalProperties": false,
                "required": ["indices", "values"],
                "properties": {
                  "indices": {"type": "array", "items": {"type": "integer", "minimum": 0}},
                  "values": {"type": "array", "items": {"type": "number"}}}},
              {"type": "object", "description": "a feature name to its value; a text is a category, null a missing value",
                "additionalProperties": {"type": ["number", "string", "boolean", "null"]}},
              {"type": "object", "description": "the names of the features of each token", "additionalProperties": false,
                "required": ["tokens"],
                "properties": {
                  "tokens": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}}},
              {"type": "object", "description": "the outputs to choose from", "additionalProperties": false,
                "required": ["candidates"],
                "properties": {
                  "candidates": {"type": "array", "items": {"type": "object", "additionalProperties": false,
                    "required": ["output", "features"],
                    "properties": {
                      "output": {"type": "string"},
                      "features": {"type": "object", "additionalProperties": {"type": "number"}}}}}}}]},
            "weight": {"type": ["number", "null"], "exclusiveMinimum": 0, "default": 1.0},
            "timestamp": {"type": ["integer", "string", "null"],
              "description": "The event time: ms since 1970, or ISO 8601 with a zone. Without it: that of the record."},
            "knowableAt": {"type": ["integer", "string", "null"],
              "description": "When the source knew it, as timestamp; at most the time of the label."}}""");

    private final String prefix;
    private final Map<String, ObjectNode> definitions = new TreeMap<>();

    /** @param prefix of the references to definitions, such as #/$defs/ */
    public JsonSchemas(String prefix) {
        this.prefix = prefix;
    }

    /** Adds the definitions of an event. */
    public JsonSchemas add(Schema event) {
        define(event);
        return this;
    }

    /** The definitions by name. */
    public Map<String, ObjectNode> definitions() {
        return Collections.unmodifiableMap(definitions);
    }

    private void define(Schema type) {
        if (definitions.containsKey(type.getName())) {
            return;
        }
        ObjectNode definition = described(type.getDoc());
        definitions.put(type.getName(), definition);
        if (type.getType() == Schema.Type.ENUM) {
            definition.put("type", "string");
            type.getEnumSymbols().forEach(definition.withArray("enum")::add);
            return;
        }
        boolean isInput = type.getName().equals("Example") || type.getName().equals("Label");
        definition.put("type", "object");
        ObjectNode properties = JSON.createObjectNode();
        ArrayNode required = JSON.createArrayNode();
        for (Schema.Field field : type.getFields()) {
            ObjectNode property = described(field.doc());
            if (isInput && INPUT_FIELDS.has(field.name())) {
                property.setAll((ObjectNode) INPUT_FIELDS.get(field.name()));
            } else {
                property.setAll(value(field.schema()));
                if (field.hasDefaultValue()) {
                    Object value = field.defaultVal();
                    property.set("default", JSON.valueToTree(JsonProperties.NULL_VALUE.equals(value) ? null : value));
                }
            }
            properties.set(field.name(), property);
            // an example without an id has that of its place
            boolean isOptional =
                    field.hasDefaultValue() || (isInput && field.name().equals("id"));
            if (!isOptional) {
                required.add(field.name());
            }
        }
        if (type.getName().equals("Label")) {
            properties.withObject("/exampleId").putArray("type").add("string").add("integer");
            ArrayNode types = properties.withObject("/label").putArray("type");
            types.addAll((ArrayNode) INPUT_FIELDS.at("/label/type"));
            types.remove(types.size() - 1); // null
        }
        if (isInput) {
            properties.set("timestamp", INPUT_FIELDS.get("timestamp"));
            definition.put("additionalProperties", false);
        }
        definition.set("properties", properties);
        definition.set("required", required);
    }

    private ObjectNode value(Schema type) {
        ObjectNode value = JSON.createObjectNode();
        switch (type.getType()) {
            case RECORD, ENUM -> {
                define(type);
                value.put("$ref", prefix + type.getName());
            }
            case UNION -> {
                ArrayNode branches = value.putArray("anyOf");
                type.getTypes().forEach(branch -> branches.add(value(branch)));
            }
            case ARRAY -> value.put("type", "array").set("items", value(type.getElementType()));
            case MAP -> value.put("type", "object").set("additionalProperties", value(type.getValueType()));
            case INT -> value.put("type", "integer").put("format", "int32");
            case LONG -> value.put("type", "integer").put("format", "int64");
            case DOUBLE -> value.put("type", "number").put("format", "double");
            case BOOLEAN -> value.put("type", "boolean");
            case STRING -> value.put("type", "string");
            case NULL -> value.put("type", "null");
            default -> throw new IllegalArgumentException("schema must be one of an event, got " + type);
        }
        return value;
    }

    private static ObjectNode described(String text) {
        ObjectNode node = JSON.createObjectNode();
        return text == null ? node : node.put("description", text);
    }

    private static ObjectNode parsed(String text) {
        try {
            return (ObjectNode) JSON.readTree(text);
        } catch (IOException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
