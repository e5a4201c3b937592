package io.perceptronstreams.topology;

import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.UnknownSchemaException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.kafka.streams.errors.StreamsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Retries registry requests until the registry answers, so that an outage neither loses nor rejects a record.
 *
 * <p>The stream thread waits in the middle of a record. After the time-out of the transaction or of the consumer, the
 * broker fences it, and Kafka Streams restarts from the last commit: slower, but still exactly once.
 */
final class RegistryRetry {
    private static final Logger LOG = LoggerFactory.getLogger(RegistryRetry.class);
    private static final long FIRST_PAUSE_MS = 200;
    private static final long MAX_PAUSE_MS = 5_000;

    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicInteger waiting = new AtomicInteger();

    /** Ends a wait because the engine stops. Without a stack trace, because Kafka Streams logs it repeatedly. */
    static final class StoppedException extends StreamsException {
        private static final long serialVersionUID = 1;

        StoppedException() {
            super("stopped while waiting for the registry or the brokers");
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
    <T> T waitFor(Supplier<T> request, Supplier<String> caller) {
        waiting.incrementAndGet();
        try {
            return retry(request, caller);
        } finally {
            waiting.decrementAndGet();
        }
    }

    private <T> T retry(Supplier<T> request, Supplier<String> caller) {
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
                if (Integer.bitCount(attempt) == 1) {
                    LOG.warn("{} waits for the schema registry, attempt {}: {}", caller.get(), attempt, e.getMessage());
                }
                pause(pauseMs);
                pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
            }
        }
    }

    /** Returns true if a request is running or waiting. */
    boolean isWaiting() {
        return waiting.get() > 0;
    }

    private void pause(long ms) {
        try {
            if (stopped.await(ms, TimeUnit.MILLISECONDS)) {
                throw new StoppedException();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoppedException();
        }
    }

    /** Returns true if a stream thread failed only because the engine was stopped while it waited. */
    static boolean isStop(Throwable failure) {
        Throwable cause = failure;
        while (cause != null && !(cause instanceof StoppedException)) {
            cause = cause.getCause();
        }
        return cause != null;
    }

    /** Ends all present and future waits. */
    void stop() {
        stopped.countDown();
    }
}
