package io.perceptronstreams.log;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.UnknownSchemaException;
import io.perceptronstreams.serde.WireFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.streams.errors.StreamsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Retries registry requests until the registry answers, so that an outage neither loses nor rejects a record, and for a
 * limited time until it has a schema ({@link SchemaGrace}).
 *
 * <p>The stream thread waits in the middle of a record. After the time-out of the transaction or of the consumer, the
 * broker fences it, and Kafka Streams restarts from the last commit: slower, but still exactly once.
 */
public final class RegistryRetry {
    private static final Logger LOG = LoggerFactory.getLogger(RegistryRetry.class);
    private static final long FIRST_PAUSE_MS = 200;
    private static final long MAX_PAUSE_MS = 5_000;

    /** Pause for an unknown id, which {@link io.perceptronstreams.serde.InputDecoder} looks up once per second. */
    private static final long UNKNOWN_PAUSE_MS = 1_000;

    /** Minimum time between two lines of the log, of all waiting threads. */
    private static final long LOG_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final SchemaGrace grace;
    private final LongSupplier nanoTime;
    private final Pause pause;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicInteger waiting = new AtomicInteger();

    /** What each waiting thread waits for. */
    private final Map<Thread, String> waits = new ConcurrentHashMap<>();

    private final AtomicLong lastLine;

    /** A wait of some milliseconds that ends at once if the engine stops; returns true if it does. */
    @FunctionalInterface
    interface Pause {
        boolean await(long ms) throws InterruptedException;
    }

    /** Retries without a limit, but unknown ids for {@code graceMs}. */
    public RegistryRetry(long graceMs) {
        this(graceMs, System::nanoTime, null);
    }

    /** For tests: with another clock, and pauses that let its time pass. */
    RegistryRetry(long graceMs, LongSupplier nanoTime, Pause pause) {
        this.nanoTime = nanoTime;
        this.pause = pause == null ? ms -> stopped.await(ms, TimeUnit.MILLISECONDS) : pause;
        grace = new SchemaGrace(TimeUnit.MILLISECONDS.toNanos(graceMs), nanoTime);
        lastLine = new AtomicLong(nanoTime.getAsLong() - LOG_INTERVAL_NANOS);
    }

    /** Ends a wait because the engine stops. Without a stack trace, because Kafka Streams logs it repeatedly. */
    static final class StoppedException extends StreamsException {
        private static final long serialVersionUID = 1;

        private StoppedException() {
            super("stopped while waiting for the registry or the brokers");
        }

        /**
         * Creates the exception that ends the current thread, whose later log lines are left out: they describe a
         * crash.
         */
        static StoppedException ofThread() {
            MDC.put("stopping", "true");
            return new StoppedException();
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    /**
     * Repeats a request until the registry answers.
     *
     * @param request to the registry; {@link UnknownSchemaException} passes through
     * @param caller the waiting part, for the log
     * @throws StoppedException if the engine stops
     */
    public <T> T waitFor(Supplier<T> request, Supplier<String> caller) {
        return waitFor(request, -1, caller);
    }

    /**
     * Decodes a record, and repeats that until the registry answers and has the schema.
     *
     * @param id of the schema
     * @throws io.perceptronstreams.example.RejectedException if the record cannot be used, or the registry still does
     *     not have the schema after the grace
     * @throws StoppedException if the engine stops
     */
    public <T> T waitFor(Supplier<T> decoding, int id, Supplier<String> caller) {
        waiting.incrementAndGet();
        try {
            return retry(decoding, id, caller);
        } finally {
            waits.remove(Thread.currentThread());
            waiting.decrementAndGet();
        }
    }

    /** Returns true if the rejection depends on the answer of the registry, which may change. */
    static boolean isFromRegistry(RejectReason reason) {
        return reason == RejectReason.UNKNOWN_SCHEMA || reason == RejectReason.INCOMPATIBLE_SCHEMA;
    }

    /**
     * Decodes a record, waiting as {@link #waitFor(Supplier, int, Supplier)} only if the registry does not answer, or
     * does not have the schema.
     *
     * @throws io.perceptronstreams.example.RejectedException as {@link #waitFor(Supplier, int, Supplier)}
     */
    <T> T decode(byte[] value, Supplier<T> decoding, Supplier<String> caller) {
        try {
            return decoding.get();
        } catch (RegistryException | RejectedException e) {
            return decodeAgain(e, value, decoding, caller);
        }
    }

    /**
     * Decodes a record again, if its first decoding has failed because the registry does not answer, or does not have
     * the schema.
     *
     * @param why failure of the first decoding; any other one is thrown
     * @throws io.perceptronstreams.example.RejectedException as {@link #waitFor(Supplier, int, Supplier)}
     */
    <T> T decodeAgain(RuntimeException why, byte[] value, Supplier<T> decoding, Supplier<String> caller) {
        boolean isUnknown = why instanceof RejectedException refused && refused.reason() == RejectReason.UNKNOWN_SCHEMA;
        if (!isUnknown && !(why instanceof RegistryException)) {
            throw why;
        }
        return waitFor(decoding, WireFormat.schemaId(value), caller);
    }

    private <T> T retry(Supplier<T> request, int id, Supplier<String> caller) {
        long pauseMs = FIRST_PAUSE_MS;
        for (int attempt = 1; ; attempt++) {
            try {
                T answer = request.get();
                if (attempt > 1) {
                    LOG.info("the schema registry answers again: {} continues", caller.get());
                }
                return answer;
            } catch (UnknownSchemaException e) {
                throw e;
            } catch (RegistryException e) {
                if (stopped.getCount() == 0 || Thread.currentThread().isInterrupted()) {
                    // the client was closed for the stop, or the wait is over
                    throw StoppedException.ofThread();
                }
                note(caller.get() + " waits for the schema registry, attempt " + attempt + ": " + e.getMessage());
                pause(pauseMs);
                pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
            } catch (RejectedException e) {
                long leftMs =
                        e.reason() == RejectReason.UNKNOWN_SCHEMA ? TimeUnit.NANOSECONDS.toMillis(grace.left(id)) : 0;
                if (leftMs <= 0) {
                    throw e;
                }
                note(caller.get() + " waits " + leftMs
                        + " ms for a schema that the registry does not give, then its record is refused: "
                        + e.getMessage());
                pause(Math.min(leftMs + 1, UNKNOWN_PAUSE_MS));
            }
        }
    }

    private void note(String line) {
        waits.put(Thread.currentThread(), line);
        long now = nanoTime.getAsLong();
        long last = lastLine.get();
        if (now - last >= LOG_INTERVAL_NANOS && lastLine.compareAndSet(last, now)) {
            LOG.warn("{}", line);
        }
    }

    /** Lines on what is waited for, in the order of the alphabet. */
    public List<String> waits() {
        return waits.values().stream().sorted().toList();
    }

    /** Returns true if a request is running or waiting. */
    public boolean isWaiting() {
        return waiting.get() > 0;
    }

    private void pause(long ms) {
        try {
            if (pause.await(ms)) {
                throw StoppedException.ofThread();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw StoppedException.ofThread();
        }
    }

    /** Returns true if a stream thread failed only because the engine was stopped while it waited. */
    public static boolean isStop(Throwable failure) {
        Throwable cause = failure;
        while (cause != null && !(cause instanceof StoppedException)) {
            cause = cause.getCause();
        }
        return cause != null;
    }

    /** Ends all current and future waits. */
    public void stop() {
        stopped.countDown();
    }

    /**
     * Decides how long the engine waits for a schema id that the registry does not have.
     *
     * <p>A registry that replicates another one may not have a new id yet. The grace period starts when the id is first
     * missed and is the same for all partitions of a process; an interrupted wait continues, it is not repeated. An id
     * whose grace period has expired gets no second one; other ids get none for {@value #PAUSE} times its length:
     * records with many unknown ids must not stop a partition.
     *
     * <p>Thread-safe.
     */
    static final class SchemaGrace {
        /** Pause in which other ids get no grace period after one has expired, as a multiple of its length. */
        static final int PAUSE = 10;

        private static final int MAX_IDS = 1000;

        private final long graceNanos;
        private final LongSupplier nanoTime;

        /** By id; the eldest are forgotten. */
        private final Map<Integer, Wait> waits = new LinkedHashMap<>();

        private boolean isPaused;
        private long pauseEnd;

        private static final class Wait {
            private final long end;
            private boolean isOver;

            Wait(long end) {
                this.end = end;
            }
        }

        /**
         * Creates the waits of a process.
         *
         * @param graceNanos longest wait for an id; 0: none
         */
        SchemaGrace(long graceNanos, LongSupplier nanoTime) {
            this.graceNanos = graceNanos;
            this.nanoTime = nanoTime;
        }

        /**
         * Returns the rest of the wait for an id that the registry does not have, in ns, or 0 if its records are
         * refused.
         */
        synchronized long left(int id) {
            // no registry gives a negative id
            if (graceNanos == 0 || id < 0) {
                return 0;
            }
            long now = nanoTime.getAsLong();
            Wait wait = waits.get(id);
            if (wait == null) {
                isPaused = isPaused && pauseEnd - now > 0;
                if (isPaused) {
                    return 0;
                }
                if (waits.size() == MAX_IDS) {
                    waits.remove(waits.keySet().iterator().next());
                }
                wait = new Wait(now + graceNanos);
                waits.put(id, wait);
            }
            long left = wait.end - now;
            if (left <= 0 && !wait.isOver) {
                wait.isOver = true;
                isPaused = true;
                pauseEnd = now + PAUSE * graceNanos;
            }
            return wait.isOver ? 0 : left;
        }
    }
}
