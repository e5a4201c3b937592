package io.perceptronstreams.cluster;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.serde.Topic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

/**
 * How long brokers keep the records of examples and outputs: by default without limit.
 *
 * <p>Brokers delete a segment when its latest timestamp is older than {@code retention.ms}, and timestamps are event
 * times: with Kafka's default of a week, an example of last month would be deleted within minutes, learned or not.
 */
public final class TopicRetention {
    /** Smallest {@code segment.bytes} of Kafka 4. */
    private static final long MIN_SEGMENT_BYTES = 1 << 20;

    private static final long MAX_SEGMENT_BYTES = 128 << 20;

    /** Number of segments of a partition at its limit: brokers delete only whole ones. */
    private static final long SEGMENTS = 4;

    private TopicRetention() {}

    /** Settings of a topic that is to be created. */
    static Map<String, String> settings(EngineConfig config) {
        long ms = config.get(EngineConfigDef.TOPICS_RETENTION_MS);
        long bytes = config.get(EngineConfigDef.TOPICS_RETENTION_BYTES);
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(TopicConfig.RETENTION_MS_CONFIG, Long.toString(ms));
        settings.put(TopicConfig.RETENTION_BYTES_CONFIG, Long.toString(bytes));
        if (ms == -1) {
            // by event time: a file of 50 years would become 2,600 segments, each with open files
            settings.put(TopicConfig.SEGMENT_MS_CONFIG, Long.toString(Long.MAX_VALUE));
        }
        if (bytes != -1) {
            settings.put(
                    TopicConfig.SEGMENT_BYTES_CONFIG,
                    Long.toString(Math.max(MIN_SEGMENT_BYTES, Math.min(MAX_SEGMENT_BYTES, bytes / SEGMENTS))));
        }
        return settings;
    }

    /**
     * Sets the retention of the existing topics of an engine where it is another one.
     *
     * @return a line for each retention that topics had before; none if nothing was changed
     * @throws ExecutionException if the request fails
     */
    public static List<String> apply(Admin admin, EngineConfig config) throws InterruptedException, ExecutionException {
        Map<String, String> wanted = settings(config);
        Collection<String> names = Arrays.stream(Topic.values())
                .filter(Topic::isDeletedByTime)
                .map(config::topic)
                .toList();
        Map<String, TopicValidator.Actual> actual = TopicValidator.describe(admin, names);
        Map<String, List<String>> changed = new LinkedHashMap<>();
        Map<ConfigResource, Collection<AlterConfigOp>> changes = new LinkedHashMap<>();
        for (String name : names) {
            TopicValidator.Actual topic = actual.get(name);
            if (topic != null && !retention(topic.settings()).equals(retention(wanted))) {
                changed.computeIfAbsent(retention(topic.settings()), any -> new ArrayList<>())
                        .add(name);
                changes.put(new ConfigResource(ConfigResource.Type.TOPIC, name), changes(wanted));
            }
        }
        admin.incrementalAlterConfigs(changes).all().get();
        List<String> lines = new ArrayList<>();
        changed.forEach((before, topics) ->
                lines.add(String.join(", ", topics) + ": " + retention(wanted) + " from now on, before " + before));
        return lines;
    }

    private static List<AlterConfigOp> changes(Map<String, String> wanted) {
        List<AlterConfigOp> changes = new ArrayList<>();
        for (String name : List.of(
                TopicConfig.RETENTION_MS_CONFIG,
                TopicConfig.RETENTION_BYTES_CONFIG,
                TopicConfig.SEGMENT_MS_CONFIG,
                TopicConfig.SEGMENT_BYTES_CONFIG)) {
            String value = wanted.get(name);
            changes.add(new AlterConfigOp(
                    new ConfigEntry(name, value),
                    value == null ? AlterConfigOp.OpType.DELETE : AlterConfigOp.OpType.SET));
        }
        return changes;
    }

    private static String retention(Map<String, String> settings) {
        return TopicConfig.RETENTION_MS_CONFIG + " " + settings.get(TopicConfig.RETENTION_MS_CONFIG) + ", "
                + TopicConfig.RETENTION_BYTES_CONFIG + " " + settings.get(TopicConfig.RETENTION_BYTES_CONFIG);
    }

    /** Command that removes the limits of all topics. */
    static String command(EngineConfig config) {
        String prefix = config.get(EngineConfigDef.TOPICS_PREFIX);
        return "perceptron topics retention --bootstrap " + config.get(EngineConfigDef.BOOTSTRAP_SERVERS)
                + (prefix.equals("perceptron") ? "" : " -D topics.prefix=" + prefix);
    }
}
