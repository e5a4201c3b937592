package io.perceptronstreams.topology;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.serde.Topic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Makes the topics that are missing, such that {@link TopicValidator} has nothing to say about them. */
public final class TopicCreator {
    /** Kafka's default, in case the broker's is lower. */
    private static final String WEIGHTS_MAX_MESSAGE_BYTES = "1048588";

    private static final long MAX_WAIT_MS = 5_000;

    private TopicCreator() {}

    /**
     * Creates what is missing and leaves the others as they are; several may do so at the same time.
     *
     * @return full names of those created
     * @throws ExecutionException if the broker does not answer or refuses to
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
                    throw e;
                }
            }
        }
        awaitLeaders(admin, created);
        return created;
    }

    /**
     * Waits until the topics can be written to. A broker knows of a new topic a little later than the controller, and leads its
     * partitions a little later still: of several batches on their way to it in between, it may refuse the first one and take the
     * second, and then the first one never gets in (out of order) until its producer gives up.
     */
    private static void awaitLeaders(Admin admin, List<String> created)
            throws InterruptedException, ExecutionException {
        for (long wait = 10; ; wait *= 2) {
            try {
                Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
                admin.describeTopics(created)
                        .allTopicNames()
                        .get()
                        .forEach((name, topic) -> topic.partitions()
                                .forEach(each ->
                                        ends.put(new TopicPartition(name, each.partition()), OffsetSpec.latest())));
                // only leaders answer; the client asks again until they do
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

    static NewTopic describe(Topic topic, EngineConfig config) {
        Map<String, String> settings = new HashMap<>();
        settings.put(TopicConfig.CLEANUP_POLICY_CONFIG, topic.cleanupPolicy());
        if (topic != Topic.EXAMPLES) {
            // Whatever time an example has, its outputs have it, too.
            settings.put(TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG, Long.toString(Long.MAX_VALUE));
            settings.put(TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG, Long.toString(Long.MAX_VALUE));
        }
        if (topic == Topic.WEIGHTS) {
            settings.put(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, WEIGHTS_MAX_MESSAGE_BYTES);
        }
        Optional<Short> replicas = Optional.of(config.replicationFactor()).filter(count -> count != -1);
        return new NewTopic(config.topic(topic), Optional.of(config.partitions()), replicas).configs(settings);
    }
}
