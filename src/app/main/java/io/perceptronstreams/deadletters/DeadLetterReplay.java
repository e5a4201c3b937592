package io.perceptronstreams.deadletters;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.perceptronstreams.client.CommandDetector;
import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.EventFormat;
import io.perceptronstreams.client.KafkaClients;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.Topic;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * Sends rejected records again to the examples topic, each once: value, key and original headers unchanged.
 *
 * <p>The records and the position of the group {@code <application.id>-replay} are committed in one transaction. A
 * replay that was killed is continued by the next one, which first aborts its open transaction: both have the same
 * transactional id. For the same reason the older of two replays at the same time fails.
 */
public final class DeadLetterReplay {
    /** Maximum number of records of a transaction: readers of the examples, thus the engine, wait until it ends. */
    static final int BATCH = 500;

    /** The broker aborts the transaction of a killed replay after this time. */
    private static final int TRANSACTION_TIMEOUT_MS = 15_000;

    /** Age at which a transaction with fewer records is committed, too: far below the time-out. */
    private static final long MAX_AGE_NS = TimeUnit.SECONDS.toNanos(5);

    /** Ending of the names of the group and the transactional id, after the application id. */
    static final String PURPOSE = "replay";

    private final EngineConfig config;
    private final DeadLetterLog log;
    private final CommandDetector commands;
    private final ReplaySelection selection;
    private final long max;
    private final String examples;
    private final String target;

    /**
     * Records that a replay would send or leave out.
     *
     * @param byReason number of records to send
     * @param commands number of those that are commands or weights, by action and model, as {@code DELETE of m}
     * @param withoutCommands number of commands and weights left out because they were not asked for, as
     *     {@code commands}
     * @param wornOut number of those left out because they came back too often
     * @param withoutTime number of those left out because they need a new time
     * @param isFirst true if no position of an earlier replay is known
     */
    @JsonPropertyOrder("records")
    public record Plan(
            @JsonProperty("reasons") Map<String, Long> byReason,
            Map<String, Long> commands,
            Map<String, Long> withoutCommands,
            long wornOut,
            long withoutTime,
            @JsonIgnore boolean isFirst) {
        /** Number of records to send. */
        @JsonProperty("records")
        public long count() {
            return byReason.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    /**
     * Numbers of a replay.
     *
     * @param sent number of records
     * @param lost number of records too large for the dead-letter topic, and deleted from the examples topic
     */
    public record Result(long sent, long lost) {}

    /**
     * Creates a replay.
     *
     * @param log stays open
     * @param registry for the schemas of values in Avro; closed by the caller
     * @param max maximum number of records
     */
    DeadLetterReplay(
            EngineConfig config, DeadLetterLog log, SchemaRegistry registry, ReplaySelection selection, long max) {
        this(config, log, registry, selection, max, config.topic(Topic.EXAMPLES));
    }

    /**
     * Creates a replay that sends to the examples topic of another generation, to which the models have been moved.
     *
     * @param target name of the topic
     */
    public DeadLetterReplay(
            EngineConfig config,
            DeadLetterLog log,
            SchemaRegistry registry,
            ReplaySelection selection,
            long max,
            String target) {
        this.config = config;
        this.log = log;
        this.commands = new CommandDetector(registry);
        this.selection = selection;
        this.max = max;
        this.examples = config.topic(Topic.EXAMPLES);
        this.target = target;
    }

    /**
     * Counts what {@link #run} would send; changes nothing.
     *
     * @throws CommandFailedException if the group's metadata has no room for this selection
     */
    public Plan plan() {
        Map<String, Long> byReason = new TreeMap<>();
        Map<String, Long> sentCommands = new TreeMap<>();
        Map<String, Long> withoutCommands = new TreeMap<>();
        long[] leftOut = new long[2];
        long[] count = new long[1];
        Map<TopicPartition, ReplayPosition> positions = positions();
        for (TopicPartition partition : log.partitions()) {
            ReplayPosition position = positions.getOrDefault(partition, ReplayPosition.of(null));
            checkRoom(position.advance(selection, log.end(partition), log.beginning(partition)));
            log.read(partition, position.start(selection, log.beginning(partition)), (record, letter) -> {
                if (!selection.letters().matches(record, letter)) {
                    return true;
                }
                String command = command(record, letter);
                if (position.isDone(record, letter, command != null)) {
                    return true;
                }
                if (command != null && !selection.isWithCommands()) {
                    withoutCommands.merge(command, 1L, Long::sum);
                } else if (selection.isWornOut(record)) {
                    leftOut[0]++;
                } else if (selection.lacksTime(letter)) {
                    leftOut[1]++;
                } else if (count[0] < max) {
                    count[0]++;
                    byReason.merge(letter.reason(), 1L, Long::sum);
                    if (command != null) {
                        sentCommands.merge(command, 1L, Long::sum);
                    }
                }
                return true;
            });
        }
        return new Plan(byReason, sentCommands, withoutCommands, leftOut[0], leftOut[1], positions.isEmpty());
    }

    /**
     * Action and model of a record that was a command or weights, as {@code DELETE of m}; null for any other.
     *
     * <p>A command may have any reason: one on a wrong partition is MISROUTED.
     */
    private String command(ConsumerRecord<byte[], byte[]> record, DeadLetter letter) {
        ConsumerRecord<byte[], byte[]> original =
                isOmitted(record) ? source(letter).orElse(record) : record;
        String action = commands.action(original.value());
        if (action == null && DeadLetter.isOfCommands(letter.reason())) {
            action = CommandDetector.UNREADABLE;
        }
        return action == null ? null : action + " of " + EventFormat.model(original);
    }

    private static void checkRoom(ReplayPosition position) {
        int length = position.toText().length();
        if (length > ReplayPosition.MAX_METADATA) {
            throw new CommandFailedException("positions of the replays of all selections must fit into "
                    + ReplayPosition.MAX_METADATA + " characters, got " + length
                    + " (replay without --model and --since: what still cannot be used comes back)");
        }
    }

    /**
     * Sends the dead letters that {@link #plan} has counted.
     *
     * @param isStopped ends the replay after a complete transaction
     * @throws CommandFailedException if a record cannot be sent, or another replay starts
     */
    public Result run(BooleanSupplier isStopped) throws InterruptedException {
        KafkaClients.requireTopic(config, target);
        try (Producer<byte[], byte[]> producer = KafkaClients.onlyProducer(config, PURPOSE, TRANSACTION_TIMEOUT_MS)) {
            return run(producer, BATCH, System::nanoTime, isStopped);
        }
    }

    Result run(Producer<byte[], byte[]> producer, int batch, LongSupplier nanoTime, BooleanSupplier isStopped) {
        try {
            // before the positions are read: ends the transaction of a replay that was killed
            producer.initTransactions();
            Transactions transactions = new Transactions(producer, batch, nanoTime, isStopped);
            Map<TopicPartition, ReplayPosition> positions = positions();
            for (TopicPartition partition : log.partitions()) {
                if (!transactions.isComplete()) {
                    transactions.replay(partition, positions.getOrDefault(partition, ReplayPosition.of(null)));
                }
            }
            return new Result(transactions.sent, transactions.lost);
        } catch (ProducerFencedException | InvalidProducerEpochException e) {
            throw new CommandFailedException(
                    "two replays must not run at the same time, and a transaction must end within "
                            + TRANSACTION_TIMEOUT_MS / 1000
                            + " s, got a replay that started later or a transaction that expired (run this again)",
                    e);
        }
    }

    /** The positions of earlier replays, of the partitions that have one. */
    private Map<TopicPartition, ReplayPosition> positions() {
        Map<TopicPartition, ReplayPosition> positions = new HashMap<>();
        log.committed().forEach((partition, offset) -> positions.put(partition, ReplayPosition.of(offset)));
        return positions;
    }

    /** The record that became a dead letter; empty if neither topic has its value any more. */
    private Optional<ProducerRecord<byte[], byte[]>> original(
            ConsumerRecord<byte[], byte[]> record, DeadLetter letter) {
        if (!isOmitted(record)) {
            return Optional.of(again(record, record, record.value(), DeadLetter.original(record.headers())));
        }
        return source(letter).map(found -> {
            byte[] value =
                    letter.examples() == null ? found.value() : commands.examples(found.value(), letter.examples());
            return again(record, found, value, List.of(found.headers().toArray()));
        });
    }

    private static boolean isOmitted(ConsumerRecord<byte[], byte[]> record) {
        return record.key() == null
                && record.value() == null
                && record.headers().lastHeader(DeadLetter.OMITTED) != null;
    }

    /** The record of the examples topic that became a dead letter; empty if it has been deleted. */
    private Optional<ConsumerRecord<byte[], byte[]>> source(DeadLetter letter) {
        if (!examples.equals(letter.topic()) || letter.sourcePartition() == null || letter.sourceOffset() == null) {
            return Optional.empty();
        }
        TopicPartition source =
                new TopicPartition(examples, letter.sourcePartition().intValue());
        return log.record(source, config.generation().inTopic(letter.sourceOffset()));
    }

    private ProducerRecord<byte[], byte[]> again(
            ConsumerRecord<byte[], byte[]> letter,
            ConsumerRecord<byte[], byte[]> original,
            byte[] value,
            List<Header> headers) {
        // null: the time of sending
        Long timestamp = selection.isRestamped() || original.timestamp() < 0 ? null : (Long) original.timestamp();
        ProducerRecord<byte[], byte[]> again =
                new ProducerRecord<>(target, null, timestamp, original.key(), value, headers);
        Headers marked = again.headers();
        long replays = DeadLetter.replays(marked) + 1;
        marked.remove(DeadLetter.REPLAY_OF).remove(DeadLetter.REPLAYS);
        marked.add(DeadLetter.REPLAY_OF, utf8(letter.topic() + "-" + letter.partition() + "@" + letter.offset()))
                .add(DeadLetter.REPLAYS, utf8(Long.toString(replays)));
        return again;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Sends the records of one partition after the other, and commits them with the position in it. */
    private final class Transactions {
        private final Producer<byte[], byte[]> producer;
        private final int batch;
        private final LongSupplier nanoTime;
        private final BooleanSupplier isStopped;
        private long start;
        private int open;
        private long sent;
        private long lost;

        Transactions(Producer<byte[], byte[]> producer, int batch, LongSupplier nanoTime, BooleanSupplier isStopped) {
            this.producer = producer;
            this.batch = batch;
            this.nanoTime = nanoTime;
            this.isStopped = isStopped;
        }

        boolean isComplete() {
            return sent >= max || isStopped.getAsBoolean();
        }

        void replay(TopicPartition partition, ReplayPosition position) {
            long from = position.start(selection, log.beginning(partition));
            try {
                long next = log.read(partition, from, (record, letter) -> {
                    if (selection.letters().matches(record, letter)) {
                        boolean isCommand = command(record, letter) != null;
                        if (selection.matches(record, letter, isCommand)
                                && !position.isDone(record, letter, isCommand)) {
                            send(record, letter);
                        }
                    }
                    // after each record: those that the selection leaves out take time, too
                    if (open == batch || (open > 0 && nanoTime.getAsLong() - start >= MAX_AGE_NS)) {
                        commit(partition, position, record.offset() + 1);
                    }
                    return !isComplete();
                });
                if (open > 0) {
                    commit(partition, position, next);
                }
            } catch (KafkaException | RegistryException e) {
                abort(e);
                throw e;
            }
        }

        private void send(ConsumerRecord<byte[], byte[]> record, DeadLetter letter) {
            Optional<ProducerRecord<byte[], byte[]>> original = original(record, letter);
            if (open == 0) {
                producer.beginTransaction();
                start = nanoTime.getAsLong();
            }
            open++;
            if (original.isEmpty()) {
                // in the transaction, too: the next replay does not report it again
                lost++;
                return;
            }
            // a failure makes the commit fail
            var unused = producer.send(original.get());
            sent++;
        }

        private void commit(TopicPartition partition, ReplayPosition position, long next) {
            long beginning = log.beginning(partition);
            producer.sendOffsetsToTransaction(
                    Map.of(
                            partition,
                            position.advance(selection, next, beginning).toOffset(beginning)),
                    log.group());
            producer.commitTransaction();
            open = 0;
        }

        private void abort(RuntimeException why) {
            if (open > 0 && !(why instanceof ProducerFencedException)) {
                try {
                    producer.abortTransaction();
                } catch (KafkaException e) {
                    // the next replay or the broker's time-out aborts it
                    why.addSuppressed(e);
                }
            }
        }
    }
}
