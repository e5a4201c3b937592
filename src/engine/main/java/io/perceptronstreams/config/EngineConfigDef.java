package io.perceptronstreams.config;

import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.AllowedSettings;
import io.perceptronstreams.store.SharedRocksMemory;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.streams.StreamsConfig;

/** Definitions of the engine's settings: keys of {@link EngineConfig#get}, types, defaults, rules and descriptions. */
public final class EngineConfigDef {
    static final String HTTP_PREFIX = "http.";
    static final String REGISTRY_PREFIX = "schema.registry.";

    /** A topic name has at most 249 characters; the changelog has the longest suffix. */
    private static final int MAX_PREFIX = 249 - "-models-changelog".length();

    private static final String TOPIC_RULE = "consist of 1 to " + MAX_PREFIX + " letters, digits, '.', '_' and '-'";
    private static final Pattern TOPIC_CHARACTERS = Pattern.compile("[A-Za-z0-9._-]+");

    /** Kafka Streams' handlers that continue after an error; they would lose records. */
    static final List<String> EXCEPTION_HANDLERS = List.of(
            StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG,
            StreamsConfig.PRODUCTION_EXCEPTION_HANDLER_CLASS_CONFIG,
            "default.production.exception.handler");

    /** Keys of the registry client, besides those that start with {@link #REGISTRY_PREFIX}. */
    static final List<String> REGISTRY_KEYS = List.of(
            "schema.registry.url",
            "basic.auth.credentials.source",
            "basic.auth.user.info",
            "bearer.auth.credentials.source",
            "bearer.auth.token",
            "auto.register.schemas",
            "use.latest.version");

    private static final List<String> ALERT_KINDS = EventSchemas.symbols("Alert", "kind");

    /** Definitions in their order. Null defaults depend on other keys; see {@link EngineConfig}. */
    static final ConfigDef ENGINE_KEYS = new ConfigDef();

    public static final EngineKey<String> BOOTSTRAP_SERVERS = define("bootstrap.servers", "localhost:9092")
            .must("name at least one host:port", EngineConfigDef::isServerList)
            .means("bootstrap brokers, host:port, separated by commas");
    public static final EngineKey<String> REGISTRY_URL = define("schema.registry.url", "http://localhost:8081")
            .must("be http://, https:// or mock:// addresses", EngineConfigDef::isRegistryList)
            .means("schema registry; several, separated by commas, are tried in turn; mock://NAME is one in memory");

    static {
        define("basic.auth.credentials.source", "URL")
                .means("source of user and password for the registry: URL, or USER_INFO for basic.auth.user.info");
        secret("basic.auth.user.info").means("user:password for the registry");
        text("bearer.auth.credentials.source").means("source of the token for the registry: STATIC_TOKEN");
        secret("bearer.auth.token").means("token for the registry");
        define("auto.register.schemas", true).means("whether to register the event schemas");
        define("use.latest.version", false)
                .means("whether to write with the newest registered schema; only with auto.register.schemas=false");
    }

    public static final EngineKey<String> TOPICS_PREFIX = define("topics.prefix", "perceptron")
            .must(TOPIC_RULE, EngineConfigDef::isTopicName)
            .means("prefix of all topic names");
    public static final EngineKey<String> APPLICATION_ID = text("application.id")
            .must(TOPIC_RULE, EngineConfigDef::isTopicName)
            .means("consumer group and prefix of transactional ids and changelog; topics.prefix if not set, so"
                    + " that one prefixed ACL covers everything");
    public static final EngineKey<Path> DATA_DIR = define("data.dir", ".perceptron")
            .validated(new ConfigDef.NonEmptyString())
            .means("directory of all files", Path::of);
    public static final EngineKey<String> STATE_DIR = text("state.dir")
            .must("be a directory", dir -> !dir.isEmpty())
            .means("directory of the local copies of models; data.dir/state if not set");
    public static final EngineKey<Boolean> TOPICS_CREATE =
            define("topics.create", false).means("whether to create missing topics at start-up; true with --embedded");
    public static final EngineKey<Integer> TOPICS_PARTITIONS =
            define("topics.partitions", 4).atLeast(1).means("partitions of topics to create");
    public static final EngineKey<Short> TOPICS_REPLICATION_FACTOR = define("topics.replication.factor", (short) -1)
            .must("be at least 1, or -1 for the broker's default", factor -> factor == -1 || factor >= 1)
            .means("replication factor of topics to create; -1: the broker's default");
    public static final EngineKey<Long> TOPICS_RETENTION_MS = define("topics.retention.ms", -1L)
            .must("be at least 1, or -1 for no limit", ms -> ms == -1 || ms >= 1)
            .means("age, by event time, at which brokers delete examples and all outputs but models and weights, in ms;"
                    + " -1: never. Of topics to create; run --embedded and topics retention set it on others, too");
    public static final EngineKey<Long> TOPICS_RETENTION_BYTES = define("topics.retention.bytes", -1L)
            .must("be at least 1, or -1 for no limit", bytes -> bytes == -1 || bytes >= 1)
            .means(
                    "size of a partition at which brokers delete its oldest records, learned or not, of the same topics; -1:"
                            + " none. verify, explain and what-if need all records of a model, or those since a named snapshot");
    public static final EngineKey<EngineConfig.Misrouted> MISROUTED = choice(
            "misrouted",
            EngineConfig.Misrouted.REROUTE,
            "what happens to a record on another partition than murmur2's of its key: it is sent on, or"
                    + " refused as a dead letter");
    public static final EngineKey<Boolean> MODELS_AUTO_CREATE =
            define("models.auto.create", true).means("whether the first example of a model creates it");
    public static final EngineKey<Map<String, String>> MODELS_DEFAULTS = define("models.defaults", "algorithm=adaptive")
            .must("be settings of a model, as algorithm=adaptive predict.scores=true", EngineConfigDef::areSettings)
            .means(
                    "settings of all models to come, separated by blanks, written into each partition of the examples topic when"
                            + " topics create or topics.create=true creates it; perceptron models defaults changes them later."
                            + " Empty: none, a model is then the plain perceptron",
                    EngineConfigDef::settings);
    public static final EngineKey<Integer> MODELS_MAX = define("models.max", 100_000)
            .atLeast(1)
            .means("maximum number of models of a partition; a record that would create one more is refused");
    public static final EngineKey<Long> MODELS_IDLE_MS = define("models.idle.ms", 0L)
            .atLeast(0)
            .means("stream time without a record for a model after which it is deleted, in ms; 0: never");
    public static final EngineKey<List<String>> COMMANDS_KEY = secret("commands.key")
            .must("be keys of 16 characters or more without spaces, separated by commas", EngineConfigDef::isKeyList)
            .means(
                    "secret keys, separated by commas: the engine refuses commands and imports that are not signed"
                            + " with one of them, and the commands sign with the first; none: it refuses none",
                    EngineConfigDef::secrets);
    public static final EngineKey<AllowedSettings> SETTINGS_BOUNDS = define("settings.bounds", "")
            .must(AllowedSettings.RULE, EngineConfigDef::areBounds)
            .means(
                    "bounds on the settings that commands and imports may set, such as"
                            + " blocks.max<=200000,snapshot.every>=1000, separated by commas; 0 is always allowed; empty:"
                            + " none",
                    AllowedSettings::parse);
    public static final EngineKey<EngineConfig.OutputFormat> OUTPUT_FORMAT =
            choice("output.format", EngineConfig.OutputFormat.AVRO, "encoding of output events: avro or json");
    public static final EngineKey<Long> STORE_HEAP_BYTES = define("store.heap.bytes", 0L)
            .atLeast(0)
            .means(
                    "heap for live models, above which those not used lately are written and dropped; 0: 65"
                            + " % of what the old generation may take",
                    bytes -> bytes == 0 ? heapOfModels(Runtime.getRuntime().maxMemory(), oldGeneration()) : bytes);
    public static final EngineKey<Long> STORE_CACHE_BYTES = define(SharedRocksMemory.CACHE_BYTES, 128L << 20)
            .atLeast(1048576)
            .means(
                    "memory outside the heap for the stores of all partitions: block cache and write buffers of RocksDB");
    public static final EngineKey<Long> CHECKPOINT_INTERVAL_MS = define("checkpoint.interval.ms", 5_000L)
            .between(100, 600000)
            .means("time between two checkpoints of the models; later examples are learned again after a crash");
    public static final EngineKey<EngineConfig.GroupProtocol> GROUP_PROTOCOL = choice(
            "group.protocol",
            EngineConfig.GroupProtocol.CLASSIC,
            "protocol by which engines share the partitions: classic, or streams, in which brokers (Kafka 4.2 or newer)"
                    + " assign them; all engines of a group must have the same (docs/partitions.md)");
    public static final EngineKey<Long> COMMIT_INTERVAL_MIN_MS = define("commit.interval.min.ms", 10L)
            .between(0, 3600000)
            .means("minimum time between two commits if no examples are waiting; while some are, the time is"
                    + " commit.interval.ms of Kafka Streams (100); outputs become visible with a commit");
    public static final EngineKey<Long> COMMIT_INTERVAL_MAX_MS = define("commit.interval.max.ms", 1_000L)
            .between(0, 30000)
            .means(
                    "maximum time between two commits while more than a second's work is waiting; the time is half of what"
                            + " exceeds that second, and at least commit.interval.ms (0: always commit.interval.ms)");
    public static final EngineKey<Long> UNKNOWN_SCHEMA_GRACE_MS = define("unknown.schema.grace.ms", 30_000L)
            .between(0, 50000)
            .means("time for which a partition waits for a schema id that the registry does not have, before its"
                    + " records are dead letters; 0: none");
    public static final EngineKey<Long> SHUTDOWN_TIMEOUT_MS = define("shutdown.timeout.ms", 8_000L)
            .between(1000, 600_000)
            .means("time that a stop may take, a quarter of it for the last checkpoint; after it, as after a kill, all"
                    + " models are restored; a platform must wait longer");

    // with the types of Kafka's keys, so that secrets stay secrets
    static {
        tls().forEach((name, key) -> new Definition<>(REGISTRY_PREFIX + name, key.type, null, null)
                .means("as " + name + ", for the registry"));
    }

    public static final EngineKey<String> HTTP_HOST = define("http.host", "127.0.0.1")
            .validated(new ConfigDef.NonEmptyString())
            .means("address on which the monitor listens (--http-host)");
    public static final EngineKey<OptionalInt> HTTP_PORT = define("http.port", -1)
            .must("be a port, 0 for any free one, or -1 for none", port -> port >= -1 && port < 65536)
            .means(
                    "port of page, HTTP API and metrics (--http-port); 0: any free one; -1: none; 8080 with"
                            + " --embedded, in demo, monitor and replica",
                    port -> port < 0 ? OptionalInt.empty() : OptionalInt.of(port));
    public static final EngineKey<String> HTTP_AUTH = secret("http.auth")
            .means(
                    "credentials of every request: basic:USER:PASSWORD or bearer:TOKEN; others can see them on a"
                            + " command line, not in a file or the environment",
                    auth -> auth == null ? null : auth.value());
    public static final EngineKey<Path> HTTP_TOKENS_FILE = text("http.tokens.file")
            .must("be a file", file -> !file.isEmpty())
            .means(
                    "file with the tokens of clients, their roles and models (docs/security.md), which is read again when"
                            + " it changes; with http.auth or instead of it",
                    file -> file == null ? null : Path.of(file));
    public static final EngineKey<String> HTTP_OIDC_ISSUER = text("http.oidc.issuer")
            .must("be an https:// address, or http:// on this machine", EngineConfigDef::isIssuer)
            .means("address of an OpenID Connect issuer whose bearer tokens are accepted (docs/security.md)");
    public static final EngineKey<String> HTTP_OIDC_AUDIENCE = text("http.oidc.audience")
            .must("have a character", audience -> !audience.isBlank())
            .means("audience that these tokens must name");
    public static final EngineKey<String> HTTP_OIDC_ROLES_CLAIM = define("http.oidc.roles.claim", "roles")
            .must("have a character", claim -> !claim.isBlank())
            .means("claim of these tokens with the roles, such as realm_access.roles or /realm_access/roles");
    public static final EngineKey<String> HTTP_OIDC_MODELS_CLAIM = text("http.oidc.models.claim")
            .must("have a character", claim -> !claim.isBlank())
            .means("claim of these tokens with the patterns of the models; none: all models");
    public static final EngineKey<Boolean> HTTP_INSECURE = define("http.insecure", false)
            .means("whether to listen on other addresses than loopback without credentials, or with them but without"
                    + " TLS (--insecure)");
    public static final EngineKey<List<String>> HTTP_NAMES = define("http.names", List.<String>of())
            .means("additional host names of the monitor, without ports, separated by commas");
    public static final EngineKey<Integer> HTTP_STREAMS_MAX =
            define("http.streams.max", 100).atLeast(1).means("maximum number of concurrent event streams");
    public static final EngineKey<Integer> HTTP_CONNECTIONS_MAX =
            define("http.connections.max", 4096).atLeast(1).means("maximum number of concurrent connections");
    public static final EngineKey<Long> HTTP_LOOKBACK_RECORDS = define("http.lookback.records", 20_000L)
            .atLeast(1)
            .means("records per partition that the monitor reads again at its start; of the models topic it reads all");

    public static final EngineKey<Boolean> HTTP_WRITE = define("http.write", false)
            .means("whether examples and labels can be sent by HTTP, and predictions asked for; with the role command"
                    + " (docs/security.md) also commands; requires credentials");
    public static final EngineKey<Integer> HTTP_WRITE_TIMEOUT_MS = define("http.write.timeout.ms", 10_000)
            .between(100, 25000)
            .means("time in which a request by HTTP is answered: with its predictions, or that there are none yet");
    public static final EngineKey<Integer> HTTP_WRITE_REQUESTS_MAX = define("http.write.requests.max", 256)
            .atLeast(1)
            .means("maximum number of such requests, and of predictions by http.replica, at the same time");
    public static final EngineKey<Integer> HTTP_WRITE_RATE_MAX = define("http.write.rate.max", 10_000)
            .atLeast(1)
            .means("maximum number of examples, labels and commands by HTTP per second that are sent to the log");
    public static final EngineKey<Boolean> HTTP_REPLICA = define("http.replica", false)
            .means("whether the process keeps a copy of all models, which answers predictions by HTTP without the log");
    public static final EngineKey<Integer> HTTP_REPLICA_RATE_MAX = define("http.replica.rate.max", 100_000)
            .atLeast(1)
            .means("maximum number of examples per second that http.replica predicts");
    public static final EngineKey<Long> HTTP_REPLICA_AGE_MAX_MS = define("http.replica.age.max.ms", 0L)
            .atLeast(0)
            .means("maximum age in ms of the copy of a model that answers; 0: any");

    public static final EngineKey<String> ALERTS_WEBHOOK_URL = secret("alerts.webhook.url")
            .must("be an http:// or https:// address", EngineConfigDef::isHttpAddress)
            .means(
                    "address to which the monitor sends alerts, each at least once; none: nowhere",
                    address -> address == null ? null : address.value().trim());
    public static final EngineKey<EngineConfig.WebhookForm> ALERTS_WEBHOOK_FORM = choice(
            "alerts.webhook.form",
            EngineConfig.WebhookForm.JSON,
            "form of the alerts that are sent: json (with all fields of the event), slack or alertmanager");
    public static final EngineKey<List<String>> ALERTS_WEBHOOK_KINDS = define(
                    "alerts.webhook.kinds", List.of("QUARANTINED", "DRIFT", "TRIAL", "POSITION"))
            .must("be some of " + String.join(", ", ALERT_KINDS), ALERT_KINDS::containsAll)
            .means("kinds of the alerts that are sent, separated by commas");
    public static final EngineKey<byte[]> ALERTS_WEBHOOK_KEY = secret("alerts.webhook.key")
            .must("be whsec_ and at least 16 bytes in Base64", key -> webhookKey(key).length >= 16)
            .means(
                    "secret key with which the alerts are signed, whsec_ and bytes in Base64; none: they are not signed",
                    key -> key == null ? null : webhookKey(key));

    static {
        tls().forEach((name, key) -> {
            if (name.startsWith("ssl.keystore.") || name.equals(SslConfigs.SSL_KEY_PASSWORD_CONFIG)) {
                new Definition<>(HTTP_PREFIX + name, key.type, null, null)
                        .means("as " + name + ", for the monitor's HTTPS");
            }
        });
    }

    private EngineConfigDef() {}

    /**
     * Key of a setting of the engine.
     *
     * @param read converts the value that Kafka has parsed
     */
    public record EngineKey<T>(String name, Function<Object, T> read) {}

    /** A setting without its description. */
    private record Definition<T>(String name, ConfigDef.Type type, T defaultValue, ConfigDef.Validator validator) {
        /** @param rule completes the sentence "KEY must …" */
        @SuppressWarnings("unchecked") // a value has the type of the key
        Definition<T> must(String rule, Predicate<T> test) {
            return validated(new ConfigDef.Validator() {
                @Override
                public void ensureValid(String key, Object value) {
                    if (value != null && !test.test((T) value)) {
                        throw new ConfigException(key + " must " + rule);
                    }
                }

                @Override
                public String toString() {
                    return rule;
                }
            });
        }

        Definition<T> validated(ConfigDef.Validator by) {
            return new Definition<>(name, type, defaultValue, by);
        }

        Definition<T> atLeast(long low) {
            return must("be at least " + low, value -> ((Number) value).longValue() >= low);
        }

        Definition<T> between(long low, long high) {
            return must(
                    "be from " + low + " to " + high,
                    value -> ((Number) value).longValue() >= low && ((Number) value).longValue() <= high);
        }

        EngineKey<T> means(String description) {
            return means(description, Function.identity());
        }

        @SuppressWarnings("unchecked") // a value has the type of the key
        <R> EngineKey<R> means(String description, Function<T, R> read) {
            ENGINE_KEYS.define(name, type, defaultValue, validator, ConfigDef.Importance.MEDIUM, description);
            return new EngineKey<>(name, value -> read.apply((T) value));
        }
    }

    private static <T> Definition<T> define(String name, T defaultValue) {
        // the types have the names of Java's classes, but for INT
        String type = defaultValue instanceof List
                ? "LIST"
                : defaultValue
                        .getClass()
                        .getSimpleName()
                        .toUpperCase(Locale.ROOT)
                        .replace("INTEGER", "INT");
        return new Definition<>(name, ConfigDef.Type.valueOf(type), defaultValue, null);
    }

    /** A text without a default. */
    private static Definition<String> text(String name) {
        return new Definition<>(name, ConfigDef.Type.STRING, null, null);
    }

    private static Definition<Password> secret(String name) {
        return new Definition<>(name, ConfigDef.Type.PASSWORD, null, null);
    }

    /** One of the constants of an enum, in small letters with hyphens. */
    private static <E extends Enum<E>> EngineKey<E> choice(String name, E defaultValue, String description) {
        Map<String, E> constants = Stream.of(defaultValue.getDeclaringClass().getEnumConstants())
                .collect(Collectors.toMap(
                        EngineConfigDef::spelled, Function.identity(), (a, b) -> a, LinkedHashMap::new));
        return define(name, spelled(defaultValue))
                .must("be one of " + String.join(", ", constants.keySet()), constants::containsKey)
                .means(description, constants::get);
    }

    private static String spelled(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Map<String, ConfigKey> tls() {
        ConfigDef tls = new ConfigDef();
        SslConfigs.addClientSslSupport(tls);
        return tls.configKeys();
    }

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

    static boolean isRegistryKey(String key) {
        return REGISTRY_KEYS.contains(key) || key.startsWith(REGISTRY_PREFIX);
    }

    /** The bytes of a key as Standard Webhooks spells it; none of a malformed one. */
    private static byte[] webhookKey(Password key) {
        String text = key.value().trim();
        try {
            return text.startsWith("whsec_")
                    ? Base64.getDecoder().decode(text.substring("whsec_".length()))
                    : new byte[0];
        } catch (IllegalArgumentException e) {
            return new byte[0];
        }
    }

    private static boolean isHttpAddress(Password address) {
        try {
            URI uri = new URI(address.value().trim());
            return List.of("http", "https").contains(String.valueOf(uri.getScheme()))
                    && uri.getHost() != null
                    && uri.getPort() <= 65_535;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private static boolean isIssuer(String address) {
        try {
            URI uri = new URI(address);
            // in clear text, keys could be replaced on their way
            boolean isLocal = "http".equals(uri.getScheme())
                    && List.of("localhost", "127.0.0.1", "[::1]").contains(String.valueOf(uri.getHost()));
            return uri.getHost() != null
                    && ("https".equals(uri.getScheme()) || isLocal)
                    && uri.getQuery() == null
                    && uri.getFragment() == null;
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private static boolean isTopicName(String text) {
        return text.length() <= MAX_PREFIX && TOPIC_CHARACTERS.matcher(text).matches();
    }

    private static boolean isKeyList(Password keys) {
        return Pattern.matches("\\s*[^\\s,]{16,}(\\s*,\\s*[^\\s,]{16,})*\\s*", keys.value());
    }

    /** The secrets in plain text. */
    private static List<String> secrets(Password keys) {
        return keys == null ? List.of() : List.of(keys.value().trim().split("\\s*,\\s*", -1));
    }

    /**
     * Heap for live models, which lie in the old generation: in a small heap that may be half of it. The more of it
     * they take, the longer a collection of all objects lasts, and the sooner models that come and go fill the rest:
     * with 75 % these collections took twice the time that they take with 65 %.
     */
    static long heapOfModels(long largestHeap, long oldGeneration) {
        return Math.min(largestHeap, oldGeneration) / 20 * 13;
    }

    /** Largest size of the old generation, in bytes. */
    private static long oldGeneration() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                // the pool of a collector in which objects stay
                .filter(pool -> pool.getType() == MemoryType.HEAP && pool.isUsageThresholdSupported())
                .mapToLong(pool -> pool.getUsage().getMax())
                .filter(bytes -> bytes > 0)
                .max()
                .orElse(Long.MAX_VALUE);
    }

    private static boolean areBounds(String text) {
        try {
            AllowedSettings.parse(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean areSettings(String text) {
        try {
            Settings.DEFAULTS.with(settings(text));
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Pairs {@code NAME=VALUE} with blanks between. */
    private static Map<String, String> settings(String text) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String pair : text.isBlank() ? new String[0] : text.trim().split("\\s+", -1)) {
            int end = pair.indexOf('=');
            if (end < 0) {
                throw new IllegalArgumentException("a setting must be NAME=VALUE, got " + pair);
            }
            settings.put(pair.substring(0, end), pair.substring(end + 1));
        }
        return settings;
    }

    private static boolean isServerList(String text) {
        return Pattern.matches("\\s*[^\\s,@]+:\\d+(\\s*,\\s*[^\\s,@]+:\\d+)*\\s*", text);
    }

    private static boolean isRegistryList(String text) {
        return Pattern.matches("\\s*(https?|mock)://[^\\s,]+(\\s*,\\s*(https?|mock)://[^\\s,]+)*\\s*", text);
    }
}
