package io.perceptronstreams.client;

import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.learner.Settings;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The settings of models to be created, by partition, as the engine has published them. */
final class PublishedDefaults {
    private final Map<Integer, StatusReader.Latest> byPartition = new TreeMap<>();

    /** Adds the status of one partition. */
    void add(StatusReader.Latest status) {
        byPartition.put(status.status().getPartition(), status);
    }

    /** Prints one JSON object for each partition, or one line for all partitions that have the same defaults. */
    void print(boolean isJson, PrintWriter out) {
        if (isJson) {
            byPartition.values().forEach(each -> out.println(EventFormat.json(each.record(), each.status())));
            return;
        }
        Map<String, List<Integer>> groups = new LinkedHashMap<>();
        byPartition.forEach(
                (partition, each) -> groups.computeIfAbsent(changed(each.status()), any -> new ArrayList<>())
                        .add(partition));
        groups.forEach((settings, partitions) -> out.println(
                "new models" + (groups.size() == 1 ? "" : " of partitions " + partitions) + " start with " + settings));
    }

    boolean isEmpty() {
        return byPartition.isEmpty();
    }

    /** The settings that differ from those of a model without defaults. */
    private static String changed(ModelStatus status) {
        Map<String, String> builtIn = Settings.DEFAULTS.toMap();
        List<String> changed = new ArrayList<>();
        new TreeMap<>(status.getSettings()).forEach((name, value) -> {
            if (!value.equals(builtIn.get(name))) {
                changed.add(name + "=" + value);
            }
        });
        return changed.isEmpty() ? "the settings of perceptron models set --help" : String.join(" ", changed);
    }
}
