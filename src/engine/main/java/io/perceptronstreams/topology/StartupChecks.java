package io.perceptronstreams.topology;

import io.perceptronstreams.cluster.BrokerCheck;
import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.cluster.GroupProtocolCheck;
import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.cluster.TopicCreator;
import io.perceptronstreams.cluster.TopicValidator;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.log.EngineServices;
import io.perceptronstreams.log.LogReplay;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.state.OwnerOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.streams.errors.StreamsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Validates directories, brokers, topics and positions before the first record is read, and topics after a failure. */
public final class StartupChecks {
    private static final Logger LOG = LoggerFactory.getLogger(StartupChecks.class);

    private StartupChecks() {}

    /**
     * Creates directories and, with {@code topics.create}, topics; then checks everything.
     *
     * @throws StartupException with a line for each fault
     */
    public static EngineServices.Limits check(EngineConfig config) {
        List<String> faults = new ArrayList<>();
        checkStateDirectory(config.stateDir(), faults);
        if (config.maxRequestBytes() < TopicValidator.MAX_RECORD_BYTES) {
            faults.add("max.request.size of the producer must be at least " + TopicValidator.MAX_RECORD_BYTES + ", got "
                    + config.maxRequestBytes() + ": a Mistake may be as large (remove the setting)");
        }
        faults.addAll(BrokerCheck.faults(config));
        if (!faults.isEmpty()) {
            throw new StartupException(faults);
        }
        try (Admin admin = Admin.create(config.admin())) {
            findCoordinators(admin, config);
            Repartition.requireComplete(admin, config);
            boolean isNewLog = config.get(EngineConfigDef.TOPICS_CREATE)
                    && TopicCreator.create(admin, config).contains(config.topic(Topic.EXAMPLES));
            TopicValidator topics = TopicValidator.of(admin, config);
            faults.addAll(faults(topics, admin, config));
            if (faults.isEmpty()) {
                faults.addAll(GroupProtocolCheck.faults(admin, config));
            }
            if (faults.isEmpty()) {
                topics.notes().forEach(note -> LOG.warn("{}", note.text()));
                unlearned(admin, config).forEach(line -> LOG.warn("{}", line));
                return limits(admin, config, topics.aheadMs(), isNewLog);
            }
        } catch (ExecutionException e) {
            faults.add(TopicValidator.explain(e, config));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            faults.add("start-up was interrupted");
        }
        throw new StartupException(faults);
    }

    /**
     * Asks for the coordinators of group and transactions, without a wait for the answers: new brokers create the
     * topics of both at the first request, during the checks. What fails here, fails again where the answer is needed.
     */
    private static void findCoordinators(Admin admin, EngineConfig config) {
        admin.listConsumerGroupOffsets(config.applicationId());
        admin.describeTransactions(List.of(config.applicationId()));
    }

    /**
     * Returns a line for each fault of topics and committed positions, for example of topics that were changed while
     * the engine ran; none if the broker does not answer.
     */
    public static List<String> topicFaults(EngineConfig config) throws InterruptedException {
        try (Admin admin = Admin.create(config.admin())) {
            return faults(TopicValidator.of(admin, config), admin, config);
        } catch (ExecutionException e) {
            return List.of();
        }
    }

    private static List<String> faults(TopicValidator topics, Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
        List<String> faults =
                topics.byTopic().values().stream().flatMap(List::stream).toList();
        return faults.isEmpty() ? positionFaults(admin, config) : faults;
    }

    private static void checkStateDirectory(Path directory, List<String> faults) {
        try {
            OwnerOnly.createDirectories(directory);
            Files.delete(Files.createTempFile(directory, "write", ".test"));
        } catch (IOException e) {
            faults.add(unwritable(directory, e));
        }
    }

    static String unwritable(Path stateDir, Exception cause) {
        return "state directory must be writable, got " + cause + " (" + stateDir
                + "; set state.dir or data.dir to another)";
    }

    private static EngineServices.Limits limits(Admin admin, EngineConfig config, long aheadMs, boolean isNewLog)
            throws ExecutionException, InterruptedException {
        String examples = config.topic(Topic.EXAMPLES);
        int partitions = admin.describeTopics(List.of(examples))
                .allTopicNames()
                .get()
                .get(examples)
                .partitions()
                .size();
        int maxRecordBytes = config.maxRequestBytes();
        List<ConfigResource> copies = Stream.of(examples, config.topic(Topic.DEAD_LETTERS))
                .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic))
                .toList();
        for (Config topic : admin.describeConfigs(copies).all().get().values()) {
            int limit = Integer.parseInt(
                    topic.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG).value());
            maxRecordBytes = Math.min(maxRecordBytes, limit);
        }
        return new EngineServices.Limits(partitions, maxRecordBytes, aheadMs, isNewLog);
    }

    static StartupException stateDirectoryFault(EngineConfig config, StreamsException cause) {
        String message = String.valueOf(cause.getMessage());
        return new StartupException(List.of(
                message.contains("multiple instances")
                        ? "state directory must not be in use by another engine, got " + config.stateDir()
                                + " (stop the other one, or set data.dir to another)"
                        : "the engine must be able to start, got: " + message));
    }

    /**
     * Returns one line for each inconsistency of committed offsets, input and changelog; {@link LogReplay} checks the
     * models.
     */
    private static List<String> positionFaults(Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
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

    /**
     * Returns a line for each partition whose first records were deleted before an engine of the group has learned any.
     */
    private static List<String> unlearned(Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
        Set<TopicPartition> committed = EngineGroup.committed(admin, config).keySet();
        List<String> lines = new ArrayList<>();
        offsets(admin, config.topic(Topic.EXAMPLES), OffsetSpec.earliest()).forEach((partition, first) -> {
            if (first > 0 && !committed.contains(partition)) {
                lines.add(LogReplay.unlearned(config, partition.toString(), first));
            }
        });
        Collections.sort(lines);
        return lines;
    }

    /** End offsets of a topic's partitions, or null if there is no such topic. */
    static Map<TopicPartition, Long> ends(Admin admin, String topic) throws ExecutionException, InterruptedException {
        return offsets(admin, topic, OffsetSpec.latest());
    }

    static Map<TopicPartition, Long> offsets(Admin admin, String topic, OffsetSpec which)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
        try {
            admin.describeTopics(List.of(topic))
                    .allTopicNames()
                    .get()
                    .get(topic)
                    .partitions()
                    .forEach(each -> wanted.put(new TopicPartition(topic, each.partition()), which));
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return null;
            }
            throw e;
        }
        Map<TopicPartition, Long> offsets = new HashMap<>();
        admin.listOffsets(wanted).all().get().forEach((partition, found) -> offsets.put(partition, found.offset()));
        return offsets;
    }
}
