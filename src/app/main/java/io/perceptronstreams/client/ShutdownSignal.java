package io.perceptronstreams.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Shutdown flag, set by SIGINT and SIGTERM; delays the exit of the JVM until it is closed, for at most 8 s or the time
 * given to {@link #endWithin}.
 */
public final class ShutdownSignal implements AutoCloseable {
    // after a longer delay, a supervisor would kill the process
    private static final Duration MAX_DELAY = Duration.ofSeconds(8);

    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread hook;
    private final List<Runnable> listeners = new ArrayList<>();
    private volatile Duration maxDelay = MAX_DELAY;
    private volatile Runnable end;
    private boolean isRequested;

    /** Installs the shutdown hook. */
    public ShutdownSignal() {
        hook = new Thread(
                () -> {
                    request();
                    end(await());
                },
                "stop");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Like {@link #ShutdownSignal()}, with a first listener. */
    public ShutdownSignal(Runnable listener) {
        this();
        onShutdown(listener);
    }

    /** Calls {@code listener} from another thread when the shutdown begins, or at once if it has begun. */
    public void onShutdown(Runnable listener) {
        synchronized (listeners) {
            if (!isRequested) {
                listeners.add(listener);
                return;
            }
        }
        listener.run();
    }

    private void request() {
        List<Runnable> called;
        synchronized (listeners) {
            isRequested = true;
            called = List.copyOf(listeners);
        }
        called.forEach(Runnable::run);
    }

    /**
     * Shortens the delay.
     *
     * @param delay maximum time from the signal to the exit
     * @param end called in another thread before the exit that follows a signal, also where this object was not closed
     *     in time; must be fast
     */
    public void endWithin(Duration delay, Runnable end) {
        this.end = end;
        this.maxDelay = delay;
    }

    /** Returns true from the signal on. */
    public boolean isRequested() {
        synchronized (listeners) {
            return isRequested;
        }
    }

    /**
     * Like {@link #isRequested()}, but already true where the shutdown has begun and no listener has been called yet.
     */
    public boolean hasShutdownBegun() {
        if (isRequested()) {
            return true;
        }
        Thread probe = new Thread(() -> {}, "never-started");
        try {
            Runtime.getRuntime().addShutdownHook(probe);
            return !Runtime.getRuntime().removeShutdownHook(probe);
        } catch (IllegalStateException e) {
            return true;
        }
    }

    private boolean await() {
        try {
            return closed.await(maxDelay.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void end(boolean isClosed) {
        if (end != null) {
            end.run();
        } else if (!isClosed) {
            System.err.println("perceptron: command must end within " + maxDelay.toSeconds() + " s, still running");
        }
    }

    @Override
    public void close() {
        closed.countDown();
        if (!isRequested()) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // the shutdown has just begun: the hook finds the latch open
                return;
            }
        }
    }
}
