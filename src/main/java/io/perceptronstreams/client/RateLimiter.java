package io.perceptronstreams.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Keeps a sender to a rate. */
public final class RateLimiter {
    private static final long MAX_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private RateLimiter() {}

    /**
     * Waits until example {@code number}, counted from 0, is due.
     *
     * @param start {@code System.nanoTime()} at the first one
     * @param rate per second; 0 or infinite: at once
     */
    public static void await(long start, long number, double rate) {
        if (rate == 0 || Double.isInfinite(rate)) {
            return;
        }
        long due = start + (long) (number * (TimeUnit.SECONDS.toNanos(1) / rate));
        for (long wait = due - System.nanoTime();
                wait > 0 && !Thread.currentThread().isInterrupted();
                wait = due - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(wait, MAX_PARK_NANOS));
        }
    }
}
