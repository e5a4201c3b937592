package io.perceptronstreams.embedded;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.util.RawValue;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.perceptronstreams.embedded.SchemaStore.Version;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The routes of Confluent's registry that its clients call, for Avro: what is asked, what is answered, with which code.
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
    private static final Map<String, String> MODE = Map.of("mode", "READWRITE");

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
            allow(request, "GET");
            return Map.of();
        }
        return switch (request.segment(0)) {
            case "subjects" -> subjects(request);
            case "schemas" -> schemas(request);
            case "compatibility" -> compatibility(request);
            case "config" -> config(request);
            case "mode" -> mode(request);
            default -> throw RegistryError.noSuchPath();
        };
    }

    private Object subjects(RegistryRequest request) {
        int depth = request.path().size();
        if (depth == 1) {
            allow(request, "GET");
            String prefix = request.query().getOrDefault("subjectPrefix", "");
            return store.subjects(request.is("deleted")).stream()
                    .filter(subject -> subject.startsWith(prefix))
                    .toList();
        }
        String subject = request.segment(1);
        if (depth == 2) {
            allow(request, "POST", "DELETE");
            return request.method().equals("POST") ? lookUp(request, subject) : deleteSubject(request, subject);
        }
        if (!request.segment(2).equals("versions") || depth > 5) {
            throw RegistryError.noSuchPath();
        }
        if (depth == 3) {
            allow(request, "GET", "POST");
            return request.method().equals("POST")
                    ? Map.of("id", store.register(subject, sent(request)))
                    : numbers(existing(subject, request.is("deleted")));
        }
        if (depth == 4 && request.method().equals("DELETE")) {
            return deleteVersion(request, subject);
        }
        allow(request, "GET");
        var version = version(subject, request.segment(3), request.is("deleted"));
        return depth == 4
                ? described(version)
                : part(request.segment(4), Map.of("schema", () -> schema(version), "referencedby", List::of));
    }

    private Object lookUp(RegistryRequest request, String subject) {
        String text = sent(request).toString();
        return existing(subject, request.is("deleted")).stream()
                .filter(version -> version.schema().equals(text))
                .reduce((earlier, later) -> later)
                .map(RegistryRoutes::described)
                .orElseThrow(() -> RegistryError.noSchema("Schema"));
    }

    private Object deleteSubject(RegistryRequest request, String subject) {
        boolean permanently = request.is("permanent");
        var all = existing(subject, true);
        var live = store.versions(subject, false);
        if (permanently && !live.isEmpty()) {
            throw new RegistryError(
                    404, 40405, "Subject '" + subject + "' was not deleted first before being permanently deleted");
        }
        if (!permanently && live.isEmpty()) {
            throw new RegistryError(
                    404, 40404, "Subject '" + subject + "' was soft deleted. Set permanent=true to delete permanently");
        }
        var doomed = permanently ? all : live;
        store.delete(doomed, permanently);
        return numbers(doomed);
    }

    private Object deleteVersion(RegistryRequest request, String subject) {
        boolean permanently = request.is("permanent");
        // "latest" means the latest that is not deleted yet
        boolean isLatest = number(request.segment(3)).isEmpty();
        var version = version(subject, request.segment(3), !isLatest);
        if (permanently != version.deleted()) {
            String which = "Subject '" + subject + "' Version " + version.version();
            throw permanently
                    ? new RegistryError(404, 40407, which + " was not deleted first before being permanently deleted")
                    : new RegistryError(
                            404, 40406, which + " was soft deleted. Set permanent=true to delete permanently");
        }
        store.delete(List.of(version), permanently);
        return version.version();
    }

    private Object schemas(RegistryRequest request) {
        allow(request, "GET");
        int depth = request.path().size();
        if (depth == 1) {
            return listed(request);
        }
        if (depth == 2 && request.segment(1).equals("types")) {
            return List.of("AVRO");
        }
        if (depth > 4 || depth < 3 || !request.segment(1).equals("ids")) {
            throw RegistryError.noSuchPath();
        }
        String id = request.segment(2);
        var found = store.all().stream()
                .filter(version -> String.valueOf(version.id()).equals(id))
                .toList();
        if (found.isEmpty()) {
            throw RegistryError.noSchema("Schema " + id);
        }
        if (depth == 3) {
            return Map.of("schema", found.get(0).schema());
        }
        boolean withDeleted = request.is("deleted");
        var visible = found.stream()
                .filter(version -> withDeleted || !version.deleted())
                .toList();
        return part(
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

    private List<Map<String, Object>> listed(RegistryRequest request) {
        String prefix = request.query().getOrDefault("subjectPrefix", "");
        Predicate<Version> isWanted =
                version -> version.subject().startsWith(prefix) && (request.is("deleted") || !version.deleted());
        var wanted = store.all().stream().filter(isWanted).toList();
        if (request.is("latestOnly")) {
            wanted = List.copyOf(wanted.stream()
                    .collect(Collectors.toMap(
                            Version::subject, Function.identity(), (earlier, later) -> later, LinkedHashMap::new))
                    .values());
        }
        return wanted.stream().map(RegistryRoutes::described).toList();
    }

    private Object compatibility(RegistryRequest request) {
        int depth = request.path().size();
        if (depth < 4
                || depth > 5
                || !request.segment(1).equals("subjects")
                || !request.segment(3).equals("versions")) {
            throw RegistryError.noSuchPath();
        }
        allow(request, "POST");
        String subject = request.segment(2);
        var schema = sent(request);
        var earlier = store.versions(subject, false);
        if (depth == 5) {
            // as with Confluent, whatever comes first in a subject is compatible with its latest version
            boolean isFirst = earlier.isEmpty() && number(request.segment(4)).isEmpty();
            earlier = isFirst ? List.of() : List.of(version(subject, request.segment(4), false));
        }
        var problems = store.problems(subject, schema, earlier);
        var answer = new LinkedHashMap<String, Object>();
        answer.put("is_compatible", problems.isEmpty());
        if (request.is("verbose")) {
            answer.put("messages", problems);
        }
        return answer;
    }

    private Object config(RegistryRequest request) {
        if (request.path().size() > 2) {
            throw RegistryError.noSuchPath();
        }
        allow(request, "GET", "PUT", "DELETE");
        var subject = request.path().stream().skip(1).findFirst();
        var own = subject.flatMap(store::level);
        switch (request.method()) {
            case "PUT" -> {
                var level = sentLevel(request);
                store.setLevel(subject, Optional.of(level));
                return Map.of("compatibility", level.name());
            }
            case "DELETE" -> {
                var level = subject.isEmpty() ? store.globalLevel() : own.orElseThrow(() -> noLevel(subject.get()));
                store.setLevel(subject, Optional.empty());
                return Map.of("compatibilityLevel", level.name());
            }
            default -> {
                boolean isGlobal = subject.isEmpty() || request.is("defaultToGlobal");
                var level = own.or(() -> isGlobal ? Optional.of(store.globalLevel()) : Optional.empty());
                return Map.of(
                        "compatibilityLevel",
                        level.orElseThrow(() -> noLevel(subject.orElseThrow())).name());
            }
        }
    }

    private static Object mode(RegistryRequest request) {
        if (request.path().size() > 2) {
            throw RegistryError.noSuchPath();
        }
        allow(request, "GET");
        return MODE;
    }

    private static RegistryError noLevel(String subject) {
        return new RegistryError(
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

    private static Schema sent(RegistryRequest request) {
        var schema = request.body().path("schema");
        if (!schema.isTextual() || schema.asText().isBlank()) {
            throw RegistryError.invalidSchema("body must be {\"schema\": \"…\"} with the schema as a string");
        }
        String type = request.body().path("schemaType").asText("AVRO");
        if (!type.equalsIgnoreCase("AVRO")) {
            throw RegistryError.invalidSchema("schemaType must be AVRO, got " + type);
        }
        if (!request.body().path("references").isEmpty()) {
            throw RegistryError.invalidSchema("references are not supported; write the named types out");
        }
        return SchemaStore.parse(schema.asText());
    }

    private List<Version> existing(String subject, boolean withDeleted) {
        var versions = store.versions(subject, withDeleted);
        if (versions.isEmpty()) {
            throw RegistryError.noSubject(subject);
        }
        return versions;
    }

    private Version version(String subject, String which, boolean withDeleted) {
        var number = number(which);
        var versions = existing(subject, withDeleted);
        if (number.isEmpty()) {
            return versions.get(versions.size() - 1);
        }
        return versions.stream()
                .filter(version -> version.version() == number.get())
                .findFirst()
                .orElseThrow(() -> RegistryError.noVersion(which));
    }

    /** Empty for the latest. */
    private static Optional<Integer> number(String version) {
        if (version.equals("latest") || version.equals("-1")) {
            return Optional.empty();
        }
        if (!version.matches("[1-9][0-9]{0,8}")) {
            throw new RegistryError(
                    422,
                    42202,
                    "The specified version '" + version
                            + "' is not a valid version id. Allowed values are between [1, 2^31-1] "
                            + "and the string \"latest\"");
        }
        return Optional.of(Integer.valueOf(version));
    }

    private static List<Integer> numbers(List<Version> versions) {
        return versions.stream().map(Version::version).toList();
    }

    private static Map<String, Object> described(Version version) {
        var described = new LinkedHashMap<String, Object>();
        described.put("subject", version.subject());
        described.put("version", version.version());
        described.put("id", version.id());
        described.put("schema", version.schema());
        return described;
    }

    /** The schema itself, not wrapped in anything. */
    private static Object schema(Version version) {
        return new RawValue(version.schema());
    }

    private static Object part(String name, Map<String, Supplier<Object>> parts) {
        var part = parts.get(name);
        if (part == null) {
            throw RegistryError.noSuchPath();
        }
        return part.get();
    }

    /** Fails unless the method is one of these. */
    private static void allow(RegistryRequest request, String... methods) {
        if (!List.of(methods).contains(request.method())) {
            throw RegistryError.wrongMethod(request.method());
        }
    }
}
