package io.perceptronstreams.embed;

import io.perceptronstreams.cluster.StartupException;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.thread.DaemonThread;
import io.perceptronstreams.topology.EngineFailure;
import io.perceptronstreams.topology.InstanceId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.errors.StreamsException;
import org.jspecify.annotations.NullMarked;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine of {@code perceptron run} inside another program, beside its own {@code KafkaStreams}: consumer group,
 * transactions, topics, models and directory are those that the program {@code perceptron} has with the same settings,
 * and so are the bits of weights and outputs.
 *
 * <pre>{@code
 * Map<String, String> settings = Map.of("bootstrap.servers", "localhost:9092", "data.dir", "fraud");
 * try (Engine engine = Engine.of(settings)) {
 *     engine.start();
 *     if (!engine.awaitRunning(Duration.ofMinutes(1))) {
 *         throw new IllegalStateException("the engine is " + engine.state());
 *     }
 *     engine.awaitEnd();
 * }
 * }</pre>
 *
 * <p>It has no HTTP server, no shutdown hook and no configuration of a log, and never ends the JVM. {@link #close} ends
 * it in order; without it, as after a crash, the next start learns the last examples again from the log, and nothing is
 * lost or counted twice.
 *
 * <p>An engine starts once. After a failure it has ended, and all of it is released; {@link #of} the same settings
 * makes the next one, which continues from the last commit.
 *
 * <p>Thread-safe.
 *
 * @since 0.2.0
 */
@NullMarked
public final class Engine implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

    private final Map<String, String> settings;
    private final CountDownLatch runningOrEnded = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    // Guarded by this, but for reading.
    private volatile State state = State.CREATED;
    private volatile Throwable failure;
    private volatile io.perceptronstreams.topology.EngineRunner running;

    /** State of an engine. */
    public enum State {
        /** Before {@link Engine#start}. */
        CREATED,
        /** Checks brokers, topics and directory, or joins its group and restores models. */
        STARTING,
        /** Learns, also while partitions move. */
        RUNNING,
        /** Has ended because of {@link Engine#failure}. */
        FAILED,
        /** Has ended because of {@link Engine#close}. */
        CLOSED
    }

    private Engine(Map<String, String> settings) {
        this.settings = settings;
    }

    /**
     * Creates an engine, without connecting to anything.
     *
     * @param settings of the engine and of Kafka by name, as in a file of {@code perceptron run --config}: properties
     *     or a map, with texts, numbers or booleans as values. Neither environment nor files change them. They must not
     *     be those of the program's own {@code KafkaStreams}, whose {@code application.id} is another one.
     * @throws org.apache.kafka.common.config.ConfigException with a line for each unknown or wrong setting, and for
     *     each that needs the HTTP server
     */
    public static Engine of(Map<?, ?> settings) {
        return new Engine(ProgramSettings.ofEngine(settings));
    }

    /**
     * Checks brokers, topics and directory, and starts; returns before the first example is learned. Blocks for some
     * seconds, or as long as the registry does not answer.
     *
     * @throws RuntimeException with a line for each fault, after which the state is FAILED
     * @throws IllegalStateException if it has been started or closed before
     */
    public void start() {
        io.perceptronstreams.topology.EngineRunner engine;
        EngineConfig config;
        synchronized (this) {
            if (state != State.CREATED) {
                throw new IllegalStateException("an engine must be started once, got one that is " + state
                        + " (Engine.of(settings) makes another)");
            }
            state = State.STARTING;
            try {
                config = withInstanceId();
                engine = new io.perceptronstreams.topology.EngineRunner(config);
            } catch (RuntimeException | Error e) {
                end(e);
                throw e;
            }
            running = engine;
        }
        if (!config.unknownKeys().isEmpty()) {
            LOG.warn("passed on to Kafka, which does not define them: {}", String.join(", ", config.unknownKeys()));
        }
        try {
            engine.start();
        } catch (RuntimeException | Error e) {
            engine.close();
            end(e);
            throw e;
        }
        new DaemonThread("perceptron-engine", () -> watch(engine, config)).start();
        if (state == State.CLOSED) {
            // closed by another thread in the middle of the start
            engine.close();
        }
    }

    private EngineConfig withInstanceId() {
        Path directory = EngineConfig.ofProgram(settings, Map.of()).get(EngineConfigDef.DATA_DIR);
        try {
            return EngineConfig.ofProgram(settings, Map.of("group.instance.id", InstanceId.of(directory)));
        } catch (IOException e) {
            throw new StartupException(
                    List.of("data directory must be writable, got " + e + " (" + directory
                            + "; set data.dir to another)"),
                    e);
        }
    }

    /** Follows the state until the end; a failure is explained before it is visible. */
    private void watch(io.perceptronstreams.topology.EngineRunner engine, EngineConfig config) {
        try {
            engine.awaitRunning();
            synchronized (this) {
                if (state == State.STARTING && !engine.hasEnded()) {
                    state = State.RUNNING;
                    runningOrEnded.countDown();
                }
            }
            Throwable cause = engine.awaitEnd();
            if (state == State.CLOSED) {
                return;
            }
            Throwable explained = explained(cause, config);
            LOG.error("the engine has ended: {}", explained.getMessage());
            engine.close();
            end(explained);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Throwable explained(Throwable failure, EngineConfig config) throws InterruptedException {
        Throwable cause = failure == null ? new StreamsException("another member has ended the group") : failure;
        try {
            return EngineFailure.of(cause, config);
        } catch (RuntimeException e) {
            // no client for the question whether topics were changed
            cause.addSuppressed(e);
            return cause;
        }
    }

    /** Ends with a failure, or with none if it is being closed: closing may cause failures. */
    private synchronized void end(Throwable cause) {
        if (state != State.CLOSED) {
            failure = cause;
            state = State.FAILED;
        }
        runningOrEnded.countDown();
        ended.countDown();
    }

    /** Current state. */
    public State state() {
        return state;
    }

    /**
     * Failure that has ended the engine, with a line for each fault and its remedy; empty in all other states than
     * FAILED.
     */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    /**
     * Waits until the engine runs, has failed or is closed.
     *
     * @return true if it runs
     */
    public boolean awaitRunning(Duration timeout) throws InterruptedException {
        var unused = runningOrEnded.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
        return state == State.RUNNING;
    }

    /** Waits until the engine has failed or is closed. */
    public void awaitEnd() throws InterruptedException {
        ended.await();
    }

    /** Metrics of the engine's {@code KafkaStreams} and its clients, which are in JMX, too; none before the start. */
    public Map<MetricName, ? extends Metric> metrics() {
        io.perceptronstreams.topology.EngineRunner engine = running;
        KafkaStreams streams = engine == null ? null : engine.streams();
        return streams == null ? Map.of() : streams.metrics();
    }

    /**
     * Writes all models, commits and leaves, as {@code perceptron run} does at SIGTERM: within some ten seconds, with a
     * warning in the log if that was not enough. Idempotent; a second thread waits for the first.
     */
    @Override
    public void close() {
        boolean isFirst;
        synchronized (this) {
            isFirst = state != State.CLOSED && state != State.FAILED;
            if (isFirst) {
                state = State.CLOSED;
                runningOrEnded.countDown();
            }
        }
        if (isFirst) {
            if (running != null) {
                running.close();
            }
            ended.countDown();
        } else {
            awaitOther();
        }
    }

    private void awaitOther() {
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
