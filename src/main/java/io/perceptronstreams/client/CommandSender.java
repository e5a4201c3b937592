package io.perceptronstreams.client;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.DeadLetter;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.TopicScan;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Writes commands to the log and waits for the engine's answer. */
public final class CommandSender {
    private static final Schema SCHEMA = EventSchemas.schema("ModelCommand");

    private final EngineConfig config;
    private final String examples;

    public CommandSender(EngineConfig config) {
        this.config = config;
        this.examples = config.topic(Topic.EXAMPLES);
    }

    /**
     * Sends one command and prints the model's status after it.
     *
     * @throws CommandFailedException if the engine rejects the command or does not answer in time
     */
    public void send(
            String model, String action, Map<String, String> settings, Confirmation confirmation, PrintWriter out) {
        byte[] key = ModelKey.of(model);
        try (SchemaRegistry registry = SchemaRegistry.of(config.registry())) {
            KafkaClients.requireTopic(config, examples);
            EventWriter writer = new EventWriter(SCHEMA, registry.register(examples + "-ModelCommand", SCHEMA));
            byte[] value = writer.write(command(action, settings));
            try (Producer<byte[], byte[]> producer = KafkaClients.producer(config)) {
                if (!confirmation.isWaiting()) {
                    RecordMetadata sent = send(producer, key, value);
                    out.println(
                            confirmation.isJson()
                                    ? json(model, action, sent)
                                    : action + " for " + model + " is in the log at " + position(sent));
                    return;
                }
                // opened before the command is sent, so that the answer is not missed
                try (TopicScan answers =
                        TopicScan.open(config, config.topic(Topic.MODELS), config.topic(Topic.DEAD_LETTERS))) {
                    EventReader<GenericRecord> events =
                            EventReader.generic(EventSchemas.schema(Topic.MODELS), registry);
                    RecordMetadata sent = send(producer, key, value);
                    Answer answer = await(answers, events, sent, confirmation.timeoutNanos());
                    out.println(
                            confirmation.isJson()
                                    ? EventFormat.json(answer.record, answer.status)
                                    : text(model, answer.status, sent));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("command must not be interrupted", e);
        } catch (ExecutionException e) {
            throw new CommandFailedException(ErrorMessage.of(e).lines().get(0), e);
        }
    }

    private RecordMetadata send(Producer<byte[], byte[]> producer, byte[] key, byte[] value)
            throws InterruptedException, ExecutionException {
        return producer.send(new CommandSigner(config).sign(new ProducerRecord<>(examples, key, value)))
                .get();
    }

    static GenericRecord command(String action, Map<String, String> settings) {
        GenericRecord command = new GenericData.Record(SCHEMA);
        command.put(
                "action", new GenericData.EnumSymbol(SCHEMA.getField("action").schema(), action));
        command.put("settings", settings);
        return command;
    }

    /** A model's status that answers a command, with its record. */
    public record Answer(ConsumerRecord<byte[], byte[]> record, GenericRecord status) {}

    /**
     * Polls until the command at {@code sent} is answered.
     *
     * @throws CommandFailedException if the command is rejected or not answered in time
     */
    Answer await(TopicScan answers, EventReader<GenericRecord> events, RecordMetadata sent, long timeoutNanos) {
        return await(answers, events, List.of(sent), timeoutNanos);
    }

    /** Waits for the answer to several records, which refers to the last one. */
    Answer await(
            TopicScan answers, EventReader<GenericRecord> events, List<RecordMetadata> records, long timeoutNanos) {
        RecordMetadata sent = records.get(records.size() - 1);
        long start = System.nanoTime();
        do {
            for (ConsumerRecord<byte[], byte[]> record : answers.poll()) {
                if (record.topic().equals(config.topic(Topic.DEAD_LETTERS))) {
                    DeadLetter letter = DeadLetter.of(record.headers());
                    records.forEach(each -> checkRejection(record, letter, each));
                } else if (record.value() != null) {
                    GenericRecord status = events.read(record.value());
                    // a command may also cause the expiry of another model
                    if (status.get("partition").equals(sent.partition())
                            && status.get("offset").equals(sent.offset())
                            && !status.get("cause").toString().equals(StatusCause.EXPIRED.name())) {
                        return new Answer(record, status);
                    }
                }
            }
        } while (System.nanoTime() - start < timeoutNanos);
        throw unanswered(sent, timeoutNanos);
    }

    private static CommandFailedException unanswered(RecordMetadata sent, long timeoutNanos) {
        return new CommandFailedException(
                "command is in the log at " + position(sent) + ", but no engine has answered within "
                        + String.format(Locale.ROOT, "%.0f", timeoutNanos / 1e9)
                        + " s (is one running? an engine that starts later executes the command)");
    }

    /**
     * Waits for the answers to one command in several partitions.
     *
     * @param sent its positions by partition
     * @throws CommandFailedException if one is rejected or not answered in time
     */
    List<Answer> awaitAll(
            TopicScan tail, EventReader<GenericRecord> events, Map<Integer, RecordMetadata> sent, long timeoutNanos) {
        Map<Integer, RecordMetadata> open = new TreeMap<>(sent);
        List<Answer> answers = new ArrayList<>();
        long start = System.nanoTime();
        do {
            for (ConsumerRecord<byte[], byte[]> record : tail.poll()) {
                if (record.topic().equals(config.topic(Topic.DEAD_LETTERS))) {
                    DeadLetter letter = DeadLetter.of(record.headers());
                    sent.values().forEach(each -> checkRejection(record, letter, each));
                } else if (record.value() != null && ModelDefaults.isStatusKey(EventFormat.model(record))) {
                    GenericRecord status = events.read(record.value());
                    RecordMetadata of = open.get(status.get("partition"));
                    if (of != null && status.get("offset").equals(of.offset())) {
                        open.remove(of.partition());
                        answers.add(new Answer(record, status));
                    }
                }
            }
        } while (!open.isEmpty() && System.nanoTime() - start < timeoutNanos);
        if (!open.isEmpty()) {
            throw unanswered(open.values().iterator().next(), timeoutNanos);
        }
        return answers;
    }

    private void checkRejection(ConsumerRecord<byte[], byte[]> record, DeadLetter letter, RecordMetadata sent) {
        if (letter.isOf(examples, sent.partition(), sent.offset())) {
            String message = Remedy.withCommands(EventFormat.model(record), String.valueOf(letter.message()));
            throw new CommandFailedException("command was refused: " + TerminalText.sanitize(message) + " ("
                    + letter.reason() + ", " + position(sent) + ")");
        }
    }

    static String text(String model, GenericRecord status, RecordMetadata sent) {
        return String.format(
                Locale.ROOT,
                "%s: %s, %s, %d examples, %d updates (%s at %s)",
                model,
                status.get("state").toString().toLowerCase(Locale.ROOT),
                status.get("algorithm"),
                (Long) status.get("examples"),
                (Long) status.get("updates"),
                status.get("cause"),
                position(sent));
    }

    /** The position of a command that is not waited for, as a JSON object. */
    static String json(String model, String action, RecordMetadata sent) {
        return EventFormat.json(json -> {
            json.writeStringField("model", model);
            json.writeStringField("action", action);
            json.writeStringField("topic", sent.topic());
            json.writeNumberField("partition", sent.partition());
            json.writeNumberField("offset", sent.offset());
        });
    }

    static String position(RecordMetadata sent) {
        return sent.topic() + "-" + sent.partition() + "@" + sent.offset();
    }
}
