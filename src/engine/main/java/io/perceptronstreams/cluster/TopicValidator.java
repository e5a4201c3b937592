package io.perceptronstreams.cluster;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.InputPosition.Decisions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
import org.apache.kafka.common.record.TimestampType;

/**
 * Validates partitions and settings of the topics. Reports all faults, changes nothing.
 *
 * <p>A fault is a setting with which the engine would stop or lose records; to others it adapts, and reports how.
 */
public final class TopicValidator {
    /** The largest output: a Mistake with evidence or long tags, at most 900,000 bytes, with key, headers and batch. */
    public static final long MAX_RECORD_BYTES = 1_000_000;

    /** A chunk of weights or a block, at most 512 KiB, or the Prediction of long tags, with key, headers and batch. */
    private static final long MAX_CHUNK_BYTES = 600 * 1024;

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
     * Reads the settings of the topics, and of the changelog, if it exists.
     *
     * @param admin with a short {@code default.api.timeout.ms}, as {@link EngineConfig#admin()}
     * @throws ExecutionException if the request fails
     */
    public static TopicValidator of(Admin admin, EngineConfig config) throws InterruptedException, ExecutionException {
        List<String> names =
                new ArrayList<>(Arrays.stream(Topic.values()).map(config::topic).toList());
        names.add(config.changelog());
        return new TopicValidator(config, describe(admin, names));
    }

    /**
     * Reads the settings of the examples topic, for a client that may have no right to those of the others; it must
     * exist.
     *
     * @throws ExecutionException if the request fails
     */
    public static TopicValidator ofExamples(Admin admin, EngineConfig config)
            throws InterruptedException, ExecutionException {
        return new TopicValidator(config, describe(admin, List.of(config.topic(Topic.EXAMPLES))));
    }

    /** Describes a failed request to the broker in one line. */
    public static String explain(ExecutionException failure, EngineConfig config) {
        Throwable cause = failure.getCause();
        if (cause instanceof TimeoutException) {
            List<String> absent = BrokerCheck.faults(config);
            return absent.isEmpty()
                    ? "brokers must answer in time, got no answer of " + config.get(EngineConfigDef.BOOTSTRAP_SERVERS)
                            + " (are they overloaded? --bootstrap names others)"
                    : absent.get(0);
        }
        String refusal = "broker at " + config.get(EngineConfigDef.BOOTSTRAP_SERVERS) + " must accept the request, got "
                + cause.getMessage();
        if (cause instanceof AuthorizationException) {
            return refusal + " (docs/security.md lists the rights of each user)";
        }
        if (cause instanceof AuthenticationException) {
            return refusal + firstCause(cause) + " (check security.protocol, sasl.… and ssl.… in --config)";
        }
        return refusal;
    }

    /** Message of the first cause, for instance "certificate expired"; empty if there is no cause. */
    public static String firstCause(Throwable failure) {
        Throwable first = failure;
        while (first.getCause() != null) {
            first = first.getCause();
        }
        return first == failure ? "" : ": " + first.getMessage();
    }

    /** Adds the topic's name, which authorization errors lack. */
    public static ExecutionException naming(String topic, ExecutionException failure) {
        return failure.getCause() instanceof AuthorizationException
                ? new ExecutionException(new TopicAuthorizationException(Set.of(topic)))
                : failure;
    }

    /** Reads the settings of those of the topics that exist. */
    static Map<String, Actual> describe(Admin admin, Collection<String> names)
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

    /**
     * Returns the faults by full topic name, in the order of {@link Topic}; then those of the changelog, if it exists.
     */
    public Map<String, List<String>> byTopic() {
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

    /**
     * Remark on a setting to which the engine adapts.
     *
     * @param topics that have it
     */
    public record Note(String text, List<String> topics) {}

    /** Returns the notes; must be called only if there are no faults. */
    public List<Note> notes() {
        List<Note> notes = new ArrayList<>();
        for (Topic topic : List.of(Topic.MODELS, Topic.WEIGHTS)) {
            String name = config.topic(topic);
            if (policy(actual.get(name)).contains(TopicConfig.CLEANUP_POLICY_DELETE)) {
                String text = name + " has cleanup.policy " + String.join(",", policy(actual.get(name)))
                        + ": the last records of a model without examples disappear after retention.ms ("
                        + remedy(name, "cleanup.policy=" + topic.cleanupPolicy()) + ")";
                notes.add(new Note(text, List.of(name)));
            }
        }
        addExpiryNote(notes);
        addClockNote(notes);
        long ahead = aheadMs();
        if (ahead < Decisions.DEFAULT_AHEAD_MS) {
            String after = TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG;
            List<String> narrow = outputs()
                    .filter(name -> limit(actual.get(name), after) < Long.MAX_VALUE)
                    .sorted(Comparator.comparingLong(name -> limit(actual.get(name), after)))
                    .toList();
            String text = "the timestamp in an example in JSON may be "
                    + (ahead == 0 ? "no later than" : "at most " + ahead + " ms after")
                    + " that of its record, because " + narrow.get(0) + " has " + after + " "
                    + limit(actual.get(narrow.get(0)), after) + " ("
                    + remedy(narrow.get(0), after + "=" + Long.MAX_VALUE)
                    + (narrow.size() == 1
                            ? ""
                            : ", and the same for " + String.join(", ", narrow.subList(1, narrow.size())) + ",")
                    + " allows an hour)";
            notes.add(new Note(text, narrow));
        }
        return notes;
    }

    /** Timestamps are event times: brokers delete old ones at once, by the limit of the topic. */
    private void addExpiryNote(List<Note> notes) {
        Map<Long, List<String>> byLimit = new TreeMap<>();
        for (Topic topic : Topic.values()) {
            Actual found = actual.get(config.topic(topic));
            if (topic.isDeletedByTime() && expiresMs(found) < Long.MAX_VALUE) {
                byLimit.computeIfAbsent(expiresMs(found), any -> new ArrayList<>())
                        .add(config.topic(topic));
            }
        }
        if (!byLimit.isEmpty()) {
            List<String> limits = new ArrayList<>();
            byLimit.forEach((ms, names) -> limits.add(
                    "before " + before(ms) + " of " + String.join(", ", names) + " (retention.ms " + ms + ")"));
            String text = "brokers delete records with old event times within minutes, learned or not: those "
                    + String.join(", ", limits) + " (" + TopicRetention.command(config) + " keeps all)";
            notes.add(new Note(
                    text, byLimit.values().stream().flatMap(List::stream).toList()));
        }
    }

    private void addClockNote(List<Note> notes) {
        List<String> names = Arrays.stream(Topic.values())
                .map(config::topic)
                .filter(name -> isTimedByBroker(actual.get(name)))
                .toList();
        if (!names.isEmpty()) {
            String text = "brokers replace event times of records by their clock, but not those in an example in JSON: "
                    + String.join(", ", names) + " have message.timestamp.type LogAppendTime ("
                    + remedy(names.get(0), "message.timestamp.type=CreateTime") + " keeps them)";
            notes.add(new Note(text, names));
        }
    }

    /** Age of a record at which brokers delete it by its event time, in ms; {@link Long#MAX_VALUE}: they do not. */
    private static long expiresMs(Actual topic) {
        String ms = topic.settings().getOrDefault(TopicConfig.RETENTION_MS_CONFIG, "-1");
        boolean isDeleted = policy(topic).contains(TopicConfig.CLEANUP_POLICY_DELETE) && !isTimedByBroker(topic);
        return isDeleted && Long.parseLong(ms) >= 0 ? Long.parseLong(ms) : Long.MAX_VALUE;
    }

    private static Instant before(long ms) {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).minusMillis(ms);
    }

    /**
     * Returns why brokers do not keep an example with this event time, which they would delete within minutes, and the
     * command that makes them keep it; null if they do.
     */
    public String deleted(long eventTime) {
        Actual examples = actual.get(config.topic(Topic.EXAMPLES));
        long ms = expiresMs(examples);
        return ms == Long.MAX_VALUE || eventTime >= before(ms).toEpochMilli()
                ? null
                : "brokers delete examples with event times before " + before(ms) + " within minutes, by retention.ms "
                        + ms + " of " + config.topic(Topic.EXAMPLES) + " (" + TopicRetention.command(config)
                        + " keeps all";
    }

    /** Returns why brokers refuse an example with this event time, and what to do; null if they do not. */
    public String refused(long eventTime) {
        String name = config.topic(Topic.EXAMPLES);
        String before = TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG;
        long beforeMs = limit(actual.get(name), before);
        if (beforeMs != Long.MAX_VALUE && eventTime < before(beforeMs).toEpochMilli()) {
            return "brokers refuse examples with event times before " + before(beforeMs) + ", by " + before + " "
                    + beforeMs + " of " + name + " (" + remedy(name, before + "=" + Long.MAX_VALUE) + " accepts all";
        }
        String after = TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG;
        long afterMs = limit(actual.get(name), after);
        // rather than another limit: an example of the future ends the time of all those that wait for labels
        return afterMs == Long.MAX_VALUE || eventTime - afterMs <= System.currentTimeMillis()
                ? null
                : "brokers refuse examples with event times after " + before(-afterMs) + ", by " + after + " " + afterMs
                        + " of " + name + " (without --time, examples have the time at which they are sent";
    }

    /** Returns why brokers replace the event times of examples; null if they do not. */
    public String replaced() {
        String name = config.topic(Topic.EXAMPLES);
        return isTimedByBroker(actual.get(name))
                ? "brokers replace the event times of the file by their clock, by message.timestamp.type LogAppendTime of "
                        + name + " (" + remedy(name, "message.timestamp.type=CreateTime") + " keeps them)"
                : null;
    }

    /**
     * Returns by how much the time in an example may be after the timestamp of its record, in ms, so that all outputs
     * accept it: a record has been accepted with a timestamp up to the limit of the examples topic after the clock.
     */
    public long aheadMs() {
        String after = TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG;
        long input = ofInput(after);
        long output = outputs()
                .mapToLong(name -> limit(actual.get(name), after))
                .min()
                .orElse(Long.MAX_VALUE);
        return output == Long.MAX_VALUE
                ? Decisions.DEFAULT_AHEAD_MS
                : Math.max(0, Math.min(Decisions.DEFAULT_AHEAD_MS, output - input));
    }

    /** Names of the topics, the changelog included, whose records have the event times of the examples. */
    private Stream<String> outputs() {
        return Stream.concat(
                        Arrays.stream(Topic.values())
                                .filter(topic -> topic != Topic.EXAMPLES)
                                .map(config::topic),
                        Stream.of(config.changelog()))
                .filter(actual::containsKey);
    }

    private long ofInput(String limit) {
        Actual examples = actual.get(config.topic(Topic.EXAMPLES));
        // brokers set the time of such records themselves
        return isTimedByBroker(examples) ? 0 : number(examples, limit);
    }

    private static long limit(Actual output, String limit) {
        return isTimedByBroker(output) ? Long.MAX_VALUE : number(output, limit);
    }

    private static boolean isTimedByBroker(Actual topic) {
        return TimestampType.LOG_APPEND_TIME.name.equals(
                topic.settings().get(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG));
    }

    private String missing(String name) {
        return name + " must exist, got no such topic (perceptron topics create or topics.create=true creates it)";
    }

    private List<String> faults(Topic topic, String name, Actual found) {
        List<String> faults = new ArrayList<>();
        Set<String> policy = policy(found);
        if (policy.contains(TopicConfig.CLEANUP_POLICY_COMPACT)
                && !topic.cleanupPolicy().contains(TopicConfig.CLEANUP_POLICY_COMPACT)) {
            faults.add(name + " must not have cleanup.policy compact, got " + String.join(",", policy)
                    + " (compaction keeps one record per model; " + remedy(name, "cleanup.policy=delete") + ")");
        }
        if (topic == Topic.EXAMPLES) {
            if (config.get(EngineConfigDef.MISROUTED) == EngineConfig.Misrouted.REROUTE) {
                addTimestampFault(
                        name,
                        TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG,
                        found,
                        Long.MAX_VALUE,
                        "a record may wait before it is sent on to its right partition, unless misrouted=dead-letter",
                        faults);
            }
            return faults;
        }
        addTimestampFaults(name, found, faults);
        if (topic == Topic.MISTAKES) {
            addSizeFault(name, found, MAX_RECORD_BYTES, faults);
        } else if (topic == Topic.WEIGHTS || topic == Topic.PREDICTIONS) {
            addSizeFault(name, found, MAX_CHUNK_BYTES, faults);
        }
        return faults;
    }

    /** Returns true if the examples topic exists. */
    public boolean hasExamples() {
        return actual.containsKey(config.topic(Topic.EXAMPLES));
    }

    /**
     * Returns the faults of this examples topic as a copy of another one; of settings that both kinds of topics must
     * have, {@link #byTopic} has them. The topic must exist.
     *
     * @param source topic of which this one is a copy
     * @param where cluster of the source
     * @throws StartupException if the source does not exist
     */
    public List<String> faultsOfCopy(TopicValidator source, String where) {
        String name = config.topic(Topic.EXAMPLES);
        Actual copy = actual.get(name);
        Actual original = source.actual.get(source.config.topic(Topic.EXAMPLES));
        if (original == null) {
            throw new StartupException(List.of("topic " + name + " must exist on " + where + ", got no such topic"));
        }
        List<String> faults = new ArrayList<>();
        if (copy.partitions() != original.partitions()) {
            faults.add(name + " must have as many partitions as on " + where + ", " + original.partitions() + ", got "
                    + copy.partitions() + " (records would be on other partitions than those of their models)");
        }
        if (isTimedByBroker(copy)) {
            faults.add(name + " must have message.timestamp.type CreateTime as a copy, got LogAppendTime (event times"
                    + " would be those of the mirror; " + remedy(name, "message.timestamp.type=CreateTime") + ")");
        }
        addLessThanSource(TopicConfig.RETENTION_MS_CONFIG, copy, original, where, "records would be deleted", faults);
        addLessThanSource(
                TopicConfig.RETENTION_BYTES_CONFIG, copy, original, where, "records would be deleted", faults);
        addLessThanSource(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, copy, original, where, "the mirror would stop", faults);
        addLessThanSource(
                TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG,
                copy,
                original,
                where,
                "the mirror would stop",
                faults);
        return faults;
    }

    /** A limit of -1 is none. */
    private void addLessThanSource(
            String setting, Actual copy, Actual original, String where, String why, List<String> faults) {
        long limit = number(copy, setting);
        long needed = number(original, setting);
        if (limit >= 0 && (needed < 0 || limit < needed)) {
            String name = config.topic(Topic.EXAMPLES);
            faults.add(name + " must have " + setting + " of " + (needed < 0 ? "" : "at least ") + needed + " as on "
                    + where + ", got " + limit + " (" + why + "; " + remedy(name, setting + "=" + needed) + ")");
        }
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
        Set<String> policy = policy(changelog);
        if (!policy.equals(Set.of(TopicConfig.CLEANUP_POLICY_COMPACT))) {
            faults.add(name + " must have cleanup.policy compact, got " + String.join(",", policy)
                    + " (models would be deleted after the retention time; " + remedy(name, "cleanup.policy=compact")
                    + ")");
        }
        addTimestampFaults(name, changelog, faults);
        addSizeFault(name, changelog, MAX_CHUNK_BYTES, faults);
        return faults;
    }

    /**
     * Outputs have the event times of their inputs: an output topic that rejects one would stop the engine. The time in
     * an example in JSON may be before the timestamp of its record, and {@link #aheadMs} after it.
     */
    private void addTimestampFaults(String name, Actual output, List<String> faults) {
        if (!actual.containsKey(config.topic(Topic.EXAMPLES))) {
            return;
        }
        String after = TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG;
        addTimestampFault(
                name, after, output, ofInput(after), "the timestamp of an example is that of its outputs", faults);
        addTimestampFault(
                name,
                TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG,
                output,
                Long.MAX_VALUE,
                "an example may wait before it is learned, and the time in JSON may be before that of its record",
                faults);
    }

    private void addTimestampFault(
            String name, String limit, Actual output, long needed, String why, List<String> faults) {
        long found = limit(output, limit);
        if (found < needed) {
            faults.add(name + " must have " + limit + " of at least " + needed + ", got " + found + " (" + why + "; "
                    + remedy(name, limit + "=" + needed) + ")");
        }
    }

    private void addSizeFault(String name, Actual topic, long needed, List<String> faults) {
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

    /** Returns the cleanup policy; empty for a missing topic. */
    private static Set<String> policy(Actual topic) {
        String written = topic == null ? "" : topic.settings().getOrDefault(TopicConfig.CLEANUP_POLICY_CONFIG, "");
        return Arrays.stream(written.split(","))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private String remedy(String topic, String setting) {
        return "kafka-configs.sh --bootstrap-server " + config.get(EngineConfigDef.BOOTSTRAP_SERVERS)
                + " --alter --entity-type topics --entity-name " + topic + " --add-config " + setting;
    }
}
