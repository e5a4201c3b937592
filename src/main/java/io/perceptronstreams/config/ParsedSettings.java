package io.perceptronstreams.config;

import io.perceptronstreams.config.ConfigSources.Setting;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.streams.StreamsConfig;

/** Validated settings, sorted by receiver: the engine, Kafka, the registry client. */
final class ParsedSettings {
    private static final String URL = EngineConfigDef.REGISTRY_URL.name();

    private final Map<String, Object> own = new TreeMap<>();
    private final Map<String, Object> passThrough = new TreeMap<>();
    private final Map<String, String> registry = new TreeMap<>();
    private final Map<String, String> origins = new TreeMap<>();

    /** Parses settings and adds all faults to {@code faults}. */
    ParsedSettings(Map<String, Setting> settings, List<String> faults) {
        for (ConfigKey key : EngineConfigDef.ENGINE_KEYS.configKeys().values()) {
            own.put(key.name, key.defaultValue);
        }
        registry.put(URL, (String) own.get(URL));
        settings.forEach((name, setting) -> put(name, setting, faults));
    }

    /** Settings of the engine, defaults included. */
    Map<String, Object> own() {
        return own;
    }

    /** Settings under {@code prefix} + {@code group} without the prefix, secrets in plain text; those without a value are left out. */
    static Map<String, String> plainTexts(Map<String, Object> settings, String prefix, String group) {
        Map<String, String> texts = new TreeMap<>();
        settings.forEach((key, value) -> {
            if (key.startsWith(prefix + group) && value != null) {
                texts.put(
                        key.substring(prefix.length()),
                        value instanceof Password secret ? secret.value() : value.toString());
            }
        });
        return texts;
    }

    /** Settings that are passed to Kafka. */
    Map<String, Object> passThrough() {
        return passThrough;
    }

    /** Settings of the registry client. */
    Map<String, String> registry() {
        return registry;
    }

    /** Sources of the settings that have no default. */
    Map<String, String> origins() {
        return origins;
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
        Optional<ConfigKey> kafkaKey = KafkaKeys.find(name);
        if (kafkaKey.isPresent()) {
            parse(name, kafkaKey.get(), setting, faults);
        } else {
            Optional<String> suggestion = KafkaKeys.suggest(name);
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
        return EngineConfigDef.ENGINE_KEYS.configKeys().containsKey(key.name)
                ? key.validator.toString().startsWith("be ") || key.type == ConfigDef.Type.STRING
                        ? key.validator.toString()
                        : type
                : type + " and fit " + key.validator;
    }

    /** A value for a message; secrets are hidden. */
    static String shown(String name, ConfigDef.Type type, String value) {
        if (type == ConfigDef.Type.PASSWORD) {
            return "a value that is not shown";
        }
        return "'" + (name.equals(URL) ? withoutUser(value) : value) + "'";
    }

    /** An address may contain user:password@. */
    static String withoutUser(String value) {
        return value.replaceAll("//[^/@,]*@", "//…@");
    }
}
