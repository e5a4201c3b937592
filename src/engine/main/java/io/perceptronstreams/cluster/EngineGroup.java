package io.perceptronstreams.cluster;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfig.GroupProtocol;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.serde.Topic;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.admin.StreamsGroupDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/**
 * The consumer group of the engine, as the brokers know it; one that does not exist yet has no offsets and no members.
 */
public final class EngineGroup {
    /** The longest session that brokers allow in the protocol {@code streams} by default. */
    private static final int MAX_SESSION_TIMEOUT_MS = 60_000;

    // of KIP-1071
    private static final int LEFT_EPOCH = -2;

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

    /**
     * A member of the group: a stream thread.
     *
     * @param instanceId of a static member
     * @param clientId of its consumer
     * @param partitions of the input that it has
     * @param hasLeft true for a static member of the protocol {@code streams} that has stopped and may come back
     */
    public record Member(
            String id,
            Optional<String> instanceId,
            String clientId,
            String host,
            Set<Integer> partitions,
            boolean hasLeft) {}

    /**
     * The group.
     *
     * @param protocol of the last member that has joined
     * @param state text of the brokers
     */
    public record Description(GroupProtocol protocol, String state, List<Member> members) {}

    /** Members, those that have ended but whose session has not expired included. */
    public static List<Member> members(Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
        return describe(admin, config).map(Description::members).orElse(List.of());
    }

    /** Maximum time for which a member stays in the group after the end of its process, in ms; an estimate. */
    public static long sessionTimeoutMs(Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
        boolean isOther = describe(admin, config)
                .filter(group -> group.protocol() != config.get(EngineConfigDef.GROUP_PROTOCOL))
                .isPresent();
        return isOther ? Math.max(MAX_SESSION_TIMEOUT_MS, config.sessionTimeoutMs()) : config.sessionTimeoutMs();
    }

    /**
     * Returns true for a member of the group that is, or was, a thread of this engine: of the same
     * {@code group.instance.id}.
     */
    public static boolean isOwn(Member member, EngineConfig config) {
        // Kafka Streams appends the number of the thread
        return config.groupInstanceId()
                .filter(own -> member.instanceId().orElse("").matches(Pattern.quote(own) + "-\\d+"))
                .isPresent();
    }

    /**
     * Removes the members that this engine had before it started, if none of them has a partition.
     *
     * <p>In the classic protocol only. A static member that returns gets its last assignment from the brokers, without
     * a rebalance. If the examples topic was missing in the last rebalance, the assignment of each member is that
     * failure: the engine would end again, at each start, until its session has timed out. An assignment without a
     * partition is worth nothing else; one with a partition is no failure, and stays.
     */
    public static void leaveWithoutPartitions(Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
        Optional<Description> group = describe(admin, config);
        List<Member> own = group.filter(each -> each.protocol() == GroupProtocol.CLASSIC).stream()
                .flatMap(each -> each.members().stream())
                .filter(member -> isOwn(member, config))
                .toList();
        if (!own.isEmpty()
                && own.stream().allMatch(member -> member.partitions().isEmpty())) {
            List<MemberToRemove> all = own.stream()
                    .map(member -> new MemberToRemove(member.instanceId().orElseThrow()))
                    .toList();
            admin.removeMembersFromConsumerGroup(config.applicationId(), new RemoveMembersFromConsumerGroupOptions(all))
                    .all()
                    .get();
        }
    }

    /** Description of the group; empty if it does not exist. */
    public static Optional<Description> describe(Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
        String group = config.applicationId();
        Optional<Description> classic = get(
                admin.describeConsumerGroups(List.of(group))
                        .describedGroups()
                        .get(group)
                        .thenApply(EngineGroup::ofClassic)
                        .thenApply(Optional::of),
                Optional.empty());
        // brokers do not describe a group of one protocol as one of the other
        return classic.isPresent()
                ? classic
                : get(
                        admin.describeStreamsGroups(List.of(group))
                                .describedGroups()
                                .get(group)
                                .thenApply(EngineGroup::ofStreams)
                                .thenApply(Optional::of),
                        Optional.empty());
    }

    private static Description ofClassic(ConsumerGroupDescription group) {
        return new Description(
                GroupProtocol.CLASSIC,
                group.groupState().toString(),
                group.members().stream()
                        .map(member -> new Member(
                                member.consumerId(),
                                member.groupInstanceId(),
                                member.clientId(),
                                member.host(),
                                member.assignment().topicPartitions().stream()
                                        .map(TopicPartition::partition)
                                        .collect(Collectors.toSet()),
                                false))
                        .toList());
    }

    private static Description ofStreams(StreamsGroupDescription group) {
        return new Description(
                GroupProtocol.STREAMS,
                group.groupState().toString(),
                group.members().stream()
                        .map(member -> new Member(
                                member.memberId(),
                                member.instanceId(),
                                member.clientId(),
                                member.clientHost(),
                                member.assignment().activeTasks().stream()
                                        .flatMap(tasks -> tasks.partitions().stream())
                                        .collect(Collectors.toSet()),
                                member.memberEpoch() == LEFT_EPOCH))
                        .toList());
    }

    private static <T> T get(KafkaFuture<T> answer, T none) throws ExecutionException, InterruptedException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            // brokers before Kafka 4.1 do not know groups of the other protocol
            if (e.getCause() instanceof GroupIdNotFoundException
                    || e.getCause() instanceof UnsupportedVersionException) {
                return none;
            }
            throw e;
        }
    }
}
