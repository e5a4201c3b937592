package io.perceptronstreams.monitor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.Prediction;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.JsonSchemas;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.avro.Schema;

/**
 * Description of the API: {@code openapi.yaml}, and after it the schemas of the events, made from their Avro schemas,
 * and of answers, made from the components of their records.
 */
final class OpenApi {
    private static final String REFERENCE = "#/components/schemas/";

    /** Events with the position of their cause, beside which an answer has their own. */
    private static final Set<String> POSITIONED = Set.of("ModelStatus", "Alert");

    private OpenApi() {}

    /** Returns the description as YAML. */
    static byte[] yaml() throws IOException {
        // JSON is YAML in one line
        StringBuilder schemas = new StringBuilder();
        JsonSchemas outputs = new JsonSchemas(REFERENCE);
        List<Schema> events = List.of(
                ModelStatus.getClassSchema(),
                MistakeCount.getClassSchema(),
                Mistake.getClassSchema(),
                Alert.getClassSchema(),
                Prediction.getClassSchema());
        events.forEach(outputs::add);
        outputs.definitions().forEach((name, definition) -> append(schemas, name, answered(name, definition)));
        append(schemas, "ModelNumbers", numbers(outputs.definitions().get("ModelStatus")));
        JsonSchemas inputs = new JsonSchemas(REFERENCE);
        List.of("Example", "Label", "ModelCommand").forEach(each -> inputs.add(EventSchemas.schema(each)));
        inputs.definitions().forEach((name, definition) -> append(schemas, name, definition));
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

    /** Definition of a part of answers, which have all fields. */
    private static ObjectNode answered(String name, ObjectNode definition) {
        if (!definition.has("properties")) {
            return definition;
        }
        ObjectNode json = definition.deepCopy();
        ObjectNode properties = EventJson.MAPPER.createObjectNode();
        boolean isEvent = POSITIONED.contains(name);
        definition
                .path("properties")
                .properties()
                .forEach(field ->
                        properties.set(isEvent ? Event.unique(field.getKey()) : field.getKey(), field.getValue()));
        json.set("properties", properties);
        ArrayNode required = json.putArray("required");
        properties.fieldNames().forEachRemaining(required::add);
        return json;
    }

    /** Definition of the fields of a status with one value. */
    private static ObjectNode numbers(ObjectNode status) {
        ObjectNode json = status.deepCopy();
        for (Schema.Field field : ModelStatus.getClassSchema().getFields()) {
            if (ModelView.isNested(field.schema())) {
                json.withObject("/properties").remove(field.name());
            }
        }
        return answered("ModelStatus", json);
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
}
