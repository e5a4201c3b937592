package io.perceptronstreams.cli;

import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.config.EngineConfig;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaStreams;

/**
 * Lines for the user of {@code run} about the group of the engine: its other members, and the partitions of this one.
 */
final class GroupMembership {
    private static final int ANSWER_TIMEOUT_MS = 3_000;

    private GroupMembership() {}

    /** A line about the other members of the group; empty if there are none or the broker does not list them. */
    static Optional<String> others(EngineConfig config) {
        Map<String, Object> settings = config.admin();
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, ANSWER_TIMEOUT_MS);
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_TIMEOUT_MS);
        try (Admin admin = Admin.create(settings)) {
            return others(EngineGroup.members(admin, config), config);
        } catch (ExecutionException e) {
            // only a hint: the right to describe groups is not needed otherwise
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    static Optional<String> others(Collection<EngineGroup.Member> members, EngineConfig config) {
        long others = members.stream()
                .filter(member -> !EngineGroup.isOwn(member, config))
                .count();
        return others == 0
                ? Optional.empty()
                : Optional.of("joined " + others + (others == 1 ? " other member" : " other members") + " of group "
                        + config.applicationId() + ", which share its partitions (another application.id or"
                        + " topics.prefix separates engines)");
    }

    /** Partitions of the input that this process has, as text; empty for none. */
    static String partitions(KafkaStreams streams) {
        Set<Integer> partitions = streams.metadataForLocalThreads().stream()
                .flatMap(thread -> thread.activeTasks().stream())
                .flatMap(task -> task.topicPartitions().stream())
                .map(TopicPartition::partition)
                .collect(Collectors.toCollection(TreeSet::new));
        return partitions.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    /** A line for the end of a process that had partitions. */
    static String waiting(String partitions, EngineConfig config) {
        return "partitions " + partitions + " wait up to " + TimeUnit.MILLISECONDS.toSeconds(config.sessionTimeoutMs())
                + " s for the return of this member (same --data-dir), before others take them";
    }
}
