package io.perceptronstreams.log;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Lets all tasks write a checkpoint before the engine stops, so that the next start replays nothing. Thread-safe. */
public final class ShutdownBarrier {
    private final AtomicInteger behind = new AtomicInteger();
    private volatile boolean isRequested;

    /** Counts a task that has processed records since its last checkpoint. */
    public void taskIsBehind() {
        behind.incrementAndGet();
    }

    /** Counts such a task that has written a checkpoint or is closed. */
    public void taskIsDone() {
        behind.decrementAndGet();
    }

    /** Requests a checkpoint after every record from now on. */
    public void request() {
        isRequested = true;
    }

    public boolean isRequested() {
        return isRequested;
    }

    /** Waits until no task is behind; returns false after a time-out. */
    public boolean await(long timeoutMs) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        try {
            while (behind.get() > 0 && System.nanoTime() < end) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return behind.get() == 0;
    }
}
