package io.perceptronstreams.serde;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.example.NameSource;
import java.nio.charset.StandardCharsets;

/**
 * The names of the features of an example in JSON.
 *
 * @param features valid features
 */
record JsonNames(JsonNode features) implements NameSource {
    /** The names in a slice that is a valid example. */
    static JsonNames of(byte[] bytes, int offset, int length) {
        return new JsonNames(JsonDecoder.parse(bytes, offset, length).path("features"));
    }

    @Override
    public void forEach(Sink sink) {
        if (features.path("tokens").isArray()) {
            features.path("tokens").forEach(token -> token.forEach(name -> name(name.textValue(), sink)));
        } else if (features.path("candidates").isArray()) {
            features.path("candidates").forEach(candidate -> named(candidate.path("features"), sink));
        } else if (!features.path("indices").isArray()) {
            named(features, sink);
        }
    }

    private static void named(JsonNode features, Sink sink) {
        features.properties().forEach(feature -> {
            JsonNode value = feature.getValue();
            if (value.isTextual()) {
                name(JsonFeatures.category(feature.getKey(), value.textValue()), sink);
            } else if (!value.isNull()) {
                name(feature.getKey(), sink);
            }
        });
    }

    private static void name(String name, Sink sink) {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        sink.accept(utf8, 0, utf8.length);
    }
}
