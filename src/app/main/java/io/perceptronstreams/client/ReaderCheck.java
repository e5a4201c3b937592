package io.perceptronstreams.client;

import com.fasterxml.jackson.core.JsonGenerator;
import io.perceptronstreams.cluster.BrokerCheck;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.EventWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;

/**
 * Writes one record of an aborted and one of a committed transaction into a topic of its own, which show whether a
 * consumer leaves out what was aborted.
 *
 * <p>A consumer of the engine's topics that sees aborted records counts predictions twice after a crash. The records
 * have a schema, a key and a header of their own: none can be taken for a prediction.
 *
 * @param topic of the records, with one partition
 * @param aborted offset of the record that a right reader does not see
 * @param committed offset of the record that every reader sees
 * @param id of this check, in both records
 */
public record ReaderCheck(String topic, long aborted, long committed, String id) {
    /** Follows the prefix of the topics. */
    private static final String TOPIC = "-client-check";

    /** Key and header of the records. */
    private static final String NAME = "perceptron-client-check";

    private static final String RETENTION_MS = "86400000";

    private static final Schema SCHEMA = SchemaBuilder.record("ClientCheck")
            .namespace("io.perceptronstreams.event")
            .doc("Record of perceptron client-check --readers; never a prediction.")
            .fields()
            .requiredString("check")
            .requiredString("message")
            .requiredString("id")
            .endRecord();

    /** The two transactions. */
    private enum Kind {
        ABORTED("you must not see this record, its transaction was aborted: your consumer needs"
                + " isolation.level=read_committed, or counts predictions twice after a crash"),
        COMMITTED("you must see this record, and none of the same id whose check is aborted");

        private final String message;

        Kind(String message) {
            this.message = message;
        }

        private String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Writes the records; creates the topic if it is missing, for a day.
     *
     * @throws CommandFailedException if the brokers refuse it
     */
    public static ReaderCheck write(EngineConfig config, String id) {
        String topic = config.get(EngineConfigDef.TOPICS_PREFIX) + TOPIC;
        BrokerCheck.require(config);
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry());
                Admin admin = Admin.create(config.admin());
                Producer<byte[], byte[]> producer = KafkaClients.transactionalProducer(config, "client-check")) {
            create(admin, topic, config.get(EngineConfigDef.TOPICS_REPLICATION_FACTOR));
            boolean isJson = config.get(EngineConfigDef.OUTPUT_FORMAT) == EngineConfig.OutputFormat.JSON;
            EventWriter writer = isJson ? null : new EventWriter(SCHEMA, registry.register(topic + "-value", SCHEMA));
            producer.initTransactions();
            producer.beginTransaction();
            RecordMetadata aborted =
                    producer.send(record(topic, Kind.ABORTED, id, writer)).get();
            producer.abortTransaction();
            producer.beginTransaction();
            RecordMetadata committed =
                    producer.send(record(topic, Kind.COMMITTED, id, writer)).get();
            producer.commitTransaction();
            return new ReaderCheck(topic, aborted.offset(), committed.offset(), id);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("command must not be interrupted", e);
        } catch (ExecutionException e) {
            throw new CommandFailedException(ErrorMessage.of(e).lines().get(0), e);
        }
    }

    private static void create(Admin admin, String topic, short replicationFactor)
            throws ExecutionException, InterruptedException {
        NewTopic created = new NewTopic(
                        topic,
                        Optional.of(1),
                        replicationFactor == -1 ? Optional.empty() : Optional.of(replicationFactor))
                .configs(Map.of(TopicConfig.RETENTION_MS_CONFIG, RETENTION_MS));
        try {
            admin.createTopics(List.of(created)).all().get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
        }
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, Kind kind, String id, EventWriter writer) {
        GenericRecord event = new GenericData.Record(SCHEMA);
        event.put("check", kind.text());
        event.put("message", kind.message);
        event.put("id", id);
        byte[] value = writer == null ? json(event) : writer.write(event);
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, 0, bytes(NAME), value);
        record.headers().add(NAME, bytes(kind.text()));
        return record;
    }

    private static byte[] json(GenericRecord event) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = EventJson.WRITER.createGenerator(text)) {
            EventJson.write(json, event);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes(text.toString());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
