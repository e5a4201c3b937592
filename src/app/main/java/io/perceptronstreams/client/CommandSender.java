package io.perceptronstreams.client;

import io.perceptronstreams.cluster.CommandSigner;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.ModelAction;
import io.perceptronstreams.event.ModelCommand;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.EventWriter;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.topology.FirstDefaults;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.avro.Schema;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/** Writes commands to the log and awaits the statuses with which the engine answers. */
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
        // without an answer the command may be for an engine that starts later, and so the model
        if (confirmation.isWaiting() && !action.equals("CONFIGURE")) {
            requireModel(model, settings);
        }
        Exchange exchange = exchange(
                SCHEMA,
                () -> KafkaClients.producer(config),
                confirmation,
                model::equals,
                (writer, producer) -> List.of(producer.send(new CommandSigner(config)
                                .sign(new ProducerRecord<>(examples, key, writer.write(command(action, settings)))))
                        .get()));
        print(exchange, model, action, action + " for " + model + " is", confirmation, out);
    }

    /** Checks that there is a model, before anything is sent: its named snapshots outlast it. */
    private void requireModel(String model, Map<String, String> settings) {
        StatusReader statuses = new StatusReader(config);
        if (settings.containsKey(Versions.DROP)) {
            statuses.require(model);
        } else {
            statuses.requireExisting(model);
        }
    }

    /**
     * Changes the settings of models to be created, by one command in the log of every partition, and prints them.
     *
     * @throws CommandFailedException if the engine rejects them or does not answer for a partition in time
     */
    public void sendDefaults(Map<String, String> changes, Confirmation confirmation, PrintWriter out) {
        Exchange exchange = exchange(
                SCHEMA,
                () -> KafkaClients.producer(config),
                confirmation,
                ModelDefaults::isStatusKey,
                (writer, producer) -> FirstDefaults.send(config, writer, producer, changes));
        if (confirmation.isWaiting()) {
            StatusReader.printDefaults(exchange.answers(), confirmation.isJson(), out);
        } else {
            print(exchange, ModelDefaults.KEY, "DEFAULTS", "DEFAULTS is", confirmation, out);
        }
    }

    /**
     * Makes or lifts the fence of each partition, and waits until the engine has done so.
     *
     * @param settings of the command
     * @throws CommandFailedException if the engine refuses it or does not answer for a partition in time
     */
    public void sendFence(Map<String, String> settings, Confirmation confirmation) {
        var unused = exchange(
                SCHEMA,
                () -> KafkaClients.producer(config),
                confirmation,
                ModelDefaults::isStatusKey,
                (writer, producer) -> FirstDefaults.send(config, writer, producer, ModelAction.FENCE, settings));
    }

    /** Position of a command whose answer is not awaited. */
    private record Position(String model, String action, String topic, int partition, long offset) {}

    public static ModelCommand command(String action, Map<String, String> settings) {
        return new ModelCommand(ModelAction.valueOf(action), settings);
    }

    /**
     * Sends records to the examples topic.
     *
     * @param <E> failure of their source
     */
    interface Sending<E extends Exception> {
        /** Returns the positions of the records, all acknowledged. */
        List<RecordMetadata> send(EventWriter writer, Producer<byte[], byte[]> producer)
                throws E, ExecutionException, InterruptedException;
    }

    /**
     * Result of sending.
     *
     * @param sent last position of each partition
     * @param answers status at each of these positions; empty if none was awaited
     */
    record Exchange(Collection<RecordMetadata> sent, List<StatusReader.Latest> answers) {}

    /**
     * Sends records and awaits the engine's answer to the last one of each partition.
     *
     * @param schema of the records
     * @param producers creates the producer, which this method closes
     * @param isAnswering true for the key of a status that may be an answer
     * @throws CommandFailedException if the engine rejects a record or does not answer in time
     */
    <E extends Exception> Exchange exchange(
            Schema schema,
            Supplier<Producer<byte[], byte[]>> producers,
            Confirmation confirmation,
            Predicate<String> isAnswering,
            Sending<E> sending)
            throws E {
        try (SchemaRegistry registry = SchemaRegistries.of(config.registry())) {
            KafkaClients.requireTopic(config, examples);
            EventWriter writer = new EventWriter(schema, registry.register(examples + "-" + schema.getName(), schema));
            try (Producer<byte[], byte[]> producer = producers.get()) {
                if (!confirmation.isWaiting()) {
                    return new Exchange(
                            lastByPartition(placed(sending.send(writer, producer)))
                                    .values(),
                            List.of());
                }
                // opened before the records are sent, so that no answer is missed
                try (TopicScan answers =
                        TopicScan.open(config, config.topic(Topic.MODELS), config.topic(Topic.DEAD_LETTERS))) {
                    EventReader<ModelStatus> events = EventReader.of(ModelStatus.class, registry);
                    List<RecordMetadata> sent = placed(sending.send(writer, producer));
                    return new Exchange(
                            lastByPartition(sent).values(),
                            await(answers, events, sent, isAnswering, confirmation.timeoutNanos()));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("command must not be interrupted", e);
        } catch (ExecutionException e) {
            throw new CommandFailedException(ErrorMessage.of(e).lines().get(0), e);
        }
    }

    /** Positions as events have them: counted from the base of the generation. */
    private List<RecordMetadata> placed(List<RecordMetadata> sent) {
        return sent.stream()
                .map(each -> new RecordMetadata(
                        new TopicPartition(each.topic(), each.partition()),
                        config.generation().offset(each.offset()),
                        0,
                        each.timestamp(),
                        each.serializedKeySize(),
                        each.serializedValueSize()))
                .toList();
    }

    private static Map<Integer, RecordMetadata> lastByPartition(List<RecordMetadata> sent) {
        Map<Integer, RecordMetadata> last = new TreeMap<>();
        sent.forEach(each -> last.put(each.partition(), each));
        return last;
    }

    /**
     * Polls until the last record of each partition is answered.
     *
     * @throws CommandFailedException if a record is rejected, or one of the last is not answered in time
     */
    List<StatusReader.Latest> await(
            TopicScan scan,
            EventReader<ModelStatus> events,
            List<RecordMetadata> sent,
            Predicate<String> isAnswering,
            long timeoutNanos) {
        Map<Integer, RecordMetadata> open = lastByPartition(sent);
        List<StatusReader.Latest> answers = new ArrayList<>();
        long start = System.nanoTime();
        do {
            for (ConsumerRecord<byte[], byte[]> record : scan.poll()) {
                if (record.topic().equals(config.topic(Topic.DEAD_LETTERS))) {
                    DeadLetter letter = DeadLetter.of(record.headers());
                    sent.forEach(each -> checkRejection(record, letter, each));
                } else if (record.value() != null && isAnswering.test(EventFormat.model(record))) {
                    ModelStatus status = events.read(record.value());
                    RecordMetadata of = open.get(status.getPartition());
                    // a command may first cause the expiry of the model that it creates again
                    if (of != null
                            && status.getOffset() == of.offset()
                            && !status.getCause().equals(StatusCause.EXPIRED.name())) {
                        open.remove(of.partition());
                        answers.add(new StatusReader.Latest(record, status));
                    }
                }
            }
        } while (!open.isEmpty() && System.nanoTime() - start < timeoutNanos);
        if (!open.isEmpty()) {
            throw new CommandFailedException("command is in the log at "
                    + position(open.values().iterator().next())
                    + ", but no engine has answered within "
                    + String.format(Locale.ROOT, "%.0f", timeoutNanos / 1e9)
                    + " s (is one running? an engine that starts later executes the command)");
        }
        return answers;
    }

    private void checkRejection(ConsumerRecord<byte[], byte[]> record, DeadLetter letter, RecordMetadata sent) {
        if (letter.isOf(examples, sent.partition(), sent.offset())) {
            String message = Remedy.withCommands(EventFormat.model(record), String.valueOf(letter.message()));
            throw CommandFailedException.refused(
                    "command was refused: " + TerminalText.sanitize(message) + " (" + letter.reason() + ", "
                            + position(sent) + ")",
                    letter.reason());
        }
    }

    /**
     * Prints the answers, or the positions of what was sent if none was awaited.
     *
     * @param what subject of the sentence about the position, and its verb
     */
    static void print(
            Exchange exchange, String model, String action, String what, Confirmation confirmation, PrintWriter out) {
        for (StatusReader.Latest answer : exchange.answers()) {
            ModelStatus status = answer.status();
            out.println(
                    confirmation.isJson()
                            ? EventFormat.json(answer.record(), status)
                            : String.format(
                                    Locale.ROOT,
                                    "%s: %s, %s, %d examples, %d updates (%s at %s-%d@%d)",
                                    model,
                                    status.getState().toString().toLowerCase(Locale.ROOT),
                                    status.getAlgorithm(),
                                    status.getExamples(),
                                    status.getUpdates(),
                                    status.getCause(),
                                    exchange.sent().iterator().next().topic(),
                                    status.getPartition(),
                                    status.getOffset()));
        }
        if (!confirmation.isWaiting()) {
            exchange.sent()
                    .forEach(sent -> out.println(
                            confirmation.isJson()
                                    ? EventFormat.json(
                                            new Position(model, action, sent.topic(), sent.partition(), sent.offset()))
                                    : what + " in the log at " + position(sent)));
        }
    }

    private static String position(RecordMetadata sent) {
        return sent.topic() + "-" + sent.partition() + "@" + sent.offset();
    }
}
