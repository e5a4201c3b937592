package io.perceptronstreams.topology;

import io.perceptronstreams.cluster.AbandonedTransactions;
import io.perceptronstreams.cluster.EngineGroup;
import io.perceptronstreams.cluster.GroupProtocolCheck;
import io.perceptronstreams.cluster.OpenTransactions;
import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.cluster.TopicValidator;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.log.EngineServices;
import io.perceptronstreams.log.InputLog;
import io.perceptronstreams.log.KafkaInputLog;
import io.perceptronstreams.log.LogReplay;
import io.perceptronstreams.log.RegistryRetry;
import io.perceptronstreams.log.RestoreProgress;
import io.perceptronstreams.log.ShutdownBarrier;
import io.perceptronstreams.registry.RegistryRefusedException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventIds;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.state.OwnerOnly;
import io.perceptronstreams.store.RocksLibrary;
import io.perceptronstreams.store.StoreCounters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.ThreadMetadata;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the stream program from the start-up checks to a shutdown or a failure.
 *
 * <p>Kafka Streams recovers from rebalances, lost brokers and aborted transactions. Any other failure stops the whole
 * engine, never a single thread: {@link #awaitEnd} returns the cause, and a supervisor restarts the process from the
 * last commit.
 */
public final class EngineRunner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EngineRunner.class);
    private static final int CHECKPOINT_SHARE = 4;
    private static final Duration FAILURE_TIMEOUT = Duration.ofSeconds(20);

    private final EngineConfig config;
    private final SchemaRegistry registry;
    private final RegistryRetry registryRetry;
    private final CountDownLatch running = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicReference<Throwable> cause = new AtomicReference<>();
    private final StoreCounters counters = new StoreCounters();
    private final ShutdownBarrier stop = new ShutdownBarrier();
    private final OpenTransactions.Watch transactions;
    private final AbandonedTransactions abandoned;
    private final RestoreProgress restoration;
    private volatile InputLog log;
    private volatile SchemaLookups lookups;
    private volatile Set<String> transactionalIds = Set.of();
    private volatile KafkaStreams streams;
    private volatile boolean isStarted;

    /** Creates an engine without starting it. */
    public EngineRunner(EngineConfig config) {
        this.config = config;
        this.registry = SchemaRegistries.of(config.registry());
        this.transactions = new OpenTransactions.Watch(config);
        this.abandoned = new AbandonedTransactions(config, () -> transactionalIds, this::consumers);
        this.restoration = new RestoreProgress(abandoned::taken);
        this.registryRetry = new RegistryRetry(config.get(EngineConfigDef.UNKNOWN_SCHEMA_GRACE_MS));
    }

    /**
     * Runs the start-up checks and starts; returns before the first rebalance has ended.
     *
     * @throws StartupException if a check fails, or the registry refuses the schema of an output
     */
    public void start() {
        RocksLibrary.begin();
        EngineServices.Limits limits = StartupChecks.check(config);
        EventIds ids = registryRetry.waitFor(() -> ids(config, registry), () -> "the engine");
        if (limits.isNewLog()) {
            writeDefaults();
        }
        log = new KafkaInputLog(config, stop::isRequested);
        EngineServices services = new EngineServices(
                config, registry, limits, ids, log, registryRetry, stop, restoration, counters, System::nanoTime);
        lookups = new SchemaLookups(registry, registryRetry, limits.partitions());
        Properties properties = new Properties();
        properties.putAll(config.streams(limits.partitions()));
        RocksLibrary.load();
        WarmCopies copies = new WarmCopies(config.acceptableRecoveryLag(), System::nanoTime);
        // while a thread learns at its full speed, another one sends what it has learned, unless that takes the
        // processor from a third one
        boolean haveSenders = 2 * config.streamThreads() <= Runtime.getRuntime().availableProcessors();
        StreamClients clients = new StreamClients(
                () -> CommitPace.of(config),
                lookups,
                failure -> LogReplay.outOfRange(config, log, failure),
                copies,
                haveSenders);
        if (config.isStreamsProtocol()) {
            properties.putAll(clients.streamsProtocol());
            if (!takesStaticMembers()) {
                LOG.warn(
                        "brokers before Kafka 4.4 have no static members with group.protocol=streams: after a kill, the"
                                + " partitions of this engine wait for the end of its session");
                EngineConfig.CONSUMER_PREFIXES.forEach(
                        prefix -> properties.remove(prefix + ConsumerConfig.GROUP_INSTANCE_ID_CONFIG));
            }
        }
        try {
            streams = new KafkaStreams(
                    LearningTopology.build(config, limits.aheadMs(), () -> new LearnProcessor(services)),
                    properties,
                    clients);
        } catch (StreamsException e) {
            throw StartupChecks.stateDirectoryFault(config, e);
        }
        // the producers exist, of all threads
        transactionalIds = clients.transactionalIds();
        restrictState();
        streams.setGlobalStateRestoreListener(restoration);
        streams.setStandbyUpdateListener(copies);
        streams.setUncaughtExceptionHandler(failure -> {
            if (!RegistryRetry.isStop(failure)) {
                cause.compareAndSet(null, failure);
            }
            // Kafka Streams closes its producers without a time limit: one that always retries, such as a commit to a
            // deleted topic, would keep the engine from ending
            CompletableFuture.delayedExecutor(FAILURE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(this::end);
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        streams.setStateListener((state, before) -> {
            if (state == KafkaStreams.State.RUNNING) {
                running.countDown();
                LOG.info("running: {} has {} partitions", config.topic(Topic.EXAMPLES), limits.partitions());
            } else if (state == KafkaStreams.State.ERROR || state == KafkaStreams.State.NOT_RUNNING) {
                end();
            }
        });
        deleteStaleState();
        leaveWithoutPartitions();
        isStarted = true;
        abandoned.start();
        streams.start();
        transactions.start();
    }

    /** Client ids of the members of the group that are threads of this process. */
    private Set<String> consumers() {
        return streams.metadataForLocalThreads().stream()
                .map(ThreadMetadata::consumerClientId)
                .collect(Collectors.toSet());
    }

    private boolean takesStaticMembers() {
        try (Admin admin = Admin.create(config.admin())) {
            return GroupProtocolCheck.takesStaticMembers(admin, config);
        } catch (ExecutionException e) {
            throw new StartupException(List.of(TopicValidator.explain(e, config)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private void writeDefaults() {
        try {
            FirstDefaults.write(config, registry);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Removes what a failed assignment has left of this engine in its group; after its state directory is locked. */
    private void leaveWithoutPartitions() {
        if (config.groupInstanceId().isEmpty()) {
            return;
        }
        try (Admin admin = Admin.create(config.admin())) {
            EngineGroup.leaveWithoutPartitions(admin, config);
        } catch (ExecutionException e) {
            // the engine ends with its reason, if there was a failure
            LOG.info("members of group {} cannot be removed: {}", config.applicationId(), e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Kafka Streams lets the group read the models. */
    private void restrictState() {
        Path directory = config.stateDir().resolve(config.applicationId());
        try {
            OwnerOnly.restrict(directory);
        } catch (IOException e) {
            LOG.warn("other users may be able to read {}, whose mode cannot be changed: {}", directory, e.toString());
        }
    }

    /**
     * Deletes local copies of models after an unclean shutdown. Kafka Streams deletes them, too, but logs warnings with
     * stack traces for each partition.
     */
    private void deleteStaleState() {
        try {
            if (Files.deleteIfExists(cleanShutdownFile())) {
                return;
            }
            try (Stream<Path> files = Files.list(config.stateDir().resolve(config.applicationId()))) {
                if (files.noneMatch(Files::isDirectory)) {
                    return;
                }
            }
            LOG.info("the previous shutdown was not clean: models are restored from {}", config.changelog());
            streams.cleanUp();
        } catch (IOException | StreamsException e) {
            throw new StartupException(List.of(StartupChecks.unwritable(config.stateDir(), e)));
        }
    }

    /** File written at a clean shutdown, beside the local copies of models. */
    private Path cleanShutdownFile() {
        return config.stateDir().resolve(config.applicationId() + ".ended-in-order");
    }

    /**
     * Finds or registers the schemas of the outputs.
     *
     * @throws StartupException if the registry refuses one that every engine needs
     */
    static EventIds ids(EngineConfig config, SchemaRegistry registry) {
        return EventIds.of((topic, event) -> register(config, registry, topic, event));
    }

    private static int register(EngineConfig config, SchemaRegistry registry, Topic topic, String event) {
        String subject = config.topic(topic) + "-" + (event.equals(topic.event()) ? "value" : event);
        try {
            return registry.register(subject, EventSchemas.schema(event));
        } catch (RegistryRefusedException e) {
            if (event.equals(EventSchemas.PREDICTION_BATCH)) {
                // those who send no records of several examples need no such subject
                LOG.warn("predictions of records with several examples are sent one by one: {}", e.getMessage());
                return EventIds.NONE;
            }
            // a retry fails until a setting or the registry is changed
            throw new StartupException(List.of(e.getMessage()));
        }
    }

    /** Waits until the engine processes examples or has ended. */
    public void awaitRunning() throws InterruptedException {
        running.await();
    }

    /**
     * Waits until the engine has ended, or has not ended within a time limit after a failure.
     *
     * @return the failure, or null after {@link #close}
     */
    public Throwable awaitEnd() throws InterruptedException {
        ended.await();
        return cause.get();
    }

    /** Returns true if {@link #awaitEnd} does not wait any more. */
    public boolean hasEnded() {
        return ended.getCount() == 0;
    }

    /** Ends the engine because of a failure outside, such as an embedded broker that has ended. */
    public void fail(Throwable failure) {
        cause.compareAndSet(null, failure);
        end();
    }

    private void end() {
        ended.countDown();
        running.countDown();
    }

    /** Kafka Streams instance, for metrics; null before the start. */
    public KafkaStreams streams() {
        return streams;
    }

    /** A line for each part of the engine that waits for the registry: its partition, and what it waits for. */
    public List<String> waits() {
        return registryRetry.waits();
    }

    /** Progress of the restoration of models. */
    public RestoreProgress restoration() {
        return restoration;
    }

    /** Metrics of the stores of this process. */
    public StoreCounters storeCounters() {
        return counters;
    }

    /** Commits processed records, leaves the group and ends, within some seconds. Idempotent. */
    @Override
    public void close() {
        long start = System.nanoTime();
        Duration timeout = Duration.ofMillis(config.get(EngineConfigDef.SHUTDOWN_TIMEOUT_MS));
        Duration checkpoint = timeout.dividedBy(CHECKPOINT_SHARE);
        stop.request(checkpoint);
        transactions.close();
        abandoned.close();
        // also for a record that waits for a schema: its grace may end in time, and with it the batch
        if (isStarted && !stop.await() && !registryRetry.isWaiting()) {
            LOG.warn(
                    "not all models and statuses were written within {} ms, a quarter of {}: the next start replays some records",
                    checkpoint.toMillis(),
                    EngineConfigDef.SHUTDOWN_TIMEOUT_MS.name());
        }
        boolean isWaiting = registryRetry.isWaiting();
        registryRetry.stop();
        if (isWaiting) {
            // aborts a request that may take longer than the shutdown
            registry.close();
        }
        Duration rest = timeout.minusNanos(System.nanoTime() - start);
        if (streams != null && !streams.close(rest.isNegative() ? Duration.ZERO : rest)) {
            LOG.warn(
                    "the engine did not stop within {}={}: the next start restores all models, and processes uncommitted"
                            + " records again",
                    EngineConfigDef.SHUTDOWN_TIMEOUT_MS.name(),
                    timeout.toMillis());
        } else if (isStarted && streams.state() == KafkaStreams.State.NOT_RUNNING) {
            try {
                Files.write(cleanShutdownFile(), new byte[0]);
            } catch (IOException e) {
                LOG.warn("the next start restores all models from {}: {}", config.changelog(), e.toString());
            }
        }
        registry.close();
        SchemaLookups asking = lookups;
        if (asking != null) {
            asking.close();
        }
        InputLog opened = log;
        if (opened != null) {
            opened.close();
        }
        end();
    }
}
