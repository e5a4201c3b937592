package io.perceptronstreams.monitor;

import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.learner.Settings;
import java.util.Map;
import java.util.TreeMap;

/**
 * The settings of models to be created in a partition of the examples topic.
 *
 * @param offset of the command that changed them
 * @param timestamp event time of the command, in ms
 * @param settings those that differ from the defaults of {@code /api/v1/settings}
 */
record PartitionDefaults(long partition, long offset, long timestamp, Map<String, String> settings) {
    static PartitionDefaults of(Event<ModelStatus> status) {
        Map<String, String> builtIn = Settings.DEFAULTS.toMap();
        Map<String, String> changed = new TreeMap<>();
        ModelStatus value = status.value();
        value.getSettings().forEach((name, text) -> {
            if (!text.equals(builtIn.get(name))) {
                changed.put(name, text);
            }
        });
        return new PartitionDefaults(value.getPartition(), value.getOffset(), status.timestamp(), changed);
    }
}
