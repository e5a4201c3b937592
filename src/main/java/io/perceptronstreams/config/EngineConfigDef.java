package io.perceptronstreams.config;

import static org.apache.kafka.common.config.ConfigDef.Type.BOOLEAN;
import static org.apache.kafka.common.config.ConfigDef.Type.INT;
import static org.apache.kafka.common.config.ConfigDef.Type.LIST;
import static org.apache.kafka.common.config.ConfigDef.Type.LONG;
import static org.apache.kafka.common.config.ConfigDef.Type.PASSWORD;
import static org.apache.kafka.common.config.ConfigDef.Type.SHORT;
import static org.apache.kafka.common.config.ConfigDef.Type.STRING;

import io.perceptronstreams.store.AllowedSettings;
import io.perceptronstreams.store.SharedRocksMemory;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.streams.StreamsConfig;

/** Definitions of the engine's settings: names, types, defaults, rules and descriptions. */
public final class EngineConfigDef {
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
    static final String COMMANDS_KEY = "commands.key";
    static final String SETTINGS_BOUNDS = "settings.bounds";
    static final String OUTPUT_FORMAT = "output.format";
    static final String STORE_HEAP_BYTES = "store.heap.bytes";
    static final String STORE_CACHE_BYTES = SharedRocksMemory.CACHE_BYTES;
    static final String CHECKPOINT_INTERVAL_MS = "checkpoint.interval.ms";
    static final String UNKNOWN_SCHEMA_GRACE_MS = "unknown.schema.grace.ms";
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

    /** Null defaults depend on other keys; see {@link EngineConfig}. */
    static final ConfigDef ENGINE_KEYS = define();

    private EngineConfigDef() {}

    /** Receives the definition of a setting. */
    @FunctionalInterface
    public interface Described {
        void accept(String name, String defaultText, String description);
    }

    /** Passes all settings of the engine; those for TLS only as one for each group. */
    public static void describe(Described described) {
        for (ConfigKey key : ENGINE_KEYS.configKeys().values()) {
            if (!key.name.contains(".ssl.")) {
                String text = key.defaultValue == null ? "" : ConfigDef.convertToString(key.defaultValue, key.type);
                described.accept(key.name, text, key.documentation);
            }
        }
        described.accept("schema.registry.ssl.…", "", "TLS of the registry, as Kafka's ssl.…");
        described.accept(
                "http.ssl.keystore.…, http.ssl.key.password", "", "TLS of the monitor, as Kafka's ssl.keystore.…");
    }

    private static ConfigDef define() {
        ConfigDef def = new ConfigDef();
        key(
                def,
                BOOTSTRAP_SERVERS,
                STRING,
                "localhost:9092",
                rule("name at least one host:port", EngineConfigDef::isServerList),
                "bootstrap brokers, host:port, separated by commas");
        key(
                def,
                REGISTRY_URL,
                STRING,
                "http://localhost:8081",
                rule("be http://, https:// or mock:// addresses", EngineConfigDef::isRegistryList),
                "schema registry; several, separated by commas, are tried in turn; mock://NAME is one in memory");
        key(
                def,
                "basic.auth.credentials.source",
                STRING,
                "URL",
                null,
                "source of user and password for the registry: URL, or USER_INFO for basic.auth.user.info");
        key(def, "basic.auth.user.info", PASSWORD, null, null, "user:password for the registry");
        key(
                def,
                "bearer.auth.credentials.source",
                STRING,
                null,
                null,
                "source of the token for the registry: STATIC_TOKEN");
        key(def, "bearer.auth.token", PASSWORD, null, null, "token for the registry");
        key(def, "auto.register.schemas", BOOLEAN, true, null, "whether to register the event schemas");
        key(
                def,
                "use.latest.version",
                BOOLEAN,
                false,
                null,
                "whether to write with the newest registered schema; only with auto.register.schemas=false");
        key(def, TOPICS_PREFIX, STRING, "perceptron", topicCharacters(), "prefix of all topic names");
        key(
                def,
                APPLICATION_ID,
                STRING,
                null,
                topicCharacters(),
                "consumer group and prefix of transactional ids and changelog; topics.prefix if not set, so that one prefixed ACL covers everything");
        key(def, DATA_DIR, STRING, ".perceptron", new ConfigDef.NonEmptyString(), "directory of all files");
        key(
                def,
                STATE_DIR,
                STRING,
                null,
                rule("be a directory", value -> !((String) value).isEmpty()),
                "directory of the local copies of models; data.dir/state if not set");
        key(
                def,
                TOPICS_CREATE,
                BOOLEAN,
                false,
                null,
                "whether to create missing topics at start-up; true with --embedded");
        key(
                def,
                TOPICS_PARTITIONS,
                INT,
                4,
                rule("be at least 1", v -> (Integer) v >= 1),
                "partitions of topics to create");
        key(
                def,
                TOPICS_REPLICATION_FACTOR,
                SHORT,
                (short) -1,
                rule("be at least 1, or -1 for the broker's default", v -> (Short) v == -1 || (Short) v >= 1),
                "replication factor of topics to create; -1: the broker's default");
        key(
                def,
                MISROUTED,
                STRING,
                "reroute",
                oneOf("reroute", "dead-letter"),
                "what happens to a record on another partition than murmur2's of its key: it is sent on, or refused as a dead letter");
        key(def, MODELS_AUTO_CREATE, BOOLEAN, true, null, "whether the first example of a model creates it");
        key(
                def,
                MODELS_MAX,
                INT,
                100_000,
                rule("be at least 1", v -> (Integer) v >= 1),
                "maximum number of models of a partition; a record that would create one more is refused");
        key(
                def,
                MODELS_IDLE_MS,
                LONG,
                0L,
                rule("be at least 0", v -> (Long) v >= 0),
                "stream time without a record for a model after which it is deleted, in ms; 0: never");
        key(
                def,
                COMMANDS_KEY,
                PASSWORD,
                null,
                rule(
                        "be keys of 16 characters or more without spaces, separated by commas",
                        EngineConfigDef::isKeyList),
                "secret keys, separated by commas: the engine refuses commands and imports that are not signed with one of them, and the commands sign with the first; none: it refuses none");
        key(
                def,
                SETTINGS_BOUNDS,
                STRING,
                "",
                rule(AllowedSettings.RULE, EngineConfigDef::areBounds),
                "bounds on the settings that commands and imports may set, such as blocks.max<=200000,snapshot.every>=1000, separated by commas; 0 is always allowed; empty: none");
        key(def, OUTPUT_FORMAT, STRING, "avro", oneOf("avro", "json"), "encoding of output events: avro or json");
        key(
                def,
                STORE_HEAP_BYTES,
                LONG,
                0L,
                rule("be at least 0", v -> (Long) v >= 0),
                "heap for live models, above which the least recently used ones are written and dropped; 0: 60 % of the largest heap");
        key(
                def,
                STORE_CACHE_BYTES,
                LONG,
                128L << 20,
                rule("be at least 1048576", v -> (Long) v >= 1 << 20),
                "memory outside the heap for the stores of all partitions: block cache and write buffers of RocksDB");
        key(
                def,
                CHECKPOINT_INTERVAL_MS,
                LONG,
                5_000L,
                rule("be from 100 to 600000", v -> (Long) v >= 100 && (Long) v <= 600_000),
                "time between two checkpoints of the models; later examples are learned again after a crash");
        key(
                def,
                UNKNOWN_SCHEMA_GRACE_MS,
                LONG,
                30_000L,
                rule("be from 0 to 50000", v -> (Long) v >= 0 && (Long) v <= 50_000),
                "time for which a partition waits for a schema id that the registry does not have, before its records are dead letters; 0: none");
        defineHttp(def);
        // TLS keys of the registry are those of Kafka with a prefix, with the same types, so that secrets stay secrets.
        ConfigDef tls = new ConfigDef();
        SslConfigs.addClientSslSupport(tls);
        tls.configKeys()
                .forEach((name, key) ->
                        key(def, REGISTRY_PREFIX + name, key.type, null, null, "as " + name + ", for the registry"));
        return def;
    }

    private static void defineHttp(ConfigDef def) {
        key(
                def,
                HTTP_HOST,
                STRING,
                "127.0.0.1",
                new ConfigDef.NonEmptyString(),
                "address on which the monitor listens (--http-host)");
        key(
                def,
                HTTP_PORT,
                INT,
                -1,
                rule("be a port, 0 for any free one, or -1 for none", v -> (Integer) v >= -1 && (Integer) v < 65536),
                "port of page, HTTP API and metrics (--http-port); 0: any free one; -1: none; 8080 with --embedded, in demo, monitor and replica");
        key(
                def,
                HTTP_AUTH,
                PASSWORD,
                null,
                null,
                "credentials of every request: basic:USER:PASSWORD or bearer:TOKEN; others can see them on a command line, not in a file or the environment");
        key(
                def,
                HTTP_INSECURE,
                BOOLEAN,
                false,
                null,
                "whether to listen on other addresses than loopback without http.auth, or with it but without TLS (--insecure)");
        key(
                def,
                HTTP_NAMES,
                LIST,
                List.of(),
                null,
                "additional host names of the monitor, without ports, separated by commas");
        key(
                def,
                HTTP_STREAMS_MAX,
                INT,
                100,
                rule("be at least 1", v -> (Integer) v >= 1),
                "maximum number of concurrent event streams");
        key(
                def,
                HTTP_CONNECTIONS_MAX,
                INT,
                4096,
                rule("be at least 1", v -> (Integer) v >= 1),
                "maximum number of concurrent connections");
        key(
                def,
                HTTP_LOOKBACK_RECORDS,
                LONG,
                20_000L,
                rule("be at least 1", v -> (Long) v >= 1),
                "records per partition that the monitor reads again at its start; of the models topic it reads all");
        HttpEvents.define(def);
        ConfigDef tls = new ConfigDef();
        SslConfigs.addClientSslSupport(tls);
        tls.configKeys().forEach((name, key) -> {
            if (name.startsWith("ssl.keystore.") || name.equals(SslConfigs.SSL_KEY_PASSWORD_CONFIG)) {
                key(def, HTTP_PREFIX + name, key.type, null, null, "as " + name + ", for the monitor's HTTPS");
            }
        });
    }

    /** Defines a key; {@code rule} may be null. */
    static void key(
            ConfigDef def,
            String name,
            ConfigDef.Type type,
            Object defaultValue,
            ConfigDef.Validator rule,
            String description) {
        def.define(name, type, defaultValue, rule, ConfigDef.Importance.MEDIUM, description);
    }

    static boolean isRegistryKey(String key) {
        return REGISTRY_KEYS.contains(key) || key.startsWith(REGISTRY_PREFIX);
    }

    interface Test {
        boolean holds(Object value);
    }

    /** A validator whose text completes the sentence "KEY must …". */
    static ConfigDef.Validator rule(String must, Test test) {
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

    private static boolean isKeyList(Object value) {
        return Pattern.matches("\\s*[^\\s,]{16,}(\\s*,\\s*[^\\s,]{16,})*\\s*", ((Password) value).value());
    }

    private static boolean areBounds(Object value) {
        try {
            AllowedSettings.parse((String) value);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean isServerList(Object value) {
        return Pattern.matches("\\s*[^\\s,]+:\\d+(\\s*,\\s*[^\\s,]+:\\d+)*\\s*", (String) value);
    }

    private static boolean isRegistryList(Object value) {
        return Pattern.matches("\\s*(https?|mock)://[^\\s,]+(\\s*,\\s*(https?|mock)://[^\\s,]+)*\\s*", (String) value);
    }
}
