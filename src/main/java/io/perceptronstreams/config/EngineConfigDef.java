package io.perceptronstreams.config;

import static org.apache.kafka.common.config.ConfigDef.Importance.HIGH;
import static org.apache.kafka.common.config.ConfigDef.Importance.LOW;
import static org.apache.kafka.common.config.ConfigDef.Importance.MEDIUM;

import io.perceptronstreams.store.SharedRocksMemory;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.streams.StreamsConfig;

/** Definitions of the settings: names, types, defaults and rules; suggestions for misspelt keys. */
final class EngineConfigDef {
    static final String BOOTSTRAP_SERVERS = "bootstrap.servers";
    static final String REGISTRY_URL = "schema.registry.url";
    static final String TOPICS_PREFIX = "topics.prefix";
    static final String APPLICATION_ID = "application.id";
    static final String DATA_DIR = "data.dir";
    static final String STATE_DIR = "state.dir";
    static final String TOPICS_CREATE = "topics.create";
    static final String TOPICS_PARTITIONS = "topics.partitions";
    static final String TOPICS_REPLICATION_FACTOR = "topics.replication.factor";
    static final String MISROUTED = "misrouted";
    static final String MODELS_AUTO_CREATE = "models.auto.create";
    static final String MODELS_MAX = "models.max";
    static final String MODELS_IDLE_MS = "models.idle.ms";
    static final String OUTPUT_FORMAT = "output.format";
    static final String STORE_HEAP_BYTES = "store.heap.bytes";
    static final String STORE_CACHE_BYTES = SharedRocksMemory.CACHE_BYTES;
    static final String CHECKPOINT_INTERVAL_MS = "checkpoint.interval.ms";
    static final String HTTP_HOST = "http.host";
    static final String HTTP_PORT = "http.port";
    static final String HTTP_AUTH = "http.auth";
    static final String HTTP_INSECURE = "http.insecure";
    static final String HTTP_NAMES = "http.names";
    static final String HTTP_STREAMS_MAX = "http.streams.max";
    static final String HTTP_CONNECTIONS_MAX = "http.connections.max";
    static final String HTTP_LOOKBACK_RECORDS = "http.lookback.records";
    static final String HTTP_PREFIX = "http.";
    static final String PROCESSING_GUARANTEE = StreamsConfig.PROCESSING_GUARANTEE_CONFIG;

    /** Kafka Streams' handlers that continue after an error; they would lose records. */
    static final List<String> EXCEPTION_HANDLERS = List.of(
            StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG,
            StreamsConfig.PRODUCTION_EXCEPTION_HANDLER_CLASS_CONFIG,
            "default.production.exception.handler");

    /** Keys of the registry client, besides those that start with {@link #REGISTRY_PREFIX}. */
    static final List<String> REGISTRY_KEYS = List.of(
            REGISTRY_URL,
            "basic.auth.credentials.source",
            "basic.auth.user.info",
            "bearer.auth.credentials.source",
            "bearer.auth.token",
            "auto.register.schemas",
            "use.latest.version");

    static final String REGISTRY_PREFIX = "schema.registry.";

    private static final Pattern TOPIC_CHARACTERS = Pattern.compile("[A-Za-z0-9._-]+");
    /** A topic name has at most 249 characters; the changelog has the longest suffix. */
    private static final int MAX_PREFIX = 249 - "-models-changelog".length();

    /** Maximum edit distance of a misspelt key. */
    private static final int MAX_DISTANCE = 2;

    /** Null defaults depend on other keys; see {@link EngineConfig}. */
    static final ConfigDef ENGINE_KEYS = define();

    private static final Map<String, ConfigKey> KAFKA_KEYS = kafkaKeys();
    private static final List<String> CLIENT_PREFIXES =
            List.of("main.consumer.", "restore.consumer.", "global.consumer.", "consumer.", "producer.", "admin.");

    private EngineConfigDef() {}

    private static ConfigDef define() {
        ConfigDef def = new ConfigDef()
                .define(
                        BOOTSTRAP_SERVERS,
                        ConfigDef.Type.STRING,
                        "localhost:9092",
                        rule("name at least one host:port", EngineConfigDef::isServerList),
                        HIGH,
                        "Bootstrap brokers, host:port, separated by commas.")
                .define(
                        REGISTRY_URL,
                        ConfigDef.Type.STRING,
                        "http://localhost:8081",
                        rule("be http://, https:// or mock:// addresses", EngineConfigDef::isRegistryList),
                        HIGH,
                        "Schema registry; mock://NAME for an in-memory one.")
                .define(
                        "basic.auth.credentials.source",
                        ConfigDef.Type.STRING,
                        "URL",
                        MEDIUM,
                        "Source of user and password for the registry: URL or USER_INFO.")
                .define(
                        "basic.auth.user.info",
                        ConfigDef.Type.PASSWORD,
                        null,
                        MEDIUM,
                        "user:password for the registry.")
                .define(
                        "bearer.auth.credentials.source",
                        ConfigDef.Type.STRING,
                        null,
                        LOW,
                        "Source of the token for the registry: STATIC_TOKEN.")
                .define("bearer.auth.token", ConfigDef.Type.PASSWORD, null, MEDIUM, "Token for the registry.")
                .define(
                        "auto.register.schemas",
                        ConfigDef.Type.BOOLEAN,
                        true,
                        MEDIUM,
                        "Whether to register the event schemas.")
                .define(
                        "use.latest.version",
                        ConfigDef.Type.BOOLEAN,
                        false,
                        LOW,
                        "Whether to write with the newest registered schema.")
                .define(
                        TOPICS_PREFIX,
                        ConfigDef.Type.STRING,
                        "perceptron",
                        topicCharacters(),
                        HIGH,
                        "Prefix of all topic names.")
                .define(
                        APPLICATION_ID,
                        ConfigDef.Type.STRING,
                        null,
                        topicCharacters(),
                        HIGH,
                        "Group, transactional id and changelog; topics.prefix if not set.")
                .define(
                        DATA_DIR,
                        ConfigDef.Type.STRING,
                        ".perceptron",
                        new ConfigDef.NonEmptyString(),
                        MEDIUM,
                        "Directory of all files.")
                .define(
                        STATE_DIR,
                        ConfigDef.Type.STRING,
                        null,
                        MEDIUM,
                        "Directory of the local copies of models; data.dir/state if not set.")
                .define(
                        TOPICS_CREATE,
                        ConfigDef.Type.BOOLEAN,
                        false,
                        MEDIUM,
                        "Whether to create missing topics at start-up.")
                .define(
                        TOPICS_PARTITIONS,
                        ConfigDef.Type.INT,
                        4,
                        rule("be at least 1", v -> (Integer) v >= 1),
                        MEDIUM,
                        "Partitions of topics to create.")
                .define(
                        TOPICS_REPLICATION_FACTOR,
                        ConfigDef.Type.SHORT,
                        (short) -1,
                        rule("be at least 1, or -1 for the broker's default", v -> (Short) v == -1 || (Short) v >= 1),
                        MEDIUM,
                        "Replication factor of topics to create.")
                .define(
                        MISROUTED,
                        ConfigDef.Type.STRING,
                        "reroute",
                        oneOf("reroute", "dead-letter"),
                        MEDIUM,
                        "Handling of a record on a partition other than murmur2's.")
                .define(
                        MODELS_AUTO_CREATE,
                        ConfigDef.Type.BOOLEAN,
                        true,
                        MEDIUM,
                        "Whether the first example of a model creates it.")
                .define(
                        MODELS_MAX,
                        ConfigDef.Type.INT,
                        100_000,
                        rule("be at least 1", v -> (Integer) v >= 1),
                        MEDIUM,
                        "Maximum number of models of a partition; a record that would create one more is refused.")
                .define(
                        MODELS_IDLE_MS,
                        ConfigDef.Type.LONG,
                        0L,
                        rule("be at least 0", v -> (Long) v >= 0),
                        MEDIUM,
                        "Stream time without a record for a model after which it is deleted, in ms; 0: never.")
                .define(
                        OUTPUT_FORMAT,
                        ConfigDef.Type.STRING,
                        "avro",
                        oneOf("avro", "json"),
                        MEDIUM,
                        "Encoding of output events.")
                .define(
                        STORE_HEAP_BYTES,
                        ConfigDef.Type.LONG,
                        0L,
                        rule("be at least 0", v -> (Long) v >= 0),
                        MEDIUM,
                        "Heap for live models; 0: half of the JVM's.")
                .define(
                        STORE_CACHE_BYTES,
                        ConfigDef.Type.LONG,
                        128L << 20,
                        rule("be at least 1048576", v -> (Long) v >= 1 << 20),
                        LOW,
                        "Memory outside the heap for the stores of all partitions: block cache and write buffers.")
                .define(
                        CHECKPOINT_INTERVAL_MS,
                        ConfigDef.Type.LONG,
                        5_000L,
                        rule("be from 100 to 600000", v -> (Long) v >= 100 && (Long) v <= 600_000),
                        MEDIUM,
                        "Time between two checkpoints of the models; later examples are learned again after a crash.");
        defineHttp(def);
        // TLS keys of the registry are those of Kafka with a prefix, with the same types, so that secrets stay secrets.
        ConfigDef tls = new ConfigDef();
        SslConfigs.addClientSslSupport(tls);
        tls.configKeys()
                .forEach((name, key) ->
                        def.define(REGISTRY_PREFIX + name, key.type, null, LOW, "As " + name + ", for the registry."));
        return def;
    }

    private static void defineHttp(ConfigDef def) {
        def.define(
                        HTTP_HOST,
                        ConfigDef.Type.STRING,
                        "127.0.0.1",
                        new ConfigDef.NonEmptyString(),
                        MEDIUM,
                        "Address on which the monitor listens.")
                .define(
                        HTTP_PORT,
                        ConfigDef.Type.INT,
                        -1,
                        rule(
                                "be a port, 0 for any free one, or -1 for none",
                                v -> (Integer) v >= -1 && (Integer) v < 65536),
                        MEDIUM,
                        "Port on which the monitor listens.")
                .define(
                        HTTP_AUTH,
                        ConfigDef.Type.PASSWORD,
                        null,
                        MEDIUM,
                        "Credentials of every request: basic:USER:PASSWORD or bearer:TOKEN.")
                .define(
                        HTTP_INSECURE,
                        ConfigDef.Type.BOOLEAN,
                        false,
                        LOW,
                        "Whether to listen on other addresses than loopback without http.auth.")
                .define(
                        HTTP_NAMES,
                        ConfigDef.Type.LIST,
                        List.of(),
                        LOW,
                        "Additional host names of the monitor, without ports.")
                .define(
                        HTTP_STREAMS_MAX,
                        ConfigDef.Type.INT,
                        100,
                        rule("be at least 1", v -> (Integer) v >= 1),
                        LOW,
                        "Maximum number of concurrent event streams.")
                .define(
                        HTTP_CONNECTIONS_MAX,
                        ConfigDef.Type.INT,
                        4096,
                        rule("be at least 1", v -> (Integer) v >= 1),
                        LOW,
                        "Maximum number of concurrent connections.")
                .define(
                        HTTP_LOOKBACK_RECORDS,
                        ConfigDef.Type.LONG,
                        20_000L,
                        rule("be at least 1", v -> (Long) v >= 1),
                        LOW,
                        "Records per partition that the monitor reads again at its start.");
        ConfigDef tls = new ConfigDef();
        SslConfigs.addClientSslSupport(tls);
        tls.configKeys().forEach((name, key) -> {
            if (name.startsWith("ssl.keystore.") || name.equals(SslConfigs.SSL_KEY_PASSWORD_CONFIG)) {
                def.define(HTTP_PREFIX + name, key.type, null, LOW, "As " + name + ", for the monitor's HTTPS.");
            }
        });
    }

    private static Map<String, ConfigKey> kafkaKeys() {
        Map<String, ConfigKey> all = new TreeMap<>();
        all.putAll(AdminClientConfig.configDef().configKeys());
        all.putAll(ProducerConfig.configDef().configKeys());
        all.putAll(ConsumerConfig.configDef().configKeys());
        all.putAll(StreamsConfig.configDef().configKeys());
        return all;
    }

    /** Definition of a Kafka key, also with a client prefix; empty if Kafka has no such key. */
    static Optional<ConfigKey> kafkaKey(String key) {
        ConfigKey whole = KAFKA_KEYS.get(key);
        if (whole != null) {
            return Optional.of(whole);
        }
        return CLIENT_PREFIXES.stream()
                .filter(key::startsWith)
                .map(prefix -> KAFKA_KEYS.get(key.substring(prefix.length())))
                .filter(Objects::nonNull)
                .findFirst();
    }

    static boolean isRegistryKey(String key) {
        return REGISTRY_KEYS.contains(key) || key.startsWith(REGISTRY_PREFIX);
    }

    /** Suggests a known key for a misspelt one; empty if none is similar (it may be for a plug-in of Kafka). */
    static Optional<String> suggest(String key) {
        return nearest(ENGINE_KEYS.names(), key).or(() -> {
            String prefix =
                    CLIENT_PREFIXES.stream().filter(key::startsWith).findFirst().orElse("");
            return nearest(KAFKA_KEYS.keySet(), key.substring(prefix.length())).map(prefix::concat);
        });
    }

    private static Optional<String> nearest(Set<String> known, String key) {
        String nearest = null;
        int best = MAX_DISTANCE + 1;
        for (String name : known) {
            int distance = letters(name).equals(letters(key)) ? 0 : distance(name, key);
            if (distance < best) {
                nearest = name;
                best = distance;
            }
        }
        return Optional.ofNullable(nearest);
    }

    private static String letters(String key) {
        return key.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
    }

    /** Levenshtein distance: number of inserted, removed or replaced characters. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }

    private interface Test {
        boolean holds(Object value);
    }

    /** A validator whose text completes the sentence "KEY must …". */
    private static ConfigDef.Validator rule(String must, Test test) {
        return new ConfigDef.Validator() {
            @Override
            public void ensureValid(String name, Object value) {
                if (value != null && !test.holds(value)) {
                    throw new ConfigException(name + " must " + must);
                }
            }

            @Override
            public String toString() {
                return must;
            }
        };
    }

    private static ConfigDef.Validator oneOf(String... values) {
        return rule("be one of " + String.join(", ", values), List.of(values)::contains);
    }

    private static ConfigDef.Validator topicCharacters() {
        return rule(
                "consist of 1 to " + MAX_PREFIX + " letters, digits, '.', '_' and '-'",
                value -> ((String) value).length() <= MAX_PREFIX
                        && TOPIC_CHARACTERS.matcher((String) value).matches());
    }

    private static boolean isServerList(Object value) {
        return Pattern.matches("\\s*[^\\s,]+:\\d+(\\s*,\\s*[^\\s,]+:\\d+)*\\s*", (String) value);
    }

    private static boolean isRegistryList(Object value) {
        return Pattern.matches("\\s*(https?|mock)://[^\\s,]+(\\s*,\\s*(https?|mock)://[^\\s,]+)*\\s*", (String) value);
    }
}
