package io.perceptronstreams.topology;

import io.perceptronstreams.cluster.CommandSigner;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.event.ModelAction;
import io.perceptronstreams.event.ModelCommand;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes {@code models.defaults} as the first record of each partition of a new examples topic, as
 * {@code perceptron models defaults} would: so they hold for the models of a new log only, and a replay of that log
 * finds them in it.
 */
public final class FirstDefaults {
    private static final Logger LOG = LoggerFactory.getLogger(FirstDefaults.class);
    private static final Schema SCHEMA = EventSchemas.schema("ModelCommand");
    private static final int TIMEOUT_MS = 10_000;

    private FirstDefaults() {}

    /** Writes them, or logs why they are missing: a model can be given its settings later. */
    static void write(EngineConfig config, SchemaRegistry registry) throws InterruptedException {
        Map<String, String> settings = config.get(EngineConfigDef.MODELS_DEFAULTS);
        if (settings.isEmpty()) {
            return;
        }
        String examples = config.topic(Topic.EXAMPLES);
        try {
            send(config, registry, examples, settings);
        } catch (ExecutionException | RuntimeException e) {
            LOG.warn(
                    "models.defaults must be written to {}, got {}: models begin without these settings until: {}",
                    examples,
                    e instanceof ExecutionException ? e.getCause().getMessage() : e.getMessage(),
                    command(config));
        }
    }

    /** The command that writes them; empty if there are none. */
    public static String command(EngineConfig config) {
        Map<String, String> settings = config.get(EngineConfigDef.MODELS_DEFAULTS);
        return settings.isEmpty()
                ? ""
                : "perceptron models defaults "
                        + settings.entrySet().stream()
                                .map(each -> each.getKey() + "=" + each.getValue())
                                .collect(Collectors.joining(" "));
    }

    /** As {@link #write}, with a registry of its own. */
    public static void write(EngineConfig config) throws InterruptedException {
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry())) {
            write(config, registry);
        }
    }

    private static void send(
            EngineConfig config, SchemaRegistry registry, String examples, Map<String, String> settings)
            throws ExecutionException, InterruptedException {
        EventWriter writer = new EventWriter(SCHEMA, registry.register(examples + "-" + SCHEMA.getName(), SCHEMA));
        Map<String, Object> properties = new HashMap<>(config.clients("producer."));
        properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, TIMEOUT_MS);
        properties.put(ProducerConfig.ACKS_CONFIG, "all");
        properties.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            var unused = send(config, writer, producer, settings);
        }
    }

    /**
     * Sends the command DEFAULTS to each partition of the examples topic, signed where that is asked.
     *
     * @param writer of ModelCommand
     * @return positions of the records, all acknowledged
     */
    public static List<RecordMetadata> send(
            EngineConfig config, EventWriter writer, Producer<byte[], byte[]> producer, Map<String, String> settings)
            throws ExecutionException, InterruptedException {
        return send(config, writer, producer, ModelAction.DEFAULTS, settings);
    }

    /** Sends a command with the key of the defaults, as {@link #send(EngineConfig, EventWriter, Producer, Map)}. */
    public static List<RecordMetadata> send(
            EngineConfig config,
            EventWriter writer,
            Producer<byte[], byte[]> producer,
            ModelAction action,
            Map<String, String> settings)
            throws ExecutionException, InterruptedException {
        String examples = config.topic(Topic.EXAMPLES);
        byte[] key = ModelDefaults.KEY.getBytes(StandardCharsets.UTF_8);
        byte[] value = writer.write(new ModelCommand(action, settings));
        CommandSigner signer = new CommandSigner(config);
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (PartitionInfo each : producer.partitionsFor(examples)) {
            sent.add(producer.send(signer.sign(new ProducerRecord<>(examples, each.partition(), key, value))));
        }
        List<RecordMetadata> positions = new ArrayList<>();
        for (Future<RecordMetadata> each : sent) {
            positions.add(each.get());
        }
        return positions;
    }
}
