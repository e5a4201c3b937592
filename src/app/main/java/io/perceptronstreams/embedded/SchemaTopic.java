package io.perceptronstreams.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The compacted topic {@code _schemas}, in Confluent's layout: keys and values are JSON. */
final class SchemaTopic implements AutoCloseable {

    static final String NAME = "_schemas";

    /** A record of the topic; key and value are null where a foreign record has none. */
    record Entry(JsonNode key, JsonNode value) {}

    private static final Logger LOG = LoggerFactory.getLogger(SchemaTopic.class);
    private static final TopicPartition PARTITION = new TopicPartition(NAME, 0);
    private static final String TIMEOUT_MS = "15000";

    private final Map<String, Object> client;
    private final Producer<byte[], byte[]> producer;

    /** Creates the topic if it is missing. */
    SchemaTopic(String bootstrapServers) {
        client = Map.of(
                "bootstrap.servers", bootstrapServers,
                "client.id", "embedded-registry",
                "request.timeout.ms", "10000",
                "default.api.timeout.ms", TIMEOUT_MS,
                "metric.reporters", "",
                "enable.metrics.push", "false");
        create();
        producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", bootstrapServers,
                        "client.id", "embedded-registry",
                        "acks", "all",
                        "enable.idempotence", "true",
                        "request.timeout.ms", "5000",
                        "delivery.timeout.ms", TIMEOUT_MS,
                        "max.block.ms", TIMEOUT_MS,
                        "buffer.memory", "4194304",
                        "metric.reporters", "",
                        "enable.metrics.push", "false"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private void create() {
        try (var admin = Admin.create(client)) {
            var topic =
                    new NewTopic(NAME, Optional.of(1), Optional.empty()).configs(Map.of("cleanup.policy", "compact"));
            admin.createTopics(List.of(topic)).all().get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw new EmbeddedException(
                        "topic " + NAME + " cannot be created: " + e.getCause().getMessage(), e);
            }
            check();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Fails if the topic would lose schemas or their order. */
    private void check() {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, NAME);
        try (var admin = Admin.create(client)) {
            int partitions = admin.describeTopics(List.of(NAME))
                    .allTopicNames()
                    .get()
                    .get(NAME)
                    .partitions()
                    .size();
            String policy = admin.describeConfigs(List.of(resource))
                    .all()
                    .get()
                    .get(resource)
                    .get("cleanup.policy")
                    .value();
            if (partitions != 1 || !policy.equals("compact")) {
                throw new EmbeddedException(
                        "topic " + NAME + " must have 1 partition and cleanup.policy=compact, has " + partitions
                                + " and " + policy + "; change it or delete it",
                        null);
            }
        } catch (ExecutionException e) {
            throw new EmbeddedException(
                    "topic " + NAME + " cannot be described: " + e.getCause().getMessage(), e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Returns all records from the beginning to the current end, in order; skips records that are not JSON. */
    List<Entry> read() {
        var entries = new ArrayList<Entry>();
        try (var consumer = new KafkaConsumer<>(client, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            long end = consumer.endOffsets(List.of(PARTITION)).get(PARTITION);
            while (consumer.position(PARTITION) < end) {
                for (var message : consumer.poll(Duration.ofSeconds(1))) {
                    try {
                        entries.add(new Entry(json(message.key()), json(message.value())));
                    } catch (IOException e) {
                        LOG.warn("skipped {}@{}, which is not JSON: {}", PARTITION, message.offset(), e.getMessage());
                    }
                }
            }
        }
        return entries;
    }

    /**
     * Appends an entry and waits until it is stored.
     *
     * @throws EmbeddedException if the write failed; the entry may be stored
     */
    void write(Entry entry) {
        try {
            producer.send(new ProducerRecord<>(NAME, 0, bytes(entry.key()), bytes(entry.value())))
                    .get();
        } catch (ExecutionException e) {
            throw new EmbeddedException(
                    "schemas cannot be stored: " + e.getCause().getMessage(), e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(2));
    }

    private static byte[] bytes(JsonNode node) {
        return node.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static JsonNode json(byte[] bytes) throws IOException {
        return bytes == null ? null : RegistryRequest.JSON.readTree(bytes);
    }

    private static EmbeddedException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new EmbeddedException("interrupted", e);
    }
}
