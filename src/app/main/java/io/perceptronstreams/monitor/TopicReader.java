package io.perceptronstreams.monitor;

import io.perceptronstreams.cluster.BrokerCheck;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.cluster.TopicScan.Gap;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.Mistake;
import io.perceptronstreams.event.MistakeCount;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.event.WeightsSnapshot;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.UnknownSchemaException;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.thread.StoppableThread;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.avro.generic.IndexedRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the topics of the engine into the {@link DashboardState} and the rings of the streams, on its own thread and
 * without a consumer group.
 *
 * <p>Retries while brokers, topics or the registry are unavailable; {@link #status()} contains the reason. Unreadable
 * events are counted and skipped.
 */
final class TopicReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TopicReader.class);
    private static final long DISCOVERY_NS = TimeUnit.SECONDS.toNanos(2);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** Topics to read: predictions are too many, examples are not output. */
    private static final List<Topic> TOPICS =
            List.of(Topic.MODELS, Topic.COUNTS, Topic.MISTAKES, Topic.ALERTS, Topic.WEIGHTS, Topic.DEAD_LETTERS);

    /** Number of records, of up to 512 KiB each, of each partition of the weights to read at the start. */
    private static final long WEIGHTS_LOOKBACK = 200;

    private final EngineConfig config;
    private final Supplier<Consumer<byte[], byte[]>> consumers;
    private final long lookback;
    private final DashboardState state;
    private final Map<Topic, EventRing> rings;
    private final Map<Topic, EventReader<?>> readers = new EnumMap<>(Topic.class);
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    private final Map<String, Topic> topics = new HashMap<>();

    // initial end offsets of partitions that are not read up to there
    private final Map<TopicPartition, Long> backlog = new HashMap<>();
    private boolean hasCaughtUp;
    private final StoppableThread thread = new StoppableThread("monitor-reader", this::readUntilStopped, this::failed);
    private volatile Consumer<byte[], byte[]> consumer;
    private volatile String fault;
    private volatile Status status = new Status(State.STARTING, null, 0, 0, 0, 0, null);
    private long read;
    private long unreadable;
    private long skipped;
    private long lastDiscovery;

    /** State of the reader. */
    enum State {
        /** Reads the initial backlog. */
        STARTING,
        LIVE,
        /** More than 1,000 records behind. */
        CATCHING_UP,
        /** Waits for the reason that is the fault of the status. */
        WAITING
    }

    /**
     * Status of the reader.
     *
     * @param fault one line; null without a fault
     * @param lag number of committed records that are not read
     * @param read number of records since the start
     * @param unreadable number of skipped records that could not be decoded
     * @param skipped number of mistakes that were skipped because they arrived faster than they were read
     * @param lastPoll wall-clock time of the last answer of a broker, in ms; null before the first
     */
    record Status(State state, String fault, long lag, long read, long unreadable, long skipped, Long lastPoll) {}

    /**
     * Creates a reader without starting it.
     *
     * @param consumers creates read-committed consumers whose poll throws where the next record was deleted
     * @param rings of the streamed topics
     */
    TopicReader(
            EngineConfig config,
            Supplier<Consumer<byte[], byte[]>> consumers,
            SchemaRegistry registry,
            DashboardState state,
            Map<Topic, EventRing> rings) {
        this.config = config;
        this.consumers = consumers;
        this.lookback = config.get(EngineConfigDef.HTTP_LOOKBACK_RECORDS);
        this.state = state;
        this.rings = rings;
        for (Topic topic : TOPICS) {
            topics.put(config.topic(topic), topic);
        }
        readers.put(Topic.MODELS, EventReader.of(ModelStatus.class, registry));
        readers.put(Topic.COUNTS, EventReader.of(MistakeCount.class, registry));
        readers.put(Topic.MISTAKES, EventReader.of(Mistake.class, registry));
        readers.put(Topic.ALERTS, EventReader.of(Alert.class, registry));
        readers.put(Topic.WEIGHTS, EventReader.of(WeightsSnapshot.class, registry));
    }

    void start() {
        thread.start();
    }

    Status status() {
        return status;
    }

    private void readUntilStopped() {
        try (Consumer<byte[], byte[]> opened = consumers.get()) {
            consumer = opened;
            pollUntilStopped(opened, new TopicScan(opened, List.of()).reportingGaps(this::skip));
        }
    }

    private void pollUntilStopped(Consumer<byte[], byte[]> source, TopicScan scan) {
        lastDiscovery = System.nanoTime() - DISCOVERY_NS;
        while (!thread.isStopped()) {
            if (System.nanoTime() - lastDiscovery >= DISCOVERY_NS) {
                assignNewPartitions(source);
                lastDiscovery = System.nanoTime();
            }
            if (source.assignment().isEmpty()) {
                setStatus(
                        State.WAITING,
                        "topics must exist, got none with the prefix " + config.get(EngineConfigDef.TOPICS_PREFIX)
                                + "- (start the engine)",
                        0);
                thread.pause(PAUSE);
                continue;
            }
            for (ConsumerRecord<byte[], byte[]> record : scan.poll()) {
                // first, so that no record can be read again and again
                positions.put(new TopicPartition(record.topic(), record.partition()), record.offset() + 1);
                accept(record);
            }
            fault = null;
            long lag = skipAhead(source);
            checkBacklog(source);
            setStatus(lag > 1_000 ? State.CATCHING_UP : backlog.isEmpty() ? State.LIVE : State.STARTING, null, lag);
        }
    }

    private void skip(Gap gap) {
        positions.put(gap.partition(), gap.next());
        EventRing ring = rings.get(topics.get(gap.partition().topic()));
        if (ring != null) {
            ring.skipAheadTo(gap.partition().partition(), gap.next());
        }
    }

    /** Assigns new topics and partitions. */
    private void assignNewPartitions(Consumer<byte[], byte[]> source) {
        Set<TopicPartition> found = new HashSet<>(source.assignment());
        Set<TopicPartition> added = new HashSet<>();
        for (String name : topics.keySet()) {
            for (PartitionInfo info : partitions(source, name)) {
                TopicPartition partition = new TopicPartition(name, info.partition());
                if (found.add(partition)) {
                    added.add(partition);
                }
            }
        }
        if (added.isEmpty()) {
            return;
        }
        // before the offset requests, whose answers for unassigned partitions cause warnings
        source.assign(found);
        Map<TopicPartition, Long> starts = source.beginningOffsets(added);
        Map<TopicPartition, Long> ends = source.endOffsets(added);
        backlog.putAll(ends);
        for (TopicPartition partition : added) {
            Topic topic = topics.get(partition.topic());
            long first = starts.get(partition);
            if (topic != Topic.MODELS) {
                first = Math.max(first, ends.get(partition) - (topic == Topic.WEIGHTS ? WEIGHTS_LOOKBACK : lookback));
            }
            Long known = positions.get(partition);
            long from = known == null ? first : known;
            source.seek(partition, from);
            positions.put(partition, from);
            if (known == null && rings.containsKey(topic)) {
                rings.get(topic).skipTo(partition.partition(), from);
            }
        }
        orderMistakes(source);
    }

    /** Reads mistakes only after the first alerts: few mistakes before an alert are kept until it is known. */
    private void orderMistakes(Consumer<byte[], byte[]> source) {
        boolean isEarly = backlog.keySet().stream().anyMatch(each -> topics.get(each.topic()) == Topic.ALERTS);
        Set<TopicPartition> mistakes = new HashSet<>(source.assignment());
        mistakes.removeIf(each -> topics.get(each.topic()) != Topic.MISTAKES);
        if (isEarly) {
            source.pause(mistakes);
        } else {
            source.resume(mistakes);
        }
    }

    private static List<PartitionInfo> partitions(Consumer<byte[], byte[]> source, String name) {
        List<PartitionInfo> found = source.partitionsFor(name);
        return found == null ? List.of() : found;
    }

    /** Calls {@link DashboardState#caughtUp} once the initial backlog is read; the lag may never be 0. */
    private void checkBacklog(Consumer<byte[], byte[]> source) {
        // a topic may have been deleted
        Set<TopicPartition> assigned = source.assignment();
        backlog.entrySet()
                .removeIf(end -> !assigned.contains(end.getKey()) || source.position(end.getKey()) >= end.getValue());
        if (!source.paused().isEmpty()) {
            orderMistakes(source);
        }
        if (backlog.isEmpty() && !hasCaughtUp) {
            hasCaughtUp = true;
            state.caughtUp();
        }
    }

    /** Skips mistakes beyond twice the lookback; returns the remaining lag of all topics. */
    private long skipAhead(Consumer<byte[], byte[]> source) {
        long lag = 0;
        for (TopicPartition partition : source.assignment()) {
            long behind = source.currentLag(partition).orElse(0);
            if (topics.get(partition.topic()) == Topic.MISTAKES && behind > 2 * lookback) {
                long from = source.position(partition) + behind - lookback;
                skipped += behind - lookback;
                source.seek(partition, from);
                positions.put(partition, from);
                rings.get(Topic.MISTAKES).skipAheadTo(partition.partition(), from);
                behind = lookback;
            }
            lag += behind;
        }
        return lag;
    }

    private void accept(ConsumerRecord<byte[], byte[]> record) {
        Topic topic = topics.get(record.topic());
        read++;
        if (topic == Topic.DEAD_LETTERS) {
            state.add(DeadLetterView.of(record));
            return;
        }
        if (record.key() == null) {
            unreadable++;
            return;
        }
        String key = new String(record.key(), StandardCharsets.UTF_8);
        if (topic == Topic.WEIGHTS && key.indexOf(Versions.SEPARATOR) >= 0) {
            // a named snapshot, not the newest weights of the model
            return;
        }
        // keys of chunks after the first are name/number
        String model = Truncation.text(topic == Topic.WEIGHTS ? key.replaceFirst("/.*", "") : key, 128);
        if (record.value() == null) {
            if (topic == Topic.MODELS) {
                state.remove(model);
            }
            return;
        }
        IndexedRecord value = decode(topic, record);
        if (value == null) {
            return;
        }
        if (topic != Topic.WEIGHTS && record.value().length > Truncation.HARMLESS_BYTES) {
            Truncation.shorten(value);
        }
        if (value instanceof ModelStatus status && ModelDefaults.isStatusKey(key)) {
            state.addDefaults(event(record, model, status));
            return;
        }
        Event<?> event = event(record, model, value);
        state.add(event);
        EventRing ring = rings.get(topic);
        if (ring != null) {
            ring.add(event);
        }
    }

    private static <T extends IndexedRecord> Event<T> event(
            ConsumerRecord<byte[], byte[]> record, String model, T value) {
        return new Event<>(record.partition(), record.offset(), record.timestamp(), model, value);
    }

    /** Decodes an event, and waits while the registry does not answer; returns null for an unreadable event. */
    private IndexedRecord decode(Topic topic, ConsumerRecord<byte[], byte[]> record) {
        while (true) {
            try {
                return readers.get(topic).read(record.value());
            } catch (UnknownSchemaException | IllegalArgumentException e) {
                skip(record, e);
                return null;
            } catch (RegistryException e) {
                if (thread.isStopped() || thread.pause(failed(e))) {
                    throw new WakeupException();
                }
            }
        }
    }

    private void skip(ConsumerRecord<byte[], byte[]> record, RuntimeException why) {
        if (unreadable++ == 0) {
            LOG.warn(
                    "event must be readable, got {}-{}@{}: {}",
                    record.topic(),
                    record.partition(),
                    record.offset(),
                    why.getMessage());
        }
    }

    /** Shows a failure; returns the pause after it. */
    private Duration failed(RuntimeException failure) {
        // a client without brokers only says that time has passed
        List<String> brokers = failure instanceof TimeoutException ? BrokerCheck.faults(config) : List.of();
        String message = brokers.isEmpty() ? PublicFault.forLog(failure) : brokers.get(0);
        if (!message.equals(fault)) {
            fault = message;
            LOG.warn("the monitor must be able to read, got {} (it retries)", message);
        }
        setStatus(State.WAITING, PublicFault.of(failure), status.lag());
        return PAUSE;
    }

    private void setStatus(State newState, String why, long lag) {
        Long lastPoll = newState == State.WAITING ? status.lastPoll() : Long.valueOf(System.currentTimeMillis());
        status = new Status(newState, why, lag, read, unreadable, skipped, lastPoll);
    }

    /** Stops the thread and waits for it, at most 5 s. */
    @Override
    public void close() {
        thread.stop();
        Consumer<byte[], byte[]> open = consumer;
        if (open != null) {
            open.wakeup();
        }
        thread.join(Duration.ofSeconds(5));
    }
}
