package io.perceptronstreams.embed;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.InvalidConfigException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** Settings as a program gives them: properties or a map. */
final class ProgramSettings {
    private ProgramSettings() {}

    /**
     * Texts of the settings.
     *
     * @throws InvalidConfigException with a line for each key or value that has no text
     */
    static Map<String, String> of(Map<?, ?> settings) {
        List<String> faults = new ArrayList<>();
        Map<String, String> texts = texts(settings, faults);
        refuse(faults);
        return texts;
    }

    /**
     * Texts of the settings of an engine without an HTTP server.
     *
     * @throws InvalidConfigException with a line for each fault, also those of {@link EngineConfig}
     */
    static Map<String, String> ofEngine(Map<?, ?> settings) {
        List<String> faults = new ArrayList<>();
        Map<String, String> texts = texts(settings, faults);
        for (String key : texts.keySet()) {
            if (key.startsWith("http.") || key.startsWith("alerts.webhook.")) {
                // the value may be a secret
                faults.add(key + " must not be set for an engine in a program, which has no HTTP server"
                        + " (set by the program; perceptron monitor -D " + key + "=… has one)");
            }
        }
        try {
            var unused = EngineConfig.ofProgram(texts, Map.of());
        } catch (InvalidConfigException e) {
            faults.addAll(e.faults());
        }
        refuse(faults);
        return texts;
    }

    private static void refuse(List<String> faults) {
        if (!faults.isEmpty()) {
            throw new InvalidConfigException(faults);
        }
    }

    private static Map<String, String> texts(Map<?, ?> settings, List<String> faults) {
        Map<String, String> texts = new TreeMap<>();
        Map<?, ?> all = settings;
        if (settings instanceof Properties properties) {
            Map<Object, Object> withDefaults = new TreeMap<>();
            properties.stringPropertyNames().forEach(name -> withDefaults.put(name, properties.getProperty(name)));
            // values that are no texts, for which properties return a default
            withDefaults.putAll(properties);
            all = withDefaults;
        }
        all.forEach((key, value) -> {
            if (key instanceof String name
                    && (value instanceof String || value instanceof Number || value instanceof Boolean)) {
                texts.put(name, value.toString());
            } else {
                faults.add(key + " must be a text, a number or a boolean, got "
                        + (value == null ? "null" : "a " + value.getClass().getName()) + " (set by the program)");
            }
        });
        return texts;
    }
}
