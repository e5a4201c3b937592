package io.perceptronstreams.config;

import io.perceptronstreams.config.ConfigSources.Setting;
import io.perceptronstreams.example.SimilarName;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.registry.http.Addresses;
import io.perceptronstreams.registry.http.RegistryConfig;
import io.perceptronstreams.serde.Generation;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.InputPosition.Decisions;
import io.perceptronstreams.store.ModelQuota;
import io.perceptronstreams.store.SharedRocksMemory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.streams.StreamsConfig;

/**
 * The validated settings of the engine and its commands.
 *
 * <p>Layers in descending priority: command line ({@code -D key=value}), environment ({@code PERCEPTRON_KEY_NAME}),
 * properties file ({@code --config}), defaults. Unknown keys are passed to Kafka; a key that resembles a known one is a
 * fault. All faults are found before anything starts. Secrets are neither in messages nor in {@link #toString()}.
 */
public final class EngineConfig {
    /** Handling of a record on a partition other than the murmur2 partition of its key. */
    public enum Misrouted {
        REROUTE,
        DEAD_LETTER
    }

    /** Encodings of output events. */
    public enum OutputFormat {
        AVRO,
        JSON
    }

    /** Protocols by which the engines of a group share the partitions. */
    public enum GroupProtocol {
        CLASSIC,
        STREAMS
    }

    /** Forms of the requests that send alerts. */
    public enum WebhookForm {
        JSON,
        SLACK,
        ALERTMANAGER
    }

    /** Prefixes of settings of the engine's consumer, the strongest first. */
    public static final List<String> CONSUMER_PREFIXES = BrokerSettings.PREFIXES;

    // Predictions are small and frequent: with Kafka's 16 KiB, brokers write and index many times as many batches. A
    // commit flushes, so that no output waits for the linger time.
    private static final int BATCH_BYTES = 256 * 1024;
    private static final int LINGER_MS = 20;

    // The default of Kafka Streams under exactly once.
    private static final long COMMIT_INTERVAL_MS = 100;

    // Of each partition, predictions, mistakes, counts and changelog have an open batch at the same time. A producer
    // whose memory does not suffice for them sends them half empty, and its thread waits for that.
    private static final int OPEN_BATCHES = 4;
    private static final int MIN_BATCH_BYTES = 16 * 1024;
    private static final long DEFAULT_BUFFER_BYTES = 32 << 20;

    // What is fetched and polled at once should stay in the processor's cache until it is learned. -1: the system
    // adapts the receive buffer to the connection.
    private static final int FETCHED_BYTES = 1 << 20;
    private static final int POLLED_RECORDS = 10_000;
    private static final int SYSTEM_RECEIVE_BUFFER = -1;

    // Kafka Streams counts batches of records (topology.InputBatch), each of up to 256 KiB: at most 16 MiB.
    private static final int BUFFERED_BATCHES = 64;

    // The broker aborts a longer transaction; must exceed any checkpoint, snapshot, import and unknown.schema.grace.ms.
    private static final int TRANSACTION_TIMEOUT_MS = 60_000;

    // The least that brokers accept by default (group.min.session.timeout.ms): after it, others take over the
    // partitions
    // of a killed engine. Heartbeats have a thread of their own, so that only pauses of the whole process count.
    private static final int SESSION_TIMEOUT_MS = 6_000;
    private static final int HEARTBEAT_INTERVAL_MS = 1_500;

    // Partitions move to an engine that joins a few at a time, each with a warm copy. With the 10,000 of Kafka Streams,
    // those of fewer models moved all at once, without one, and stood still until the last was restored and replayed.
    private static final long RECOVERY_LAG = 1_000;

    // The least that Kafka Streams accepts, for copies that were no longer warm when topology.WarmCopies asked.
    private static final long PROBING_REBALANCE_MS = 60_000;

    // The broker's own limit, transaction.max.timeout.ms.
    private static final int MAX_TRANSACTION_TIMEOUT_MS = 900_000;
    private static final int MAX_POLL_INTERVAL_MS = 300_000;
    private static final int DEFAULT_MAX_REQUEST_BYTES = 1024 * 1024;
    private static final int ADMIN_TIMEOUT_MS = 10_000;

    /**
     * Much less than the 100 ms of Kafka: a group of the other protocol, or of none, is described by two requests, the
     * second of which counts as a retry, and a start needs several descriptions. It doubles with each retry.
     */
    private static final int ADMIN_RETRY_MS = 10;

    /** Prefix of the settings of internal topics. */
    private static final String TOPIC_PREFIX = "topic.";

    /** Keys of internal topics that resemble settings of the engine's own topics. */
    private static final List<String> INTERNAL_TOPIC_KEYS =
            List.of(TOPIC_PREFIX + TopicConfig.RETENTION_MS_CONFIG, TOPIC_PREFIX + TopicConfig.RETENTION_BYTES_CONFIG);

    private static final String URL = EngineConfigDef.REGISTRY_URL.name();
    private static final String USER_INFO = RegistryConfig.BASIC_USER_INFO;
    private static final String USER_INFO_SOURCE = RegistryConfig.BASIC_SOURCE;

    // Settings by receiver: the engine, defaults included; Kafka; the registry client.
    private final Map<String, Object> own = new TreeMap<>();
    private final Map<String, Object> passThrough = new TreeMap<>();
    private final Map<String, String> registry = new TreeMap<>();

    /** All settings that are not defaults. */
    private final Map<String, Setting> given;

    /** Sources of the settings that are not defaults. */
    private final Map<String, String> origins = new TreeMap<>();

    /** Parses settings and adds all faults to {@code faults}. */
    private EngineConfig(Map<String, Setting> settings, List<String> faults) {
        given = Map.copyOf(settings);
        for (ConfigKey key : EngineConfigDef.ENGINE_KEYS.configKeys().values()) {
            own.put(key.name, key.defaultValue);
        }
        registry.put(URL, (String) own.get(URL));
        settings.forEach((name, setting) -> put(name, setting, faults));
        // not parsed if it is no protocol, which is another fault
        if (isStreamsProtocol()) {
            faults.addAll(BrokerSettings.faults(passThrough, this::origin));
        }
        if (own.get(USER_INFO) != null && !"USER_INFO".equals(own.get(USER_INFO_SOURCE))) {
            faults.add(USER_INFO_SOURCE + " must be USER_INFO where " + USER_INFO + " is set, got '"
                    + own.get(USER_INFO_SOURCE) + "' (" + origin(USER_INFO_SOURCE) + "; set " + USER_INFO_SOURCE
                    + "=USER_INFO)");
        }
    }

    /**
     * Merges the layers and validates every value.
     *
     * @param commandLine key to value, from {@code -D} and from options that set keys
     * @param environment all variables of the process; only those that start with {@code PERCEPTRON_} are used
     * @param file properties, or null
     * @param defaults of the command, such as {@code topics.create=true}
     * @throws InvalidConfigException with all faults, if there are any
     */
    public static EngineConfig of(
            Map<String, String> commandLine, Map<String, String> environment, Path file, Map<String, String> defaults) {
        List<String> faults = new ArrayList<>();
        ConfigSources layers = new ConfigSources();
        layers.add(defaults, "default of the command");
        if (file != null) {
            layers.addFile(file, faults);
        }
        layers.addEnvironment(environment);
        layers.add(commandLine, "command line");
        return of(layers, faults);
    }

    /**
     * Validates the settings of an engine inside another program, which neither the environment nor a file changes.
     *
     * @param defaults that these settings replace
     * @throws InvalidConfigException with all faults, if there are any
     */
    public static EngineConfig ofProgram(Map<String, String> settings, Map<String, String> defaults) {
        ConfigSources layers = new ConfigSources();
        layers.add(defaults, "default of the engine in a program");
        layers.add(settings, "set by the program");
        return of(layers, new ArrayList<>());
    }

    private static EngineConfig of(ConfigSources layers, List<String> faults) {
        EngineConfig config = new EngineConfig(layers.settings(), faults);
        if (!faults.isEmpty()) {
            throw new InvalidConfigException(faults);
        }
        return config;
    }

    private void put(String name, Setting setting, List<String> faults) {
        origins.put(name, setting.origin());
        ConfigKey ownKey = EngineConfigDef.ENGINE_KEYS.configKeys().get(name);
        if (ownKey != null) {
            parse(name, ownKey, setting, faults).ifPresent(value -> own.put(name, value));
            if (EngineConfigDef.isRegistryKey(name)) {
                registry.put(name, setting.value());
            }
            return;
        }
        if (Settings.all().stream().anyMatch(each -> each.name().equals(name))) {
            String set = name + "=" + setting.value();
            faults.add(name + " must be set for models, not for the engine, got '" + setting.value() + "' ("
                    + setting.origin() + "; perceptron models defaults " + set
                    + " sets it for new models, perceptron models set MODEL "
                    + set + " for one)");
            return;
        }
        Optional<ConfigKey> kafkaKey = KafkaKeys.find(name);
        if (kafkaKey.isPresent()) {
            parse(name, kafkaKey.get(), setting, faults);
        } else if (!INTERNAL_TOPIC_KEYS.contains(name)) {
            Optional<String> remedy = ForeignKeys.remedy(name, EngineConfig::known);
            if (remedy.isPresent()) {
                faults.add("setting must be one of this program or of Kafka's Java clients, got '" + name + "' ("
                        + setting.origin() + "; here: " + remedy.get() + ")");
                return;
            }
            Optional<String> suggestion = suggest(name);
            if (suggestion.isPresent()) {
                faults.add("setting must be a known one, got '" + name + "' (" + setting.origin() + "; did you mean "
                        + suggestion.get() + "?)");
                return;
            }
        }
        if (EngineConfigDef.EXCEPTION_HANDLERS.contains(name)) {
            faults.add(name + " must not be set, got '" + setting.value() + "' (" + setting.origin()
                    + "; a handler that continues would lose records; invalid ones become dead letters without it)");
            return;
        }
        if (name.equals(StreamsConfig.PROCESSING_GUARANTEE_CONFIG)
                && !setting.value().equals(StreamsConfig.EXACTLY_ONCE_V2)) {
            faults.add(name + " must be " + StreamsConfig.EXACTLY_ONCE_V2 + ", got '" + setting.value() + "' ("
                    + setting.origin() + "; with less, a crash would count examples twice and change the weights)");
            return;
        }
        if (name.endsWith(ConsumerConfig.ISOLATION_LEVEL_CONFIG)
                && !setting.value().equals("read_committed")) {
            faults.add(name + " must be read_committed, got '" + setting.value() + "' (" + setting.origin()
                    + "; otherwise records of aborted transactions would be learned)");
            return;
        }
        if (name.equals(StreamsConfig.TRANSACTIONAL_STATE_STORES_CONFIG)
                && !setting.value().equalsIgnoreCase("false")) {
            faults.add(name + " must be false, got '" + setting.value() + "' (" + setting.origin()
                    + "; otherwise models would keep the writes of a transaction whose commit has no answer)");
            return;
        }
        if (name.equals("topic." + TopicConfig.CLEANUP_POLICY_CONFIG)
                && !setting.value().equals(TopicConfig.CLEANUP_POLICY_COMPACT)) {
            faults.add(name + " must be compact, got '" + setting.value() + "' (" + setting.origin()
                    + "; otherwise the changelog would lose models)");
            return;
        }
        if (EngineConfigDef.isRegistryKey(name)) {
            registry.put(name, setting.value());
        } else {
            passThrough.put(name, setting.value());
        }
    }

    /** Suggests a known key for a misspelt one; empty if none is similar (it may be for a plug-in of Kafka). */
    private static Optional<String> suggest(String name) {
        if (name.startsWith(EngineConfigDef.REGISTRY_PREFIX)) {
            // Confluent's clients take some of these names with the prefix, too
            String rest = name.substring(EngineConfigDef.REGISTRY_PREFIX.length());
            if (EngineConfigDef.REGISTRY_KEYS.contains(rest)) {
                return Optional.of(rest);
            }
        }
        return SimilarName.of(name, EngineConfigDef.ENGINE_KEYS.names()).or(() -> KafkaKeys.suggest(name));
    }

    private static Optional<String> known(String name) {
        boolean isKnown = EngineConfigDef.ENGINE_KEYS.names().contains(name)
                || KafkaKeys.find(name).isPresent();
        return isKnown ? Optional.of(name) : suggest(name);
    }

    private static Optional<Object> parse(String name, ConfigKey key, Setting setting, List<String> faults) {
        try {
            Object value = ConfigDef.parseType(name, setting.value(), key.type);
            if (key.validator != null) {
                key.validator.ensureValid(name, value);
            }
            return Optional.ofNullable(value);
        } catch (ConfigException e) {
            faults.add(name + " must " + rule(key) + ", got " + shown(key.type, setting.value()) + " ("
                    + setting.origin() + ")");
            return Optional.empty();
        }
    }

    /** Completes "KEY must …". */
    private static String rule(ConfigKey key) {
        String type = "be of type " + key.type.name().toLowerCase(Locale.ROOT);
        if (key.validator == null) {
            return type;
        }
        return EngineConfigDef.ENGINE_KEYS.configKeys().containsKey(key.name)
                ? key.validator.toString().startsWith("be ") || key.type == ConfigDef.Type.STRING
                        ? key.validator.toString()
                        : type
                : type + " and fit " + key.validator;
    }

    /** A value for a message; secrets are hidden. */
    static String shown(ConfigDef.Type type, String value) {
        if (type == ConfigDef.Type.PASSWORD) {
            return "a value that is not shown";
        }
        return "'" + Addresses.valueWithoutSecrets(value) + "'";
    }

    /** The value of a setting of the engine; secrets are in plain text. */
    public <T> T get(EngineConfigDef.EngineKey<T> key) {
        return key.read().apply(own.get(key.name()));
    }

    /**
     * Maximum heap of the models of the engine, in bytes: half of the setting if a replica in the process has them,
     * too.
     */
    public long engineHeapBytes() {
        long all = get(EngineConfigDef.STORE_HEAP_BYTES);
        return get(EngineConfigDef.HTTP_REPLICA) ? all / 2 : all;
    }

    /** Full name of a topic, such as {@code perceptron-examples}. */
    public String topic(Topic topic) {
        return topic.name(get(EngineConfigDef.TOPICS_PREFIX));
    }

    /** Generation of the topics. */
    public Generation generation() {
        return Generation.of(get(EngineConfigDef.TOPICS_PREFIX));
    }

    /**
     * Returns these settings for another generation of the same topics, whose group has another name, too.
     *
     * @param changed settings that are others
     * @throws InvalidConfigException if these are not valid
     */
    public EngineConfig at(Generation other, Map<String, String> changed) {
        Map<String, Setting> settings = new HashMap<>(given);
        String origin = "generation " + other.number();
        settings.put(EngineConfigDef.TOPICS_PREFIX.name(), new Setting(other.prefix(), origin));
        String id = get(EngineConfigDef.APPLICATION_ID);
        if (id != null) {
            Generation ofId = Generation.of(id);
            // a name of the first generation may end like that of a later one
            String first = ofId.number() == generation().number() ? ofId.first() : id;
            settings.put(EngineConfigDef.APPLICATION_ID.name(), new Setting(other.named(first), origin));
        }
        changed.forEach((name, value) -> settings.put(name, new Setting(value, origin)));
        List<String> faults = new ArrayList<>();
        EngineConfig config = new EngineConfig(settings, faults);
        if (!faults.isEmpty()) {
            throw new InvalidConfigException(faults);
        }
        return config;
    }

    /** Consumer group, transactional id and prefix of the changelog topic. */
    public String applicationId() {
        String id = get(EngineConfigDef.APPLICATION_ID);
        return id == null ? get(EngineConfigDef.TOPICS_PREFIX) : id;
    }

    /** Directory of the local copies of models; it may be deleted, because the changelog is complete. */
    public Path stateDir() {
        String dir = get(EngineConfigDef.STATE_DIR);
        return dir == null ? get(EngineConfigDef.DATA_DIR).resolve("state") : Path.of(dir);
    }

    /** Maximum number of models per partition, and idle time before deletion. */
    public ModelQuota modelLimits() {
        return new ModelQuota(get(EngineConfigDef.MODELS_MAX), get(EngineConfigDef.MODELS_IDLE_MS));
    }

    /**
     * Settings that affect how a record is processed.
     *
     * @param partitions of the examples topic
     * @param aheadMs maximum time by which an event time in JSON may be after the timestamp of its record
     */
    public Decisions decisions(int partitions, long aheadMs) {
        return new Decisions(
                get(EngineConfigDef.MODELS_AUTO_CREATE),
                get(EngineConfigDef.MISROUTED) == Misrouted.REROUTE,
                partitions,
                ModelSession.REVISION,
                get(EngineConfigDef.OUTPUT_FORMAT) == OutputFormat.JSON,
                aheadMs);
    }

    /** Properties for {@code KafkaStreams}: defaults of the engine, overridden by the Kafka settings of the user. */
    public Map<String, Object> streams() {
        Map<String, Object> properties = new HashMap<>();
        properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        properties.put(
                StreamsConfig.GROUP_PROTOCOL_CONFIG,
                get(EngineConfigDef.GROUP_PROTOCOL).name().toLowerCase(Locale.ROOT));
        properties.put(StreamsConfig.ENSURE_EXPLICIT_INTERNAL_RESOURCE_NAMING_CONFIG, true);
        if (get(EngineConfigDef.TOPICS_REPLICATION_FACTOR) != -1) {
            properties.put(
                    StreamsConfig.REPLICATION_FACTOR_CONFIG,
                    get(EngineConfigDef.TOPICS_REPLICATION_FACTOR).intValue());
        }
        // with a prefix, these defaults would override unprefixed settings of the user
        properties.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        properties.put(ProducerConfig.LINGER_MS_CONFIG, LINGER_MS);
        // a replay takes up to about a checkpoint interval, within one transaction and between two polls; an
        // interrupted
        // one would begin again without end
        int replayMs = (int) Math.min(Integer.MAX_VALUE, 2 * get(EngineConfigDef.CHECKPOINT_INTERVAL_MS));
        properties.put(
                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
                Math.min(MAX_TRANSACTION_TIMEOUT_MS, Math.max(TRANSACTION_TIMEOUT_MS, replayMs)));
        properties.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, Math.max(MAX_POLL_INTERVAL_MS, replayMs));
        if (!isStreamsProtocol()) {
            properties.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, SESSION_TIMEOUT_MS);
            properties.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, HEARTBEAT_INTERVAL_MS);
            properties.put(StreamsConfig.ACCEPTABLE_RECOVERY_LAG_CONFIG, RECOVERY_LAG);
            properties.put(StreamsConfig.PROBING_REBALANCE_INTERVAL_MS_CONFIG, PROBING_REBALANCE_MS);
        }
        properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCHED_BYTES);
        properties.put(StreamsConfig.BUFFERED_RECORDS_PER_PARTITION_CONFIG, BUFFERED_BATCHES);
        properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, POLLED_RECORDS);
        properties.put(CommonClientConfigs.RECEIVE_BUFFER_CONFIG, SYSTEM_RECEIVE_BUFFER);
        properties.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, SharedRocksMemory.class);
        properties.put(SharedRocksMemory.CACHE_BYTES, get(EngineConfigDef.STORE_CACHE_BYTES));
        properties.putAll(passThrough);
        if (isStreamsProtocol()) {
            BrokerSettings.KEYS
                    .keySet()
                    .forEach(key -> CONSUMER_PREFIXES.forEach(prefix -> properties.remove(prefix + key)));
        }
        // topology.CommitPace requests the earlier ones
        properties.put(
                StreamsConfig.COMMIT_INTERVAL_MS_CONFIG,
                Math.max(commitIntervalMs(), get(EngineConfigDef.COMMIT_INTERVAL_MAX_MS)));
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, applicationId());
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, get(EngineConfigDef.BOOTSTRAP_SERVERS));
        properties.put(StreamsConfig.STATE_DIR_CONFIG, stateDir().toString());
        return properties;
    }

    /**
     * Properties like {@link #streams()}, with a default of {@code batch.size} for an input of this number of
     * partitions.
     */
    public Map<String, Object> streams(int partitions) {
        Map<String, Object> properties = streams();
        long buffer = (Long) ofProducer(ProducerConfig.BUFFER_MEMORY_CONFIG, DEFAULT_BUFFER_BYTES, ConfigDef.Type.LONG);
        long fitting = Math.max(MIN_BATCH_BYTES, buffer / ((long) OPEN_BATCHES * partitions));
        if (!passThrough.containsKey(ProducerConfig.BATCH_SIZE_CONFIG)) {
            properties.put(ProducerConfig.BATCH_SIZE_CONFIG, (int) Math.min(BATCH_BYTES, fitting));
        }
        return properties;
    }

    /** Number of stream threads of the engine. */
    public int streamThreads() {
        return (Integer) ConfigDef.parseType(
                StreamsConfig.NUM_STREAM_THREADS_CONFIG,
                passThrough.getOrDefault(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 1),
                ConfigDef.Type.INT);
    }

    /** Time between two commits while examples are waiting, in ms. */
    public long commitIntervalMs() {
        return (Long) ConfigDef.parseType(
                StreamsConfig.COMMIT_INTERVAL_MS_CONFIG,
                passThrough.getOrDefault(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, COMMIT_INTERVAL_MS),
                ConfigDef.Type.LONG);
    }

    /** How many records of its changelog a warm copy of models may lack: {@code acceptable.recovery.lag}. */
    public long acceptableRecoveryLag() {
        return new StreamsConfig(streams()).getLong(StreamsConfig.ACCEPTABLE_RECOVERY_LAG_CONFIG);
    }

    /** Maximum size of a record that the engine can send: {@code max.request.size} of its producer, in bytes. */
    public int maxRequestBytes() {
        return (Integer)
                ofProducer(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, DEFAULT_MAX_REQUEST_BYTES, ConfigDef.Type.INT);
    }

    private Object ofProducer(String key, Object absent, ConfigDef.Type type) {
        Object plain = passThrough.getOrDefault(key, absent);
        return ConfigDef.parseType(key, passThrough.getOrDefault(StreamsConfig.PRODUCER_PREFIX + key, plain), type);
    }

    /** Properties that apply to every Kafka client: addresses, security, and all keys that the three clients share. */
    public Map<String, Object> clients() {
        Map<String, Object> properties = new HashMap<>();
        passThrough.forEach((key, value) -> {
            if (AdminClientConfig.configNames().contains(key)
                    && ConsumerConfig.configNames().contains(key)
                    && ProducerConfig.configNames().contains(key)) {
                properties.put(key, value);
            }
        });
        properties.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, get(EngineConfigDef.BOOTSTRAP_SERVERS));
        return properties;
    }

    /** Properties like {@link #clients()}, overridden by the settings under {@code prefix}, such as {@code admin.}. */
    public Map<String, Object> clients(String prefix) {
        Map<String, Object> properties = clients();
        passThrough.forEach((key, value) -> {
            if (key.startsWith(prefix)) {
                properties.put(key.substring(prefix.length()), value);
            }
        });
        return properties;
    }

    /** Properties for an admin client with a time-out of 10 s, unless the user set another. */
    public Map<String, Object> admin() {
        Map<String, Object> properties = new HashMap<>();
        properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ADMIN_TIMEOUT_MS);
        properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, ADMIN_TIMEOUT_MS / 2);
        properties.put(AdminClientConfig.RETRY_BACKOFF_MS_CONFIG, ADMIN_RETRY_MS);
        properties.putAll(clients("admin."));
        return properties;
    }

    /** Kafka's {@code ssl.keystore.*} settings for the monitor, with secrets in plain text; empty for plain HTTP. */
    public Map<String, String> httpTls() {
        Map<String, String> texts = new TreeMap<>();
        own.forEach((key, value) -> {
            if (key.startsWith(EngineConfigDef.HTTP_PREFIX + "ssl.") && value != null) {
                texts.put(
                        key.substring(EngineConfigDef.HTTP_PREFIX.length()),
                        value instanceof Password secret ? secret.value() : value.toString());
            }
        });
        return texts;
    }

    /** Name of the topic from which the store's models are restored. */
    public String changelog() {
        return applicationId() + "-models-changelog";
    }

    /** Settings of the registry client, with secrets in plain text. */
    public Map<String, String> registry() {
        return Map.copyOf(registry);
    }

    /**
     * Keys that are passed to Kafka although none of its clients defines them, ascending: keys of plug-ins, misspelt
     * keys.
     */
    public List<String> unknownKeys() {
        return passThrough.keySet().stream()
                .filter(key ->
                        !key.startsWith(TOPIC_PREFIX) && KafkaKeys.find(key).isEmpty())
                .toList();
    }

    /**
     * A setting as it is used.
     *
     * @param value text without secrets; empty if the setting has none
     * @param origin such as {@code default}, {@code file my.properties}, {@code environment PERCEPTRON_DATA_DIR}
     */
    public record Shown(String key, String value, String origin) {}

    /** The engine's settings in the order of their definition, TLS only where it is set; then those passed to Kafka. */
    public List<Shown> shown() {
        List<Shown> all = new ArrayList<>();
        for (ConfigKey key : EngineConfigDef.ENGINE_KEYS.configKeys().values()) {
            if (origins.containsKey(key.name) || !key.name.contains(".ssl.")) {
                String value = ConfigDef.convertToString(used(key.name), key.type);
                all.add(new Shown(
                        key.name, value == null ? "" : Addresses.valueWithoutSecrets(value), origin(key.name)));
            }
        }
        passThrough.forEach((name, value) -> all.add(new Shown(
                name,
                isPublic(name) ? Addresses.valueWithoutSecrets(value.toString()) : Password.HIDDEN,
                origin(name))));
        registry.forEach((name, value) -> {
            if (!EngineConfigDef.ENGINE_KEYS.configKeys().containsKey(name)) {
                all.add(new Shown(name, Password.HIDDEN, origin(name)));
            }
        });
        return all;
    }

    private String origin(String name) {
        return origins.getOrDefault(name, "default");
    }

    private Object used(String name) {
        return name.equals(EngineConfigDef.APPLICATION_ID.name())
                ? applicationId()
                : name.equals(EngineConfigDef.STATE_DIR.name()) ? stateDir().toString() : own.get(name);
    }

    /** The value of a key that Kafka does not define may be a secret of a plug-in. */
    private static boolean isPublic(String name) {
        return name.startsWith(TOPIC_PREFIX)
                || KafkaKeys.find(name)
                        .filter(key -> key.type != ConfigDef.Type.PASSWORD)
                        .isPresent();
    }

    /** Whether brokers assign the partitions. */
    public boolean isStreamsProtocol() {
        return get(EngineConfigDef.GROUP_PROTOCOL) == GroupProtocol.STREAMS;
    }

    /**
     * Settings of the group that the user has set for the engine, but which brokers decide in the protocol
     * {@code streams}, by their names there; empty in the classic one.
     */
    public Map<String, String> brokerSettings() {
        Map<String, String> settings = new TreeMap<>();
        if (isStreamsProtocol()) {
            BrokerSettings.KEYS.forEach(
                    (key, ofBroker) -> consumerSetting(key).ifPresent(value -> settings.put(ofBroker, value)));
        }
        return settings;
    }

    /**
     * Time after which a static member that has ended loses its partitions, in ms; in the protocol {@code streams} that
     * of brokers by default, unless it is set.
     */
    public long sessionTimeoutMs() {
        if (isStreamsProtocol()) {
            return consumerSetting(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG)
                    .map(Long::valueOf)
                    .orElse((long) BrokerSettings.SESSION_TIMEOUT_MS);
        }
        return consumerSetting(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG)
                .map(Long::valueOf)
                .orElse((long) SESSION_TIMEOUT_MS);
    }

    /**
     * Time after which the engine ends if brokers do not answer a task, {@code task.timeout.ms} of Kafka Streams, in
     * ms.
     */
    public long taskTimeoutMs() {
        String key = StreamsConfig.TASK_TIMEOUT_MS_CONFIG;
        Object value = passThrough.getOrDefault(
                key, StreamsConfig.configDef().defaultValues().get(key));
        return (Long) ConfigDef.parseType(key, value, ConfigDef.Type.LONG);
    }

    /** Name of this process in its group, the same after a restart; empty if none is set. */
    public Optional<String> groupInstanceId() {
        return consumerSetting(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
    }

    /** A setting of the consumer of the engine's group, in the order of Kafka Streams; empty if none is set. */
    private Optional<String> consumerSetting(String key) {
        return CONSUMER_PREFIXES.stream()
                .filter(prefix -> passThrough.containsKey(prefix + key))
                .map(prefix -> passThrough.get(prefix + key).toString())
                .findFirst();
    }

    /** All settings without secrets; only the keys of settings passed to Kafka, because any value may be a secret. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("EngineConfig(");
        own.forEach((key, value) -> {
            if (value != null) {
                ConfigDef.Type type = EngineConfigDef.ENGINE_KEYS.configKeys().get(key).type;
                text.append(key)
                        .append('=')
                        .append(shown(type, value.toString()))
                        .append(", ");
            }
        });
        return text.append("passed to Kafka: ")
                .append(passThrough.keySet())
                .append(')')
                .toString();
    }
}
