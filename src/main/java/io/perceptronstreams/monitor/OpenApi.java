package io.perceptronstreams.monitor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.serde.EventJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.avro.Schema;

/** Description of the API: {@code openapi.yaml}, and behind it the schemas of the events, made from their Avro schemas. */
final class OpenApi {
    private OpenApi() {}

    /** Returns the description as YAML. */
    static byte[] yaml() throws IOException {
        // JSON is YAML in one line
        StringBuilder schemas = new StringBuilder();
        for (Schema event : List.of(
                ModelStatus.getClassSchema(),
                MistakeCount.getClassSchema(),
                Mistake.getClassSchema(),
                Alert.getClassSchema(),
                Prediction.getClassSchema())) {
            append(schemas, event.getName(), record(event, true));
        }
        append(schemas, "ModelNumbers", record(ModelStatus.getClassSchema(), false));
        try (InputStream in = OpenApi.class.getResourceAsStream("/monitor/openapi.yaml")) {
            return (new String(in.readAllBytes(), StandardCharsets.UTF_8) + schemas).getBytes(StandardCharsets.UTF_8);
        }
    }

    private static void append(StringBuilder schemas, String name, ObjectNode schema) {
        schemas.append("    ").append(name).append(": ").append(schema).append('\n');
    }

    /** Returns true if values of a schema have several parts: records, lists and maps. */
    static boolean isNested(Schema avro) {
        return switch (avro.getType()) {
            case RECORD, MAP, ARRAY -> true;
            case UNION -> avro.getTypes().stream().anyMatch(OpenApi::isNested);
            default -> false;
        };
    }

    private static ObjectNode schema(Schema avro) {
        ObjectNode json = EventJson.MAPPER.createObjectNode();
        return switch (avro.getType()) {
            case RECORD -> record(avro, true);
            case MAP -> json.put("type", "object").set("additionalProperties", schema(avro.getValueType()));
            case ARRAY -> json.put("type", "array").set("items", schema(avro.getElementType()));
            case UNION -> union(avro);
            case ENUM -> {
                ArrayNode symbols = json.put("type", "string").putArray("enum");
                avro.getEnumSymbols().forEach(symbols::add);
                yield json;
            }
            case INT, LONG -> json.put("type", "integer");
            case FLOAT, DOUBLE -> json.put("type", "number");
            default -> json.put("type", avro.getType().getName());
        };
    }

    private static ObjectNode union(Schema avro) {
        ArrayNode branches = EventJson.MAPPER.createArrayNode();
        avro.getTypes().forEach(each -> branches.add(schema(each)));
        return EventJson.MAPPER.createObjectNode().set("oneOf", branches);
    }

    /** Schema of the fields of a record, if {@code isWhole} of all of them, else of those with one value. */
    private static ObjectNode record(Schema avro, boolean isWhole) {
        ObjectNode json = EventJson.MAPPER.createObjectNode().put("type", "object");
        if (avro.getDoc() != null) {
            json.put("description", avro.getDoc());
        }
        ObjectNode properties = EventJson.MAPPER.createObjectNode();
        for (Schema.Field field : avro.getFields()) {
            if (isWhole || !isNested(field.schema())) {
                ObjectNode property = schema(field.schema());
                if (field.doc() != null) {
                    property.put("description", field.doc());
                }
                properties.set(Event.unique(field.name()), property);
            }
        }
        ArrayNode required = json.putArray("required");
        properties.fieldNames().forEachRemaining(required::add);
        return json.set("properties", properties);
    }
}
