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
     * Gives a model that does not exist the settings of another one, by one command, which is printed. Nothing is sent where
     * the model has these settings. The comparator, which is weights of a model, is not copied.
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
     * Returns those of some settings that a model does not have or, if it does not exist, may not have when it is created: on
     * which partition, with which defaults, is not known.
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
