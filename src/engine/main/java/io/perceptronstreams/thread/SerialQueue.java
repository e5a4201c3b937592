package io.perceptronstreams.thread;

import java.util.ArrayList;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs tasks of its owner, which is one thread, in a daemon thread and in their order. The owner sees what they have
 * written after {@link #finish} or {@link #discard}.
 *
 * <p>To wake a thread takes the owner as long as tens of its own tasks. So while tasks come, the daemon looks for them
 * after short pauses, and where the owner must wait for one, it runs it itself.
 */
public final class SerialQueue implements AutoCloseable {
    private static final long PAUSE_NANOS = 1_000_000;

    /** Number of pauses without a task, after which the daemon sleeps until there is one. */
    private static final int MAX_PAUSES = 5;

    private final BlockingQueue<Runnable> tasks;
    private final Thread daemon;

    // tasks that have not ended
    private final AtomicInteger left = new AtomicInteger();

    // held while a task is taken and run
    private final Object turn = new Object();

    private volatile boolean isAsleep;
    private volatile boolean isClosed;

    // of the first task that has failed; with the turn
    private Throwable failure;

    /**
     * @param name of the daemon, which begins with the first task
     * @param capacity maximum number of tasks that wait; then the owner runs them
     */
    public SerialQueue(String name, int capacity) {
        tasks = new ArrayBlockingQueue<>(capacity);
        daemon = new DaemonThread(name, this::runAll);
    }

    /** Returns true if all tasks have ended. */
    public boolean isEmpty() {
        return left.get() == 0;
    }

    /** Adds a task. */
    public void add(Runnable task) {
        if (daemon.getState() == Thread.State.NEW) {
            daemon.start();
        }
        left.incrementAndGet();
        while (!tasks.offer(task)) {
            runNext();
        }
        if (isAsleep) {
            LockSupport.unpark(daemon);
        }
    }

    private void runAll() {
        int pauses = 0;
        while (!isClosed) {
            if (runNext()) {
                pauses = 0;
            } else if (pauses < MAX_PAUSES) {
                pauses++;
                LockSupport.parkNanos(this, PAUSE_NANOS);
            } else {
                isAsleep = true;
                if (tasks.isEmpty() && !isClosed) {
                    LockSupport.park(this);
                }
                isAsleep = false;
            }
        }
    }

    /** Runs the next task; returns false if there is none. */
    private boolean runNext() {
        synchronized (turn) {
            Runnable task = tasks.poll();
            if (task == null) {
                return false;
            }
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                failure = failure == null ? e : failure;
            } finally {
                left.decrementAndGet();
            }
            return true;
        }
    }

    /**
     * Returns when all tasks have ended.
     *
     * @throws IllegalStateException if one has failed since the last call of {@link #discard}
     */
    public void finish() {
        while (!isEmpty()) {
            runNext();
        }
        synchronized (turn) {
            if (failure != null) {
                throw new IllegalStateException("a task failed: " + failure, failure);
            }
        }
    }

    /** Drops the tasks that have not begun, waits for the end of the one that has, and forgets failures. */
    public void discard() {
        left.addAndGet(-tasks.drainTo(new ArrayList<>()));
        synchronized (turn) {
            failure = null;
        }
    }

    /** As {@link #discard}; the daemon ends. No task may follow. */
    @Override
    public void close() {
        discard();
        isClosed = true;
        LockSupport.unpark(daemon);
    }
}
