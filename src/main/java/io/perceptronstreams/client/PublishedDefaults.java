package io.perceptronstreams.client;

import io.perceptronstreams.learner.Settings;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The settings of models to be created, by partition, as the engine has published them. */
final class PublishedDefaults {
    private final Map<Integer, StatusReader.Latest> byPartition = new TreeMap<>();

    /** Adds the status of one partition. */
    void add(ConsumerRecord<byte[], byte[]> record, GenericRecord status) {
        byPartition.put((Integer) status.get("partition"), new StatusReader.Latest(record, status));
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
    private static String changed(GenericRecord status) {
        Map<String, String> builtIn = Settings.DEFAULTS.toMap();
        List<String> changed = new ArrayList<>();
        new TreeMap<Object, Object>((Map<?, ?>) status.get("settings")).forEach((name, value) -> {
            if (!value.toString().equals(builtIn.get(name.toString()))) {
                changed.add(name + "=" + value);
            }
        });
        return changed.isEmpty() ? "the settings of perceptron models set --help" : String.join(" ", changed);
    }
}
