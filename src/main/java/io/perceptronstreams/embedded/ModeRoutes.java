package io.perceptronstreams.embedded;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Routes below {@code /mode}. */
final class ModeRoutes {

    private final SchemaStore store;

    ModeRoutes(SchemaStore store) {
        this.store = store;
    }

    Object mode(RegistryRequest request) {
        if (request.path().size() > 2) {
            throw RegistryError.noSuchPath();
        }
        request.allow("GET", "PUT", "DELETE");
        var subject = request.path().stream().skip(1).findFirst();
        return switch (request.method()) {
            case "PUT" -> answer(store.setMode(subject, sentMode(request), request.isSet("force")));
            case "DELETE" -> answer(store.deleteMode(subject));
            default -> answer(mode(subject, request.isSet("defaultToGlobal")));
        };
    }

    private RegistryMode mode(Optional<String> subject, boolean isGlobal) {
        if (subject.isEmpty()) {
            return store.globalMode();
        }
        return store.mode(subject.get())
                .or(() -> isGlobal ? Optional.of(store.globalMode()) : Optional.empty())
                .orElseThrow(() -> new RegistryError(
                        404, 40409, "Subject '" + subject.get() + "' does not have subject-level mode configured"));
    }

    private static Map<String, String> answer(RegistryMode mode) {
        return Map.of("mode", mode.name());
    }

    private static RegistryMode sentMode(RegistryRequest request) {
        try {
            return RegistryMode.valueOf(request.body().path("mode").asText().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new RegistryError(422, 42204, "Invalid mode. Valid values are " + List.of(RegistryMode.values()));
        }
    }
}
