package io.perceptronstreams.log;

import io.perceptronstreams.cluster.BrokerCheck;
import io.perceptronstreams.cluster.DeadLetter;
import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.cluster.TopicValidator;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.serde.Generation;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.thread.DaemonThread;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;

/**
 * The records of one model, from its partition of the examples topic, and the events that it has sent. Reads committed
 * records, without a group, and changes nothing.
 */
public final class ModelLog implements AutoCloseable {
    /** Number of records of a block that one thread reads and another one uses. */
    public static final int BLOCK = 500;

    /** Maximum number of blocks that are read and not used yet. */
    private static final int MAX_BLOCKS = 16;

    private static final long OFFER_MS = 100;

    private final EngineConfig config;
    private final Generation generation;
    // in the generation before; null if there is none, or its topics are deleted
    private final ModelLog before;
    private final Patience patience;
    private final KafkaInputLog log;
    private final ModelInput input;
    // at the first dead letter that is not read yet
    private final TopicScan letters;
    private final Map<Long, RejectReason> refused = new ConcurrentHashMap<>();
    private final Set<Long> deadLetters = ConcurrentHashMap.newKeySet();
    private volatile boolean isStopping;

    private ModelLog(
            EngineConfig config, String model, int partitions, long aheadMs, Consumer<String> notes, ModelLog before) {
        this.config = config;
        this.generation = config.generation();
        this.before = before;
        patience = Patience.ofCommand(config, notes);
        log = new KafkaInputLog(config, () -> isStopping, patience);
        try {
            input = new ModelInput(
                    model,
                    config.topic(Topic.EXAMPLES),
                    log.topicId(),
                    partition(model, partitions),
                    config.decisions(partitions, aheadMs),
                    Collections.unmodifiableMap(refused),
                    Collections.unmodifiableSet(deadLetters),
                    config.modelLimits().idleMs(),
                    log,
                    config.get(EngineConfigDef.COMMANDS_KEY),
                    null,
                    before == null ? null : before.input);
            letters = TopicScan.open(config, config.topic(Topic.DEAD_LETTERS)).fromBeginning();
        } catch (RuntimeException e) {
            log.close();
            throw e;
        }
    }

    /**
     * Connects.
     *
     * @param notes receives a line where brokers have not answered for some seconds, perhaps from another thread
     * @throws StartupException if the brokers do not answer or a topic is missing
     */
    public static ModelLog open(EngineConfig config, String model, Consumer<String> notes) {
        BrokerCheck.require(config);
        int partitions;
        try (TopicScan scan = TopicScan.open(config, config.topic(Topic.EXAMPLES))) {
            partitions = scan.partitions().size();
        }
        ModelLog before = null;
        try (Admin admin = Admin.create(config.admin())) {
            long aheadMs = TopicValidator.of(admin, config).aheadMs();
            if (!config.generation().isFirst()) {
                EngineConfig earlier = config.at(config.generation().previous(), Map.of());
                boolean isThere = admin.listTopics().names().get().contains(earlier.topic(Topic.EXAMPLES));
                before = isThere ? open(earlier, model, notes) : null;
            }
            ModelLog log = new ModelLog(config, model, partitions, aheadMs, notes, before);
            before = null;
            return log;
        } catch (ExecutionException e) {
            throw new StartupException(List.of(TopicValidator.explain(e, config)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RegistryRetry.StoppedException.ofThread();
        } finally {
            if (before != null) {
                before.close();
            }
        }
    }

    private static int partition(String model, int partitions) {
        return Utils.toPositive(Utils.murmur2(utf8(model))) % partitions;
    }

    /**
     * Reads the dead letters since the last call, up to those of every transaction that was committed before this one.
     */
    private void readDeadLetters() {
        letters.readTo(log.readableEnds(config.topic(Topic.DEAD_LETTERS)), () -> isStopping, record -> {
            DeadLetter letter = DeadLetter.of(record.headers());
            Optional<RejectReason> stored = stored(letter.reason());
            // The engine has used the record of an example that was refused without the others, which has none of these
            // reasons. A sender
            // may have given the header of such examples to a command.
            if (letter.sourceOffset() == null
                    || (letter.examples() != null && stored.isEmpty())
                    || !letter.isOf(input.topic(), input.partition(), letter.sourceOffset())) {
                return;
            }
            stored.ifPresent(reason -> refused.put(letter.sourceOffset(), reason));
            if (ModelDefaults.isKey(record.key())) {
                // an engine of an earlier version does not know every command
                refused.putIfAbsent(letter.sourceOffset(), RejectReason.INVALID_COMMAND);
            }
            if (input.idleMs() > 0) {
                deadLetters.add(letter.sourceOffset());
            }
        });
    }

    /** Returns the reason of this name, if it is outside the log. */
    private static Optional<RejectReason> stored(String name) {
        return Arrays.stream(RejectReason.values())
                .filter(each -> each.name().equals(name) && LogReplay.isStored(each))
                .findFirst();
    }

    /** The input of the model; it has the refusals of all records before the last {@link #endAfter}. */
    public ModelInput input() {
        return input;
    }

    /** Offset of the oldest record of the partition, in the first generation that still has topics. */
    public long first() {
        return before != null ? before.first() : log.firstOffset(input.partition());
    }

    /**
     * Offset of the first record that the engine has not committed; empty if its group has no offset, as after a week
     * without it.
     */
    public OptionalLong committed() {
        return log.committed(input.partition())
                .map(each -> OptionalLong.of(generation.offset(each.offset())))
                .orElse(OptionalLong.empty());
    }

    /**
     * Returns the end of the records that can be learned, and reads which of them were refused for a reason outside the
     * log: in this order, or a command that the engine has refused meanwhile would be executed.
     *
     * @param offset of the latest status; counts only if the group of the engine has no offset, as others may write
     *     statuses, too
     * @return offset behind the last record that the engine has committed
     */
    public long endAfter(long offset) {
        long end = committed().orElse(offset + 1);
        if (before != null) {
            before.endAfter(offset);
        }
        readDeadLetters();
        return end;
    }

    /**
     * Reads the records of all models of the partition in blocks, while the former block is used; those of the model's
     * partition of earlier generations first.
     *
     * @param from first offset
     * @param to offset behind the last record; at most {@link #endAfter}
     */
    public void read(long from, long to, Consumer<List<ConsumerRecord<byte[], byte[]>>> sink) {
        if (from >= to) {
            return;
        }
        if (before != null && from < generation.base()) {
            // what lies behind the fence is not used
            before.read(from, Math.min(to, before.readableEnd()), sink);
            read(generation.base(), to, sink);
            return;
        }
        BlockingQueue<List<ConsumerRecord<byte[], byte[]>>> blocks = new ArrayBlockingQueue<>(MAX_BLOCKS);
        AtomicReference<RuntimeException> failure = new AtomicReference<>();
        AtomicBoolean isOver = new AtomicBoolean();
        new DaemonThread("model-log", () -> readInto(blocks, from, to, failure, isOver)).start();
        try {
            for (List<ConsumerRecord<byte[], byte[]>> block = blocks.take(); !block.isEmpty(); block = blocks.take()) {
                sink.accept(block);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RegistryRetry.StoppedException.ofThread();
        } finally {
            // not by an interrupt, which a consumer logs as a failure
            isOver.set(true);
        }
        if (failure.get() != null) {
            throw failure.get();
        }
    }

    /** Reads blocks, and an empty one at the end or after a failure; ends early when it is over. */
    private void readInto(
            BlockingQueue<List<ConsumerRecord<byte[], byte[]>>> blocks,
            long from,
            long to,
            AtomicReference<RuntimeException> failure,
            AtomicBoolean isOver) {
        List<List<ConsumerRecord<byte[], byte[]>>> current = new ArrayList<>(List.of(new ArrayList<>(BLOCK)));
        try {
            KafkaInputLog.read(
                    config, () -> isStopping || isOver.get(), patience, input.partition(), from, to, record -> {
                        current.get(0).add(record);
                        if (current.get(0).size() == BLOCK) {
                            put(blocks, current.set(0, new ArrayList<>(BLOCK)), isOver);
                        }
                    });
            if (!current.get(0).isEmpty()) {
                put(blocks, current.get(0), isOver);
            }
        } catch (RuntimeException e) {
            failure.set(e);
        }
        put(blocks, List.of(), isOver);
    }

    /** Waits for room until it is over. */
    private static <T> void put(BlockingQueue<T> queue, T element, AtomicBoolean isOver) {
        try {
            while (!isOver.get() && !queue.offer(element, OFFER_MS, TimeUnit.MILLISECONDS)) {
                // nobody takes any more if it is over
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long readableEnd() {
        TopicPartition place = new TopicPartition(input.topic(), input.partition());
        return generation.offset(log.readableEnds(input.topic()).get(place));
    }

    /** Offset behind the last committed event of the model's partition of a topic. */
    public long end(Topic topic) {
        try (TopicScan scan = TopicScan.open(config, config.topic(topic))) {
            return scan.ends().get(place(scan));
        }
    }

    /**
     * Partition of the model in the topic of a scan, which may have another number of partitions than the examples
     * topic.
     */
    private TopicPartition place(TopicScan scan) {
        return scan.partitions().get(partition(input.model(), scan.partitions().size()));
    }

    /**
     * Reads the events of the model in a topic, up to its present end; those of earlier generations first, except
     * statuses, of which the last one has been moved.
     */
    public Sent sent(Topic topic) {
        boolean hasEarlier = before != null && topic != Topic.MODELS;
        TopicScan scan = TopicScan.open(config, config.topic(topic));
        try {
            return new Sent(scan, place(scan), utf8(input.model()), hasEarlier ? before.sent(topic) : null);
        } catch (RuntimeException e) {
            scan.close();
            throw e;
        }
    }

    /** Events of a model in one topic, or all records of a partition, in their order. */
    public static final class Sent implements Iterator<ConsumerRecord<byte[], byte[]>>, AutoCloseable {
        private final TopicScan scan;
        private final TopicPartition place;
        // null for all records
        private final byte[] key;
        private final long first;
        private long end;
        private boolean isEndFinal;
        private final Sent earlier;
        private final Deque<ConsumerRecord<byte[], byte[]>> read = new ArrayDeque<>();

        Sent(TopicScan scan, TopicPartition place, byte[] key, Sent earlier) {
            this.scan = scan;
            this.earlier = earlier;
            this.place = place;
            this.key = key;
            first = scan.beginnings().get(place);
            end = scan.ends().get(place);
            scan.from(place, first);
        }

        /** Reads all records of a partition of a topic, of this generation. */
        public static Sent of(EngineConfig config, Topic topic, int partition) {
            TopicScan scan = TopicScan.open(config, config.topic(topic));
            try {
                return new Sent(scan, scan.partitions().get(partition), null, null);
            } catch (RuntimeException e) {
                scan.close();
                throw e;
            }
        }

        /** The partition, in the present generation. */
        public TopicPartition place() {
            return place;
        }

        /** Offset of the oldest record of the partition, in the first generation. */
        public long first() {
            return earlier == null ? first : earlier.first();
        }

        @Override
        public boolean hasNext() {
            if (earlier != null && earlier.hasNext()) {
                return true;
            }
            read();
            if (read.isEmpty() && !isEndFinal) {
                // a broker may have written the end of a transaction later than the offsets that were committed with it
                isEndFinal = true;
                end = scan.ends().get(place);
                read();
            }
            return !read.isEmpty();
        }

        private void read() {
            if (read.isEmpty()) {
                scan.readTo(Map.of(place, end), () -> !read.isEmpty(), record -> {
                    if (record.offset() < end && (key == null || Arrays.equals(record.key(), key))) {
                        read.add(record);
                    }
                });
            }
        }

        @Override
        public ConsumerRecord<byte[], byte[]> next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return earlier != null && earlier.hasNext() ? earlier.next() : read.poll();
        }

        @Override
        public void close() {
            scan.close();
            if (earlier != null) {
                earlier.close();
            }
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        isStopping = true;
        letters.close();
        log.close();
        if (before != null) {
            before.close();
        }
    }
}
