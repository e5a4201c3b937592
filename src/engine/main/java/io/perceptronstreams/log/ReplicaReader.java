package io.perceptronstreams.log;

import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.log.ReplicaLog.Progress;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.Generation;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.DiskStore;
import io.perceptronstreams.store.SharedRocksMemory;
import io.perceptronstreams.store.StoreCounters;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads changelog and log for a replica, and has its partitions learn. Used by one thread. */
final class ReplicaReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaReader.class);

    /** Time between two questions to the brokers: how far the engine is. */
    private static final long ASK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Time to wait for records if there are none. */
    private static final Duration IDLE = Duration.ofMillis(10);

    /** Records of a partition that are learned before the next poll. */
    private static final int PORTION = 1_000;

    private static final CloseOptions CLOSE = CloseOptions.timeout(Duration.ofSeconds(1));

    private final EngineConfig config;
    private final Generation generation;
    private final long heapBytes;
    private final InputDecoder decoder;
    private final RegistryRetry registryRetry;
    private final Path directory;
    private final StoreCounters counters;
    private final ReplicaLog log;
    private final Consumer<byte[], byte[]> changelog;
    private final Consumer<byte[], byte[]> examples;
    private final List<TopicPartition> changelogs = new ArrayList<>();
    private final List<TopicPartition> inputs = new ArrayList<>();
    private List<FollowedPartition> partitions;
    private boolean isCutOff;
    private long askedAt;

    ReplicaReader(
            EngineConfig config,
            long heapBytes,
            SchemaRegistry registry,
            RegistryRetry registryRetry,
            Path directory,
            StoreCounters counters) {
        this.config = config;
        this.generation = config.generation();
        this.heapBytes = heapBytes;
        this.decoder = new InputDecoder(registry);
        this.registryRetry = registryRetry;
        this.directory = directory;
        this.counters = counters;
        this.log = new ReplicaLog(config);
        Consumer<byte[], byte[]> first = null;
        try {
            first = TopicScan.patientConsumer(config);
            this.examples = TopicScan.patientConsumer(config);
        } catch (RuntimeException e) {
            if (first != null) {
                first.close();
            }
            log.close();
            throw e;
        }
        this.changelog = first;
    }

    /** Begins at the start of the changelog; adds all partitions, also if it fails. */
    void open(List<FollowedPartition> followed) {
        partitions = followed;
        int count = log.open();
        for (int k = 0; k < count; k++) {
            changelogs.add(new TopicPartition(config.changelog(), k));
            inputs.add(new TopicPartition(config.topic(Topic.EXAMPLES), k));
        }
        changelog.assign(changelogs);
        changelog.seekToBeginning(changelogs);
        // of the admin client: the consumer's questions wait for its fetches
        List<Progress> progress = log.progress();
        long cacheBytes = (Long) config.streams().get(SharedRocksMemory.CACHE_BYTES);
        long now = System.nanoTime();
        for (int k = 0; k < count; k++) {
            ReplicaPartition models = new ReplicaPartition(
                    config.topic(Topic.EXAMPLES),
                    log.topicId(),
                    k,
                    new DiskStore(directory.resolve(Integer.toString(k)), cacheBytes),
                    decoder,
                    registryRetry,
                    (partition, from, to, sink) -> KafkaInputLog.read(
                            config, () -> false, Patience.ofEngine(config), partition, from, to, sink),
                    counters,
                    heapBytes);
            partitions.add(new FollowedPartition(models, count, progress.get(k).stableChangelog(), now));
        }
        askedAt = now - ASK_NANOS;
    }

    /** Reads and learns what is there, and waits a little if that is nothing. */
    void follow() {
        long now = System.nanoTime();
        if (now - askedAt >= ASK_NANOS) {
            askedAt = now;
            ask(now);
        }
        int count = 0;
        for (ConsumerRecord<byte[], byte[]> record : changelog.poll(Duration.ZERO)) {
            partitions.get(record.partition()).changelog(record);
            count++;
        }
        begin();
        boolean isReading = !examples.assignment().isEmpty();
        for (int k = 0; k < partitions.size(); k++) {
            FollowedPartition partition = partitions.get(k);
            count += partition.learn(changelog.position(changelogs.get(k)), PORTION);
            partition.note(isReading(k) ? generation.offset(examples.position(inputs.get(k))) : 0);
        }
        if (isReading) {
            for (ConsumerRecord<byte[], byte[]> record : examples.poll(count > 0 ? Duration.ZERO : IDLE)) {
                partitions.get(record.partition()).add(RecordCopy.at(generation.offset(record.offset()), record));
            }
            pauseFull();
        } else if (count == 0) {
            changelog
                    .poll(IDLE)
                    .forEach(record -> partitions.get(record.partition()).changelog(record));
        }
    }

    private void ask(long now) {
        try {
            List<Progress> progress = log.progress();
            for (int k = 0; k < partitions.size(); k++) {
                partitions.get(k).answered(progress.get(k), now);
            }
            isCutOff = false;
        } catch (TimeoutException e) {
            // without brokers the models are as good as before, only older
            if (!isCutOff) {
                LOG.warn(
                        "the replica cannot ask the brokers how far the engine is, and gets older: {}", e.getMessage());
            }
            isCutOff = true;
        }
    }

    private boolean isReading(int partition) {
        return examples.assignment().contains(inputs.get(partition));
    }

    /** Has the examples read of partitions whose changelog is restored. */
    private void begin() {
        List<TopicPartition> restored = new ArrayList<>();
        for (int k = 0; k < partitions.size(); k++) {
            FollowedPartition partition = partitions.get(k);
            long position = partition.models().isRestored() ? 0 : changelog.position(changelogs.get(k));
            if (partition.begin(position)) {
                restored.add(inputs.get(k));
            }
        }
        if (!restored.isEmpty()) {
            List<TopicPartition> all = new ArrayList<>(examples.assignment());
            all.addAll(restored);
            examples.assign(all);
            restored.forEach(each -> examples.seek(
                    each,
                    generation.inTopic(partitions.get(each.partition()).models().next())));
        }
    }

    private void pauseFull() {
        for (TopicPartition each : examples.assignment()) {
            boolean isFull = partitions.get(each.partition()).isFull();
            if (isFull != examples.paused().contains(each)) {
                if (isFull) {
                    examples.pause(List.of(each));
                } else {
                    examples.resume(List.of(each));
                }
            }
        }
    }

    @Override
    public void close() {
        examples.close(CLOSE);
        changelog.close(CLOSE);
        log.close();
    }
}
