package io.perceptronstreams.topology;

import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.log.ReroutedRecord;
import io.perceptronstreams.model.ModelSession;
import io.perceptronstreams.serde.Generation;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.InputPosition;
import io.perceptronstreams.store.ModelKeys;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Bytes;

/**
 * Makes models and offsets consistent again after one of them was lost. No engine may run.
 *
 * <p>{@link #plan} describes the changes, {@link #act} makes them: first the changelog, then the offsets. After a
 * failure in between, the engine still refuses to start, and the reset can be repeated. The stored position contains a
 * note.
 */
public final class PositionReset {
    private static final long MARGIN_MS = 5_000;

    /** Treatment of the models. */
    public enum Way {
        /** Deletes the models and relearns all records of the input. */
        TO_EARLIEST,
        /** Keeps the models and skips lost records. */
        SKIP_GAP
    }

    private final Admin admin;
    private final EngineConfig config;
    private final Generation generation;
    private final Way way;
    private final Uuid topicId;
    private final Map<Integer, Long> next = new TreeMap<>();
    private final Map<Integer, Map<Bytes, byte[]>> stored = new HashMap<>();
    private final Map<Integer, Long> sentOn;
    private final Map<TopicPartition, Long> committed;
    private final boolean isChangelogMissing;

    /**
     * Reads offsets, input and changelog. Takes up to {@code session.timeout.ms} after the end of an engine.
     *
     * @param notes receives a line if there is an engine, or was one a short time ago
     * @throws StartupException if an engine runs
     */
    public PositionReset(Admin admin, EngineConfig config, Way way, Consumer<String> notes)
            throws ExecutionException, InterruptedException {
        this.admin = admin;
        this.config = config;
        this.generation = config.generation();
        if (way == Way.TO_EARLIEST && !generation.isFirst()) {
            throw new StartupException(List.of(config.topic(Topic.EXAMPLES)
                    + " must be the topic of all that its models have learned, got one whose models began in "
                    + generation.previous().prefix() + " (topics reset --skip-gap keeps the models; perceptron topics"
                    + " repartition moves them from there again once the topics of " + generation.prefix()
                    + " and its group are deleted)"));
        }
        String following = Topic.EXAMPLES.name(generation.next().prefix());
        if (way == Way.TO_EARLIEST && StartupChecks.ends(admin, following) != null) {
            // what was sent on would be sent on again, and learned twice
            throw new StartupException(List.of(config.topic(Topic.EXAMPLES)
                    + " must not be learned again while its models are, or are being, moved, got the topic " + following
                    + " (topics repartition --back gives it back as long as that has no records; topics reset"
                    + " --skip-gap keeps the models)"));
        }
        this.way = way;
        awaitEmptyGroup(notes);
        String examples = config.topic(Topic.EXAMPLES);
        TopicDescription topic =
                admin.describeTopics(List.of(examples)).allTopicNames().get().get(examples);
        topicId = topic.topicId();
        Map<TopicPartition, Long> ends = StartupChecks.ends(admin, config.changelog());
        isChangelogMissing = ends == null;
        if (ends != null) {
            read(ends);
        }
        Map<TopicPartition, OffsetSpec> earliest = new HashMap<>();
        topic.partitions()
                .forEach(each -> earliest.put(new TopicPartition(examples, each.partition()), OffsetSpec.earliest()));
        committed = EngineGroup.committed(admin, config);
        sentOn = way == Way.SKIP_GAP ? sentOn(following) : Map.of();
        admin.listOffsets(earliest).all().get().forEach((partition, first) -> {
            next.put(
                    partition.partition(),
                    Math.max(
                            generation.offset(first.offset()),
                            way == Way.TO_EARLIEST ? generation.base() : reached(partition)));
        });
    }

    /**
     * Offset up to which the models have learned a partition, or its fence has sent records on: their position, or else
     * the committed offset.
     */
    private long reached(TopicPartition partition) {
        InputPosition position = position(partition.partition());
        if (position == null) {
            return sent(partition);
        }
        return position.topicId().equals(topicId)
                ? Math.max(position.next(), sentOn.getOrDefault(partition.partition(), 0L))
                : generation.base();
    }

    /**
     * Offsets behind the last records that fences have sent on since the position was stored, by partition. Their
     * copies stay, also where the offset that was committed with them is lost.
     *
     * <p>A copy must be that of the record at its place: one of a former topic of that name has another record there.
     *
     * @param following examples topic of the next generation
     */
    private Map<Integer, Long> sentOn(String following) throws ExecutionException, InterruptedException {
        Map<Integer, Long> from = new TreeMap<>();
        for (int partition : stored.keySet()) {
            InputPosition position = position(partition);
            if (position != null
                    && position.fence() != null
                    && position.topicId().equals(topicId)) {
                from.put(partition, position.next());
            }
        }
        if (from.isEmpty() || StartupChecks.ends(admin, following) == null) {
            return Map.of();
        }
        Map<String, Integer> copies = new HashMap<>();
        try (TopicScan scan = TopicScan.open(config, following).fromBeginning()) {
            scan.readTo(scan.ends(), () -> false, record -> {
                Header place = record.headers().lastHeader(ReroutedRecord.FORWARDED);
                if (place != null) {
                    copies.put(new String(place.value(), StandardCharsets.UTF_8), hash(record));
                }
            });
        }
        Map<Integer, Long> reached = new HashMap<>();
        String examples = config.topic(Topic.EXAMPLES);
        try (TopicScan scan = TopicScan.open(config, examples)) {
            Map<TopicPartition, Long> beginnings = scan.beginnings();
            Map<TopicPartition, Long> ends = scan.ends();
            for (Map.Entry<Integer, Long> each : from.entrySet()) {
                TopicPartition partition = new TopicPartition(examples, each.getKey());
                long first = Math.max(beginnings.get(partition), generation.inTopic(each.getValue()));
                scan.from(partition, first).readTo(Map.of(partition, ends.get(partition)), () -> false, record -> {
                    long offset = generation.offset(record.offset());
                    if (Objects.equals(copies.get(partition + "@" + offset), hash(record))) {
                        reached.put(partition.partition(), offset + 1);
                    }
                });
            }
        }
        return reached;
    }

    private static int hash(ConsumerRecord<byte[], byte[]> record) {
        return 31 * Arrays.hashCode(record.key()) + Arrays.hashCode(record.value());
    }

    /** Offset up to which outputs were sent. */
    private long sent(TopicPartition partition) {
        return generation.offset(committed.getOrDefault(partition, 0L));
    }

    /** Waits until the session of an ended engine expires: static members do not leave the group. */
    private void awaitEmptyGroup(Consumer<String> notes) throws ExecutionException, InterruptedException {
        long limitMs = EngineGroup.sessionTimeoutMs(admin, config) + MARGIN_MS;
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
        boolean isNoted = false;
        for (Set<String> hosts = hosts(); !hosts.isEmpty(); hosts = hosts()) {
            if (System.nanoTime() > end) {
                throw new StartupException(List.of("engine must be stopped, got a group " + config.applicationId()
                        + " with members at " + String.join(", ", hosts) + " (stop the engine there)"));
            }
            if (!isNoted) {
                isNoted = true;
                notes.accept("engine must be stopped, got a group " + config.applicationId() + " with members at "
                        + String.join(", ", hosts) + ": stop the engine there, or, if it has ended, wait up to "
                        + limitMs / 1000 + " s until its session expires");
            }
            TimeUnit.MILLISECONDS.sleep(500);
        }
    }

    /** Hosts of the members of the engine's group. */
    private Set<String> hosts() throws ExecutionException, InterruptedException {
        return EngineGroup.members(admin, config).stream()
                .map(member -> member.host().replaceFirst("^/", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private void read(Map<TopicPartition, Long> ends) {
        try (TopicScan scan = TopicScan.open(config, config.changelog()).fromBeginning()) {
            scan.readTo(ends, () -> false, record -> {
                Map<Bytes, byte[]> records = stored.computeIfAbsent(record.partition(), any -> new HashMap<>());
                if (record.value() == null) {
                    records.remove(Bytes.wrap(record.key()));
                } else {
                    records.put(Bytes.wrap(record.key()), keptValue(record));
                }
            });
        }
    }

    /** Drops the values of blocks, of which only the keys are needed. */
    private static byte[] keptValue(ConsumerRecord<byte[], byte[]> record) {
        Bytes key = Bytes.wrap(record.key());
        return key.equals(ModelKeys.POSITION) || ModelKeys.isHeader(key) ? record.value() : new byte[0];
    }

    private InputPosition position(int partition) {
        byte[] value = stored.getOrDefault(partition, Map.of()).get(ModelKeys.POSITION);
        try {
            return value == null ? null : InputPosition.decode(value);
        } catch (IllegalStateException e) {
            if (way == Way.TO_EARLIEST) {
                // written by another version, whose models are deleted
                return null;
            }
            throw e;
        }
    }

    /** Describes the effect of {@link #act}, one line for each partition. */
    public List<String> plan() {
        List<String> lines = new ArrayList<>();
        if (isChangelogMissing) {
            lines.add(config.changelog() + ": is created");
        }
        next.forEach((partition, offset) -> {
            InputPosition position = position(partition);
            long models = stored.getOrDefault(partition, Map.of()).keySet().stream()
                    .filter(ModelKeys::isHeader)
                    .count();
            lines.add(
                    config.topic(Topic.EXAMPLES) + "-" + partition + ": continues at offset " + offset + ", its models "
                            + (position == null
                                    ? "without a position"
                                    : "have learned it to " + position.next()
                                            + (position.topicId().equals(topicId) ? "" : " of another topic"))
                            + "; " + models + (way == Way.TO_EARLIEST ? " models are deleted" : " models are kept")
                            + lost(partition, offset)
                            + sentTwice(partition, offset));
        });
        return lines;
    }

    /** The records before the next one that were deleted before they were learned; empty if there are none. */
    private String lost(int partition, long offset) {
        long from = way == Way.TO_EARLIEST
                ? generation.base()
                : reached(new TopicPartition(config.topic(Topic.EXAMPLES), partition));
        return offset <= from
                ? ""
                : "; offsets " + from + " to " + (offset - 1) + " were deleted before they were learned";
    }

    /** The outputs of records before the committed offset have been sent, although no model has learned the records. */
    private String sentTwice(int partition, long offset) {
        long sent = sent(new TopicPartition(config.topic(Topic.EXAMPLES), partition));
        return offset >= sent
                ? ""
                : "; predictions, mistakes and dead letters of offsets " + offset + " to " + (sent - 1)
                        + " are sent a second time";
    }

    /** Writes the changelog and the offsets. */
    public void act() throws ExecutionException, InterruptedException {
        if (isChangelogMissing) {
            admin.createTopics(List.of(changelog())).all().get();
        }
        String note = Instant.now().truncatedTo(ChronoUnit.SECONDS) + " topics reset "
                + (way == Way.TO_EARLIEST ? "--to-earliest" : "--skip-gap") + " by " + System.getProperty("user.name");
        Map<String, Object> properties = new HashMap<>(config.clients("producer."));
        properties.put(ProducerConfig.ACKS_CONFIG, "all");
        properties.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            List<Future<?>> sent = new ArrayList<>();
            next.forEach((partition, offset) -> records(partition, offset, note)
                    .forEach((key, value) -> sent.add(
                            producer.send(new ProducerRecord<>(config.changelog(), partition, key.get(), value)))));
            producer.flush();
            for (Future<?> each : sent) {
                each.get();
            }
        }
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        next.forEach((partition, offset) -> offsets.put(
                new TopicPartition(config.topic(Topic.EXAMPLES), partition),
                new OffsetAndMetadata(generation.inTopic(offset))));
        admin.alterConsumerGroupOffsets(config.applicationId(), offsets).all().get();
    }

    /** Changed records of the changelog. */
    private Map<Bytes, byte[]> records(int partition, long offset, String note) {
        Map<Bytes, byte[]> records = new HashMap<>();
        InputPosition position = position(partition);
        boolean isSameTopic = position != null && position.topicId().equals(topicId);
        stored.getOrDefault(partition, Map.of()).forEach((key, value) -> {
            if (way == Way.TO_EARLIEST || ModelKeys.isRefusal(key)) {
                records.put(key, null);
            } else if (ModelKeys.isHeader(key) && !isSameTopic) {
                // the position is an offset of another topic
                records.put(key, InputPosition.withoutPosition(value));
            }
        });
        InputPosition.Decisions decisions = new InputPosition.Decisions(
                config.get(EngineConfigDef.MODELS_AUTO_CREATE),
                config.get(EngineConfigDef.MISROUTED) == EngineConfig.Misrouted.REROUTE,
                next.size(),
                ModelSession.REVISION,
                // no record is processed under these: the engine writes its own before the first one
                false,
                InputPosition.Decisions.DEFAULT_AHEAD_MS);
        long stagedThrough = way == Way.SKIP_GAP && isSameTopic ? position.stagedThrough() : -1;
        Settings defaults = way == Way.SKIP_GAP && position != null ? position.defaults() : Settings.DEFAULTS;
        records.put(
                ModelKeys.POSITION,
                new InputPosition(
                                topicId,
                                offset,
                                stagedThrough,
                                decisions,
                                InputPosition.Summary.UNKNOWN,
                                defaults,
                                note + ", offset " + offset + lost(partition, offset),
                                way == Way.SKIP_GAP && position != null ? position.fence() : null)
                        .encode());
        return records;
    }

    private NewTopic changelog() {
        Map<String, String> settings = new HashMap<>(LearningTopology.CHANGELOG);
        settings.put("cleanup.policy", "compact");
        return new NewTopic(
                        config.changelog(),
                        Optional.of(next.size()),
                        Optional.of(config.get(EngineConfigDef.TOPICS_REPLICATION_FACTOR))
                                .filter(count -> count != -1))
                .configs(settings);
    }
}
