package io.perceptronstreams.topology;

import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.config.EngineConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Start-up check that committed offsets, input and changelog are consistent; {@link LogReplay} checks the models. */
final class PositionCheck {
    private PositionCheck() {}

    /** Returns one line for each fault. */
    static List<String> faults(Admin admin, EngineConfig config) throws ExecutionException, InterruptedException {
        Map<TopicPartition, Long> committed = EngineGroup.committed(admin, config);
        List<String> faults = new ArrayList<>();
        if (committed.isEmpty()) {
            return faults;
        }
        Map<TopicPartition, Long> ends = ends(admin, config.changelog());
        if (ends == null) {
            faults.add(LogReplay.lostChangelog(config, "no such topic"));
        } else if (ends.values().stream().allMatch(end -> end == 0)) {
            faults.add(LogReplay.lostChangelog(config, "a topic that never had a record"));
        }
        Map<TopicPartition, OffsetSpec> earliest = new HashMap<>();
        committed.keySet().forEach(partition -> earliest.put(partition, OffsetSpec.earliest()));
        admin.listOffsets(earliest).all().get().forEach((partition, first) -> {
            if (first.offset() > committed.get(partition)) {
                faults.add(LogReplay.gap(config, partition.toString(), committed.get(partition), first.offset()));
            }
        });
        return faults;
    }

    /** End offsets of a topic's partitions, or null if there is no such topic. */
    static Map<TopicPartition, Long> ends(Admin admin, String topic) throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        try {
            admin.describeTopics(List.of(topic))
                    .allTopicNames()
                    .get()
                    .get(topic)
                    .partitions()
                    .forEach(each -> latest.put(new TopicPartition(topic, each.partition()), OffsetSpec.latest()));
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return null;
            }
            throw e;
        }
        Map<TopicPartition, Long> ends = new HashMap<>();
        admin.listOffsets(latest).all().get().forEach((partition, end) -> ends.put(partition, end.offset()));
        return ends;
    }
}
