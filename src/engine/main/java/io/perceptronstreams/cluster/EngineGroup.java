package io.perceptronstreams.cluster;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.serde.Topic;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/**
 * The consumer group of the engine, as the brokers know it; one that does not exist yet has no offsets and no members.
 */
public final class EngineGroup {
    private EngineGroup() {}

    /** Committed offsets in the examples topic; empty before the first commit. */
    public static Map<TopicPartition, Long> committed(Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, Long> committed = new HashMap<>();
        get(admin.listConsumerGroupOffsets(config.applicationId()).partitionsToOffsetAndMetadata(), Map.of())
                .forEach((partition, offset) -> {
                    if (offset != null && partition.topic().equals(config.topic(Topic.EXAMPLES))) {
                        committed.put(partition, offset.offset());
                    }
                });
        return committed;
    }

    /** Members, those that have ended but whose session has not expired included. */
    public static Collection<MemberDescription> members(Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
        return describe(admin, config).map(ConsumerGroupDescription::members).orElse(List.of());
    }

    /**
     * Returns true for a member of the group that is, or was, a thread of this engine: of the same
     * {@code group.instance.id}.
     */
    public static boolean isOwn(MemberDescription member, EngineConfig config) {
        // Kafka Streams appends the number of the thread
        return config.groupInstanceId()
                .filter(own -> member.groupInstanceId().orElse("").matches(Pattern.quote(own) + "-\\d+"))
                .isPresent();
    }

    /**
     * Removes the members that this engine had before it started, if none of them has a partition.
     *
     * <p>A static member that returns gets its last assignment from the brokers, without a rebalance. If the examples
     * topic was missing in the last rebalance, the assignment of each member is that failure: the engine would end
     * again, at each start, until its session has timed out. An assignment without a partition is worth nothing else;
     * one with a partition is no failure, and stays.
     */
    public static void leaveWithoutPartitions(Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
        List<MemberDescription> own = members(admin, config).stream()
                .filter(member -> isOwn(member, config))
                .toList();
        if (!own.isEmpty()
                && own.stream()
                        .allMatch(
                                member -> member.assignment().topicPartitions().isEmpty())) {
            List<MemberToRemove> all = own.stream()
                    .map(member -> new MemberToRemove(member.groupInstanceId().orElseThrow()))
                    .toList();
            admin.removeMembersFromConsumerGroup(config.applicationId(), new RemoveMembersFromConsumerGroupOptions(all))
                    .all()
                    .get();
        }
    }

    /** Description of the group; empty if it does not exist. */
    public static Optional<ConsumerGroupDescription> describe(Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
        String group = config.applicationId();
        return get(
                admin.describeConsumerGroups(List.of(group))
                        .describedGroups()
                        .get(group)
                        .thenApply(Optional::of),
                Optional.empty());
    }

    private static <T> T get(KafkaFuture<T> answer, T none) throws ExecutionException, InterruptedException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GroupIdNotFoundException) {
                return none;
            }
            throw e;
        }
    }
}
