package io.perceptronstreams.config;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.apache.kafka.streams.StreamsConfig;

/** Keys of Kafka's clients and of Kafka Streams; suggestions for misspelt keys. */
final class KafkaKeys {
    /** Maximum edit distance of a misspelt key. */
    private static final int MAX_DISTANCE = 2;

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

    /** Suggests a known key for a misspelt one; empty if none is similar (it may be for a plug-in of Kafka). */
    static Optional<String> suggest(String key) {
        return nearest(EngineConfigDef.ENGINE_KEYS.names(), key).or(() -> {
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
        return Optional.ofNullable(nearest).or(() -> completed(known, key));
    }

    /** The shortest known key of which only the last word is missing, as {@code .ms} in {@code commit.interval}. */
    private static Optional<String> completed(Set<String> known, String key) {
        return known.stream()
                .filter(name -> name.startsWith(key + ".") && name.indexOf('.', key.length() + 1) < 0)
                .min(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()));
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
}
