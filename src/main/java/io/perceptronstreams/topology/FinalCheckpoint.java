package io.perceptronstreams.topology;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Lets every task write a checkpoint before the engine stops, so that its next start has nothing to replay. Thread-safe. */
final class FinalCheckpoint {
    private final AtomicInteger behind = new AtomicInteger();
    private volatile boolean isRequested;

    /** Notes that a task has used records that are in no checkpoint. */
    void taskIsBehind() {
        behind.incrementAndGet();
    }

    /** Notes that a task that was behind has written a checkpoint, or is no more. */
    void taskIsDone() {
        behind.decrementAndGet();
    }

    /** From now on a task should write a checkpoint after every record. */
    void request() {
        isRequested = true;
    }

    boolean isRequested() {
        return isRequested;
    }

    /** Waits until no task is behind; at most so long. */
    boolean await(long ms) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
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
