package io.perceptronstreams.log;

import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.cluster.TopicValidator;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.serde.Topic;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/** Asks the brokers how far the engine has come. */
final class ReplicaLog implements AutoCloseable {
    private final EngineConfig config;
    private final Admin admin;
    private Map<String, TopicDescription> topics;
    private List<TopicPartition> examples;
    private List<TopicPartition> changelog;

    /**
     * Progress of a partition, in offsets of the examples topic but for the last two.
     *
     * @param end of the committed records; everything that was there before the question is before it
     * @param committed of the engine; -1 before its first commit
     * @param changelog end of the changelog, open transactions included: the changelog of all committed records is
     *     before it
     * @param stableChangelog end of the changelog between two transactions
     */
    record Progress(long end, long committed, long changelog, long stableChangelog) {}

    ReplicaLog(EngineConfig config) {
        this.config = config;
        this.admin = Admin.create(config.admin());
    }

    /**
     * Looks the topics up.
     *
     * @return the number of partitions of the examples topic
     * @throws org.apache.kafka.common.errors.UnknownTopicOrPartitionException if it or the changelog does not exist
     */
    int open() {
        topics = answered(describe());
        String topic = config.topic(Topic.EXAMPLES);
        int partitions = topics.get(topic).partitions().size();
        examples = partitions(topic, partitions);
        changelog = partitions(config.changelog(), partitions);
        return partitions;
    }

    private Map<String, KafkaFuture<TopicDescription>> describe() {
        return admin.describeTopics(List.of(config.topic(Topic.EXAMPLES), config.changelog()))
                .topicNameValues();
    }

    private static Map<String, TopicDescription> answered(Map<String, KafkaFuture<TopicDescription>> futures) {
        Map<String, TopicDescription> topics = new HashMap<>();
        futures.forEach((topic, future) -> topics.put(topic, get(topic, future)));
        return topics;
    }

    private static List<TopicPartition> partitions(String topic, int count) {
        return IntStream.range(0, count)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
    }

    /** Id of the examples topic. */
    Uuid topicId() {
        return topics.get(config.topic(Topic.EXAMPLES)).topicId();
    }

    /**
     * Returns the progress of all partitions, by their number.
     *
     * @throws PositionFaultException if a topic was deleted and created again since {@link #open}
     */
    List<Progress> progress() {
        Map<String, KafkaFuture<TopicDescription>> now = describe();
        ListOffsetsResult ends = latest(examples, IsolationLevel.READ_COMMITTED);
        Map<TopicPartition, Long> committed = committed();
        // Asked only now: a transaction is committed in its group first, and in the changelog maybe later, but its
        // records are there.
        ListOffsetsResult changelogEnds = latest(changelog, IsolationLevel.READ_UNCOMMITTED);
        ListOffsetsResult stableEnds = latest(changelog, IsolationLevel.READ_COMMITTED);
        answered(now).forEach((topic, description) -> {
            if (!description.topicId().equals(topics.get(topic).topicId())) {
                throw new PositionFaultException(topic + " must not be created again, got id "
                        + description.topicId() + " after "
                        + topics.get(topic).topicId());
            }
        });
        return IntStream.range(0, examples.size())
                .mapToObj(partition -> new Progress(
                        config.generation().offset(end(ends, examples.get(partition))),
                        committed.containsKey(examples.get(partition))
                                ? config.generation().offset(committed.get(examples.get(partition)))
                                : -1L,
                        end(changelogEnds, changelog.get(partition)),
                        end(stableEnds, changelog.get(partition))))
                .toList();
    }

    private ListOffsetsResult latest(Collection<TopicPartition> of, IsolationLevel isolation) {
        return admin.listOffsets(
                of.stream().collect(Collectors.toMap(each -> each, each -> OffsetSpec.latest())),
                new ListOffsetsOptions(isolation));
    }

    private Map<TopicPartition, Long> committed() {
        try {
            return EngineGroup.committed(admin, config);
        } catch (ExecutionException e) {
            throw failed(e);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static long end(ListOffsetsResult ends, TopicPartition partition) {
        return get(partition.topic(), ends.partitionResult(partition)).offset();
    }

    /** Waits for an answer about a topic. */
    private static <T> T get(String topic, KafkaFuture<T> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw failed(TopicValidator.naming(topic, e));
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static KafkaException failed(ExecutionException e) {
        return e.getCause() instanceof KafkaException kafka ? kafka : new KafkaException(e.getCause());
    }

    private static RuntimeException interrupted() {
        Thread.currentThread().interrupt();
        return RegistryRetry.StoppedException.ofThread();
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(1));
    }
}
