package io.perceptronstreams.topology;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.serde.Topic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Validates partitions and settings of the topics. Reports all faults, changes nothing. */
public final class TopicValidator {
    /** The largest output: a Mistake with evidence or long tags, at most 900,000 bytes, with key, headers and batch. */
    static final long MAX_RECORD_BYTES = 1_000_000;

    /** A chunk of weights or a block, at most 512 KiB, or the Prediction of long tags, with key, headers and batch. */
    private static final long MAX_CHUNK_BYTES = 600 * 1024;

    private static final List<String> TIMESTAMP_LIMITS = List.of(
            TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG, TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG);

    /**
     * Actual state of a topic.
     *
     * @param settings with the defaults of the broker
     */
    record Actual(int partitions, Map<String, String> settings) {}

    private final EngineConfig config;
    private final Map<String, Actual> actual;

    TopicValidator(EngineConfig config, Map<String, Actual> actual) {
        this.config = config;
        this.actual = actual;
    }

    /**
     * Returns one line for each fault; a broker that does not answer is a fault, too.
     *
     * @param admin with a short {@code default.api.timeout.ms}, as {@link EngineConfig#admin()}
     */
    public static List<String> faults(Admin admin, EngineConfig config) throws InterruptedException {
        try {
            return byTopic(admin, config).values().stream()
                    .flatMap(List::stream)
                    .toList();
        } catch (ExecutionException e) {
            return List.of(explain(e, config));
        }
    }

    /**
     * Returns the faults by full topic name, in the order of {@link Topic}; then those of the changelog, if it exists.
     *
     * @throws ExecutionException if the request fails
     */
    public static Map<String, List<String>> byTopic(Admin admin, EngineConfig config)
            throws InterruptedException, ExecutionException {
        List<String> names =
                new ArrayList<>(Arrays.stream(Topic.values()).map(config::topic).toList());
        names.add(config.changelog());
        return new TopicValidator(config, describe(admin, names)).byTopic();
    }

    /** Describes a failed request to the broker in one line. */
    public static String explain(ExecutionException failure, EngineConfig config) {
        Throwable cause = failure.getCause();
        if (cause instanceof TimeoutException) {
            return "broker must answer, got none at " + config.bootstrapServers()
                    + " (is it running? --bootstrap names another)";
        }
        String refusal =
                "broker at " + config.bootstrapServers() + " must accept the request, got " + cause.getMessage();
        if (cause instanceof AuthorizationException) {
            return refusal + " (docs/operations.md#security lists the rights of each user)";
        }
        if (cause instanceof AuthenticationException) {
            return refusal + firstCause(cause) + " (check security.protocol, sasl.… and ssl.… in --config)";
        }
        return refusal;
    }

    /** What a message leaves out: only the first cause tells an expired certificate from an unknown one, for example. */
    public static String firstCause(Throwable failure) {
        Throwable first = failure;
        while (first.getCause() != null) {
            first = first.getCause();
        }
        return first == failure ? "" : ": " + first.getMessage();
    }

    /** Names the topic of a failed request: the broker's refusal for want of rights does not. */
    public static ExecutionException naming(String topic, ExecutionException failure) {
        return failure.getCause() instanceof AuthorizationException
                ? new ExecutionException(new TopicAuthorizationException(Set.of(topic)))
                : failure;
    }

    private static Map<String, Actual> describe(Admin admin, Collection<String> names)
            throws InterruptedException, ExecutionException {
        Map<String, TopicDescription> found = new HashMap<>();
        for (Map.Entry<String, KafkaFuture<TopicDescription>> each :
                admin.describeTopics(names).topicNameValues().entrySet()) {
            try {
                found.put(each.getKey(), each.getValue().get());
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw naming(each.getKey(), e);
                }
            }
        }
        List<ConfigResource> resources = found.keySet().stream()
                .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
                .toList();
        Map<String, Actual> actual = new HashMap<>();
        for (Map.Entry<ConfigResource, Config> each :
                admin.describeConfigs(resources).all().get().entrySet()) {
            String name = each.getKey().name();
            Map<String, String> settings = each.getValue().entries().stream()
                    .filter(entry -> entry.value() != null)
                    .collect(Collectors.toMap(ConfigEntry::name, ConfigEntry::value));
            actual.put(name, new Actual(found.get(name).partitions().size(), settings));
        }
        return actual;
    }

    Map<String, List<String>> byTopic() {
        Map<String, List<String>> faults = new LinkedHashMap<>();
        for (Topic topic : Topic.values()) {
            String name = config.topic(topic);
            faults.put(name, actual.containsKey(name) ? faults(topic, name, actual.get(name)) : List.of(missing(name)));
        }
        Actual changelog = actual.get(config.changelog());
        if (changelog != null) {
            faults.put(config.changelog(), faultsOfChangelog(changelog));
        }
        return faults;
    }

    private String missing(String name) {
        return name + " must exist, got no such topic (perceptron topics create or topics.create=true creates it)";
    }

    private List<String> faults(Topic topic, String name, Actual found) {
        List<String> faults = new ArrayList<>();
        Set<String> policy = policy(found.settings().getOrDefault(TopicConfig.CLEANUP_POLICY_CONFIG, ""));
        if (topic == Topic.EXAMPLES) {
            if (policy.contains(TopicConfig.CLEANUP_POLICY_COMPACT)) {
                faults.add(name + " must not have cleanup.policy compact, got " + String.join(",", policy)
                        + " (compaction keeps one example per model; " + remedy(name, "cleanup.policy=delete") + ")");
            }
            return faults;
        }
        if (!policy.equals(policy(topic.cleanupPolicy()))) {
            faults.add(name + " must have cleanup.policy " + topic.cleanupPolicy() + ", got " + String.join(",", policy)
                    + " (" + remedy(name, "cleanup.policy=[" + topic.cleanupPolicy() + "]") + ")");
        }
        Actual examples = actual.get(config.topic(Topic.EXAMPLES));
        if (examples != null) {
            TIMESTAMP_LIMITS.forEach(limit -> addTimestampFault(name, limit, found, examples, faults));
        }
        if (topic == Topic.MISTAKES) {
            addSizeFault(name, found, MAX_RECORD_BYTES, faults);
        } else if (topic == Topic.WEIGHTS || topic == Topic.PREDICTIONS) {
            addSizeFault(name, found, MAX_CHUNK_BYTES, faults);
        }
        return faults;
    }

    private List<String> faultsOfChangelog(Actual changelog) {
        List<String> faults = new ArrayList<>();
        String name = config.changelog();
        Actual examples = actual.get(config.topic(Topic.EXAMPLES));
        if (examples != null && examples.partitions() != changelog.partitions()) {
            faults.add(name + " must have as many partitions as " + config.topic(Topic.EXAMPLES) + ", got "
                    + changelog.partitions() + " and " + examples.partitions()
                    + " (models cannot move between partitions: use a new topics.prefix)");
        }
        Set<String> policy = policy(changelog.settings().getOrDefault(TopicConfig.CLEANUP_POLICY_CONFIG, ""));
        if (!policy.equals(Set.of(TopicConfig.CLEANUP_POLICY_COMPACT))) {
            faults.add(name + " must have cleanup.policy compact, got " + String.join(",", policy)
                    + " (models would be deleted after the retention time; " + remedy(name, "cleanup.policy=compact")
                    + ")");
        }
        if (examples != null) {
            TIMESTAMP_LIMITS.forEach(limit -> addTimestampFault(name, limit, changelog, examples, faults));
        }
        addSizeFault(name, changelog, MAX_CHUNK_BYTES, faults);
        return faults;
    }

    /**
     * Outputs have the event times of their inputs: an output topic that rejects one would stop the engine. In an example in JSON
     * it may be before the timestamp of the record, and an hour after.
     */
    private static void addTimestampFault(String name, String limit, Actual output, Actual input, List<String> faults) {
        long outputs = number(output, limit);
        long inputs = number(input, limit);
        boolean isBounded = limit.equals(TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG)
                && inputs < Long.MAX_VALUE - EventTimeExtractor.MAX_AHEAD_MS;
        long needed = isBounded ? inputs + EventTimeExtractor.MAX_AHEAD_MS : Long.MAX_VALUE;
        if (outputs < needed) {
            faults.add(name + " must have " + limit + " of at least " + needed + ", got " + outputs
                    + " (the time in an example in JSON may be another one than that of its record; "
                    + remedy(name, limit + "=" + needed) + ")");
        }
    }

    private static void addSizeFault(String name, Actual topic, long needed, List<String> faults) {
        long bytes = number(topic, TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
        if (bytes < needed) {
            faults.add(name + " must have max.message.bytes of at least " + needed + ", got " + bytes + " ("
                    + remedy(name, "max.message.bytes=1048588") + ")");
        }
    }

    private static long number(Actual topic, String setting) {
        String value = topic.settings().get(setting);
        return value == null ? Long.MAX_VALUE : Long.parseLong(value);
    }

    private static Set<String> policy(String written) {
        return Arrays.stream(written.split(","))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String remedy(String topic, String setting) {
        return "kafka-configs.sh --alter --entity-type topics --entity-name " + topic + " --add-config " + setting;
    }
}
