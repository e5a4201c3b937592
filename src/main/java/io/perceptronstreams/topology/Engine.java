package io.perceptronstreams.topology;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.EventIds;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.store.StoreCounters;
import io.perceptronstreams.topology.LearningTopology.StartUpFacts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine's life: start-up checks, running, and an end that is either asked for or has a cause.
 *
 * <p>Kafka Streams itself recovers from rebalances, lost brokers and aborted transactions. What it gives up on ends the whole
 * engine, never only a thread of it: whoever waits in {@link #awaitEnd} learns the cause and leaves with a failure, and a
 * supervisor starts it again from the last commit.
 */
public final class Engine implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration CHECKPOINT_TIMEOUT = Duration.ofSeconds(2);

    private final EngineConfig config;
    private final SchemaRegistry registry;
    private final RegistryRetry outage = new RegistryRetry();
    private final CountDownLatch running = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicReference<Throwable> cause = new AtomicReference<>();
    private final RestoreProgress restoration = new RestoreProgress();
    private final StoreCounters counters = new StoreCounters();
    private final FinalCheckpoint stop = new FinalCheckpoint();
    private volatile InputLog log;
    private volatile KafkaStreams streams;
    private volatile boolean isStarted;

    /** An engine that is not started yet. */
    public Engine(EngineConfig config) {
        this.config = config;
        this.registry = SchemaRegistry.of(config.registry());
    }

    /**
     * Checks everything, then starts; returns while the first rebalance is still going on.
     *
     * @throws StartupException if something must be mended first
     */
    public void start() {
        StartupChecks startUp = new StartupChecks(config);
        startUp.check();
        EventIds ids = outage.waitFor(() -> EventIds.of(this::register), () -> "the engine");
        StartUpFacts facts = new StartUpFacts(startUp.partitions(), startUp.maxRecordBytes(), ids);
        log = new KafkaInputLog(config, stop::isRequested);
        LearnProcessor.Shared shared = new LearnProcessor.Shared(
                config, registry, facts, log, outage, stop, restoration, counters, System::nanoTime);
        Properties properties = new Properties();
        properties.putAll(config.streams());
        try {
            streams = new KafkaStreams(LearningTopology.build(config, () -> new LearnProcessor(shared)), properties);
        } catch (StreamsException e) {
            throw StartupChecks.stateDirectoryFault(config, e);
        }
        streams.setGlobalStateRestoreListener(restoration);
        streams.setUncaughtExceptionHandler(failure -> {
            if (!RegistryRetry.isStop(failure)) {
                cause.compareAndSet(null, failure);
            }
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        streams.setStateListener((state, before) -> {
            if (state == KafkaStreams.State.RUNNING) {
                running.countDown();
                LOG.info("running: {} has {} partitions", config.topic(Topic.EXAMPLES), facts.partitions());
            } else if (state == KafkaStreams.State.ERROR || state == KafkaStreams.State.NOT_RUNNING) {
                ended.countDown();
                running.countDown();
            }
        });
        discardCopiesOfAKilledEngine();
        isStarted = true;
        streams.start();
    }

    /**
     * Local copies of models are of use only if the engine that wrote them has ended in order. Kafka Streams throws the others away,
     * too, but only after some warnings with stack traces for each partition, which look like a disaster.
     */
    private void discardCopiesOfAKilledEngine() {
        try {
            if (Files.deleteIfExists(endedInOrder())) {
                return;
            }
            try (Stream<Path> files = Files.list(config.stateDir().resolve(config.applicationId()))) {
                if (files.noneMatch(Files::isDirectory)) {
                    return;
                }
            }
            LOG.info("the last engine here did not end in order: its models are read back from {}", config.changelog());
            streams.cleanUp();
        } catch (IOException | StreamsException e) {
            throw new StartupException(List.of(StartupChecks.unwritable(config.stateDir(), e)));
        }
    }

    /** The file that an engine leaves beside its copies of the models where they can be trusted. */
    private Path endedInOrder() {
        return config.stateDir().resolve(config.applicationId() + ".ended-in-order");
    }

    private int register(Topic topic) {
        return registry.register(config.topic(topic) + "-value", EventSchemas.schema(topic));
    }

    /** Waits until examples are processed, or the engine has ended. */
    public void awaitRunning() throws InterruptedException {
        running.await();
    }

    /**
     * Waits until the engine has ended.
     *
     * @return why, or null if it was closed
     */
    public Throwable awaitEnd() throws InterruptedException {
        ended.await();
        return cause.get();
    }

    /** Ends the engine for a cause outside it, such as a broken embedded broker. */
    public void fail(Throwable failure) {
        cause.compareAndSet(null, failure);
        ended.countDown();
    }

    /** The Kafka Streams instance, for metrics; null before the start. */
    public KafkaStreams streams() {
        return streams;
    }

    /** How far the models are restored. */
    public RestoreProgress restoration() {
        return restoration;
    }

    /** What the stores of this process hold and have done. */
    public StoreCounters storeCounters() {
        return counters;
    }

    /** Commits what is in hand, leaves the group and ends; takes at most some seconds. Calling it twice is harmless. */
    @Override
    public void close() {
        stop.request();
        if (isStarted && !outage.isWaiting() && !stop.await(CHECKPOINT_TIMEOUT.toMillis())) {
            LOG.warn(
                    "not all models were written within {} s: the next start learns some records again",
                    CHECKPOINT_TIMEOUT.toSeconds());
        }
        if (outage.isWaiting()) {
            // ends a request that may take longer than the stop
            registry.close();
        }
        outage.stop();
        if (streams != null && !streams.close(CLOSE_TIMEOUT)) {
            LOG.warn(
                    "the engine did not end within {} s; what was not committed is done again at the next start",
                    CLOSE_TIMEOUT.toSeconds());
        } else if (isStarted && streams.state() == KafkaStreams.State.NOT_RUNNING) {
            try {
                Files.write(endedInOrder(), new byte[0]);
            } catch (IOException e) {
                LOG.warn(
                        "the next engine here will read all models back from {}: {}", config.changelog(), e.toString());
            }
        }
        registry.close();
        InputLog opened = log;
        if (opened != null) {
            opened.close();
        }
        ended.countDown();
    }
}
