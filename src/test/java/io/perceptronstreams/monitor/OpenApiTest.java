package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The description of the HTTP API has the structure of OpenAPI 3.1, from which clients can be generated. */
class OpenApiTest {
    private static final Set<String> METHODS = Set.of("get", "post");

    /** Fields of the objects of OpenAPI that the description uses, as far as it uses them. */
    private static final Map<String, Set<String>> FIELDS = Map.of(
            "operation",
            Set.of("operationId", "summary", "description", "parameters", "requestBody", "responses", "security"),
            "parameter",
            Set.of("name", "in", "description", "required", "schema"),
            "requestBody",
            Set.of("description", "required", "content"),
            "response",
            Set.of("description", "headers", "content"),
            "header",
            Set.of("description", "schema"),
            "media type",
            Set.of("schema"),
            "schema",
            Set.of(
                    "type",
                    "description",
                    "required",
                    "properties",
                    "additionalProperties",
                    "items",
                    "minItems",
                    "maxItems",
                    "oneOf",
                    "anyOf",
                    "allOf",
                    "enum",
                    "const",
                    "default",
                    "minimum",
                    "exclusiveMinimum",
                    "maximum",
                    "pattern",
                    "minLength",
                    "maxLength",
                    "format"));

    private final List<String> faults = new ArrayList<>();
    private JsonNode root;

    private List<String> faults(JsonNode description) {
        root = description;
        faults.clear();
        root.path("paths")
                .properties()
                .forEach(path -> path.getValue().properties().forEach(each -> {
                    String place = each.getKey() + " " + path.getKey();
                    if (METHODS.contains(each.getKey())) {
                        operation(place, each.getValue());
                    } else {
                        faults.add(place + ": unknown method");
                    }
                }));
        JsonNode components = root.path("components");
        all("components", components.path("parameters"), this::parameter);
        all("components", components.path("responses"), this::response);
        all("components", components.path("requestBodies"), this::requestBody);
        all("components", components.path("schemas"), this::schema);
        return faults;
    }

    private interface Check {
        void check(String place, JsonNode node);
    }

    private void all(String place, JsonNode nodes, Check check) {
        nodes.properties().forEach(each -> check.check(place + " " + each.getKey(), each.getValue()));
    }

    /** Checks the names of the fields, or that a reference leads somewhere; returns false for a reference. */
    private boolean hasFields(String kind, String place, JsonNode node) {
        if (node.has("$ref")) {
            String pointer = node.path("$ref").asText().replaceFirst("^#", "");
            if (node.size() > 1 || root.at(pointer).isMissingNode()) {
                faults.add(place + ": no reference, " + node);
            }
            return false;
        }
        if (!node.isObject()) {
            faults.add(place + ": no " + kind + ", " + node);
        }
        node.fieldNames().forEachRemaining(name -> {
            if (!FIELDS.get(kind).contains(name)) {
                faults.add(place + ": unknown field of a " + kind + ", " + name);
            }
        });
        return true;
    }

    private void require(String place, JsonNode node, String... fields) {
        for (String field : fields) {
            if (node.path(field).asText().isEmpty()) {
                faults.add(place + ": no " + field);
            }
        }
    }

    private void operation(String place, JsonNode node) {
        hasFields("operation", place, node);
        require(place, node, "operationId", "summary");
        node.path("parameters").forEach(each -> parameter(place, each));
        if (node.has("requestBody")) {
            requestBody(place, node.path("requestBody"));
        }
        assertThat(node.path("responses").size()).as(place).isPositive();
        all(place, node.path("responses"), this::response);
    }

    private void parameter(String place, JsonNode node) {
        if (hasFields("parameter", place, node)) {
            require(place, node, "name", "in");
            schema(place, node.path("schema"));
        }
    }

    private void requestBody(String place, JsonNode node) {
        if (hasFields("requestBody", place, node)) {
            all(place, node.path("content"), this::mediaType);
        }
    }

    private void response(String place, JsonNode node) {
        if (hasFields("response", place, node)) {
            require(place, node, "description");
            all(place, node.path("headers"), (where, header) -> {
                hasFields("header", where, header);
                schema(where, header.path("schema"));
            });
            all(place, node.path("content"), this::mediaType);
        }
    }

    private void mediaType(String place, JsonNode node) {
        hasFields("media type", place, node);
        schema(place, node.path("schema"));
    }

    private void schema(String place, JsonNode node) {
        if (hasFields("schema", place, node)) {
            all(place, node.path("properties"), this::schema);
            node.path("required").forEach(name -> {
                if (!node.path("properties").has(name.asText())) {
                    faults.add(place + ": a required property without a schema, " + name);
                }
            });
            for (String field : List.of("items", "additionalProperties")) {
                if (node.path(field).isObject()) {
                    schema(place, node.path(field));
                }
            }
            for (String field : List.of("oneOf", "anyOf", "allOf")) {
                node.path(field).forEach(each -> schema(place, each));
            }
        }
    }

    @Test
    void shouldBeValid() throws Exception {
        assertThat(faults(HttpAnswersTest.description())).isEmpty();
    }

    /** A description without quotes, in which YAML read three keys, was invalid. */
    @Test
    void shouldBeInvalidWithAFault() throws Exception {
        JsonNode description = HttpAnswersTest.description();
        ObjectNode response = (ObjectNode) description.at("/paths/~1readyz/get/responses/503");
        response.putNull("restoring");
        ObjectNode operation = (ObjectNode) description.at("/paths/~1metrics/get");
        operation.remove("operationId");
        ((ObjectNode) description.at("/paths/~1api~1v1~1alerts/get/responses/200")).put("$ref", "#/components/nothing");

        assertThat(faults(description))
                .containsExactlyInAnyOrder(
                        "get /readyz 503: unknown field of a response, restoring",
                        "get /metrics: no operationId",
                        "get /api/v1/alerts 200: no reference, {\"$ref\":\"#/components/nothing\"}");
    }

    /** A generator invents names for operations without one. */
    @Test
    void shouldNameEachOperationDifferently() throws Exception {
        List<String> names = HttpAnswersTest.description().path("paths").findValuesAsText("operationId");

        assertThat(names).hasSize(24).doesNotHaveDuplicates();
    }
}
