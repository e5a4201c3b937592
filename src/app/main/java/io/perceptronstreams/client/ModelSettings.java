package io.perceptronstreams.client;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.format.ShellWord;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.settings.Settings;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Settings of models as of their latest statuses, and the commands that change them. */
public final class ModelSettings {
    private final EngineConfig config;

    public ModelSettings(EngineConfig config) {
        this.config = config;
    }

    /**
     * Gives a model that does not exist the settings of another one, by one command, which is printed. Nothing is sent
     * where the model has these settings. The comparator, which is weights of a model, is not copied.
     *
     * @param changes settings that differ from those of the model {@code from}
     * @throws CommandFailedException if {@code from} does not exist, or {@code to} exists with other settings
     */
    public void copy(String from, String to, Map<String, String> changes, Confirmation confirmation, PrintWriter out) {
        Map<String, StatusReader.Latest> statuses = new StatusReader(config).read();
        Settings source = of(from, statuses);
        if (source == null) {
            throw StatusReader.noModel(from);
        }
        Map<String, String> wanted = new LinkedHashMap<>(source.with(changes).toMap());
        wanted.remove(Settings.COMPARATOR.name());
        Map<String, String> differing = differing(to, wanted, statuses);
        if (of(to, statuses) != null) {
            if (differing.isEmpty()) {
                out.println(
                        confirmation.isJson()
                                ? EventFormat.json(
                                        statuses.get(to).record(),
                                        statuses.get(to).status())
                                : to + " has these settings already");
                return;
            }
            Map<String, String> present = of(to, statuses).toMap();
            throw new CommandFailedException(
                    "model " + to + " must have the settings of " + from + " or not exist, got "
                            + differing.keySet().stream()
                                    .map(name -> name + "=" + present.get(name))
                                    .collect(Collectors.joining(" "))
                            + " (" + command(to, differing) + " changes them)");
        }
        // a model is created by a command with at least one setting
        Map<String, String> sent = differing.isEmpty()
                ? Map.of(Settings.ALGORITHM.name(), wanted.get(Settings.ALGORITHM.name()))
                : differing;
        if (!confirmation.isJson()) {
            out.println(TerminalText.sanitize(command(to, sent)));
            out.flush();
        }
        new CommandSender(config).send(to, "CONFIGURE", sent, confirmation, out);
    }

    /**
     * Gives models the settings of a file, after it has printed what differs. Settings that the file does not name
     * stay, and so do other models. Nothing is sent if the file has a fault.
     *
     * @param file its name; - is standard input
     * @param isCreating whether models that do not exist are created
     * @param isDryRun true to print what differs, and send nothing
     * @throws CommandFailedException if the file has a fault, or the engine refuses a command; the later ones are not
     *     sent then
     */
    public void apply(String file, boolean isCreating, boolean isDryRun, Confirmation confirmation, PrintWriter out) {
        Map<String, SettingsFile.Entry> entries = SettingsFile.read(file).entries();
        Map<String, StatusReader.Latest> statuses = new StatusReader(config).read();
        Map<String, Map<String, String>> changes = changes(file, entries, isCreating, statuses);
        if (isDryRun && confirmation.isJson()) {
            changes.forEach((model, settings) -> out.println(json(model, settings)));
        } else if (!confirmation.isJson()) {
            changes.forEach((model, settings) -> print(model, settings, of(model, statuses), out));
        }
        out.flush();
        changes.values().removeIf(Map::isEmpty);
        if (isDryRun) {
            return;
        }
        CommandSender sender = new CommandSender(config);
        int left = changes.size();
        for (Map.Entry<String, Map<String, String>> each : changes.entrySet()) {
            left--;
            try {
                sender.send(each.getKey(), "CONFIGURE", each.getValue(), confirmation, out);
            } catch (CommandFailedException e) {
                throw new CommandFailedException(
                        each.getKey() + ": " + e.getMessage()
                                + (left == 0 ? "" : "; the settings of " + left + " later models were not sent"),
                        e);
            }
        }
    }

    /** Returns what each model of a file lacks, in its order; all settings of a model that is to be created. */
    private static Map<String, Map<String, String>> changes(
            String file,
            Map<String, SettingsFile.Entry> entries,
            boolean isCreating,
            Map<String, StatusReader.Latest> statuses) {
        Map<String, Map<String, String>> changes = new LinkedHashMap<>();
        List<String> faults = new ArrayList<>();
        entries.forEach((model, entry) -> {
            Settings present = of(model, statuses);
            if (present == null && !isCreating) {
                faults.add(entry.position() + ": model must exist, got '" + model + "' (models apply -f "
                        + ShellWord.of(file) + " --create creates it)");
                return;
            }
            try {
                Map<String, String> wanted = new LinkedHashMap<>((present == null ? Settings.DEFAULTS : present)
                        .with(entry.settings())
                        .toMap());
                wanted.keySet().retainAll(entry.settings().keySet());
                changes.put(model, present == null ? wanted : differing(model, wanted, statuses));
            } catch (IllegalArgumentException e) {
                faults.add(entry.position() + ": " + model + ": " + e.getMessage());
            }
        });
        if (!faults.isEmpty()) {
            throw CommandFailedException.wrongUsage(String.join("\n", faults));
        }
        return changes;
    }

    private static String json(String model, Map<String, String> settings) {
        return EventFormat.json(json -> {
            json.writeStringField("model", model);
            json.writeObjectFieldStart("changes");
            for (Map.Entry<String, String> each : settings.entrySet()) {
                json.writeStringField(each.getKey(), each.getValue());
            }
            json.writeEndObject();
        });
    }

    /** @param present null for a model that is to be created */
    private static void print(String model, Map<String, String> changes, Settings present, PrintWriter out) {
        out.println(model + ":" + (present == null ? " new" : changes.isEmpty() ? " nothing to change" : ""));
        Map<String, String> before = present == null ? Map.of() : present.toMap();
        changes.forEach((name, value) -> out.println(TerminalText.sanitize(
                "  " + name + ": " + (present == null ? "" : quoted(before.get(name)) + " -> ") + quoted(value))));
    }

    private static String quoted(String value) {
        return value.isEmpty() ? "''" : value;
    }

    /** Returns the settings of a model; null if there is none, or no longer. */
    private static Settings of(String model, Map<String, StatusReader.Latest> statuses) {
        StatusReader.Latest latest = statuses.get(model);
        return latest == null || latest.status().getState().name().equals(ModelState.DELETED.name())
                ? null
                : of(model, latest.status());
    }

    private static Settings of(String model, ModelStatus status) {
        try {
            return Settings.DEFAULTS.with(status.getSettings());
        } catch (IllegalArgumentException e) {
            throw new CommandFailedException(
                    "settings of " + model + " must be known to this version, got: " + e.getMessage(), e);
        }
    }

    /**
     * Returns those of some settings that a model does not have or, if it does not exist, may not have when it is
     * created: on which partition, with which defaults, is not known.
     */
    private static Map<String, String> differing(
            String model, Map<String, String> wanted, Map<String, StatusReader.Latest> statuses) {
        List<Map<String, String>> known = new ArrayList<>();
        Settings present = of(model, statuses);
        if (present != null) {
            known.add(present.toMap());
        } else {
            known.add(Settings.DEFAULTS.toMap());
            statuses.forEach((key, latest) -> {
                if (ModelDefaults.isStatusKey(key)) {
                    known.add(of(key, latest.status()).toMap());
                }
            });
        }
        Map<String, String> differing = new LinkedHashMap<>();
        wanted.forEach((name, value) -> {
            if (known.stream().anyMatch(each -> !value.equals(each.get(name)))) {
                differing.put(name, value);
            }
        });
        return differing;
    }

    private static String command(String model, Map<String, String> settings) {
        return "perceptron models set " + model + " "
                + settings.entrySet().stream()
                        .map(each -> ShellWord.of(each.getKey() + "=" + each.getValue()))
                        .collect(Collectors.joining(" "));
    }
}
