package io.perceptronstreams.cluster;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.serde.Topic;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/** The consumer group of the engine, as the brokers know it; one that does not exist yet has no offsets and no members. */
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
