package io.perceptronstreams.topology;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;

/** Compares the topics on the brokers with what the engine needs of them, and creates those that are missing. */
public final class TopicCheck {
    /** The largest record the engine writes by itself is a chunk of weights, under 512 KiB. */
    private static final int LEAST_MAX_MESSAGE_BYTES = 600 * 1024;

    private static final String CREATE = "run 'perceptron topics create', or set topics.create=true";

    private final Admin admin;
    private final EngineConfig config;

    /** A check of the topics of {@code config}; {@code admin} stays the caller's. */
    public TopicCheck(Admin admin, EngineConfig config) {
        this.admin = admin;
        this.config = config;
    }

    /**
     * Creates the topics that do not exist.
     *
     * @return one line for each fault; none if all exist now
     */
    public List<String> createMissing() {
        try {
            Set<String> existing = admin.listTopics().names().get();
            List<NewTopic> missing = new ArrayList<>();
            for (Topic topic : Topic.values()) {
                if (!existing.contains(config.topic(topic))) {
                    missing.add(newTopic(topic));
                }
            }
            admin.createTopics(missing).all().get();
            return List.of();
        } catch (ExecutionException e) {
            // another instance may have been quicker
            return e.getCause() instanceof TopicExistsException ? List.of() : List.of(unreachable(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of("the check of the topics was interrupted");
        }
    }

    private NewTopic newTopic(Topic topic) {
        Map<String, String> configs = new HashMap<>();
        configs.put(TopicConfig.CLEANUP_POLICY_CONFIG, topic.cleanupPolicy());
        if (topic != Topic.EXAMPLES) {
            // outputs carry the time of their example, whatever it is
            configs.put(TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG, Long.toString(Long.MAX_VALUE));
        }
        Optional<Short> replicas =
                config.replicationFactor() == -1 ? Optional.empty() : Optional.of(config.replicationFactor());
        return new NewTopic(config.topic(topic), Optional.of(config.partitions()), replicas).configs(configs);
    }

    /**
     * Looks for everything that would stop the engine or spoil its results later.
     *
     * @return one line for each fault, with what mends it; none if all is well
     */
    public List<String> faults() {
        try {
            Set<String> existing = admin.listTopics().names().get();
            List<String> faults = new ArrayList<>();
            Set<String> present = new HashSet<>();
            for (Topic topic : Topic.values()) {
                String name = config.topic(topic);
                if (existing.contains(name)) {
                    present.add(name);
                } else {
                    faults.add("topic must exist, got none (" + name + "; " + CREATE + ")");
                }
            }
            String changelog = config.applicationId() + "-" + LearningTopology.STORE + "-changelog";
            if (existing.contains(changelog)) {
                present.add(changelog);
            }
            Map<String, Config> configs = configs(present);
            for (Topic topic : Topic.values()) {
                if (configs.containsKey(config.topic(topic))) {
                    checkConfig(topic, configs, faults);
                }
            }
            if (present.contains(changelog) && present.contains(config.topic(Topic.EXAMPLES))) {
                checkChangelog(changelog, configs, faults);
            }
            return faults;
        } catch (ExecutionException e) {
            return List.of(unreachable(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of("the check of the topics was interrupted");
        }
    }

    private Map<String, Config> configs(Set<String> topics) throws ExecutionException, InterruptedException {
        List<ConfigResource> resources = topics.stream()
                .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
                .toList();
        Map<String, Config> configs = new HashMap<>();
        admin.describeConfigs(resources).all().get().forEach((resource, found) -> configs.put(resource.name(), found));
        return configs;
    }

    private void checkConfig(Topic topic, Map<String, Config> configs, List<String> faults) {
        String name = config.topic(topic);
        Set<String> wanted = policies(topic.cleanupPolicy());
        Set<String> found = policies(value(configs, name, TopicConfig.CLEANUP_POLICY_CONFIG));
        boolean isFit = topic == Topic.EXAMPLES ? !found.contains("compact") : found.equals(wanted);
        if (!isFit) {
            faults.add(
                    "cleanup.policy must be " + topic.cleanupPolicy() + ", got " + String.join(",", found) + " (" + name
                            + "; set it with kafka-configs --alter"
                            + (topic == Topic.EXAMPLES ? ": compaction would remove examples and commands)" : ")"));
        }
        if (topic == Topic.WEIGHTS) {
            checkMaxMessageBytes(name, configs, faults);
        }
        if (topic != Topic.EXAMPLES && configs.containsKey(config.topic(Topic.EXAMPLES))) {
            for (String limit : List.of(
                    TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG,
                    TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG)) {
                long allowed = Long.parseLong(value(configs, name, limit));
                long needed = Long.parseLong(value(configs, config.topic(Topic.EXAMPLES), limit));
                if (allowed < needed) {
                    faults.add(limit + " must be at least " + needed + " as in the examples topic, got " + allowed
                            + " (" + name + "; set it with kafka-configs --alter)");
                }
            }
        }
    }

    private void checkChangelog(String changelog, Map<String, Config> configs, List<String> faults)
            throws ExecutionException, InterruptedException {
        String examples = config.topic(Topic.EXAMPLES);
        Map<String, TopicDescription> topics = admin.describeTopics(List.of(changelog, examples))
                .allTopicNames()
                .get();
        int stored = topics.get(changelog).partitions().size();
        int current = topics.get(examples).partitions().size();
        if (stored != current) {
            faults.add("partitions must stay " + stored + " as when the models were stored, got " + current + " ("
                    + examples
                    + "; keys have moved between partitions: use a new topics.prefix and send the examples again)");
        }
        checkMaxMessageBytes(changelog, configs, faults);
    }

    private static void checkMaxMessageBytes(String name, Map<String, Config> configs, List<String> faults) {
        long bytes = Long.parseLong(value(configs, name, TopicConfig.MAX_MESSAGE_BYTES_CONFIG));
        if (bytes < LEAST_MAX_MESSAGE_BYTES) {
            faults.add("max.message.bytes must be at least " + LEAST_MAX_MESSAGE_BYTES + ", got " + bytes + " (" + name
                    + "; set it with kafka-configs --alter)");
        }
    }

    private static String value(Map<String, Config> configs, String topic, String key) {
        return configs.get(topic).get(key).value();
    }

    private static Set<String> policies(String list) {
        return new HashSet<>(Arrays.asList(list.replace(" ", "").split(",")));
    }

    private String unreachable(ExecutionException e) {
        return "brokers must be reachable, got " + e.getCause().getMessage() + " (" + config.bootstrapServers()
                + "; start them, or set --bootstrap and what they ask for in --config)";
    }
}
