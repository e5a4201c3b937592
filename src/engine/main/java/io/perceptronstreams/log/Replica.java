package io.perceptronstreams.log;

import io.perceptronstreams.cluster.BrokerCheck;
import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.model.ModelReplica;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.state.OwnerOnly;
import io.perceptronstreams.store.StoreCounters;
import io.perceptronstreams.thread.StoppableThread;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.utils.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All models of an engine, for readers in this process: a replay that does not stop.
 *
 * <p>It restores the models from the changelog and learns the log after it, as far as the engine has committed it and
 * without outputs. It never has a state that the engine did not have. If something contradicts that, or the brokers
 * have lost records, it restores again. One thread learns for all partitions; any number may read.
 */
public final class Replica implements ModelReplica, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Replica.class);
    private static final long FIRST_PAUSE_MS = 1_000;
    private static final long MAX_PAUSE_MS = 30_000;
    private static final Duration CLOSE = Duration.ofSeconds(5);

    private final EngineConfig config;
    private final long heapBytes;
    private final SchemaRegistry registry;
    private final RegistryRetry registryRetry;
    private final FileChannel lockFile;
    private final StoppableThread thread = new StoppableThread("replica", this::run, this::failed);
    private volatile StoreCounters counters = new StoreCounters();
    private volatile List<FollowedPartition> partitions = List.of();
    private boolean hasBeenReady;
    private String lastFailure;
    private long pauseMs = FIRST_PAUSE_MS;

    private Replica(EngineConfig config, long heapBytes, SchemaRegistry registry, FileChannel lockFile) {
        this.config = config;
        this.heapBytes = heapBytes;
        this.registry = registry;
        this.registryRetry = new RegistryRetry(config.get(EngineConfigDef.UNKNOWN_SCHEMA_GRACE_MS));
        this.lockFile = lockFile;
    }

    /**
     * Creates a replica without models.
     *
     * @param heapBytes maximum heap of the models in memory; others are in files under the data directory
     * @param registry stays open after {@link #close}
     * @throws StartupException if another replica uses the data directory, or it is not writable
     */
    public static Replica open(EngineConfig config, long heapBytes, SchemaRegistry registry) {
        return new Replica(
                config,
                heapBytes,
                registry,
                lock(config.get(EngineConfigDef.DATA_DIR).resolve("replica.lock")));
    }

    private static FileChannel lock(Path file) {
        try {
            OwnerOnly.createDirectories(file.toAbsolutePath().getParent());
            FileChannel channel = FileChannel.open(
                    file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), OwnerOnly.file(file));
            if (isLocked(channel)) {
                return channel;
            }
            channel.close();
        } catch (IOException e) {
            throw new StartupException(List.of("data.dir must be writable, got " + e));
        }
        throw new StartupException(List.of("data.dir must be used by one replica, got another one that uses "
                + file.getParent() + " (-D data.dir=DIRECTORY names another)"));
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /** Starts to read; the brokers may be unavailable. */
    public void start() {
        thread.start();
    }

    private void run() {
        hasBeenReady = false;
        try {
            follow();
        } catch (Error e) { // without this thread the replica would stay silent
            thread.pause(failed(e));
        }
    }

    /** Logs a failure, but not again and again; returns the pause after it. */
    private Duration failed(Throwable e) {
        String message = String.valueOf(e.getMessage());
        if (hasBeenReady || !message.equals(lastFailure)) {
            log(e);
        }
        lastFailure = message;
        // to look for topics costs the brokers little, to restore again and again does not
        boolean isCheap =
                hasBeenReady || e instanceof UnknownTopicOrPartitionException || e instanceof StartupException;
        pauseMs = isCheap ? FIRST_PAUSE_MS : Math.min(2 * pauseMs, MAX_PAUSE_MS);
        return Duration.ofMillis(pauseMs);
    }

    private void log(Throwable e) {
        if (e instanceof UnknownTopicOrPartitionException) {
            LOG.info(
                    "the replica waits for an engine, which creates {}-* and its changelog",
                    config.get(EngineConfigDef.TOPICS_PREFIX));
        } else if (e instanceof StartupException) {
            LOG.warn("the replica waits: {}", e.getMessage());
        } else if (e instanceof KafkaException || e instanceof UncheckedIOException) {
            LOG.warn("the replica restores its models again, because of: {}", e.getMessage());
        } else {
            LOG.error("the replica restores its models again, because of a fault of its own", e);
        }
    }

    private void follow() {
        Path directory = config.get(EngineConfigDef.DATA_DIR).resolve("replica");
        // before Kafka's clients, which would wait for minutes
        BrokerCheck.require(config);
        StoreCounters fresh = new StoreCounters();
        List<FollowedPartition> followed = new ArrayList<>();
        try {
            Utils.delete(directory.toFile());
            OwnerOnly.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try (ReplicaReader reader = new ReplicaReader(config, heapBytes, registry, registryRetry, directory, fresh)) {
            counters = fresh;
            reader.open(followed);
            partitions = List.copyOf(followed);
            while (!thread.isStopped()) {
                reader.follow();
                hasBeenReady |= isReady();
            }
        } finally {
            partitions = List.of();
            followed.forEach(FollowedPartition::close);
        }
    }

    @Override
    public boolean isReady() {
        List<FollowedPartition> all = partitions;
        return !all.isEmpty() && all.stream().allMatch(FollowedPartition::isReady);
    }

    @Override
    public List<State> states() {
        return partitions.stream()
                .map(each -> new State(each.isReady(), each.lag(), ageMs(each)))
                .toList();
    }

    private static long ageMs(FollowedPartition partition) {
        return TimeUnit.NANOSECONDS.toMillis(Math.max(0, System.nanoTime() - partition.completeAt()));
    }

    /** {@inheritDoc} Learning waits for the function. */
    @Override
    public <T> T read(String name, Function<Held, T> function) {
        byte[] key = name.getBytes(StandardCharsets.UTF_8);
        List<FollowedPartition> all = partitions;
        if (all.isEmpty()) {
            throw new NotReadyException();
        }
        int number = Utils.toPositive(Utils.murmur2(key)) % all.size();
        FollowedPartition partition = all.get(number);
        return partition.models().read(key, held -> {
            if (!partition.isReady()) {
                throw new NotReadyException();
            }
            return function.apply(held == null ? null : new Held(held.model(), number, held.next(), ageMs(partition)));
        });
    }

    @Override
    public long liveModels() {
        return counters.liveModels();
    }

    @Override
    public long heapBytes() {
        return counters.heapBytes();
    }

    @Override
    public void close() {
        thread.stop();
        registryRetry.stop();
        if (!thread.join(CLOSE)) {
            // it waits for a broker
            thread.interrupt();
            thread.join(CLOSE);
        }
        Utils.closeQuietly(lockFile, "lock of the replica");
    }
}
