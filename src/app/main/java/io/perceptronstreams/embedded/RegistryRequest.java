package io.perceptronstreams.embedded;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;

/**
 * An HTTP request to the registry.
 *
 * @param path decoded segments, without empty ones
 * @param body a missing node if the request has none
 */
record RegistryRequest(String method, List<String> path, Map<String, String> query, JsonNode body) {

    static final int MAX_BODY_BYTES = 1 << 20;

    // one request could break Jackson's table of the names of all requests
    static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build());

    static RegistryRequest of(HttpExchange exchange) throws IOException {
        WebPageCheck.check(exchange);
        var uri = exchange.getRequestURI();
        return new RegistryRequest(
                exchange.getRequestMethod(),
                Arrays.stream(uri.getRawPath().split("/"))
                        .filter(segment -> !segment.isEmpty())
                        // in a path, unlike in a query, '+' is literal
                        .map(segment -> decode(segment.replace("+", "%2B")))
                        .toList(),
                query(uri.getRawQuery()),
                body(exchange));
    }

    boolean isSet(String name) {
        return Boolean.parseBoolean(query.get(name));
    }

    /** Returns the schema in the body, with {@code normalize} in its normal form. */
    Schema schema() {
        var schema = body.path("schema");
        if (!schema.isTextual() || schema.asText().isBlank()) {
            throw RegistryError.invalidSchema("body must be {\"schema\": \"…\"} with the schema as a string");
        }
        String type = body.path("schemaType").asText("AVRO");
        if (!type.equalsIgnoreCase("AVRO")) {
            throw RegistryError.invalidSchema("schemaType must be AVRO, got " + type);
        }
        if (!body.path("references").isEmpty()) {
            throw RegistryError.invalidSchema("references are not supported; write the named types out");
        }
        var parsed = SchemaParser.parse(schema.asText());
        return isSet("normalize") ? SchemaParser.normalize(parsed) : parsed;
    }

    /** Throws if the body has an id or version, as an import has; clients without one send nothing, 0 or -1. */
    void requireNoNumbers() {
        for (String name : List.of("id", "version")) {
            if (body.path(name).asDouble() > 0) {
                throw RegistryError.notPermitted(
                        name + " must be missing, got " + body.path(name) + ": this registry imports no schemas");
            }
        }
    }

    /** Throws unless the method of the request is one of {@code methods}. */
    void allow(String... methods) {
        if (!List.of(methods).contains(method)) {
            throw RegistryError.wrongMethod(method);
        }
    }

    String segment(int index) {
        return path.get(index);
    }

    private static Map<String, String> query(String raw) {
        var query = new HashMap<String, String>();
        if (raw != null) {
            for (String pair : raw.split("&", -1)) {
                int equals = pair.indexOf('=');
                query.put(
                        decode(equals < 0 ? pair : pair.substring(0, equals)),
                        equals < 0 ? "" : decode(pair.substring(equals + 1)));
            }
        }
        return query;
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new RegistryError(400, 400, "address is badly encoded: " + text);
        }
    }

    private static JsonNode body(HttpExchange exchange) throws IOException {
        byte[] bytes = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
        if (bytes.length > MAX_BODY_BYTES) {
            throw new RegistryError(413, 413, "body must be at most " + MAX_BODY_BYTES + " bytes");
        }
        if (bytes.length == 0) {
            return MissingNode.getInstance();
        }
        try {
            return JSON.readTree(bytes);
        } catch (JsonProcessingException e) {
            throw new RegistryError(400, 400, "body must be JSON: " + e.getOriginalMessage());
        }
    }
}
