package io.perceptronstreams.config;

import io.perceptronstreams.config.ConfigSources.Setting;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.ModelLimits;
import io.perceptronstreams.store.SharedRocksMemory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
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
 * All settings of the engine and its commands, checked.
 *
 * <p>Layers, the strongest first: command line ({@code -D key=value}), environment ({@code PERCEPTRON_KEY_NAME}), properties
 * file ({@code --config}), defaults. Keys that are not ours go to Kafka as they are; one that looks like a misspelt key of ours
 * is a fault. All faults are found before anything starts. Secrets are in no message and not in {@link #toString()}.
 */
public final class EngineConfig {
    /** What happens to a record that lies on a partition other than murmur2's of its key. */
    public enum Misrouted {
        REROUTE,
        DEAD_LETTER
    }

    /** How output events are written. */
    public enum OutputFormat {
        AVRO,
        JSON
    }

    // Predictions are small and many: with the clients' 16 KiB a broker has eight times as many batches to write and to
    // index.
    private static final int BATCH_BYTES = 128 * 1024;
    private static final int FETCHED_BYTES = 4 << 20;

    // A transaction that is longer is aborted by the broker and done again: longer than any checkpoint, snapshot or
    // import takes.
    private static final int TRANSACTION_TIMEOUT_MS = 60_000;

    private static final int ADMIN_TIMEOUT_MS = 10_000;

    private final Map<String, Object> ours = new TreeMap<>();
    private final Map<String, Object> passedOn = new TreeMap<>();
    private final Map<String, String> registry = new TreeMap<>();

    private EngineConfig(Map<String, Setting> settings, List<String> faults) {
        for (ConfigKey key : EngineConfigDef.OURS.configKeys().values()) {
            ours.put(key.name, key.defaultValue);
        }
        registry.put(EngineConfigDef.REGISTRY_URL, (String) ours.get(EngineConfigDef.REGISTRY_URL));
        settings.forEach((name, setting) -> put(name, setting, faults));
    }

    /**
     * Puts the layers together and checks every value.
     *
     * @param commandLine key to value, as given with {@code -D} and the options that stand for keys
     * @param environment all of the process's variables; only those that start with {@code PERCEPTRON_} count
     * @param file properties, or null
     * @param defaults values that a command wants where the user says nothing, such as {@code topics.create=true}
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
        EngineConfig config = new EngineConfig(layers.settings(), faults);
        if (!faults.isEmpty()) {
            throw new InvalidConfigException(faults);
        }
        return config;
    }

    private void put(String name, Setting setting, List<String> faults) {
        ConfigKey our = EngineConfigDef.OURS.configKeys().get(name);
        if (our != null) {
            parse(name, our, setting, faults).ifPresent(value -> ours.put(name, value));
            if (EngineConfigDef.isRegistrys(name)) {
                registry.put(name, setting.value());
            }
            return;
        }
        Optional<ConfigKey> kafkas = EngineConfigDef.kafkas(name);
        if (kafkas.isPresent()) {
            parse(name, kafkas.get(), setting, faults);
        } else {
            Optional<String> meant = EngineConfigDef.meant(name);
            if (meant.isPresent()) {
                faults.add("setting must be a known one, got '" + name + "' (" + setting.origin() + "; did you mean "
                        + meant.get() + "?)");
                return;
            }
        }
        if (EngineConfigDef.EXCEPTION_HANDLERS.contains(name)) {
            faults.add(name + " must not be set, got '" + setting.value() + "' (" + setting.origin()
                    + "; one that goes on would lose records: bad ones go to the dead letters without it)");
            return;
        }
        if (name.equals(EngineConfigDef.PROCESSING_GUARANTEE)
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
        if (name.equals("topic." + TopicConfig.CLEANUP_POLICY_CONFIG)
                && !setting.value().equals(TopicConfig.CLEANUP_POLICY_COMPACT)) {
            faults.add(name + " must be compact, got '" + setting.value() + "' (" + setting.origin()
                    + "; the changelog would forget models)");
            return;
        }
        if (EngineConfigDef.isRegistrys(name)) {
            registry.put(name, setting.value());
        } else {
            passedOn.put(name, setting.value());
        }
    }

    private static Optional<Object> parse(String name, ConfigKey key, Setting setting, List<String> faults) {
        try {
            Object value = ConfigDef.parseType(name, setting.value(), key.type);
            if (key.validator != null) {
                key.validator.ensureValid(name, value);
            }
            return Optional.ofNullable(value);
        } catch (ConfigException e) {
            faults.add(name + " must " + rule(key) + ", got " + shown(name, key.type, setting.value()) + " ("
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
        return EngineConfigDef.OURS.configKeys().containsKey(key.name)
                ? key.validator.toString().startsWith("be ") || key.type == ConfigDef.Type.STRING
                        ? key.validator.toString()
                        : type
                : type + " and fit " + key.validator;
    }

    private static String shown(String name, ConfigDef.Type type, String value) {
        if (type == ConfigDef.Type.PASSWORD) {
            return "a value that is not shown";
        }
        // An address may hold user:password@.
        return "'" + (name.equals(EngineConfigDef.REGISTRY_URL) ? value.replaceAll("//[^/@,]*@", "//…@") : value) + "'";
    }

    /** Brokers to ask first, {@code host:port}, separated by commas. */
    public String bootstrapServers() {
        return (String) ours.get(EngineConfigDef.BOOTSTRAP_SERVERS);
    }

    /** What all topic names start with. */
    public String topicsPrefix() {
        return (String) ours.get(EngineConfigDef.TOPICS_PREFIX);
    }

    /** The topic's full name, such as {@code perceptron-examples}. */
    public String topic(Topic topic) {
        return topic.name(topicsPrefix());
    }

    /** Consumer group, transactional id and first part of the changelog's name. */
    public String applicationId() {
        String id = (String) ours.get(EngineConfigDef.APPLICATION_ID);
        return id == null ? topicsPrefix() : id;
    }

    /** Directory of everything the engine keeps on disk. */
    public Path dataDir() {
        return Path.of((String) ours.get(EngineConfigDef.DATA_DIR));
    }

    /** Directory of the local copies of models; it may be lost, the changelog has all of it. */
    public Path stateDir() {
        String dir = (String) ours.get(EngineConfigDef.STATE_DIR);
        return dir == null ? dataDir().resolve("state") : Path.of(dir);
    }

    /** Whether missing topics are created at start-up. */
    public boolean createsTopics() {
        return (Boolean) ours.get(EngineConfigDef.TOPICS_CREATE);
    }

    /** How many partitions a topic gets when it is created. */
    public int partitions() {
        return (Integer) ours.get(EngineConfigDef.TOPICS_PARTITIONS);
    }

    /** How many copies a topic gets when it is created; -1: the broker's default. */
    public short replicationFactor() {
        return (Short) ours.get(EngineConfigDef.TOPICS_REPLICATION_FACTOR);
    }

    /** What happens to a record on a wrong partition. */
    public Misrouted misrouted() {
        return choice(Misrouted.class, EngineConfigDef.MISROUTED);
    }

    /** Whether a model exists from its first example on, without a command. */
    public boolean autoCreatesModels() {
        return (Boolean) ours.get(EngineConfigDef.MODELS_AUTO_CREATE);
    }

    /** How many models a partition may have, and when idle ones are deleted. */
    public ModelLimits modelLimits() {
        return new ModelLimits(
                (Integer) ours.get(EngineConfigDef.MODELS_MAX), (Long) ours.get(EngineConfigDef.MODELS_IDLE_MS));
    }

    /** How output events are written. */
    public OutputFormat outputFormat() {
        return choice(OutputFormat.class, EngineConfigDef.OUTPUT_FORMAT);
    }

    /** How many bytes of heap live models may take; half of the JVM's largest heap if not set. */
    public long storeHeapBytes() {
        long bytes = (Long) ours.get(EngineConfigDef.STORE_HEAP_BYTES);
        return bytes == 0 ? Runtime.getRuntime().maxMemory() / 2 : bytes;
    }

    /** Time between two checkpoints of a task's models, in ms of running time. */
    public long checkpointIntervalMs() {
        return (Long) ours.get(EngineConfigDef.CHECKPOINT_INTERVAL_MS);
    }

    /** Properties for {@code KafkaStreams}: our defaults, and over them everything the user wrote that is not ours. */
    public Map<String, Object> streams() {
        Map<String, Object> properties = new HashMap<>();
        properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        properties.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, "classic");
        properties.put(StreamsConfig.ENSURE_EXPLICIT_INTERNAL_RESOURCE_NAMING_CONFIG, true);
        if (replicationFactor() != -1) {
            properties.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, (int) replicationFactor());
        }
        // with a prefix our defaults would come before what the user has set without one
        properties.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
        properties.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_TIMEOUT_MS);
        properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCHED_BYTES);
        properties.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, SharedRocksMemory.class);
        properties.put(SharedRocksMemory.CACHE_BYTES, ours.get(EngineConfigDef.STORE_CACHE_BYTES));
        properties.putAll(passedOn);
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, applicationId());
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers());
        properties.put(StreamsConfig.STATE_DIR_CONFIG, stateDir().toString());
        return properties;
    }

    /** What every plain client needs to reach the brokers: addresses, security, and what else all three clients know. */
    public Map<String, Object> clients() {
        Map<String, Object> properties = new HashMap<>();
        passedOn.forEach((key, value) -> {
            if (AdminClientConfig.configNames().contains(key)
                    && ConsumerConfig.configNames().contains(key)
                    && ProducerConfig.configNames().contains(key)) {
                properties.put(key, value);
            }
        });
        properties.put(EngineConfigDef.BOOTSTRAP_SERVERS, bootstrapServers());
        return properties;
    }

    /** As {@link #clients()}, with the settings under {@code admin.}, {@code consumer.} or {@code producer.} over them. */
    public Map<String, Object> clients(String prefix) {
        Map<String, Object> properties = clients();
        passedOn.forEach((key, value) -> {
            if (key.startsWith(prefix)) {
                properties.put(key.substring(prefix.length()), value);
            }
        });
        return properties;
    }

    /** Properties for an admin client that gives up within 10 s, unless the user set other times. */
    public Map<String, Object> admin() {
        Map<String, Object> properties = new HashMap<>();
        properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ADMIN_TIMEOUT_MS);
        properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, ADMIN_TIMEOUT_MS / 2);
        properties.putAll(clients("admin."));
        return properties;
    }

    /** Port on which the monitor listens; empty where nobody asked for one. */
    public OptionalInt httpPort() {
        int port = (Integer) ours.get(EngineConfigDef.HTTP_PORT);
        return port < 0 ? OptionalInt.empty() : OptionalInt.of(port);
    }

    /** Address on which the monitor listens. */
    public String httpHost() {
        return (String) ours.get(EngineConfigDef.HTTP_HOST);
    }

    /** What requests to the monitor must bring, in plain: not to be printed; null for nothing. */
    public String httpAuth() {
        Password auth = (Password) ours.get(EngineConfigDef.HTTP_AUTH);
        return auth == null ? null : auth.value();
    }

    /** Whether the monitor may listen on other addresses than loopback without credentials. */
    public boolean isHttpInsecure() {
        return (Boolean) ours.get(EngineConfigDef.HTTP_INSECURE);
    }

    /** Further names of the monitor's host. */
    public List<String> httpNames() {
        return ((List<?>) ours.get(EngineConfigDef.HTTP_NAMES))
                .stream().map(String::valueOf).toList();
    }

    /** How many event streams the monitor serves at the same time. */
    public int httpStreamsMax() {
        return (Integer) ours.get(EngineConfigDef.HTTP_STREAMS_MAX);
    }

    /** How many connections the monitor has at the same time. */
    public int httpConnectionsMax() {
        return (Integer) ours.get(EngineConfigDef.HTTP_CONNECTIONS_MAX);
    }

    /** How many records per partition the monitor reads again at its start. */
    public long httpLookbackRecords() {
        return (Long) ours.get(EngineConfigDef.HTTP_LOOKBACK_RECORDS);
    }

    /** Kafka's {@code ssl.keystore.*} settings for the monitor, secrets in plain: not to be printed; empty for plain HTTP. */
    public Map<String, String> httpTls() {
        Map<String, String> tls = new HashMap<>();
        ours.forEach((key, value) -> {
            if (key.startsWith(EngineConfigDef.HTTP_PREFIX + "ssl.") && value != null) {
                tls.put(
                        key.substring(EngineConfigDef.HTTP_PREFIX.length()),
                        value instanceof Password secret ? secret.value() : value.toString());
            }
        });
        return tls;
    }

    /** Name of the topic from which the store's models are restored. */
    public String changelog() {
        return applicationId() + "-models-changelog";
    }

    /** What the registry client needs, secrets in plain: not to be printed. */
    public Map<String, String> registry() {
        return Map.copyOf(registry);
    }

    private <E extends Enum<E>> E choice(Class<E> type, String key) {
        return Enum.valueOf(
                type, ((String) ours.get(key)).toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** Our settings without secrets, and only the names of those passed on, which may be secrets of anyone. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("EngineConfig(");
        ours.forEach((key, value) -> {
            if (value != null) {
                ConfigDef.Type type = EngineConfigDef.OURS.configKeys().get(key).type;
                text.append(key)
                        .append('=')
                        .append(shown(key, type, value.toString()))
                        .append(", ");
            }
        });
        return text.append("passed on: ").append(passedOn.keySet()).append(')').toString();
    }
}
