package io.perceptronstreams.topology;

import io.perceptronstreams.cluster.BrokerCheck;
import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.OwnerOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.streams.errors.StreamsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Validates directories, brokers, topics and positions before the first record is read, and topics after a failure. */
public final class StartupChecks {
    private static final Logger LOG = LoggerFactory.getLogger(StartupChecks.class);

    private final EngineConfig config;
    private int partitions;
    private int maxRecordBytes;
    private long aheadMs;

    StartupChecks(EngineConfig config) {
        this.config = config;
    }

    /**
     * Creates directories and, with {@code topics.create}, topics; then checks everything.
     *
     * @throws StartupException with a line for each fault
     */
    void check() {
        List<String> faults = new ArrayList<>();
        checkStateDirectory(faults);
        if (config.maxRequestBytes() < TopicValidator.MAX_RECORD_BYTES) {
            faults.add("max.request.size of the producer must be at least " + TopicValidator.MAX_RECORD_BYTES + ", got "
                    + config.maxRequestBytes() + ": a Mistake may be as large (remove the setting)");
        }
        faults.addAll(BrokerCheck.faults(config));
        if (!faults.isEmpty()) {
            throw new StartupException(faults);
        }
        try (Admin admin = Admin.create(config.admin())) {
            if (config.get(EngineConfigDef.TOPICS_CREATE)) {
                TopicCreator.create(admin, config);
            }
            TopicValidator topics = TopicValidator.of(admin, config);
            faults.addAll(faults(topics, admin, config));
            if (faults.isEmpty()) {
                topics.notes().forEach(note -> LOG.warn("{}", note));
                aheadMs = topics.aheadMs();
                readLimits(admin);
            }
        } catch (ExecutionException e) {
            faults.add(TopicValidator.explain(e, config));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            faults.add("start-up was interrupted");
        }
        if (!faults.isEmpty()) {
            throw new StartupException(faults);
        }
    }

    /**
     * Returns a line for each fault of topics and committed positions, such as those of topics that were changed while
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
        return faults.isEmpty() ? PositionCheck.faults(admin, config) : faults;
    }

    private void checkStateDirectory(List<String> faults) {
        Path directory = config.stateDir();
        try {
            OwnerOnly.createDirectories(directory);
            Files.delete(Files.createTempFile(directory, "write", ".test"));
        } catch (IOException e) {
            faults.add(unwritable(directory, e));
        }
    }

    static String unwritable(Path stateDir, Exception cause) {
        return "state directory must be writable, got " + cause + " (" + stateDir
                + "; set state.dir or --data-dir to another)";
    }

    private void readLimits(Admin admin) throws ExecutionException, InterruptedException {
        String examples = config.topic(Topic.EXAMPLES);
        partitions = admin.describeTopics(List.of(examples))
                .allTopicNames()
                .get()
                .get(examples)
                .partitions()
                .size();
        maxRecordBytes = config.maxRequestBytes();
        List<ConfigResource> copies = Stream.of(examples, config.topic(Topic.DEAD_LETTERS))
                .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic))
                .toList();
        for (Config topic : admin.describeConfigs(copies).all().get().values()) {
            int limit = Integer.parseInt(
                    topic.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG).value());
            maxRecordBytes = Math.min(maxRecordBytes, limit);
        }
    }

    /** Number of partitions of the examples topic. */
    int partitions() {
        return partitions;
    }

    /** Maximum size of a record for the dead letters or the examples topic. */
    int maxRecordBytes() {
        return maxRecordBytes;
    }

    /** Maximum time by which an event time in JSON may be after the timestamp of its record. */
    long aheadMs() {
        return aheadMs;
    }

    static StartupException stateDirectoryFault(EngineConfig config, StreamsException cause) {
        String message = String.valueOf(cause.getMessage());
        return new StartupException(List.of(
                message.contains("multiple instances")
                        ? "state directory must not be in use by another engine, got " + config.stateDir()
                                + " (stop the other one, or set --data-dir)"
                        : "the engine must be able to start, got: " + message));
    }
}
