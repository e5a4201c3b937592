package io.perceptronstreams.topology;

import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.log.LogReplay;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.serde.Generation;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.DiskStore;
import io.perceptronstreams.store.InputPosition;
import io.perceptronstreams.store.InputPosition.Decisions;
import io.perceptronstreams.store.ModelKeys;
import io.perceptronstreams.store.MovedModels;
import io.perceptronstreams.store.SharedRocksMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;

/**
 * Moves the models of an engine to the next {@link Generation} of its topics, which has another number of partitions.
 *
 * <p>Steps: {@link #createTopics}; a fence in each partition of the examples topic, by others; {@link #move}. Each can
 * be repeated after a failure. Behind the fences the stored models do not change any more, so that what is moved is the
 * same each time. The last transaction of a move has the positions of all new partitions and the offsets of the new
 * group: before it the next engine refuses to start ({@link #isComplete}), after it the former one.
 */
public final class Repartition {
    /** Bytes of keys and values after which a transaction is committed. */
    private static final int TRANSACTION_BYTES = 8 << 20;

    private static final int TRANSACTION_TIMEOUT_MS = 60_000;
    private static final long DELETION_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long STABLE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(90);
    private static final long PAUSE_MS = 100;
    private static final long SAMPLE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Records at the end of a partition of the changelog among which its last position is looked for. */
    private static final long LAST_RECORDS = 5_000;

    private final Admin admin;
    private final EngineConfig config;
    private final EngineConfig next;
    private final int partitions;
    private final int partitionsBefore;
    private final Map<String, TopicDescription> described;

    // for tests
    int transactionBytes = TRANSACTION_BYTES;
    Runnable afterTransaction = () -> {};
    Path lastDirectory;

    /**
     * What a move has to do.
     *
     * @param models number of models at the last checkpoints; -1 if a partition has none
     * @param changelogBytes estimated size of the changelog
     * @param bytesPerSecond rate at which this machine has read it; 0 if it is empty
     */
    public record Estimate(long models, long changelogBytes, long bytesPerSecond) {
        /** Estimated time from the fence to the first prediction of the next engine, in seconds. */
        public double seconds() {
            // read, written, and restored by the next engine; the fixed part was measured with an empty changelog
            return 5 + (bytesPerSecond == 0 ? 0 : 3.0 * changelogBytes / bytesPerSecond);
        }
    }

    /**
     * What a move has done.
     *
     * @param models deleted ones included
     * @param records of changelog, statuses and weights
     * @param bytes of these
     */
    public record Moved(long models, long records, long bytes, boolean hasOtherDefaults) {}

    /**
     * Reads which topics there are.
     *
     * @param partitions of the next generation
     * @throws StartupException if the topics cannot be moved, with a line for each fault
     */
    public Repartition(Admin admin, EngineConfig config, int partitions)
            throws ExecutionException, InterruptedException {
        this.admin = admin;
        this.config = config;
        this.partitions = partitions;
        Generation generation = config.generation();
        if (generation.number() == Generation.LAST) {
            throw new StartupException(List.of("topics must be of a generation before the last, got "
                    + generation.prefix() + " (models export and models import take models to other topics)"));
        }
        if (partitions < 1) {
            throw new StartupException(List.of("--to must be a number of partitions of at least 1, got " + partitions));
        }
        next = config.at(
                generation.next(), Map.of(EngineConfigDef.TOPICS_PARTITIONS.name(), Integer.toString(partitions)));
        described = describe(topics(config));
        List<String> faults = new ArrayList<>();
        for (String name : topics(config)) {
            if (!described.containsKey(name)) {
                faults.add("topic " + name + " must exist, got none"
                        + (name.equals(config.changelog())
                                ? " (an engine that has never run has no models; topics create --partitions makes"
                                        + " topics with another prefix)"
                                : " (perceptron topics create creates it)"));
            }
        }
        if (!faults.isEmpty()) {
            throw new StartupException(faults);
        }
        partitionsBefore = described.get(examples(config)).partitions().size();
        if (partitions == partitionsBefore) {
            throw new StartupException(List.of("--to must be another number of partitions than that of "
                    + examples(config) + ", got " + partitions));
        }
        checkNext();
    }

    /** Name of the examples topic. */
    private static String examples(EngineConfig config) {
        return config.topic(Topic.EXAMPLES);
    }

    /** The changelog first: the others of an interrupted creation are known by it. */
    private static List<String> topics(EngineConfig config) {
        List<String> names = new ArrayList<>(List.of(config.changelog()));
        Arrays.stream(Topic.values()).map(config::topic).forEach(names::add);
        return names;
    }

    private Map<String, TopicDescription> describe(List<String> names) throws ExecutionException, InterruptedException {
        Map<String, TopicDescription> found = new HashMap<>();
        for (Map.Entry<String, KafkaFuture<TopicDescription>> each :
                admin.describeTopics(names).topicNameValues().entrySet()) {
            try {
                found.put(each.getKey(), each.getValue().get());
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw e;
                }
            }
        }
        return found;
    }

    /** Requires that topics of the next generation, if there are any, are those of an interrupted repartition to it. */
    private void checkNext() throws ExecutionException, InterruptedException {
        Map<String, TopicDescription> there = describe(topics(next));
        if (there.isEmpty()) {
            return;
        }
        String prefix = next.generation().prefix();
        // all topics but the changelog: a move that began again was interrupted between its deletion and its creation
        boolean isRestarted = there.size() == topics(next).size() - 1;
        if (!there.containsKey(next.changelog()) && !isRestarted) {
            throw new StartupException(List.of("topics of the prefix " + prefix + " must not exist, got "
                    + String.join(", ", there.keySet().stream().sorted().toList())
                    + " without " + next.changelog() + ", which a repartition creates first (delete them if nobody"
                    + " needs them)"));
        }
        for (TopicDescription each : there.values()) {
            if (each.partitions().size() != partitions) {
                throw new StartupException(List.of("a repartition to " + prefix + " that has begun must go on with its"
                        + " number of partitions, got " + each.name() + " with "
                        + each.partitions().size() + " and --to " + partitions
                        + " (--back ends it as long as there are no records)"));
            }
        }
    }

    /** Settings of the next generation. */
    public EngineConfig next() {
        return next;
    }

    /** Number of partitions before the move. */
    public int partitionsBefore() {
        return partitionsBefore;
    }

    /**
     * Returns true for topics of the first generation, and of a later one that has all models of the one before.
     *
     * <p>Cost: a question to the group; all of the changelog, if the group has no offsets any more.
     */
    public static boolean isComplete(Admin admin, EngineConfig config) throws ExecutionException, InterruptedException {
        if (config.generation().isFirst()
                || !EngineGroup.committed(admin, config).isEmpty()) {
            return true;
        }
        Map<TopicPartition, Long> ends = StartupChecks.ends(admin, config.changelog());
        if (ends == null || ends.values().stream().anyMatch(end -> end == 0)) {
            return false;
        }
        // brokers forget the offsets of a group that has had no member for a week
        Set<Integer> positioned = new HashSet<>();
        try (TopicScan scan = TopicScan.open(config, config.changelog()).fromBeginning()) {
            scan.readTo(scan.ends(), () -> positioned.size() == ends.size(), record -> {
                if (Bytes.wrap(record.key()).equals(ModelKeys.POSITION)) {
                    positioned.add(record.partition());
                }
            });
        }
        return positioned.size() == ends.size();
    }

    /**
     * Requires that models were moved to the topics, if their prefix is that of a later generation.
     *
     * @throws StartupException if not
     */
    public static void requireComplete(Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
        if (isComplete(admin, config)) {
            return;
        }
        EngineConfig earlier = config.at(config.generation().previous(), Map.of());
        boolean isMisnamed = StartupChecks.ends(admin, config.changelog()) == null
                && StartupChecks.ends(admin, earlier.changelog()) == null;
        throw new StartupException(List.of(
                isMisnamed
                        ? "topics.prefix must end in -gen2, -gen3, … only for topics to which perceptron topics"
                                + " repartition has moved models, got "
                                + config.generation().prefix()
                                + " and no models of " + earlier.generation().prefix() + " (choose another prefix)"
                        : LogReplay.notMoved(config)));
    }

    /**
     * Returns the settings of the generation that has the models now: these, or those of a later one to which they were
     * moved.
     */
    public static EngineConfig holder(Admin admin, EngineConfig config)
            throws ExecutionException, InterruptedException {
        EngineConfig holder = config;
        while (holder.generation().number() < Generation.LAST) {
            EngineConfig next = holder.at(holder.generation().next(), Map.of());
            try {
                if (!isComplete(admin, next)) {
                    break;
                }
            } catch (ExecutionException e) {
                if (e.getCause() instanceof AuthorizationException) {
                    // who may not see the next group cannot send to its topics, either
                    break;
                }
                throw e;
            }
            holder = next;
        }
        return holder;
    }

    /** Returns true if the move is done. */
    public boolean isDone() throws ExecutionException, InterruptedException {
        return isComplete(admin, next);
    }

    /** Estimates the work of a move; reads the changelog for up to two seconds. */
    public Estimate estimate() throws ExecutionException, InterruptedException {
        String changelog = config.changelog();
        Map<TopicPartition, Long> ends = StartupChecks.ends(admin, changelog);
        Map<TopicPartition, Long> begins = StartupChecks.offsets(admin, changelog, OffsetSpec.earliest());
        long records = ends.entrySet().stream()
                .mapToLong(end -> end.getValue() - begins.get(end.getKey()))
                .sum();
        long[] read = new long[2];
        Map<Integer, Long> models = new HashMap<>();
        try (TopicScan scan = TopicScan.open(config, changelog).fromBeginning()) {
            long start = System.nanoTime();
            scan.readTo(scan.ends(), () -> System.nanoTime() - start > SAMPLE_NANOS, record -> {
                read[0]++;
                read[1] += bytes(record.key(), record.value());
            });
            double seconds = (System.nanoTime() - start) / 1e9;
            scan.readLast(LAST_RECORDS, record -> {
                if (Bytes.wrap(record.key()).equals(ModelKeys.POSITION) && record.value() != null) {
                    models.put(
                            record.partition(),
                            InputPosition.decode(record.value()).summary().models());
                }
            });
            boolean isKnown =
                    models.size() == ends.size() && models.values().stream().allMatch(count -> count >= 0);
            return new Estimate(
                    isKnown ? models.values().stream().mapToLong(each -> each).sum() : -1,
                    read[0] == 0 ? 0 : (long) ((double) read[1] / read[0] * records),
                    read[0] == 0 ? 0 : (long) (read[1] / seconds));
        }
    }

    private static long bytes(byte[] key, byte[] value) {
        return key.length + (value == null ? 0L : value.length);
    }

    /** The topics that {@link #createTopics} creates: those of now, with their settings and copies. */
    public List<NewTopic> newTopics() throws ExecutionException, InterruptedException {
        Map<String, String> names = new LinkedHashMap<>();
        List<String> before = topics(config);
        List<String> after = topics(next);
        for (int k = 0; k < before.size(); k++) {
            names.put(before.get(k), after.get(k));
        }
        Map<String, Map<String, String>> settings = new HashMap<>();
        List<ConfigResource> resources = before.stream()
                .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
                .toList();
        for (Map.Entry<ConfigResource, Config> each :
                admin.describeConfigs(resources).all().get().entrySet()) {
            Map<String, String> own = new TreeMap<>();
            each.getValue().entries().stream()
                    .filter(entry -> entry.source() == ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG)
                    .filter(entry -> !entry.name().endsWith("throttled.replicas"))
                    .forEach(entry -> own.put(entry.name(), entry.value()));
            settings.put(each.getKey().name(), own);
        }
        List<NewTopic> created = new ArrayList<>();
        names.forEach((old, fresh) -> created.add(
                new NewTopic(fresh, Optional.of(partitions), Optional.of((short) replicas(described.get(old))))
                        .configs(settings.get(old))));
        return created;
    }

    private static int replicas(TopicDescription topic) {
        return topic.partitions().get(0).replicas().size();
    }

    /** Creates the topics of the next generation that do not exist. */
    public void createTopics() throws ExecutionException, InterruptedException {
        for (NewTopic each : newTopics()) {
            create(each, false);
        }
    }

    /** @param isDeleted true if a topic of that name is being deleted */
    private void create(NewTopic topic, boolean isDeleted) throws ExecutionException, InterruptedException {
        long start = System.nanoTime();
        while (true) {
            try {
                admin.createTopics(List.of(topic)).all().get();
                break;
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof TopicExistsException)) {
                    throw e;
                }
                if (!isDeleted) {
                    break;
                }
                if (System.nanoTime() - start > DELETION_TIMEOUT_NANOS) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
            }
        }
        awaitLeaders(topic.name());
    }

    private void awaitLeaders(String topic) throws ExecutionException, InterruptedException {
        long start = System.nanoTime();
        while (true) {
            try {
                Map<TopicPartition, Long> ends = StartupChecks.ends(admin, topic);
                if (ends != null && ends.size() == partitions) {
                    return;
                }
            } catch (ExecutionException e) {
                if (System.nanoTime() - start > DELETION_TIMEOUT_NANOS) {
                    throw e;
                }
            }
            if (System.nanoTime() - start > DELETION_TIMEOUT_NANOS) {
                throw new StartupException(List.of("topic " + topic + " must get a leader for each partition within "
                        + TimeUnit.NANOSECONDS.toSeconds(DELETION_TIMEOUT_NANOS) + " s, got none"));
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        }
    }

    /**
     * Requires, before there is a fence, the rights that {@link #move} needs; {@link #createTopics} must have been
     * called. Those of the engine on the new topics are known to the engine alone.
     *
     * @throws StartupException with a line for each topic on which a right is missing, or one for group or
     *     transactional id
     */
    public void requireRights() throws ExecutionException, InterruptedException {
        List<String> faults = new ArrayList<>();
        requireRights(config.changelog(), Set.of(AclOperation.READ), faults);
        requireRights(next.changelog(), Set.of(AclOperation.READ, AclOperation.WRITE, AclOperation.DELETE), faults);
        requireRights(examples(next), Set.of(AclOperation.READ), faults);
        for (Topic topic : List.of(Topic.MODELS, Topic.WEIGHTS)) {
            requireRights(config.topic(topic), Set.of(AclOperation.READ), faults);
            requireRights(next.topic(topic), Set.of(AclOperation.WRITE), faults);
        }
        if (!faults.isEmpty()) {
            throw new StartupException(faults);
        }
        try (KafkaProducer<byte[], byte[]> producer = producer()) {
            producer.initTransactions();
            producer.beginTransaction();
            sendOffsets(producer);
            producer.abortTransaction();
        } catch (KafkaException e) {
            throw new StartupException(List.of("there must be the rights to move the models, got: " + e.getMessage()
                    + " (docs/security.md has them; nothing is fenced)"));
        }
    }

    private void requireRights(String topic, Set<AclOperation> needed, List<String> faults)
            throws ExecutionException, InterruptedException {
        Set<AclOperation> given = admin.describeTopics(
                        List.of(topic), new DescribeTopicsOptions().includeAuthorizedOperations(true))
                .allTopicNames()
                .get()
                .get(topic)
                .authorizedOperations();
        // null of brokers that do not say it
        if (given != null && !given.containsAll(needed)) {
            faults.add("there must be the rights " + new TreeSet<>(needed) + " on topic " + topic
                    + " to move the models, got " + new TreeSet<>(given)
                    + " (docs/security.md has them; nothing is fenced)");
        }
    }

    private KafkaProducer<byte[], byte[]> producer() {
        Map<String, Object> properties = new HashMap<>(config.clients("producer."));
        properties.put(ProducerConfig.ACKS_CONFIG, "all");
        properties.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, next.applicationId() + "-move");
        properties.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_TIMEOUT_MS);
        properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, Math.max(config.maxRequestBytes(), 2 << 20));
        return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Adds the offsets of the new group to a transaction. */
    private void sendOffsets(Producer<byte[], byte[]> producer) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (int k = 0; k < partitions; k++) {
            offsets.put(new TopicPartition(examples(next), k), new OffsetAndMetadata(0));
        }
        try (Consumer<byte[], byte[]> group = TopicScan.consumer(next, next.applicationId())) {
            producer.sendOffsetsToTransaction(offsets, group.groupMetadata());
        }
    }

    /**
     * Moves all models, statuses and snapshots; a move that was interrupted begins again. All partitions must have
     * their fence, and its answer must have been read.
     *
     * @throws StartupException if a fence is missing, or another move has taken over
     */
    public Moved move() throws ExecutionException, InterruptedException {
        try (KafkaProducer<byte[], byte[]> producer = producer()) {
            // from here on, an earlier move that still runs can write nothing
            producer.initTransactions();
            if (isDone()) {
                throw new StartupException(List.of(
                        "models must be moved once, got " + next.generation().prefix() + ", which has them already"));
            }
            restartChangelog();
            return new Move(producer).run();
        } catch (KafkaException e) {
            throw new StartupException(List.of("models must be moved to "
                    + next.generation().prefix() + ", got: " + e.getMessage() + " (the same command begins again)"));
        }
    }

    /** Deletes what an interrupted move has written. */
    private void restartChangelog() throws ExecutionException, InterruptedException {
        if (StartupChecks.ends(admin, next.changelog()).values().stream().allMatch(end -> end == 0)) {
            return;
        }
        admin.deleteTopics(List.of(next.changelog())).all().get();
        create(
                newTopics().stream()
                        .filter(topic -> topic.name().equals(next.changelog()))
                        .findFirst()
                        .orElseThrow(),
                true);
    }

    /** One move; transactions are committed by their size. */
    private final class Move {
        private final Producer<byte[], byte[]> producer;
        private boolean isOpen;
        private long unwritten;
        private long records;
        private long bytes;

        Move(Producer<byte[], byte[]> producer) {
            this.producer = producer;
        }

        Moved run() throws ExecutionException, InterruptedException {
            MovedModels models = new MovedModels(
                    partitions, (partition, key, value) -> send(next.changelog(), partition, key.get(), value));
            int[] last = {-1};
            copy(config.changelog(), this::commit, (partition, entry) -> {
                if (partition != last[0]) {
                    last[0] = partition;
                    models.begin(partition);
                }
                models.add(entry.key, entry.value);
            });
            requireFences(models);
            for (Topic topic : List.of(Topic.MODELS, Topic.WEIGHTS)) {
                copy(config.topic(topic), this::commit, (partition, entry) -> copyEvent(topic, entry));
            }
            commit();
            begin();
            TopicDescription examples = describe(List.of(examples(next))).get(examples(next));
            Decisions decisions = models.before().values().iterator().next().decisions();
            models.finish(
                    examples.topicId(),
                    next.generation().base(),
                    new Decisions(
                            decisions.createsModels(),
                            decisions.reroutes(),
                            partitions,
                            decisions.revision(),
                            decisions.writesJson(),
                            decisions.aheadMs()));
            sendOffsets(producer);
            producer.commitTransaction();
            boolean hasOthers = models.before().values().stream()
                            .map(InputPosition::defaults)
                            .distinct()
                            .count()
                    > 1;
            return new Moved(models.models(), records, bytes, hasOthers);
        }

        private void requireFences(MovedModels models) {
            for (int k = 0; k < partitionsBefore; k++) {
                InputPosition position = models.before().get(k);
                if (position == null || position.fence() == null) {
                    throw new StartupException(List.of(examples(config) + "-" + k
                            + " must have a fence that its engine has reached, got "
                            + (position == null ? "no position" : "none before offset " + position.next())
                            + " (is the engine running, and of this version?)"));
                }
                if (config.generation().inTopic(position.next()) >= Generation.OFFSETS) {
                    throw new StartupException(List.of(examples(config) + "-" + k + " must have less than "
                            + Generation.OFFSETS + " offsets, got " + position.next()));
                }
            }
        }

        /** Copies a status, or a chunk of weights; the status of the defaults to each partition. */
        private void copyEvent(Topic topic, KeyValue<Bytes, byte[]> entry) {
            int ofDefaults = ModelDefaults.partition(entry.key.get());
            if (ofDefaults < 0) {
                int partition = LearningTopology.modelPartition(entry.key.get(), partitions);
                send(next.topic(topic), partition, entry.key.get(), entry.value);
            } else if (ofDefaults == 0) {
                for (int k = 0; k < partitions; k++) {
                    byte[] key = ModelDefaults.statusKey(k).getBytes(StandardCharsets.UTF_8);
                    send(next.topic(topic), k, key, entry.value);
                }
            }
        }

        private void send(String topic, int partition, byte[] key, byte[] value) {
            begin();
            // a failure is that of the commit
            var unused = producer.send(new ProducerRecord<>(topic, partition, key, value));
            records++;
            bytes += bytes(key, value);
            unwritten += bytes(key, value);
            if (unwritten > transactionBytes) {
                commit();
            }
        }

        private void begin() {
            if (!isOpen) {
                producer.beginTransaction();
                isOpen = true;
            }
        }

        private void commit() {
            if (isOpen) {
                producer.commitTransaction();
                isOpen = false;
                unwritten = 0;
                afterTransaction.run();
            }
        }
    }

    /**
     * Reads the last value of each key of a topic, one partition after the other, by way of a store on the disk.
     *
     * @param commit called before what may take longer than a transaction may be open
     */
    private void copy(String topic, Runnable commit, BiConsumer<Integer, KeyValue<Bytes, byte[]>> sink)
            throws ExecutionException, InterruptedException {
        commit.run();
        Map<TopicPartition, Long> ends = stableEnds(topic);
        Path directory;
        try {
            directory = Files.createTempDirectory("perceptron-move");
            lastDirectory = directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        long cacheBytes = (Long) config.streams().get(SharedRocksMemory.CACHE_BYTES);
        try {
            for (int k = 0; k < ends.size(); k++) {
                commit.run();
                TopicPartition place = new TopicPartition(topic, k);
                DiskStore last = new DiskStore(directory.resolve(Integer.toString(k)), cacheBytes);
                try (TopicScan scan = TopicScan.open(config, topic)) {
                    scan.from(place, scan.beginnings().get(place))
                            .readTo(
                                    Map.of(place, ends.get(place)),
                                    () -> false,
                                    record -> last.put(Bytes.wrap(record.key()), record.value()));
                    try (KeyValueIterator<Bytes, byte[]> entries = last.all()) {
                        while (entries.hasNext()) {
                            KeyValue<Bytes, byte[]> entry = entries.next();
                            sink.accept(k, entry);
                        }
                    }
                } finally {
                    last.close();
                }
                delete(directory.resolve(Integer.toString(k)));
            }
        } finally {
            delete(directory);
        }
    }

    private static void delete(Path directory) {
        try {
            Utils.delete(directory.toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends of the partitions, once the transactions are over that were open: those that have the fences, too. */
    private Map<TopicPartition, Long> stableEnds(String topic) throws ExecutionException, InterruptedException {
        Map<TopicPartition, Long> ends = StartupChecks.ends(admin, topic);
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        ends.keySet().forEach(place -> latest.put(place, OffsetSpec.latest()));
        long start = System.nanoTime();
        while (true) {
            var readable = admin.listOffsets(latest, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                    .all()
                    .get();
            if (ends.entrySet().stream()
                    .allMatch(end -> readable.get(end.getKey()).offset() >= end.getValue())) {
                return ends;
            }
            if (System.nanoTime() - start > STABLE_TIMEOUT_NANOS) {
                throw new StartupException(List.of(topic + " must be readable up to its end within "
                        + TimeUnit.NANOSECONDS.toSeconds(STABLE_TIMEOUT_NANOS) + " s, got an open transaction"));
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        }
    }

    /**
     * Forgets that the next generation has the models, so that an engine whose fence refuses records starts again.
     *
     * @throws StartupException if the next generation is used
     */
    public static void forgetMove(Admin admin, EngineConfig config) throws ExecutionException, InterruptedException {
        EngineConfig next = config.at(config.generation().next(), Map.of());
        requireUnused(admin, next);
        deleteGroup(admin, next);
    }

    private static void requireUnused(Admin admin, EngineConfig next) throws ExecutionException, InterruptedException {
        Map<TopicPartition, Long> ends = StartupChecks.ends(admin, examples(next));
        if (ends != null) {
            ends.forEach((place, end) -> {
                if (end > 0) {
                    throw new StartupException(List.of(examples(next) + " must have no records for --back, got "
                            + end + " in partition " + place.partition()
                            + ": the models have gone on there, or will (perceptron topics repartition --to N -D"
                            + " topics.prefix=" + next.generation().prefix()
                            + " moves them on to another number of partitions)"));
                }
            });
        }
        if (!EngineGroup.members(admin, next).isEmpty()) {
            throw new StartupException(List.of("engine of " + next.generation().prefix()
                    + " must be stopped for --back, got a group " + next.applicationId() + " with members"));
        }
    }

    private static void deleteGroup(Admin admin, EngineConfig next) throws ExecutionException, InterruptedException {
        try {
            admin.deleteConsumerGroups(List.of(next.applicationId())).all().get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof GroupIdNotFoundException)) {
                throw e;
            }
        }
    }

    /**
     * Deletes the topics of the next generation, if they have no examples. No fence may send records on any more: one
     * would be deleted, or wait for the topic for ever.
     *
     * @return true if there were some
     * @throws StartupException if the next generation is used
     */
    public static boolean deleteNext(Admin admin, EngineConfig config) throws ExecutionException, InterruptedException {
        EngineConfig next = config.at(config.generation().next(), Map.of());
        requireUnused(admin, next);
        boolean isAny = false;
        // the examples first, so that producers of them fail; the changelog last: the others are known by it
        List<String> names = new ArrayList<>(topics(next));
        names.remove(examples(next));
        Collections.reverse(names);
        names.add(0, examples(next));
        for (String each : names) {
            try {
                admin.deleteTopics(List.of(each)).all().get();
                isAny = true;
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw e;
                }
            }
        }
        deleteGroup(admin, next);
        return isAny;
    }
}
