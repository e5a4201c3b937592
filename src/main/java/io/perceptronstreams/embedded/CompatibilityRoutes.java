package io.perceptronstreams.embedded;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Routes below {@code /compatibility} and {@code /config}: compatibility checks and levels. */
final class CompatibilityRoutes {

    private final SchemaStore store;

    CompatibilityRoutes(SchemaStore store) {
        this.store = store;
    }

    Object compatibility(RegistryRequest request) {
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
        var earlier = store.versions(subject, false);
        if (depth == 5) {
            // as with Confluent, the first schema of a subject is compatible with "latest"
            boolean isFirst = earlier.isEmpty()
                    && SchemaStore.parseVersion(request.segment(4)).isEmpty();
            earlier = isFirst ? List.of() : List.of(store.version(subject, request.segment(4), false));
        }
        var problems = store.problems(subject, schema, earlier);
        var answer = new LinkedHashMap<String, Object>();
        answer.put("is_compatible", problems.isEmpty());
        if (request.isSet("verbose")) {
            answer.put("messages", problems);
        }
        return answer;
    }

    Object config(RegistryRequest request) {
        if (request.path().size() > 2) {
            throw RegistryError.noSuchPath();
        }
        request.allow("GET", "PUT", "DELETE");
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
                boolean isGlobal = subject.isEmpty() || request.isSet("defaultToGlobal");
                var level = own.or(() -> isGlobal ? Optional.of(store.globalLevel()) : Optional.empty());
                return Map.of(
                        "compatibilityLevel",
                        level.orElseThrow(() -> noLevel(subject.orElseThrow())).name());
            }
        }
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
}
