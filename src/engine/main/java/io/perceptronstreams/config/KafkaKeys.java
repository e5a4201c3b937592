package io.perceptronstreams.config;

import io.perceptronstreams.example.SimilarName;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.streams.StreamsConfig;

/** Keys of Kafka's clients and of Kafka Streams. */
final class KafkaKeys {
    private static final Map<String, ConfigKey> KAFKA_KEYS = kafkaKeys();
    private static final List<String> CLIENT_PREFIXES =
            List.of("main.consumer.", "restore.consumer.", "global.consumer.", "consumer.", "producer.", "admin.");

    private KafkaKeys() {}

    private static Map<String, ConfigKey> kafkaKeys() {
        Map<String, ConfigKey> all = new TreeMap<>();
        all.putAll(AdminClientConfig.configDef().configKeys());
        all.putAll(ProducerConfig.configDef().configKeys());
        all.putAll(ConsumerConfig.configDef().configKeys());
        all.putAll(StreamsConfig.configDef().configKeys());
        return all;
    }

    /** Definition of a Kafka key, also with a client prefix; empty if Kafka has no such key. */
    static Optional<ConfigKey> find(String key) {
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

    /** Suggests a Kafka key, with the prefix of {@code key}, for a misspelt one; empty if none is similar. */
    static Optional<String> suggest(String key) {
        String prefix =
                CLIENT_PREFIXES.stream().filter(key::startsWith).findFirst().orElse("");
        return SimilarName.of(key.substring(prefix.length()), KAFKA_KEYS.keySet())
                .map(prefix::concat);
    }
}
