package io.perceptronstreams.cluster;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.serde.Topic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Creates missing topics with settings that {@link TopicValidator} accepts. */
public final class TopicCreator {
    /** Kafka's default; a broker may have a lower one. */
    private static final String WEIGHTS_MAX_MESSAGE_BYTES = "1048588";

    private static final long MAX_WAIT_MS = 5_000;

    private TopicCreator() {}

    /**
     * Creates missing topics and leaves others unchanged. Safe to call from several processes at the same time.
     *
     * @return full names of created topics
     * @throws ExecutionException if the request fails
     */
    public static List<String> create(Admin admin, EngineConfig config)
            throws InterruptedException, ExecutionException {
        List<NewTopic> wanted = Arrays.stream(Topic.values())
                .map(topic -> describe(topic, config))
                .toList();
        List<String> created = new ArrayList<>();
        Map<String, KafkaFuture<Void>> results = admin.createTopics(wanted).values();
        for (NewTopic topic : wanted) {
            try {
                results.get(topic.name()).get();
                created.add(topic.name());
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof TopicExistsException)) {
                    throw TopicValidator.naming(topic.name(), e);
                }
            }
        }
        awaitTopics(admin, results.keySet(), created);
        return created;
    }

    /**
     * Waits until the brokers know all topics, also those that another process has just created, and all partitions of
     * new topics have a leader. Before that, a broker may reject the first of several batches of a producer and accept
     * the second; then the first stays out of order, and the producer fails.
     */
    private static void awaitTopics(Admin admin, Collection<String> topics, Collection<String> created)
            throws InterruptedException, ExecutionException {
        for (long wait = 10; ; wait *= 2) {
            try {
                Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
                Map<String, TopicDescription> described =
                        admin.describeTopics(topics).allTopicNames().get();
                for (String name : created) {
                    described
                            .get(name)
                            .partitions()
                            .forEach(each -> ends.put(new TopicPartition(name, each.partition()), OffsetSpec.latest()));
                }
                // only leaders answer; the client retries until they do
                admin.listOffsets(ends).all().get();
                return;
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException) || wait > MAX_WAIT_MS) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(wait);
            }
        }
    }

    /** The topic that is created if it is missing. */
    public static NewTopic describe(Topic topic, EngineConfig config) {
        Map<String, String> settings = new HashMap<>();
        settings.put(TopicConfig.CLEANUP_POLICY_CONFIG, topic.cleanupPolicy());
        if (topic != Topic.EXAMPLES) {
            // outputs have the timestamps of their inputs
            settings.put(TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG, Long.toString(Long.MAX_VALUE));
            settings.put(TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG, Long.toString(Long.MAX_VALUE));
        }
        if (topic.isDeletedByTime()) {
            settings.putAll(TopicRetention.settings(config));
        }
        if (topic == Topic.WEIGHTS) {
            settings.put(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, WEIGHTS_MAX_MESSAGE_BYTES);
        }
        Optional<Short> replicas = Optional.of(config.get(EngineConfigDef.TOPICS_REPLICATION_FACTOR))
                .filter(count -> count != -1);
        return new NewTopic(config.topic(topic), Optional.of(config.get(EngineConfigDef.TOPICS_PARTITIONS)), replicas)
                .configs(settings);
    }
}
