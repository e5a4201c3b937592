package io.perceptronstreams.monitor;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Limits of requests with events: how many at the same time, the bytes of their bodies and of their answers, and events
 * per second. Thread-safe.
 */
final class WriteLimits {
    /** Maximum number of bytes of all bodies at the same time. */
    static final long MAX_BYTES = 32L << 20;

    private static final long MAX_ANSWER_BYTES = 16L << 20;
    private static final long MAX_ANSWERS_BYTES = 64L << 20;

    /** Token bucket with the events of one second. */
    private final class Rate {
        private final String name;
        private final int max;
        private double tokens;
        private long refilledAt;

        Rate(String name, int max) {
            this.name = name;
            this.max = max;
            this.tokens = max;
            this.refilledAt = nanoTime.getAsLong();
        }

        String take(int events) {
            long now = nanoTime.getAsLong();
            tokens = Math.min(max, tokens + max * ((now - refilledAt) / (double) TimeUnit.SECONDS.toNanos(1)));
            refilledAt = now;
            // a request with more events than a second has needs a whole second without others
            if (tokens < Math.min(events, max)) {
                return "events per second must be at most " + name + " = " + max + ", got more";
            }
            tokens -= events;
            return null;
        }
    }

    private final int maxRequests;
    private final LongSupplier nanoTime;
    private final Rate written;
    private final Rate predicted;
    private final long maxAnswerBytes;
    private final long maxAnswersBytes;
    private final AtomicLong answerBytes = new AtomicLong();
    private int requests;
    private long bytes;

    /**
     * Creates limits without requests.
     *
     * @param maxRate events for the log per second
     * @param maxReplicaRate examples for the replica per second
     */
    WriteLimits(int maxRequests, int maxRate, int maxReplicaRate, LongSupplier nanoTime) {
        this(maxRequests, maxRate, maxReplicaRate, nanoTime, MAX_ANSWER_BYTES, MAX_ANSWERS_BYTES);
    }

    /**
     * Creates limits with other bounds of the answers.
     *
     * @param maxAnswerBytes maximum number of bytes of the answer to one request
     * @param maxAnswersBytes the same of all answers that are not sent yet
     */
    WriteLimits(
            int maxRequests,
            int maxRate,
            int maxReplicaRate,
            LongSupplier nanoTime,
            long maxAnswerBytes,
            long maxAnswersBytes) {
        this.maxRequests = maxRequests;
        this.nanoTime = nanoTime;
        this.written = new Rate("http.write.rate.max", maxRate);
        this.predicted = new Rate("http.replica.rate.max", maxReplicaRate);
        this.maxAnswerBytes = maxAnswerBytes;
        this.maxAnswersBytes = maxAnswersBytes;
    }

    /** Returns null, or the limit that a request with a body of at most {@code size} bytes would exceed. */
    synchronized String begin(long size) {
        if (requests >= maxRequests) {
            return "requests at the same time must be at most http.write.requests.max = " + maxRequests
                    + ", got one more (send several events in one request)";
        }
        if (bytes + size > MAX_BYTES) {
            return "requests at the same time must have at most " + MAX_BYTES + " bytes, got more";
        }
        requests++;
        bytes += size;
        return null;
    }

    /** Ends a request for which {@link #begin} returned null. */
    synchronized void end(long size) {
        requests--;
        bytes -= size;
    }

    /** Takes the events of a request for the log; returns null, or the limit that they would exceed. */
    synchronized String take(int events) {
        return written.take(events);
    }

    /** Takes the examples of a request for the replica; returns null, or the limit that they would exceed. */
    synchronized String takePredicted(int examples) {
        return predicted.take(examples);
    }

    /** A budget for the answer to one request. */
    AnswerBudget answer() {
        return new AnswerBudget(maxAnswerBytes, answerBytes, maxAnswersBytes);
    }

    /** Number of bytes of the answers that are not sent yet. */
    long answerBytes() {
        return answerBytes.get();
    }

    /** Number of requests that are not answered. */
    synchronized int requests() {
        return requests;
    }
}
