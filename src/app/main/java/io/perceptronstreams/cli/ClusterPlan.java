package io.perceptronstreams.cli;

import io.perceptronstreams.cluster.TopicCreator;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.FirstDefaults;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.Resource;
import org.apache.kafka.common.resource.ResourceType;

/**
 * The topics of an engine and the rights of its clients, for an administrator who creates them with other tools: as
 * commands of Kafka's scripts, or as resources of Strimzi's operators.
 */
final class ClusterPlan {
    /** Name of the cluster in Strimzi's resources, to be replaced. */
    private static final String STRIMZI_CLUSTER = "my-cluster";

    /** Allows a user an operation on resources. */
    private record Right(String user, AclOperation operation, PatternType pattern, List<Resource> resources) {}

    private final EngineConfig config;
    private final List<NewTopic> topics;
    private final List<Right> rights = new ArrayList<>();

    ClusterPlan(EngineConfig config) {
        this.config = config;
        topics = Arrays.stream(Topic.values())
                .map(topic -> TopicCreator.describe(topic, config))
                .toList();
        String application = config.applicationId();
        Resource group = new Resource(ResourceType.GROUP, application);
        Resource transactions = new Resource(ResourceType.TRANSACTIONAL_ID, application);
        List<Resource> everything = new ArrayList<>();
        everything.add(topic(config.get(EngineConfigDef.TOPICS_PREFIX)));
        if (!application.equals(config.get(EngineConfigDef.TOPICS_PREFIX))) {
            // the changelog
            everything.add(topic(application));
        }
        everything.addAll(List.of(group, transactions));
        Resource examples = topic(config.topic(Topic.EXAMPLES));
        List<Resource> outputs = topics(
                Topic.PREDICTIONS,
                Topic.MISTAKES,
                Topic.COUNTS,
                Topic.MODELS,
                Topic.WEIGHTS,
                Topic.ALERTS,
                Topic.DEAD_LETTERS);
        List<Resource> all = new ArrayList<>(outputs);
        all.addAll(List.of(examples, topic(application + "-models-changelog")));

        rights.add(new Right("engine", AclOperation.ALL, PatternType.PREFIXED, everything));
        allow("producer", AclOperation.WRITE, List.of(examples));
        allow("producer", AclOperation.READ, topics(Topic.MODELS, Topic.DEAD_LETTERS, Topic.ALERTS));
        allow("producer", AclOperation.DESCRIBE, List.of(group));
        // whether brokers would delete examples at once by their event times
        allow("producer", AclOperation.DESCRIBE_CONFIGS, List.of(examples));
        allow("operator", AclOperation.WRITE, List.of(examples));
        allow("operator", AclOperation.READ, topics(Topic.MODELS, Topic.WEIGHTS, Topic.DEAD_LETTERS, Topic.ALERTS));
        allow("operator", AclOperation.DESCRIBE, List.of(group));
        rights.add(new Right("operator", AclOperation.WRITE, PatternType.PREFIXED, List.of(transactions)));
        allow("monitor", AclOperation.READ, outputs);
        allow("monitor", AclOperation.DESCRIBE, List.of(examples, group));
        // alerts.webhook.url
        Resource alerts = new Resource(ResourceType.GROUP, application + "-alerts");
        allow("monitor", AclOperation.READ, List.of(alerts));
        allow("replica", AclOperation.READ, all);
        allow("replica", AclOperation.DESCRIBE, List.of(group));
        allow("replica", AclOperation.READ, List.of(alerts));
    }

    private void allow(String user, AclOperation operation, List<Resource> resources) {
        rights.add(new Right(user, operation, PatternType.LITERAL, resources));
    }

    private static Resource topic(String name) {
        return new Resource(ResourceType.TOPIC, name);
    }

    private List<Resource> topics(Topic... several) {
        return Arrays.stream(several).map(each -> topic(config.topic(each))).toList();
    }

    /**
     * Prints lines of a shell, at the end what {@code topics create} would write into the new log;
     * {@code --bootstrap-server} and {@code --command-config} are left to the administrator.
     */
    void printCommands(PrintWriter out) {
        for (NewTopic topic : topics) {
            StringBuilder line = new StringBuilder("kafka-topics --create --if-not-exists --topic " + topic.name()
                    + " --partitions " + topic.numPartitions());
            if (topic.replicationFactor() != -1) {
                line.append(" --replication-factor ").append(topic.replicationFactor());
            }
            new TreeMap<>(topic.configs())
                    .forEach((key, value) ->
                            line.append(" --config ").append(key).append('=').append(value));
            out.println(line);
        }
        for (Right right : rights) {
            StringBuilder line = new StringBuilder("kafka-acls --add --allow-principal User:" + right.user()
                    + " --operation " + name(right.operation()));
            for (Resource each : right.resources()) {
                String option =
                        each.resourceType().name().toLowerCase(Locale.ROOT).replace('_', '-');
                line.append(" --").append(option).append(' ').append(each.name());
            }
            if (right.pattern() == PatternType.PREFIXED) {
                line.append(" --resource-pattern-type prefixed");
            }
            out.println(line);
        }
        if (!FirstDefaults.command(config).isEmpty()) {
            out.println(FirstDefaults.command(config));
        }
    }

    /** Prints a KafkaTopic for each topic and a KafkaUser for each kind of client. */
    void printStrimzi(PrintWriter out) {
        for (NewTopic topic : topics) {
            head(out, "KafkaTopic", topic.name());
            out.println("spec:");
            out.println("  partitions: " + topic.numPartitions());
            if (topic.replicationFactor() != -1) {
                out.println("  replicas: " + topic.replicationFactor());
            }
            out.println("  config:");
            new TreeMap<>(topic.configs()).forEach((key, value) -> out.println("    " + key + ": \"" + value + "\""));
        }
        Map<String, List<Right>> users = new LinkedHashMap<>();
        rights.forEach(each ->
                users.computeIfAbsent(each.user(), any -> new ArrayList<>()).add(each));
        users.forEach((user, each) -> {
            head(out, "KafkaUser", user);
            out.println("spec:");
            out.println("  authentication:");
            out.println("    type: scram-sha-512");
            out.println("  authorization:");
            out.println("    type: simple");
            out.println("    acls:");
            each.forEach(right -> right.resources().forEach(resource -> printAcl(out, right, resource)));
        });
    }

    private static void printAcl(PrintWriter out, Right right, Resource resource) {
        String type = resource.resourceType() == ResourceType.TRANSACTIONAL_ID
                ? "transactionalId"
                : name(resource.resourceType()).toLowerCase(Locale.ROOT);
        out.println("      - resource:");
        out.println("          type: " + type);
        out.println("          name: " + resource.name());
        out.println("          patternType: " + (right.pattern() == PatternType.PREFIXED ? "prefix" : "literal"));
        out.println("        operations: [" + name(right.operation()) + "]");
    }

    private static void head(PrintWriter out, String kind, String name) {
        out.println("---");
        out.println("apiVersion: kafka.strimzi.io/v1");
        out.println("kind: " + kind);
        out.println("metadata:");
        out.println("  name: " + name);
        out.println("  labels:");
        out.println("    strimzi.io/cluster: " + STRIMZI_CLUSTER);
    }

    /** Spelling of the tools: Describe, DescribeConfigs. */
    private static String name(Enum<?> constant) {
        return Arrays.stream(constant.name().split("_", -1))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
    }
}
