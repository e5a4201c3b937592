package io.perceptronstreams.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.perceptronstreams.format.InputFile;
import io.perceptronstreams.settings.Settings;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A YAML file with settings of models: a map of names to maps of settings. A value is its text, so that {@code no} is a
 * label and no boolean; a list is its elements with commas between.
 */
final class SettingsFile {
    /**
     * Settings of a model.
     *
     * @param position file and line of its name, for messages
     */
    record Entry(String position, Map<String, String> settings) {}

    private static final String NO_VALUE = " must be a value or a list of values, got a map or a list of them";

    private final String file;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final List<String> faults = new ArrayList<>();

    private SettingsFile(String file) {
        this.file = file;
    }

    /**
     * Reads a file.
     *
     * @param file its name; - is standard input
     * @throws CommandFailedException with all faults and their lines
     */
    static SettingsFile read(String file) {
        SettingsFile result = new SettingsFile(file.equals("-") ? "standard input" : file);
        try (Reader text = file.equals("-")
                        ? new InputStreamReader(InputFile.text(System.in, file), StandardCharsets.UTF_8)
                        : InputFile.reader(Path.of(file));
                YAMLParser yaml = new YAMLFactory().createParser(text)) {
            result.readModels(yaml);
        } catch (JsonProcessingException e) {
            throw CommandFailedException.wrongUsage(file
                    + (e.getLocation() == null ? "" : ":" + e.getLocation().getLineNr()) + ": text must be YAML, got "
                    + e.getOriginalMessage().lines().findFirst().orElse("a fault"));
        } catch (NoSuchFileException e) {
            throw CommandFailedException.wrongUsage("file must exist, got " + file);
        } catch (IOException e) {
            throw new CommandFailedException(file + " must be readable, got " + e.getMessage(), e);
        }
        result.throwIfAny();
        return result;
    }

    /** Settings by model, in the order of the file. */
    Map<String, Entry> entries() {
        return entries;
    }

    private String position(int line) {
        return file + ":" + line;
    }

    private void readModels(YAMLParser yaml) throws IOException {
        if (yaml.nextToken() == null) {
            faults.add(position(1) + ": file must have a model with settings, got none");
            return;
        }
        if (yaml.currentToken() != JsonToken.START_OBJECT) {
            faults.add(position(line(yaml)) + ": file must be a map of models to settings, got "
                    + TerminalText.sanitize(yaml.getText()));
            return;
        }
        while (yaml.nextToken() == JsonToken.FIELD_NAME) {
            String model = yaml.currentName();
            int line = line(yaml);
            Map<String, String> settings = new LinkedHashMap<>();
            try {
                ModelKey.ofNew(model);
            } catch (CommandFailedException e) {
                faults.add(position(line) + ": " + e.getMessage());
            }
            if (entries.put(model, new Entry(position(line), settings)) != null) {
                faults.add(position(line) + ": model must be named once, got " + model + " again");
            }
            if (yaml.nextToken() != JsonToken.START_OBJECT) {
                faults.add(position(line) + ": " + model + " must have a map of settings, got "
                        + (yaml.isCurrentAlias() ? "the alias *" : "") + TerminalText.sanitize(yaml.getText()));
                yaml.skipChildren();
                continue;
            }
            readSettings(yaml, settings);
            if (settings.isEmpty()) {
                faults.add(position(line) + ": " + model + " must have a setting, got none");
            }
        }
        if (yaml.nextToken() != null) {
            faults.add(position(line(yaml)) + ": file must be one document, got a second one");
        }
    }

    private void readSettings(YAMLParser yaml, Map<String, String> settings) throws IOException {
        while (yaml.nextToken() == JsonToken.FIELD_NAME) {
            String name = yaml.currentName();
            int line = line(yaml);
            yaml.nextToken();
            String value;
            try {
                value = value(yaml, name);
            } catch (IllegalArgumentException e) {
                faults.add(position(line) + ": " + e.getMessage());
                continue;
            }
            if (settings.put(name, value) != null) {
                faults.add(position(line) + ": setting must be named once, got " + name + " again");
            }
            try {
                Settings.DEFAULTS.with(Map.of(name, value));
            } catch (IllegalArgumentException e) {
                faults.add(position(line) + ": " + e.getMessage());
            }
        }
    }

    /**
     * Returns the text of a value, or those of a list with commas between.
     *
     * @throws IllegalArgumentException if it is neither, or an element has a comma
     */
    private static String value(YAMLParser yaml, String name) throws IOException {
        if (yaml.currentToken().isScalarValue()) {
            return text(yaml, name);
        }
        if (yaml.currentToken() != JsonToken.START_ARRAY) {
            yaml.skipChildren();
            throw new IllegalArgumentException(name + NO_VALUE);
        }
        List<String> values = new ArrayList<>();
        IllegalArgumentException fault = null;
        while (yaml.nextToken() != JsonToken.END_ARRAY) {
            try {
                values.add(element(yaml, name));
            } catch (IllegalArgumentException e) {
                // the rest of the list must be read, too
                fault = fault == null ? e : fault;
                yaml.skipChildren();
            }
        }
        if (fault != null) {
            throw fault;
        }
        return String.join(",", values);
    }

    private static String element(YAMLParser yaml, String name) throws IOException {
        if (!yaml.currentToken().isScalarValue()) {
            throw new IllegalArgumentException(name + NO_VALUE);
        }
        String element = text(yaml, name);
        if (element.isEmpty() || element.contains(",")) {
            throw new IllegalArgumentException(
                    name + " must be a list of values that are not empty and have no comma, got '"
                            + TerminalText.sanitize(element) + "' (the text of a list is " + name + ": \"a,b\")");
        }
        return element;
    }

    /** Returns the text of a scalar, without the line break at the end of a block; an empty one empties the setting. */
    private static String text(YAMLParser yaml, String name) throws IOException {
        requireNoAlias(yaml, name);
        String text = yaml.currentToken() == JsonToken.VALUE_NULL
                ? ""
                : yaml.getText().stripTrailing();
        if (text.lines().count() > 1) {
            throw new IllegalArgumentException(name + " must be one line, got "
                    + text.lines().count() + " (a list has its elements behind hyphens)");
        }
        return text;
    }

    private static void requireNoAlias(YAMLParser yaml, String name) throws IOException {
        if (yaml.isCurrentAlias()) {
            throw new IllegalArgumentException(name + " must be written out, got the alias *"
                    + TerminalText.sanitize(yaml.getText()) + " (repeat what its anchor marks)");
        }
    }

    private static int line(YAMLParser yaml) {
        return yaml.currentTokenLocation().getLineNr();
    }

    private void throwIfAny() {
        if (!faults.isEmpty()) {
            throw CommandFailedException.wrongUsage(String.join("\n", faults));
        }
    }
}
