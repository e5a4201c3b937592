package io.perceptronstreams.thread;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Daemon thread that runs a task, or repeats an attempt, until it is stopped. Both ask {@link #isStopped}, and wait
 * with {@link #pause}, which a stop ends at once.
 */
public final class StoppableThread {
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread;

    /** Work that goes on until the thread is stopped, or fails and is begun again. */
    @FunctionalInterface
    public interface Attempt {
        /** Works until the thread is stopped, something fails, or an interrupt stops the thread. */
        void run() throws InterruptedException;
    }

    /** Creates a thread that does not run yet. */
    public StoppableThread(String name, Runnable task) {
        thread = new DaemonThread(name, task);
    }

    /**
     * Creates a thread that repeats an attempt, and does not run yet.
     *
     * @param onFailure reports an exception of an attempt, and returns the pause before the next one. After a stop,
     *     which may be the reason of the exception, it is not called.
     */
    public StoppableThread(String name, Attempt attempt, Function<RuntimeException, Duration> onFailure) {
        thread = new DaemonThread(name, () -> repeat(attempt, onFailure));
    }

    private void repeat(Attempt attempt, Function<RuntimeException, Duration> onFailure) {
        while (!isStopped()) {
            try {
                attempt.run();
            } catch (InterruptedException e) {
                stop();
            } catch (RuntimeException e) {
                if (!isStopped()) {
                    pause(onFailure.apply(e));
                }
            }
        }
    }

    /** Starts the task. */
    public void start() {
        thread.start();
    }

    /** Returns true if the task must end. */
    public boolean isStopped() {
        return stopped.getCount() == 0;
    }

    /**
     * Waits until a time has passed, or the thread is stopped. An interrupt stops it, too.
     *
     * @return true if the task must end
     */
    public boolean pause(Duration time) {
        try {
            return stopped.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            stop();
            return true;
        }
    }

    /** Asks the task to end; does not wait for it. */
    public void stop() {
        stopped.countDown();
    }

    /** Interrupts a request of the task that would otherwise last. */
    public void interrupt() {
        thread.interrupt();
    }

    /** Waits until the task has ended, or the caller is interrupted. */
    public void join() {
        join(Duration.ZERO);
    }

    /**
     * Waits until the task has ended.
     *
     * @param time 0 for any
     * @return false if it has not ended within the time, or the caller was interrupted
     */
    public boolean join(Duration time) {
        try {
            thread.join(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }
}
