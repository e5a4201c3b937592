package io.perceptronstreams.embed;

import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.serialization.Serializer;

/**
 * Serializer for producers of examples, labels and commands: Avro in the Confluent wire format.
 *
 * <pre>{@code
 * Map<String, Object> settings = Map.of(
 *         "bootstrap.servers", "localhost:9092", "schema.registry.url", "http://localhost:8081",
 *         "key.serializer", StringSerializer.class, "value.serializer", EventSerializer.class);
 * try (Producer<String, GenericRecord> producer = new KafkaProducer<>(settings)) {
 *     NamedFeatures features = new NamedFeatures(Map.of("amount", 3.5));
 *     producer.send(new ProducerRecord<>("perceptron-examples", "fraud", new Example("a1", null, features, 1.0)));
 *     producer.send(new ProducerRecord<>("perceptron-examples", "fraud", new Label("a1", "ok", 1.0, null, null)));
 * }
 * }</pre>
 *
 * <p>Registers each schema once under {@code TOPIC-value} or, for any other event than an Example, {@code TOPIC-NAME}.
 * Reads {@code schema.registry.url} and the other keys of {@link io.perceptronstreams.registry.http.RegistryConfig}
 * from the settings of the producer. Not thread-safe, as each producer has its own serializer.
 */
public final class EventSerializer implements Serializer<GenericRecord> {
    private final Map<String, EventWriter> writers = new HashMap<>();
    private SchemaRegistry registry;

    @Override
    public void configure(Map<String, ?> settings, boolean isKey) {
        registry = SchemaRegistries.of(settings);
    }

    /**
     * Returns the schema of an event, to create records with.
     *
     * @param name Example, ExampleBatch, Label or ModelCommand
     */
    public static Schema schema(String name) {
        return EventSchemas.schema(name);
    }

    @Override
    public byte[] serialize(String topic, GenericRecord event) {
        if (event == null) {
            return null;
        }
        String name = event.getSchema().getName();
        // generated classes have a property for Java's strings in their schemas
        Schema schema = event instanceof SpecificRecord ? EventSchemas.schema(name) : event.getSchema();
        String subject = topic + "-" + (name.equals("Example") ? "value" : name);
        return writers.computeIfAbsent(subject, any -> new EventWriter(schema, registry.register(subject, schema)))
                .write(event);
    }

    @Override
    public void close() {
        if (registry != null) {
            registry.close();
        }
    }
}
