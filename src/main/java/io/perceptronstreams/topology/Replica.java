package io.perceptronstreams.topology;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.store.OwnerOnly;
import io.perceptronstreams.store.StoreCounters;
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
 * without outputs. It never has a state that the engine did not have. If something contradicts that, or the brokers have
 * lost records, it restores again. One thread learns for all partitions; any number may read.
 */
public final class Replica implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Replica.class);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration CLOSE = Duration.ofSeconds(5);

    private final EngineConfig config;
    private final long heapBytes;
    private final SchemaRegistry registry;
    private final RegistryRetry registryRetry;
    private final FileChannel lockFile;
    private final Thread thread;
    private volatile StoreCounters counters = new StoreCounters();
    private volatile List<FollowedPartition> partitions = List.of();
    private volatile boolean isStopping;

    /** The model cannot be asked yet, or not at present. */
    public static final class NotReadyException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotReadyException() {
            super("the replica must have read the models, which is not finished");
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    /**
     * A model while it does not change.
     *
     * @param next offset in the partition of the first record that is not learned
     * @param ageMs time in ms before which the log had no other records
     */
    public record Held(Model model, int partition, long next, long ageMs) {}

    /**
     * State of a partition.
     *
     * @param lag number of offsets at the end of the log that are not learned
     * @param ageMs see {@link Held}
     */
    public record State(int partition, boolean isReady, long lag, long ageMs) {}

    private Replica(EngineConfig config, long heapBytes, SchemaRegistry registry, FileChannel lockFile) {
        this.config = config;
        this.heapBytes = heapBytes;
        this.registry = registry;
        this.registryRetry = new RegistryRetry(config.unknownSchemaGraceMs());
        this.lockFile = lockFile;
        this.thread = new Thread(this::run, "replica");
        thread.setDaemon(true);
    }

    /**
     * Creates a replica without models.
     *
     * @param heapBytes maximum heap of the models in memory; others are in files under the data directory
     * @param registry stays open after {@link #close}
     * @throws StartupException if another replica uses the data directory, or it is not writable
     */
    public static Replica open(EngineConfig config, long heapBytes, SchemaRegistry registry) {
        return new Replica(config, heapBytes, registry, lock(config.dataDir().resolve("replica.lock")));
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
        String last = null;
        while (!isStopping) {
            try {
                follow();
            } catch (RegistryRetry.StoppedException e) {
                // the end
            } catch (UnknownTopicOrPartitionException e) {
                String topics = config.topicsPrefix() + "-*";
                if (!topics.equals(last)) {
                    LOG.info("the replica waits for an engine, which creates {} and its changelog", topics);
                }
                last = topics;
                pause();
            } catch (KafkaException | UncheckedIOException e) {
                // each second the same
                if (!String.valueOf(e.getMessage()).equals(last)) {
                    LOG.warn("the replica restores its models again, because of: {}", e.getMessage());
                }
                last = String.valueOf(e.getMessage());
                pause();
            } catch (RuntimeException e) {
                LOG.error("the replica restores its models again, because of a fault of its own", e);
                pause();
            }
        }
    }

    private void pause() {
        try {
            Thread.sleep(RETRY.toMillis());
        } catch (InterruptedException e) {
            isStopping = true;
        }
    }

    private void follow() {
        Path directory = config.dataDir().resolve("replica");
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
            while (!isStopping) {
                reader.follow();
            }
        } finally {
            partitions = List.of();
            followed.forEach(FollowedPartition::close);
        }
    }

    /** Returns true if all models can be asked. */
    public boolean isReady() {
        List<FollowedPartition> all = partitions;
        return !all.isEmpty() && all.stream().allMatch(FollowedPartition::isReady);
    }

    /** State of all partitions, by their number; empty before the first answer of the brokers. */
    public List<State> states() {
        List<FollowedPartition> all = partitions;
        List<State> states = new ArrayList<>();
        for (int k = 0; k < all.size(); k++) {
            FollowedPartition each = all.get(k);
            states.add(new State(k, each.isReady(), each.lag(), ageMs(each)));
        }
        return states;
    }

    private static long ageMs(FollowedPartition partition) {
        return TimeUnit.NANOSECONDS.toMillis(Math.max(0, System.nanoTime() - partition.completeAt()));
    }

    /**
     * Calls a function with a model while it does not change; learning waits for it.
     *
     * @param function gets null if there is no model of this name
     * @throws NotReadyException if the models of its partition cannot be asked
     */
    public <T> T read(String name, Function<Held, T> function) {
        byte[] key = name.getBytes(StandardCharsets.UTF_8);
        List<FollowedPartition> all = partitions;
        if (all.isEmpty()) {
            throw new NotReadyException();
        }
        int number = Utils.toPositive(Utils.murmur2(key)) % all.size();
        FollowedPartition partition = all.get(number);
        if (!partition.isReady()) {
            throw new NotReadyException();
        }
        return partition.models().read(key, held -> {
            if (held == null && !partition.isReady()) {
                // closed meanwhile
                throw new NotReadyException();
            }
            return function.apply(held == null ? null : new Held(held.model(), number, held.next(), ageMs(partition)));
        });
    }

    /** Counters of the models in memory. */
    public StoreCounters counters() {
        return counters;
    }

    @Override
    public void close() {
        isStopping = true;
        registryRetry.stop();
        try {
            thread.join(CLOSE.toMillis());
            thread.interrupt();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Utils.closeQuietly(lockFile, "lock of the replica");
    }
}
