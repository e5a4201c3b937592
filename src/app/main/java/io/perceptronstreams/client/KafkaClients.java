package io.perceptronstreams.client;

import io.perceptronstreams.cluster.BrokerCheck;
import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.cluster.TopicValidator;
import io.perceptronstreams.config.EngineConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Producers of the commands. */
public final class KafkaClients {
    private static final int API_TIMEOUT_MS = 10_000;

    // the limit of the topic applies; the producer's own default is lower than the limit of many topics
    private static final int MAX_RECORD_BYTES = 16 << 20;

    private KafkaClients() {}

    /** Creates an idempotent producer with Kafka's default partitioner, murmur2 of the key. */
    public static Producer<byte[], byte[]> producer(EngineConfig config) {
        return producer(config, Map.of());
    }

    /**
     * Like {@link #producer}, but sends each record at once, together with those that came while a request was on its
     * way, and gives it up after {@code timeoutMs}.
     */
    public static Producer<byte[], byte[]> promptProducer(EngineConfig config, int timeoutMs) {
        return producer(
                config,
                Map.of(
                        ProducerConfig.LINGER_MS_CONFIG,
                        0,
                        // a record that comes alone does not wait, and of many each request of its own would cost
                        // brokers
                        // and readers more than the record
                        ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                        1,
                        ProducerConfig.MAX_BLOCK_MS_CONFIG,
                        timeoutMs,
                        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                        timeoutMs / 2,
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                        timeoutMs));
    }

    /** Like {@link #producer}, but transactional; its id starts with the application id, like the ids of the engine. */
    static Producer<byte[], byte[]> transactionalProducer(EngineConfig config, String purpose) {
        return producer(
                config,
                Map.of(
                        ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                        config.applicationId() + "-" + purpose + "-" + UUID.randomUUID()));
    }

    /**
     * Creates a transactional producer with the same id in each process: it ends the transaction of one that was
     * killed, and one that still runs fails.
     *
     * @param transactionTimeoutMs time after which the broker aborts the transaction of a process that was killed
     */
    public static Producer<byte[], byte[]> onlyProducer(EngineConfig config, String purpose, int transactionTimeoutMs) {
        Object maxBytes =
                config.clients("producer.").getOrDefault(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_RECORD_BYTES);
        return producer(
                config,
                Map.of(
                        ProducerConfig.MAX_REQUEST_SIZE_CONFIG, maxBytes,
                        ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, transactionTimeoutMs,
                        ProducerConfig.TRANSACTIONAL_ID_CONFIG, config.applicationId() + "-" + purpose));
    }

    private static Producer<byte[], byte[]> producer(EngineConfig config, Map<String, Object> overrides) {
        Map<String, Object> properties = new HashMap<>();
        properties.put(ProducerConfig.LINGER_MS_CONFIG, 10);
        properties.put(ProducerConfig.BATCH_SIZE_CONFIG, 128 * 1024);
        properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, API_TIMEOUT_MS);
        properties.putAll(config.clients("producer."));
        properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        properties.put(ProducerConfig.ACKS_CONFIG, "all");
        properties.put(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG, false);
        properties.remove(ProducerConfig.PARTITIONER_CLASS_CONFIG);
        properties.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        properties.putAll(overrides);
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /**
     * Checks that a topic exists; otherwise a producer could create it automatically, with wrong settings.
     *
     * @throws StartupException if it does not exist
     */
    public static void requireTopic(EngineConfig config, String topic) throws InterruptedException {
        BrokerCheck.require(config);
        try (Admin admin = Admin.create(config.admin())) {
            admin.describeTopics(List.of(topic)).allTopicNames().get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                throw TopicScan.noTopic(topic);
            }
            throw new CommandFailedException(TopicValidator.explain(TopicValidator.naming(topic, e), config), e);
        }
    }
}
