package io.perceptronstreams.embedded;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.perceptronstreams.embedded.SchemaStore.Version;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The routes of Confluent's registry with which Avro clients register and look up schemas.
 *
 * <pre>
 *   /subjects[/{subject}[/versions[/{version}|latest]]]
 *   /schemas/ids/{id}
 *   /compatibility/subjects/{subject}/versions[/{version}|latest]
 *   /config[/{subject}]
 * </pre>
 */
final class RegistryRoutes implements HttpHandler {

    private static final Logger LOG = LoggerFactory.getLogger(RegistryRoutes.class);
    private static final String CONTENT_TYPE = "application/vnd.schemaregistry.v1+json";

    private final SchemaStore store;

    RegistryRoutes(SchemaStore store) {
        this.store = store;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            int status = 200;
            Object answer;
            try {
                answer = answer(RegistryRequest.of(exchange));
            } catch (RegistryError e) {
                status = e.status();
                answer = error(e.code(), e.getMessage());
            } catch (RuntimeException e) {
                LOG.warn(
                        "schema registry cannot answer {} {}",
                        exchange.getRequestMethod(),
                        exchange.getRequestURI(),
                        e);
                status = 500;
                answer = error(50001, "Error in the backend data store, which the log of the broker has");
            }
            byte[] body = RegistryRequest.JSON.writeValueAsBytes(answer);
            exchange.getResponseHeaders().set("Content-Type", CONTENT_TYPE);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static Map<String, Object> error(int code, String message) {
        return Map.of("error_code", code, "message", message);
    }

    private Object answer(RegistryRequest request) {
        if (request.path().isEmpty()) {
            request.allow("GET");
            return Map.of();
        }
        return switch (request.segment(0)) {
            case "subjects" -> subjects(request);
            case "schemas" -> schema(request);
            case "compatibility" -> compatibility(request);
            case "config" -> config(request);
            default -> throw RegistryError.noSuchPath();
        };
    }

    private Object subjects(RegistryRequest request) {
        int depth = request.path().size();
        if (depth == 1) {
            request.allow("GET");
            String prefix = request.query().getOrDefault("subjectPrefix", "");
            return store.subjects().stream()
                    .filter(subject -> subject.startsWith(prefix))
                    .toList();
        }
        String subject = request.segment(1);
        if (depth == 2) {
            request.allow("POST");
            return lookUp(subject, request.schema().toString());
        }
        if (!request.segment(2).equals("versions") || depth > 4) {
            throw RegistryError.noSuchPath();
        }
        if (depth == 4) {
            request.allow("GET");
            return describe(store.version(subject, request.segment(3)));
        }
        request.allow("GET", "POST");
        if (request.method().equals("POST")) {
            request.requireNoNumbers();
            return Map.of("id", store.register(subject, request.schema()));
        }
        return store.requireVersions(subject).stream().map(Version::version).toList();
    }

    private Object lookUp(String subject, String schema) {
        return store.requireVersions(subject).stream()
                .filter(version -> version.schema().equals(schema))
                .reduce((earlier, later) -> later)
                .map(RegistryRoutes::describe)
                .orElseThrow(() -> RegistryError.noSchema("Schema"));
    }

    private static Map<String, Object> describe(Version version) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("subject", version.subject());
        fields.put("version", version.version());
        fields.put("id", version.id());
        fields.put("schema", version.schema());
        return fields;
    }

    private Object schema(RegistryRequest request) {
        if (request.path().size() != 3 || !request.segment(1).equals("ids")) {
            throw RegistryError.noSuchPath();
        }
        request.allow("GET");
        // subject=… selects a context in Confluent's registry, which finds the schema also if another subject has it
        String id = request.segment(2);
        return Map.of("schema", store.schema(id).orElseThrow(() -> RegistryError.noSchema("Schema " + id)));
    }

    private Object compatibility(RegistryRequest request) {
        int depth = request.path().size();
        if (depth < 4
                || depth > 5
                || !request.segment(1).equals("subjects")
                || !request.segment(3).equals("versions")) {
            throw RegistryError.noSuchPath();
        }
        request.allow("POST");
        String subject = request.segment(2);
        var schema = request.schema();
        var earlier = store.versions(subject);
        if (depth == 5) {
            // as with Confluent, the first schema of a subject is compatible with "latest"
            boolean isFirst = earlier.isEmpty()
                    && SchemaStore.parseVersion(request.segment(4)).isEmpty();
            earlier = isFirst ? List.of() : List.of(store.version(subject, request.segment(4)));
        }
        var problems = store.problems(subject, schema, earlier);
        var answer = new LinkedHashMap<String, Object>();
        answer.put("is_compatible", problems.isEmpty());
        if (request.isSet("verbose")) {
            answer.put("messages", problems);
        }
        return answer;
    }

    private Object config(RegistryRequest request) {
        if (request.path().size() > 2) {
            throw RegistryError.noSuchPath();
        }
        request.allow("GET", "PUT");
        var subject = request.path().stream().skip(1).findFirst();
        if (request.method().equals("PUT")) {
            var level = sentLevel(request);
            store.setLevel(subject, level);
            return Map.of("compatibility", level.name());
        }
        boolean isGlobal = subject.isEmpty() || request.isSet("defaultToGlobal");
        var level = subject.flatMap(store::level)
                .orElseGet(() -> isGlobal ? store.globalLevel() : noLevel(subject.orElseThrow()));
        return Map.of("compatibilityLevel", level.name());
    }

    private static CompatibilityLevel noLevel(String subject) {
        throw new RegistryError(
                404, 40408, "Subject '" + subject + "' does not have subject-level compatibility configured");
    }

    private static CompatibilityLevel sentLevel(RegistryRequest request) {
        try {
            return CompatibilityLevel.valueOf(
                    request.body().path("compatibility").asText().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new RegistryError(
                    422,
                    42203,
                    "Invalid compatibility level. Valid values are " + List.of(CompatibilityLevel.values()));
        }
    }
}
