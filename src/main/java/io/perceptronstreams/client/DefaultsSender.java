package io.perceptronstreams.client;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.TopicScan;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.PartitionInfo;

/** Changes the settings of models to be created: one command in the log of every partition. */
public final class DefaultsSender {
    private static final Schema SCHEMA = EventSchemas.schema("ModelCommand");

    private final EngineConfig config;
    private final String examples;

    public DefaultsSender(EngineConfig config) {
        this.config = config;
        this.examples = config.topic(Topic.EXAMPLES);
    }

    /**
     * Sends the changes and prints the defaults after them.
     *
     * @throws CommandFailedException if the engine rejects them or does not answer for a partition in time
     */
    public void send(Map<String, String> changes, Confirmation confirmation, PrintWriter out) {
        try (SchemaRegistry registry = SchemaRegistry.of(config.registry())) {
            KafkaClients.requireTopic(config, examples);
            EventWriter writer = new EventWriter(SCHEMA, registry.register(examples + "-ModelCommand", SCHEMA));
            byte[] value = writer.write(CommandSender.command("DEFAULTS", changes));
            try (Producer<byte[], byte[]> producer = KafkaClients.producer(config)) {
                if (!confirmation.isWaiting()) {
                    send(producer, value)
                            .values()
                            .forEach(sent -> out.println(
                                    confirmation.isJson()
                                            ? CommandSender.json(ModelDefaults.KEY, "DEFAULTS", sent)
                                            : "DEFAULTS is in the log at " + CommandSender.position(sent)));
                    return;
                }
                // opened before the commands are sent, so that no answer is missed
                try (TopicScan answers =
                        TopicScan.open(config, config.topic(Topic.MODELS), config.topic(Topic.DEAD_LETTERS))) {
                    EventReader<GenericRecord> events =
                            EventReader.generic(EventSchemas.schema(Topic.MODELS), registry);
                    PublishedDefaults published = new PublishedDefaults();
                    new CommandSender(config)
                            .awaitAll(answers, events, send(producer, value), confirmation.timeoutNanos())
                            .forEach(answer -> published.add(answer.record(), answer.status()));
                    published.print(confirmation.isJson(), out);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("command must not be interrupted", e);
        } catch (ExecutionException e) {
            throw new CommandFailedException(ErrorMessage.of(e).lines().get(0), e);
        }
    }

    /** Writes the command to every partition; returns its position by partition. */
    private Map<Integer, RecordMetadata> send(Producer<byte[], byte[]> producer, byte[] value)
            throws InterruptedException, ExecutionException {
        byte[] key = ModelDefaults.KEY.getBytes(StandardCharsets.UTF_8);
        Map<Integer, RecordMetadata> sent = new TreeMap<>();
        CommandSigner signer = new CommandSigner(config);
        for (PartitionInfo info : producer.partitionsFor(examples)) {
            ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(examples, info.partition(), key, value);
            sent.put(info.partition(), producer.send(signer.sign(record)).get());
        }
        return sent;
    }
}
