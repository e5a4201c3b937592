package io.perceptronstreams.sending;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Limits the rate of a sender. */
public final class RateLimiter {
    private static final long MAX_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private RateLimiter() {}

    /**
     * Waits until example {@code number}, counted from 0, is due.
     *
     * @param start {@code System.nanoTime()} at example 0
     * @param rate examples per second; 0 or infinite for no limit
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
