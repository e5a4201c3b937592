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
import java.lang.invoke.MethodType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.avro.Schema;

/**
 * Description of the API: {@code openapi.yaml}, and after it the schemas of the events, made from their Avro schemas, and of
 * answers, made from the components of their records.
 */
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
        for (Class<?> answer : List.of(
                Api.EngineAnswer.class,
                Api.SettingDefinition.class,
                DashboardState.Causes.class,
                DeadLetterView.class,
                ModelView.Mark.class,
                TopWeights.Snapshot.class,
                TrialHistory.TrialPoint.class)) {
            append(schemas, answer.getSimpleName(), schema(answer));
        }
        try (InputStream in = OpenApi.class.getResourceAsStream("/monitor/openapi.yaml")) {
            return (new String(in.readAllBytes(), StandardCharsets.UTF_8) + schemas).getBytes(StandardCharsets.UTF_8);
        }
    }

    private static void append(StringBuilder schemas, String name, ObjectNode schema) {
        schemas.append("    ").append(name).append(": ").append(schema).append('\n');
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

    /** Schema of values of a Java type. */
    private static ObjectNode schema(Type java) {
        ObjectNode json = EventJson.MAPPER.createObjectNode();
        if (java instanceof ParameterizedType generic) {
            Type[] parts = generic.getActualTypeArguments();
            return generic.getRawType() == Map.class
                    ? json.put("type", "object").set("additionalProperties", schema(parts[1]))
                    : json.put("type", "array").set("items", schema(parts[0]));
        }
        Class<?> type = (Class<?>) java;
        if (type.isEnum()) {
            ArrayNode symbols = json.put("type", "string").putArray("enum");
            Stream.of(type.getEnumConstants()).forEach(each -> symbols.add(each.toString()));
        } else if (type.isRecord()) {
            ObjectNode properties = EventJson.MAPPER.createObjectNode();
            ArrayNode required = json.put("type", "object").putArray("required");
            for (RecordComponent component : type.getRecordComponents()) {
                boolean isPrimitive = component.getType().isPrimitive();
                ObjectNode value = schema(component.getGenericType());
                properties.set(component.getName(), isPrimitive ? value : nullable(value));
                required.add(component.getName());
            }
            json.set("properties", properties);
        } else {
            Class<?> boxed = MethodType.methodType(type).wrap().returnType();
            json.put(
                    "type",
                    boxed == String.class
                            ? "string"
                            : boxed == Boolean.class ? "boolean" : boxed == Double.class ? "number" : "integer");
        }
        return json;
    }

    private static ObjectNode nullable(ObjectNode schema) {
        ObjectNode json = EventJson.MAPPER.createObjectNode();
        json.putArray("oneOf").add(schema).addObject().put("type", "null");
        return json;
    }

    /** Schema of the fields of a record, if {@code isWhole} of all of them, else of those with one value. */
    private static ObjectNode record(Schema avro, boolean isWhole) {
        ObjectNode json = EventJson.MAPPER.createObjectNode().put("type", "object");
        if (avro.getDoc() != null) {
            json.put("description", avro.getDoc());
        }
        ObjectNode properties = EventJson.MAPPER.createObjectNode();
        for (Schema.Field field : avro.getFields()) {
            if (isWhole || !ModelView.isNested(field.schema())) {
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
