package io.perceptronstreams.client;

import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.serde.Topic;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.KafkaException;

/** Fields that the latest records of the examples topic have and the engine ignores. */
public final class IgnoredFields {
    /** Number of records per partition that are looked at: producers that are active now are among them. */
    static final int LATEST = 100;

    private IgnoredFields() {}

    /**
     * Returns a line for each schema with such fields; none where the records or their schemas cannot be read, which is
     * no fault of the topic.
     */
    public static List<String> of(EngineConfig config) {
        String topic = config.topic(Topic.EXAMPLES);
        Set<String> lines = new LinkedHashSet<>();
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry());
                TopicScan latest = TopicScan.open(config, topic)) {
            InputDecoder decoder = new InputDecoder(registry);
            latest.readLast(LATEST, record -> {
                String line = line(decoder, record.value());
                if (line != null) {
                    lines.add(topic + ": " + line);
                }
            });
        } catch (KafkaException | StartupException | RegistryException e) {
            return List.copyOf(lines);
        }
        return List.copyOf(lines);
    }

    private static String line(InputDecoder decoder, byte[] value) {
        try {
            return value == null ? null : decoder.ignoredFields(value);
        } catch (RejectedException e) {
            // a dead letter says so
            return null;
        }
    }
}
