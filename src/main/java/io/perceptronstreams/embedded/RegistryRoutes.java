package io.perceptronstreams.embedded;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.util.RawValue;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.perceptronstreams.embedded.SchemaStore.Version;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The routes of Confluent's registry that Avro clients use.
 *
 * <pre>
 *   /subjects[/{subject}[/versions[/{version}|latest[/schema|/referencedby]]]]
 *   /schemas[/types|/ids/{id}[/schema|/subjects|/versions]]
 *   /compatibility/subjects/{subject}/versions[/{version}|latest]
 *   /config[/{subject}]   /mode[/{subject}]
 * </pre>
 */
final class RegistryRoutes implements HttpHandler {

    private static final Logger LOG = LoggerFactory.getLogger(RegistryRoutes.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CONTENT_TYPE = "application/vnd.schemaregistry.v1+json";

    private final SchemaStore store;
    private final CompatibilityRoutes levels;
    private final ModeRoutes modes;

    RegistryRoutes(SchemaStore store) {
        this.store = store;
        levels = new CompatibilityRoutes(store);
        modes = new ModeRoutes(store);
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
                answer = error(50001, "Error in the backend data store: " + e.getMessage());
            }
            byte[] body = JSON.writeValueAsBytes(answer);
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
            case "schemas" -> schemas(request);
            case "compatibility" -> levels.compatibility(request);
            case "config" -> levels.config(request);
            case "mode" -> modes.mode(request);
            default -> throw RegistryError.noSuchPath();
        };
    }

    private Object subjects(RegistryRequest request) {
        int depth = request.path().size();
        if (depth == 1) {
            request.allow("GET");
            String prefix = request.query().getOrDefault("subjectPrefix", "");
            return request.page(store.subjects(request.isSet("deleted")).stream()
                    .filter(subject -> subject.startsWith(prefix))
                    .toList());
        }
        String subject = request.segment(1);
        if (depth == 2) {
            request.allow("POST", "DELETE");
            return request.method().equals("POST") ? lookUp(request, subject) : deleteSubject(request, subject);
        }
        if (!request.segment(2).equals("versions") || depth > 5) {
            throw RegistryError.noSuchPath();
        }
        if (depth == 3) {
            request.allow("GET", "POST");
            return request.method().equals("POST")
                    ? Map.of("id", register(request, subject))
                    : numbers(request.page(store.requireVersions(subject, request.isSet("deleted"))));
        }
        if (depth == 4 && request.method().equals("DELETE")) {
            return deleteVersion(request, subject);
        }
        request.allow("GET");
        var version = store.version(subject, request.segment(3), request.isSet("deleted"));
        return depth == 4
                ? describe(version)
                : select(request.segment(4), Map.of("schema", () -> schema(version), "referencedby", List::of));
    }

    private int register(RegistryRequest request, String subject) {
        var id = request.number("id");
        var version = request.number("version");
        return id.isPresent()
                ? store.importVersion(subject, request.schema(), id.get(), version)
                : store.register(subject, request.schema(), version);
    }

    private Object lookUp(RegistryRequest request, String subject) {
        String text = request.schema().toString();
        return store.requireVersions(subject, request.isSet("deleted")).stream()
                .filter(version -> version.schema().equals(text))
                .reduce((earlier, later) -> later)
                .map(RegistryRoutes::describe)
                .orElseThrow(() -> RegistryError.noSchema("Schema"));
    }

    private Object deleteSubject(RegistryRequest request, String subject) {
        boolean permanently = request.isSet("permanent");
        var all = store.requireVersions(subject, true);
        var live = store.versions(subject, false);
        if (permanently && !live.isEmpty()) {
            throw new RegistryError(
                    404, 40405, "Subject '" + subject + "' was not deleted first before being permanently deleted");
        }
        if (!permanently && live.isEmpty()) {
            throw new RegistryError(
                    404, 40404, "Subject '" + subject + "' was soft deleted. Set permanent=true to delete permanently");
        }
        var toDelete = permanently ? all : live;
        store.delete(subject, toDelete, permanently);
        return numbers(toDelete);
    }

    private Object deleteVersion(RegistryRequest request, String subject) {
        boolean permanently = request.isSet("permanent");
        var version = store.version(subject, request.segment(3), true);
        if (permanently != version.deleted()) {
            String which = "Subject '" + subject + "' Version " + version.version();
            throw permanently
                    ? new RegistryError(404, 40407, which + " was not deleted first before being permanently deleted")
                    : new RegistryError(
                            404, 40406, which + " was soft deleted. Set permanent=true to delete permanently");
        }
        store.delete(subject, List.of(version), permanently);
        return version.version();
    }

    private Object schemas(RegistryRequest request) {
        request.allow("GET");
        int depth = request.path().size();
        if (depth == 1) {
            return list(request);
        }
        if (depth == 2 && request.segment(1).equals("types")) {
            return List.of("AVRO");
        }
        if (depth > 4 || depth < 3 || !request.segment(1).equals("ids")) {
            throw RegistryError.noSuchPath();
        }
        String id = request.segment(2);
        // subject=… selects a context in Confluent's registry, which finds the schema also if another subject has it
        var found = store.all().stream()
                .filter(version -> String.valueOf(version.id()).equals(id))
                .toList();
        if (found.isEmpty()) {
            throw RegistryError.noSchema("Schema " + id);
        }
        if (depth == 3) {
            return Map.of("schema", found.get(0).schema());
        }
        boolean withDeleted = request.isSet("deleted");
        var visible = found.stream()
                .filter(version -> withDeleted || !version.deleted())
                .toList();
        return select(
                request.segment(3),
                Map.of(
                        "schema", () -> schema(found.get(0)),
                        "subjects",
                                () -> visible.stream()
                                        .map(Version::subject)
                                        .distinct()
                                        .toList(),
                        "versions",
                                () -> visible.stream()
                                        .map(version ->
                                                Map.of("subject", version.subject(), "version", version.version()))
                                        .toList()));
    }

    private List<Map<String, Object>> list(RegistryRequest request) {
        String prefix = request.query().getOrDefault("subjectPrefix", "");
        Predicate<Version> isWanted =
                version -> version.subject().startsWith(prefix) && (request.isSet("deleted") || !version.deleted());
        var wanted = store.all().stream().filter(isWanted).toList();
        if (request.isSet("latestOnly")) {
            wanted = List.copyOf(wanted.stream()
                    .collect(Collectors.toMap(
                            Version::subject, Function.identity(), (earlier, later) -> later, LinkedHashMap::new))
                    .values());
        }
        return request.page(wanted).stream().map(RegistryRoutes::describe).toList();
    }

    private static List<Integer> numbers(List<Version> versions) {
        return versions.stream().map(Version::version).toList();
    }

    private static Map<String, Object> describe(Version version) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("subject", version.subject());
        fields.put("version", version.version());
        fields.put("id", version.id());
        fields.put("schema", version.schema());
        return fields;
    }

    /** The schema as raw JSON. */
    private static Object schema(Version version) {
        return new RawValue(version.schema());
    }

    private static Object select(String name, Map<String, Supplier<Object>> parts) {
        var part = parts.get(name);
        if (part == null) {
            throw RegistryError.noSuchPath();
        }
        return part.get();
    }
}
