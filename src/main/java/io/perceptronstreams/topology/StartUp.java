package io.perceptronstreams.topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.streams.errors.StreamsException;

/** What must hold before the first record is read, and what is worth knowing from then on. */
final class StartUp {
    private static final int DEFAULT_MAX_REQUEST_BYTES = 1024 * 1024;

    private final EngineConfig config;
    private int partitions;
    private int maxRecordBytes;

    StartUp(EngineConfig config) {
        this.config = config;
    }

    /**
     * Makes directories and, where the settings say so, topics; then checks everything.
     *
     * @throws StartUpException with a line for each fault
     */
    void check() {
        List<String> faults = new ArrayList<>();
        checkStateDirectory(faults);
        Map<String, Object> client = new HashMap<>(config.clients("admin."));
        // a person is waiting: say soon that nobody answers
        client.putIfAbsent(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 10_000);
        client.putIfAbsent(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
        try (Admin admin = Admin.create(client)) {
            TopicCheck topics = new TopicCheck(admin, config);
            faults.addAll(config.createsTopics() ? topics.createMissing() : List.of());
            if (faults.isEmpty()) {
                faults.addAll(topics.faults());
            }
            if (faults.isEmpty()) {
                look(admin);
            }
        }
        if (!faults.isEmpty()) {
            throw new StartUpException(faults);
        }
    }

    private void checkStateDirectory(List<String> faults) {
        Path directory = config.stateDir();
        try {
            Files.createDirectories(directory);
            Files.delete(Files.createTempFile(directory, "write", ".test"));
        } catch (IOException e) {
            faults.add("state directory must be writable, got " + e + " (" + directory
                    + "; set state.dir or --data-dir to another)");
        }
    }

    private void look(Admin admin) {
        String examples = config.topic(Topic.EXAMPLES);
        ConfigResource deadLetters = new ConfigResource(ConfigResource.Type.TOPIC, config.topic(Topic.DEAD_LETTERS));
        ConfigResource input = new ConfigResource(ConfigResource.Type.TOPIC, examples);
        try {
            partitions = admin.describeTopics(List.of(examples))
                    .allTopicNames()
                    .get()
                    .get(examples)
                    .partitions()
                    .size();
            Map<ConfigResource, Config> configs =
                    admin.describeConfigs(List.of(deadLetters, input)).all().get();
            maxRecordBytes = Integer.parseInt(config.clients("producer.")
                    .getOrDefault(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, DEFAULT_MAX_REQUEST_BYTES)
                    .toString());
            for (Config topic : configs.values()) {
                int limit = Integer.parseInt(
                        topic.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG).value());
                maxRecordBytes = Math.min(maxRecordBytes, limit);
            }
        } catch (ExecutionException e) {
            throw new StartUpException(
                    List.of("the topics must be readable, got " + e.getCause() + " (check the ACLs)"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartUpException(List.of("start-up was interrupted"));
        }
    }

    /** How many partitions the examples topic has. */
    int partitions() {
        return partitions;
    }

    /** The largest record that may be sent to the dead letters or back to the examples. */
    int maxRecordBytes() {
        return maxRecordBytes;
    }

    static StartUpException stateDirectoryFault(EngineConfig config, StreamsException cause) {
        String message = String.valueOf(cause.getMessage());
        return new StartUpException(List.of(
                message.contains("multiple instances")
                        ? "state directory must not be in use by another engine, got " + config.stateDir()
                                + " (stop the other one, or set --data-dir)"
                        : "the engine must be able to start, got: " + message));
    }
}
