package io.perceptronstreams.monitor;

import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.UnknownSchemaException;
import io.perceptronstreams.serde.AvroEventReader;
import io.perceptronstreams.serde.EventSchemas;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the engine's topics into the {@link DashboardState} and the rings of the streams, on a thread of its own and without a consumer group.
 *
 * <p>Whatever fails is tried again, with the reason in {@link #status()}: brokers that are away, topics that do not exist yet, a
 * registry that does not answer. Events that nobody can read are counted and left out.
 */
final class TopicReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TopicReader.class);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long PAUSE_MS = 1_000;

    /** Records of the weights, of up to 512 KiB each, that are read again of each partition at the start. */
    private static final long WEIGHTS_LOOKBACK = 200;

    private final String prefix;
    private final Supplier<Consumer<byte[], byte[]>> consumers;
    private final long lookback;
    private final DashboardState picture;
    private final Map<Feed, EventRing> rings;
    private final Map<Feed, AvroEventReader> readers = new EnumMap<>(Feed.class);
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    private final Map<String, Feed> feeds = new HashMap<>();

    // Where partitions ended when they were found, until that has been read.
    private final Map<TopicPartition, Long> backlog = new HashMap<>();
    private boolean hasCaughtUp;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "monitor-feed");
    private volatile Consumer<byte[], byte[]> consumer;
    private volatile String fault;
    private volatile Status status = new Status("STARTING", null, 0, 0, 0, 0, null);
    private long read;
    private long unreadable;
    private long skipped;
    private long lookedAt;

    /**
     * How the reading goes.
     *
     * @param state STARTING (until all has been read that was there before), LIVE (no more than a moment behind), CATCHING_UP or
     *     WAITING (see the fault)
     * @param fault what is wrong, in one line; null if nothing is
     * @param lag records that are committed and not read yet
     * @param read records that were read since the start
     * @param unreadable records among them that were left out
     * @param skipped mistakes that were jumped over, because they came faster than they could be read
     * @param lastPoll wall clock of the last answer of a broker, in ms; null before the first
     */
    record Status(String state, String fault, long lag, long read, long unreadable, long skipped, Long lastPoll) {}

    /**
     * A feed that is not started yet.
     *
     * @param consumers makes read-committed consumers
     * @param rings of the topics that are streamed
     * @param lookback how many records of a partition are read again at the start; all of them for models
     */
    TopicReader(
            String prefix,
            Supplier<Consumer<byte[], byte[]>> consumers,
            SchemaRegistry registry,
            long lookback,
            DashboardState picture,
            Map<Feed, EventRing> rings) {
        this.prefix = prefix;
        this.consumers = consumers;
        this.lookback = lookback;
        this.picture = picture;
        this.rings = rings;
        for (Feed feed : Feed.values()) {
            feeds.put(feed.topic(prefix), feed);
            if (feed.schema() != null) {
                readers.put(feed, new AvroEventReader(EventSchemas.schema(feed.schema()), registry));
            }
        }
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    Status status() {
        return status;
    }

    private void run() {
        while (stopped.getCount() > 0) {
            try (Consumer<byte[], byte[]> opened = consumers.get()) {
                consumer = opened;
                readOn(opened);
            } catch (WakeupException e) {
                // asked to stop: the loop sees it
            } catch (RuntimeException e) {
                wait(e);
            }
        }
    }

    private void readOn(Consumer<byte[], byte[]> source) {
        lookedAt = System.nanoTime() - LOOK_NS;
        while (stopped.getCount() > 0) {
            if (System.nanoTime() - lookedAt >= LOOK_NS) {
                look(source);
                lookedAt = System.nanoTime();
            }
            if (source.assignment().isEmpty()) {
                say(
                        "WAITING",
                        "topics must exist, got none that start with " + prefix + "- (the engine makes or wants them)",
                        0);
                pause();
                continue;
            }
            for (ConsumerRecord<byte[], byte[]> record : source.poll(POLL)) {
                take(record);
                positions.put(new TopicPartition(record.topic(), record.partition()), record.offset() + 1);
            }
            fault = null;
            long lag = skipAhead(source);
            noteBacklog(source);
            say(lag > 1_000 ? "CATCHING_UP" : backlog.isEmpty() ? "LIVE" : "STARTING", null, lag);
        }
    }

    /** Finds topics and partitions that were not there before. */
    private void look(Consumer<byte[], byte[]> source) {
        Set<TopicPartition> found = new HashSet<>(source.assignment());
        Set<TopicPartition> added = new HashSet<>();
        for (String topic : feeds.keySet()) {
            for (PartitionInfo info : partitions(source, topic)) {
                TopicPartition partition = new TopicPartition(topic, info.partition());
                if (found.add(partition)) {
                    added.add(partition);
                }
            }
        }
        if (added.isEmpty()) {
            return;
        }
        // before the questions: of partitions that are not assigned the answers cause a warning each
        source.assign(found);
        Map<TopicPartition, Long> starts = source.beginningOffsets(added);
        Map<TopicPartition, Long> ends = source.endOffsets(added);
        backlog.putAll(ends);
        for (TopicPartition partition : added) {
            Feed feed = feeds.get(partition.topic());
            long first = starts.get(partition);
            if (!feed.isReadWhole()) {
                first = Math.max(first, ends.get(partition) - (feed == Feed.WEIGHTS ? WEIGHTS_LOOKBACK : lookback));
            }
            Long known = positions.get(partition);
            long from = known == null ? first : known;
            source.seek(partition, from);
            positions.put(partition, from);
            if (known == null && rings.containsKey(feed)) {
                rings.get(feed).skipTo(partition.partition(), from);
            }
        }
    }

    private static List<PartitionInfo> partitions(Consumer<byte[], byte[]> source, String topic) {
        List<PartitionInfo> found = source.partitionsFor(topic);
        return found == null ? List.of() : found;
    }

    /** Tells the picture once when all has been read that was there at the start: the lag need never be 0. */
    private void noteBacklog(Consumer<byte[], byte[]> source) {
        // a topic may have been removed meanwhile
        Set<TopicPartition> assigned = source.assignment();
        backlog.entrySet()
                .removeIf(end -> !assigned.contains(end.getKey()) || source.position(end.getKey()) >= end.getValue());
        if (backlog.isEmpty() && !hasCaughtUp) {
            hasCaughtUp = true;
            picture.caughtUp();
        }
    }

    /** Jumps over mistakes that are too old to be of interest before they are read; returns how far behind the rest is. */
    private long skipAhead(Consumer<byte[], byte[]> source) {
        long lag = 0;
        for (TopicPartition partition : source.assignment()) {
            long behind = source.currentLag(partition).orElse(0);
            if (feeds.get(partition.topic()) == Feed.MISTAKES && behind > 2 * lookback) {
                long from = source.position(partition) + behind - lookback;
                skipped += behind - lookback;
                source.seek(partition, from);
                positions.put(partition, from);
                rings.get(Feed.MISTAKES).skipTo(partition.partition(), from);
                behind = lookback;
            }
            lag += behind;
        }
        return lag;
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        Feed feed = feeds.get(record.topic());
        read++;
        if (feed == Feed.DEAD_LETTERS) {
            picture.add(DeadLetterView.of(record));
            return;
        }
        if (record.key() == null) {
            unreadable++;
            return;
        }
        String key = new String(record.key(), StandardCharsets.UTF_8);
        // chunks after the first have a number behind the name
        String model = Truncation.text(feed == Feed.WEIGHTS ? key.replaceFirst("/.*", "") : key, 128);
        if (record.value() == null) {
            if (feed == Feed.MODELS) {
                picture.remove(model);
            }
            return;
        }
        GenericRecord value = decode(feed, record);
        if (value == null) {
            return;
        }
        if (feed != Feed.WEIGHTS && record.value().length > Truncation.HARMLESS_BYTES) {
            Truncation.shorten(value);
        }
        Event event = new Event(record.partition(), record.offset(), record.timestamp(), model, value);
        picture.add(feed, event);
        EventRing ring = rings.get(feed);
        if (ring != null) {
            ring.add(event);
        }
    }

    /** Waits for the registry as long as it takes; null if nobody can read the event. */
    private GenericRecord decode(Feed feed, ConsumerRecord<byte[], byte[]> record) {
        while (true) {
            try {
                return readers.get(feed).read(record.value());
            } catch (UnknownSchemaException | IllegalArgumentException e) {
                if (unreadable++ == 0) {
                    LOG.warn(
                            "event must be readable, got {}-{}@{}: {}",
                            record.topic(),
                            record.partition(),
                            record.offset(),
                            e.getMessage());
                }
                return null;
            } catch (RegistryException e) {
                wait(e);
                if (stopped.getCount() == 0) {
                    throw new WakeupException();
                }
            }
        }
    }

    private void wait(RuntimeException failure) {
        if (stopped.getCount() == 0) {
            return;
        }
        String message = Truncation.text(
                failure.getClass().getSimpleName() + ": "
                        + String.valueOf(failure.getMessage()).replaceAll("\\s+", " "),
                Truncation.MAX_TEXT);
        if (!message.equals(fault)) {
            fault = message;
            LOG.warn("the monitor must be able to read, got {} (it tries again)", message);
        }
        say("WAITING", message, status.lag());
        pause();
    }

    private void say(String state, String why, long lag) {
        Long lastPoll = state.equals("WAITING") ? status.lastPoll() : Long.valueOf(System.currentTimeMillis());
        status = new Status(state, why, lag, read, unreadable, skipped, lastPoll);
    }

    private void pause() {
        try {
            stopped.await(PAUSE_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            stopped.countDown();
        }
    }

    /** Ends the thread and waits for it, some seconds at most. */
    @Override
    public void close() {
        stopped.countDown();
        Consumer<byte[], byte[]> open = consumer;
        if (open != null) {
            open.wakeup();
        }
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
