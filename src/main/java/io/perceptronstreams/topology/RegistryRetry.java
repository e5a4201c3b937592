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
 * Waits out a registry that cannot be asked: the record in hand is neither lost nor refused, and the engine goes on when the
 * registry answers.
 *
 * <p>The stream thread waits in the middle of a record. If it waits longer than the transaction's or the consumer's time-out, the
 * broker gives up on it, and Kafka Streams itself comes back to the record from the last commit: slower, and still exactly once.
 */
final class RegistryRetry {
    private static final Logger LOG = LoggerFactory.getLogger(RegistryRetry.class);
    private static final long FIRST_PAUSE_MS = 200;
    private static final long MAX_PAUSE_MS = 5_000;

    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicInteger waiting = new AtomicInteger();

    /** Says that waiting was ended because the engine stops; without a stack, because Kafka Streams logs it as a failure, often. */
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
     * Asks until there is an answer.
     *
     * @param question asks the registry; answers that the record is to blame for pass through
     * @param where what waits, for the log
     * @throws StoppedException if the engine stops meanwhile
     */
    <T> T waitFor(Supplier<T> question, Supplier<String> where) {
        waiting.incrementAndGet();
        try {
            return ask(question, where);
        } finally {
            waiting.decrementAndGet();
        }
    }

    private <T> T ask(Supplier<T> question, Supplier<String> where) {
        long pauseMs = FIRST_PAUSE_MS;
        for (int attempt = 1; ; attempt++) {
            try {
                T answer = question.get();
                if (attempt > 1) {
                    LOG.info("the schema registry answers again: {} goes on", where.get());
                }
                return answer;
            } catch (UnknownSchemaException e) {
                throw e;
            } catch (RegistryException e) {
                if (Integer.bitCount(attempt) == 1) {
                    LOG.warn("{} waits for the schema registry, attempt {}: {}", where.get(), attempt, e.getMessage());
                }
                pause(pauseMs);
                pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
            }
        }
    }

    /** Whether anybody asks or waits. */
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

    /** Whether a stream thread ended for no other reason than that the engine was stopped while it waited. */
    static boolean isStop(Throwable failure) {
        Throwable cause = failure;
        while (cause != null && !(cause instanceof StoppedException)) {
            cause = cause.getCause();
        }
        return cause != null;
    }

    /** Ends all waiting, now and later. */
    void stop() {
        stopped.countDown();
    }
}
