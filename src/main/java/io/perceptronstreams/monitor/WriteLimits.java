package io.perceptronstreams.monitor;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Limits of requests with events: how many at the same time, their bytes, and events per second. Thread-safe. */
final class WriteLimits {
    /** Maximum number of bytes of all bodies at the same time. */
    static final long MAX_BYTES = 32L << 20;

    private final int maxRequests;
    private final int maxRate;
    private final LongSupplier nanoTime;
    private int requests;
    private long bytes;
    // events that may be sent now; at most those of a second
    private double tokens;
    private long refilledAt;

    /** @param maxRate events per second */
    WriteLimits(int maxRequests, int maxRate, LongSupplier nanoTime) {
        this.maxRequests = maxRequests;
        this.maxRate = maxRate;
        this.nanoTime = nanoTime;
        this.tokens = maxRate;
        this.refilledAt = nanoTime.getAsLong();
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

    /** Takes the events of a request; returns null, or the limit that they would exceed. */
    synchronized String take(int events) {
        long now = nanoTime.getAsLong();
        tokens = Math.min(maxRate, tokens + maxRate * ((now - refilledAt) / (double) TimeUnit.SECONDS.toNanos(1)));
        refilledAt = now;
        // a request with more events than those of a second needs a whole second without others
        if (tokens < Math.min(events, maxRate)) {
            return "events per second must be at most http.write.rate.max = " + maxRate + ", got more";
        }
        tokens -= events;
        return null;
    }

    /** Number of requests that are not answered. */
    synchronized int requests() {
        return requests;
    }
}
