package io.perceptronstreams.config;

import io.perceptronstreams.format.InputFile;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Merges configuration layers; later layers override earlier ones. Each value keeps its origin. */
final class ConfigSources {
    private static final String ENVIRONMENT_PREFIX = "PERCEPTRON_";

    // Not settings: the JVM options of the start script, and what Kubernetes tells every pod of a service named
    // perceptron.
    private static final Pattern OTHERS =
            Pattern.compile("PERCEPTRON_(OPTS|SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\\d+_(TCP|UDP|SCTP)(_[A-Z]+)?)?)");

    /** @param origin for messages, such as {@code environment PERCEPTRON_DATA_DIR} */
    record Setting(String value, String origin) {}

    private final Map<String, Setting> settings = new TreeMap<>();

    void add(Map<String, String> values, String origin) {
        values.forEach((key, value) -> settings.put(key.trim(), new Setting(value.trim(), origin)));
    }

    /** Adds the environment: PERCEPTRON_TOPICS_PREFIX sets topics.prefix, and so on; other variables are ignored. */
    void addEnvironment(Map<String, String> environment) {
        environment.forEach((variable, value) -> {
            if (variable.startsWith(ENVIRONMENT_PREFIX)
                    && !OTHERS.matcher(variable).matches()) {
                String key = variable.substring(ENVIRONMENT_PREFIX.length())
                        .toLowerCase(Locale.ROOT)
                        .replace('_', '.');
                settings.put(key, new Setting(value.trim(), "environment " + variable));
            }
        });
    }

    /** Adds a properties file in UTF-8; appends its faults to {@code faults}. */
    void addFile(Path file, List<String> faults) {
        Properties properties = new Properties();
        try (Reader reader = InputFile.reader(file)) {
            properties.load(reader);
        } catch (NoSuchFileException e) {
            faults.add("configuration file must exist, got '" + file + "' (--config)");
        } catch (IOException | IllegalArgumentException e) {
            faults.add("configuration file must be readable properties in UTF-8, got '" + file + "' (" + e + ")");
        }
        properties.forEach((key, value) ->
                settings.put(((String) key).trim(), new Setting(((String) value).trim(), "file " + file)));
    }

    /** The merged settings by key, ascending. */
    Map<String, Setting> settings() {
        return settings;
    }
}
