package io.perceptronstreams.log;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets all tasks write a checkpoint before the engine stops, so that the next start replays nothing, for a limited
 * time. Thread-safe.
 */
public final class ShutdownBarrier {
    private final AtomicInteger behind = new AtomicInteger();
    private volatile boolean isRequested;
    private volatile long start;
    private volatile long patience;

    /** Counts a task that has processed records since its last checkpoint. */
    public void taskIsBehind() {
        behind.incrementAndGet();
    }

    /** Counts such a task that has written a checkpoint or is closed. */
    public void taskIsDone() {
        behind.decrementAndGet();
    }

    /**
     * Requests a checkpoint after every batch from now on.
     *
     * @param most time that all of them may take
     */
    public void request(Duration most) {
        start = System.nanoTime();
        patience = most.toNanos();
        isRequested = true;
    }

    public boolean isRequested() {
        return isRequested;
    }

    /** Returns true if more than a share of the time has passed, from 0 to 1. */
    public boolean isPast(double share) {
        return isRequested && System.nanoTime() - start > share * patience;
    }

    /** Waits until no task is behind; returns false when the time has passed. */
    public boolean await() {
        try {
            while (behind.get() > 0 && !isPast(1)) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return behind.get() == 0;
    }
}
