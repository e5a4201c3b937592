package io.perceptronstreams.embed;

import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * Deserializer for consumers of predictions, mistakes and the other output topics: Avro in the Confluent wire format,
 * or JSON, as objects of the classes in {@code io.perceptronstreams.event}, which are generic records of this version's
 * schema, too.
 *
 * <pre>{@code
 * Map<String, Object> settings = Map.of(
 *         "bootstrap.servers", "localhost:9092", "schema.registry.url", "http://localhost:8081",
 *         "key.deserializer", StringDeserializer.class, "value.deserializer", EventDeserializer.class,
 *         "isolation.level", "read_committed", "group.id", "yours");
 * try (Consumer<String, GenericRecord> consumer = new KafkaConsumer<>(settings)) {
 *     consumer.subscribe(List.of("perceptron-predictions"));
 *     for (ConsumerRecord<String, GenericRecord> record : consumer.poll(Duration.ofSeconds(1))) {
 *         System.out.println(record.key() + ": " + record.value().get("labelText"));
 *     }
 * }
 * }</pre>
 *
 * <p>The event follows from the topic's name: {@code perceptron-mistakes} has Mistakes. Those who send several examples
 * in one record get their predictions as a PredictionBatch. Reads {@code schema.registry.url} and the other keys of
 * {@link io.perceptronstreams.registry.http.RegistryConfig} from the settings of the consumer.
 */
public final class EventDeserializer implements Deserializer<GenericRecord> {
    private final Map<String, EventReader<?>> readers = new HashMap<>();
    private SchemaRegistry registry;

    @Override
    public void configure(Map<String, ?> settings, boolean isKey) {
        registry = SchemaRegistries.of(settings);
    }

    @Override
    public GenericRecord deserialize(String topic, byte[] value) {
        if (value == null) {
            return null;
        }
        EventReader<?> reader = readers.computeIfAbsent(topic, any -> EventReader.of(topic(topic), registry));
        try {
            return (GenericRecord) (reader.isBatch(value) ? reader.readBatch(value) : reader.read(value));
        } catch (IllegalArgumentException | RegistryException e) {
            throw new SerializationException("record of " + topic + ": " + e.getMessage(), e);
        }
    }

    private static Topic topic(String name) {
        for (Topic topic : Topic.values()) {
            if (topic.event() != null && name.endsWith("-" + topic.suffix())) {
                return topic;
            }
        }
        throw new SerializationException(
                "topic must be one of the engine's, such as perceptron-predictions, got " + name);
    }

    @Override
    public void close() {
        if (registry != null) {
            registry.close();
        }
    }
}
